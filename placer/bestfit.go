package placer

import (
	"cmp"
	"slices"
)

// share is one domain or node and how much of the pod set goes there.
type share struct {
	dom  DomainID // -1 for a node
	node NodeID
	pods int64 // what it can take, then what it is given
}

// bestFit fills q.out as BEST_FIT does: the smallest sufficient domain at the
// constraint's layer, then at every layer below the largest children until one
// holds what is left, of those the smallest. It follows the behaviour of
// Kueue's BestFit (kubernetes-sigs/kueue, topology-aware scheduling).
func (q *search) bestFit(ps *PodSet) bool {
	node := int8(q.e.layers) + 1
	outer := node // the depth down to which whole outermost slices are dealt
	if len(ps.Slices) > 0 {
		outer = depthOf(ps.Slices[0].Layer)
	}
	if q.e.pods[int(Root)*q.e.stride+int(q.s.slot)] < q.n {
		return false
	}
	rising := ps.Required == NoLayer && ps.Preferred == NoLayer
	depth, one := q.bestFitStart(ps, node)
	var list []share
	switch {
	case one != nil:
		list = []share{*one}
	case ps.Required != NoLayer:
		return false
	case depth == node:
		list = q.deal(q.allNodes(), q.n, rising)
	default:
		list = q.deal(q.children([]share{{dom: Root, node: NoNode}}), q.n, rising)
		depth = 1
	}
	for ; depth < node; depth++ {
		if depth < outer {
			list = q.deal(q.children(list), q.n, rising)
			continue
		}
		var next []share
		for _, sh := range list {
			if sh.dom < 0 {
				next = append(next, sh)
				continue
			}
			next = append(next, q.deal(q.children([]share{sh}), sh.pods, true)...)
		}
		list = next
	}
	for _, sh := range list {
		q.out = append(q.out, Seat{sh.node, int32(sh.pods)})
	}
	return true
}

// bestFitStart finds the domain that holds all n pods at the constraint's
// layer, or at one above where it is only preferred.
func (q *search) bestFitStart(ps *PodSet, node int8) (int8, *share) {
	depth, last := node, node
	switch {
	case ps.Required != NoLayer && ps.Preferred != NoLayer:
		depth, last = depthOf(ps.Preferred), depthOf(ps.Required)
	case ps.Required != NoLayer:
		depth, last = depthOf(ps.Required), depthOf(ps.Required)
	case ps.Preferred != NoLayer:
		depth, last = depthOf(ps.Preferred), 1
	case len(ps.Slices) > 0:
		depth, last = 1, 1
	}
	for ; depth >= last; depth-- {
		if depth == node {
			least := depthOf(ps.Required)
			if least == node {
				least = 0
			}
			if id := q.oneNode(least); id != NoNode {
				return depth, &share{dom: -1, node: id, pods: q.n}
			}
		} else if d := q.smallest(depth); d >= 0 {
			return depth, &share{dom: d, node: NoNode, pods: q.n}
		}
	}
	return max(depth+1, 1), nil
}

// smallest is the domain of a depth with the least capacity that holds all n
// pods, the first in path order among equals; -1 where none does.
func (q *search) smallest(depth int8) DomainID {
	e := q.e
	best, least := DomainID(-1), int64(0)
	for _, parent := range e.parents[depth] {
		run := e.kidRun(q.s, parent)
		if i := search64(run, makeKey(q.n, 0)); i < len(run) && (best < 0 || keyCount(run[i]) < least) {
			best, least = e.doms[parent].kids[keyPos(run[i])], keyCount(run[i])
		}
	}
	return best
}

// children lists what is right below the given domains, the largest first,
// nodes among them as they are.
func (q *search) children(of []share) []share {
	e := q.e
	var list []share
	for _, sh := range of {
		if sh.dom < 0 {
			sh.pods = int64(e.fit[int(sh.node)*e.stride+int(q.s.slot)])
			list = append(list, sh)
			continue
		}
		dom := &e.doms[sh.dom]
		for _, key := range e.nodeRun(q.s, sh.dom) {
			if keyCount(key) > 0 {
				list = append(list, share{-1, dom.nodes[keyPos(key)], keyCount(key)})
			}
		}
		for _, key := range e.kidRun(q.s, sh.dom) {
			if keyCount(key) > 0 {
				list = append(list, share{dom.kids[keyPos(key)], NoNode, keyCount(key)})
			}
		}
	}
	q.steps += int64(len(list))
	slices.SortFunc(list, q.compareShares)
	return list
}

// compareShares puts the larger first, then path order.
func (q *search) compareShares(a, b share) int {
	if c := cmp.Compare(b.pods, a.pods); c != 0 {
		return c
	}
	switch {
	case a.dom >= 0 && b.dom >= 0:
		return q.e.compareDomains(a.dom, b.dom)
	case a.dom < 0 && b.dom < 0:
		return q.e.compareNodes(a.node, b.node)
	}
	return cmp.Compare(a.dom, b.dom) // nodes before domains
}

// deal gives n pods to the largest until one can take all that is left; of
// those that can, the smallest gets it. Rising fills the smallest first. The
// list is in descending order.
func (q *search) deal(list []share, n int64, rising bool) []share {
	if rising {
		slices.SortFunc(list, func(a, b share) int {
			return cmp.Or(cmp.Compare(a.pods, b.pods), q.compareShares(a, b))
		})
	}
	for i := range list {
		if list[i].pods < n {
			n -= list[i].pods
			continue
		}
		last := i
		for j := i + 1; j < len(list) && list[j].pods >= n; j++ {
			if list[j].pods < list[last].pods {
				last = j
			}
		}
		list[i] = list[last]
		list[i].pods = n
		return list[:i+1]
	}
	return list
}

// allNodes lists the nodes of the whole cluster that can take pods, the largest
// first.
func (q *search) allNodes() []share {
	var list []share
	q.e.eachNode(q.s, Root, func(id NodeID, fit int64) {
		list = append(list, share{-1, id, fit})
	})
	q.steps += int64(len(list))
	slices.SortFunc(list, q.compareShares)
	return list
}

// eachNode yields the nodes below d that can take pods.
func (e *Engine) eachNode(s *Shape, d DomainID, yield func(NodeID, int64)) {
	dom := &e.doms[d]
	run := e.nodeRun(s, d)
	for i := len(run) - 1; i >= 0 && keyCount(run[i]) > 0; i-- {
		yield(dom.nodes[keyPos(run[i])], keyCount(run[i]))
	}
	for _, kid := range dom.kids {
		if e.have[int(kid)*e.stride+int(s.slot)] != 0 {
			e.eachNode(s, kid, yield)
		}
	}
}
