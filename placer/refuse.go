package placer

// refuse says why the pod set does not fit: the counts are there already.
func (e *Engine) refuse(ps *PodSet, s *Shape) *Refusal {
	r := &Refusal{Binding: ps.Required, BestNode: NoNode, Want: int64(ps.Count), Proven: true}
	for depth := int8(1); int(depth) <= e.layers; depth++ {
		d, pods := e.roomiest(s, depth)
		r.Misses = append(r.Misses, Miss{Layer: Layer(depth - 1), Domain: d, Node: NoNode, Pods: pods})
	}
	node, pods := e.roomiestNode(s)
	r.Misses = append(r.Misses, Miss{Layer: e.scheme.NodeLayer(), Domain: Root, Node: node, Pods: pods})
	r.Best, r.Fits = Root, e.usable(s, Root)
	if ps.Required != NoLayer {
		m := r.Misses[ps.Required]
		r.Best, r.BestNode, r.Fits = m.Domain, m.Node, m.Pods
	}
	return r
}

// roomiest is the domain of a depth that holds most pods, the first in path
// order among equals; Root and none where no node has the layer.
func (e *Engine) roomiest(s *Shape, depth int8) (DomainID, int64) {
	best, most := Root, int64(-1)
	for _, parent := range e.parents[depth] {
		run := e.kidRun(s, parent)
		top := keyCount(run[len(run)-1])
		if top > most {
			i := search64(run, makeKey(top, 0))
			best, most = e.doms[parent].kids[keyPos(run[i])], top
		}
	}
	return best, max(most, 0)
}

// roomiestNode is the node that holds most pods.
func (e *Engine) roomiestNode(s *Shape) (NodeID, int64) {
	top := e.largestFit(s, Root)
	if top == 0 {
		return NoNode, 0
	}
	if top < topBucket {
		return e.firstWith(s, Root, top, 0), top
	}
	best := oneBest{id: NoNode}
	e.leastLarge(s, Root, top, 0, &best)
	return best.id, top
}
