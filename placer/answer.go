package placer

import (
	"cmp"
	"slices"
)

func sortCandidates(e *Engine, cands []candidate) {
	slices.SortFunc(cands, func(a, b candidate) int {
		if c := cmp.Compare(a.room, b.room); c != 0 {
			return c
		}
		return e.compareDomains(a.dom, b.dom)
	})
}

// compareDomains orders domains of one depth by path.
func (e *Engine) compareDomains(a, b DomainID) int {
	if a == b {
		return 0
	}
	for e.doms[a].parent != e.doms[b].parent {
		a, b = e.doms[a].parent, e.doms[b].parent
	}
	return cmp.Compare(e.doms[a].pos, e.doms[b].pos)
}

// compareNodes orders nodes by path: a domain's own nodes by name, before
// those of the domains inside it.
func (e *Engine) compareNodes(a, b NodeID) int {
	da, db := e.nodes[a].dom, e.nodes[b].dom
	if da == db {
		return cmp.Compare(e.nodes[a].pos, e.nodes[b].pos)
	}
	depth := min(e.doms[da].depth, e.doms[db].depth)
	ua, ub := e.ancestor(da, depth), e.ancestor(db, depth)
	if ua == ub {
		return cmp.Compare(e.doms[da].depth, e.doms[db].depth)
	}
	return e.compareDomains(ua, ub)
}

// answer turns the seats found into the answer, in rank order.
func (q *search) answer(ps *PodSet) *Answer {
	e := q.e
	seats := slices.Clone(q.out)
	slices.SortFunc(seats, func(a, b Seat) int { return e.compareNodes(a.Node, b.Node) })
	a := &Answer{Proven: !q.cut && !q.f.short, LowerBound: q.bound32, Steps: q.steps}
	a.Sets = []SetPlacement{{Seats: seats, Pods: int32(q.n)}}
	e.describe(a)
	a.Sets[0].PreferenceMet = e.meets(a, ps.Preferred)
	return a
}

// describe fills in the vector and the aligned domain from the seats.
func (e *Engine) describe(a *Answer) {
	a.Vector = e.vectorOf(a.Sets)
	a.AlignedNode = NoNode
	first := true
	for _, set := range a.Sets {
		for _, seat := range set.Seats {
			d := e.nodes[seat.Node].dom
			if first {
				a.Aligned, a.AlignedNode, first = d, seat.Node, false
				continue
			}
			a.Aligned = e.common(a.Aligned, d)
			if seat.Node != a.AlignedNode {
				a.AlignedNode = NoNode
			}
		}
	}
}

// vectorOf counts the distinct domains per layer and the distinct nodes. A
// layer that a node lacks counts as a domain of the node's own.
func (e *Engine) vectorOf(sets []SetPlacement) []int32 {
	var nodes []NodeID
	for _, set := range sets {
		for _, seat := range set.Seats {
			nodes = append(nodes, seat.Node)
		}
	}
	slices.SortFunc(nodes, e.compareNodes)
	nodes = slices.Compact(nodes)
	vector := make([]int32, e.layers+1)
	for i, id := range nodes {
		depth := e.doms[e.nodes[id].dom].depth
		shared := int8(0) // layers shared with the node before
		if i > 0 {
			shared = e.doms[e.common(e.nodes[id].dom, e.nodes[nodes[i-1]].dom)].depth
		}
		for l := range vector {
			if i == 0 || int8(l) >= shared || int8(l) >= depth {
				vector[l]++
			}
		}
	}
	return vector
}

// meets says whether the answer reached a preferred layer; true for none.
func (e *Engine) meets(a *Answer, preferred Layer) bool {
	if preferred == NoLayer || a.AlignedNode != NoNode && int(preferred) == e.layers {
		return true
	}
	return e.DomainLayer(a.Aligned) >= preferred && int(preferred) < e.layers
}
