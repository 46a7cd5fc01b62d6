package placer

import "slices"

// seatPlan seats the pods as the plan says; on the largest nodes of its leaves,
// among equal ones the first in path order.
func (q *search) seatPlan(p plan) {
	e := q.e
	switch {
	case p.seats != nil:
		q.out = append(q.out, p.seats...)
		return
	case p.leaves == nil:
		q.flat = p.flat
		q.seatFound(p.dom)
		return
	}
	slices.SortFunc(p.leaves, e.compareDomains)
	rest := q.n
	for fit := e.largestFit(q.s, Root); fit > 0 && rest > 0; fit-- {
		for _, d := range p.leaves {
			run := e.nodeRun(q.s, d)
			for i := search64(run, makeKey(fit, 0)); i < len(run) && keyCount(run[i]) == fit && rest > 0; i++ {
				pods := min(fit, rest)
				q.out = append(q.out, Seat{e.doms[d].nodes[keyPos(run[i])], int32(pods)})
				rest -= pods
			}
		}
	}
}

// dealt seats the pods without looking for the best way: the largest children
// first, down to the nodes. It is what remains when the budget has ended.
func (q *search) dealt(d DomainID) plan {
	list := []share{{dom: d, node: NoNode, pods: q.n}}
	p := plan{dom: d}
	for len(list) > 0 {
		sh := list[0]
		list = list[1:]
		if sh.dom < 0 {
			p.seats = append(p.seats, Seat{sh.node, int32(sh.pods)})
			continue
		}
		list = append(list, q.deal(q.children([]share{sh}), sh.pods, false)...)
	}
	counts := q.e.vectorOf([]SetPlacement{{Seats: p.seats}})
	for l := int(q.e.doms[d].depth); l <= q.e.layers; l++ {
		p.v = p.v.add(q.f.one[l+1].times(int64(counts[l])))
	}
	if q.weighted {
		for _, seat := range p.seats {
			p.v = p.v.add(vec{lo: uint64((q.maxCost - q.weightOf(seat.Node)) * int64(seat.Pods))})
		}
	}
	return p
}
