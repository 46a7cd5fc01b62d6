package placer

// oneNode finds the node for a pod set that fits on one: the one with the
// least room left, first in path order, among nodes attached at minDepth or
// deeper.
func (q *search) oneNode(minDepth int8) NodeID {
	if q.weighted {
		return q.oneWeighted(minDepth)
	}
	e, s := q.e, q.s.base
	have := e.have[int(Root)*e.stride+int(s.slot)]
	for fit := q.n; fit < topBucket; fit++ {
		if have&(1<<uint(fit)) != 0 {
			if id := e.firstWith(s, Root, fit, minDepth); id != NoNode {
				return id
			}
		}
	}
	if have&(1<<topBucket) == 0 {
		return NoNode
	}
	best := oneBest{id: NoNode}
	e.leastLarge(s, Root, max(q.n, topBucket), minDepth, &best)
	return best.id
}

// firstWith is the first node in path order below d whose fit is exactly this,
// below topBucket.
func (e *Engine) firstWith(s *Shape, d DomainID, fit int64, minDepth int8) NodeID {
	dom := &e.doms[d]
	if dom.depth >= minDepth {
		run := e.nodeRun(s, d)
		if i := search64(run, makeKey(fit, 0)); i < len(run) && keyCount(run[i]) == fit {
			return dom.nodes[keyPos(run[i])]
		}
	}
	for _, kid := range dom.kids {
		if e.have[int(kid)*e.stride+int(s.slot)]&(1<<uint(fit)) != 0 {
			if id := e.firstWith(s, kid, fit, minDepth); id != NoNode {
				return id
			}
		}
	}
	return NoNode
}

type oneBest struct {
	id  NodeID
	fit int64
}

// leastLarge is firstWith for fits that share topBucket: it looks at every
// domain that has one.
func (e *Engine) leastLarge(s *Shape, d DomainID, n int64, minDepth int8, best *oneBest) {
	dom := &e.doms[d]
	if dom.depth >= minDepth {
		run := e.nodeRun(s, d)
		if i := search64(run, makeKey(n, 0)); i < len(run) && (best.id == NoNode || keyCount(run[i]) < best.fit) {
			*best = oneBest{dom.nodes[keyPos(run[i])], keyCount(run[i])}
		}
	}
	for _, kid := range dom.kids {
		if e.have[int(kid)*e.stride+int(s.slot)]&(1<<topBucket) != 0 {
			e.leastLarge(s, kid, n, minDepth, best)
		}
	}
}

// weightOf is the sum of preferred weights that a pod earns on the node.
func (q *search) weightOf(id NodeID) int64 {
	return q.s.spec.filter.weight(func(key string) (string, bool) { return q.e.label(id, key) })
}

// oneWeighted puts preferred affinity before room, so it asks every node that
// is large enough, as far as the budget goes.
func (q *search) oneWeighted(minDepth int8) NodeID {
	best, bestWeight := oneBest{id: NoNode}, int64(0)
	q.eachLarge(Root, minDepth, func(id NodeID, fit int64) bool {
		w := q.weightOf(id)
		if best.id == NoNode || w > bestWeight || w == bestWeight && fit < best.fit {
			best, bestWeight = oneBest{id, fit}, w
		}
		return !q.spend(1)
	})
	return best.id
}

// eachLarge yields the nodes below d that hold n pods, domains in path order
// and within a domain by fit, then name.
func (q *search) eachLarge(d DomainID, minDepth int8, yield func(NodeID, int64) bool) bool {
	e, s := q.e, q.s.base
	dom := &e.doms[d]
	if dom.depth >= minDepth {
		run := e.nodeRun(s, d)
		for i := search64(run, makeKey(q.n, 0)); i < len(run); i++ {
			if !yield(dom.nodes[keyPos(run[i])], keyCount(run[i])) {
				return false
			}
		}
	}
	for _, kid := range dom.kids {
		if e.pods[int(kid)*e.stride+int(s.slot)] >= q.n && !q.eachLarge(kid, minDepth, yield) {
			return false
		}
	}
	return true
}
