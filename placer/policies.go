package placer

import (
	"cmp"
	"slices"
)

// byPolicy seats the pods of one set as the gang's policy says; false says
// that they do not fit. Every policy falls back on TIGHTEST where its own way
// would break what binds the gang.
func (q *search) byPolicy(g *Gang, ps *PodSet) bool {
	fabric := q.e.fabricDepth(g)
	switch g.Policy {
	case BestFit:
		if q.bestFit(ps) && q.inOneFabric(fabric) {
			return true
		}
	case LeastFree:
		if q.leastFree(ps, fabric) {
			return true
		}
	case Balanced:
		if q.balanced(ps, fabric) {
			return true
		}
	}
	q.out = q.out[:0]
	return q.tightest(ps, fabric)
}

func (q *search) inOneFabric(fabric int8) bool {
	if fabric == 0 || len(q.out) < 2 {
		return true
	}
	first := q.e.nodes[q.out[0].Node].dom
	return !slices.ContainsFunc(q.out[1:], func(s Seat) bool { return q.e.common(first, q.e.nodes[s.Node].dom) == Root })
}

// leastFree takes, at the constraint's layer (the leaf where there is none),
// the domain with the least capacity that holds the pods, else at the next
// layer up; inside it the nodes with the least capacity first.
func (q *search) leastFree(ps *PodSet, fabric int8) bool {
	node := int8(q.e.layers) + 1
	depth, last := int8(q.e.layers), max(depthOf(ps.Required), fabric)
	switch {
	case ps.Preferred != NoLayer:
		depth = depthOf(ps.Preferred)
	case ps.Required != NoLayer:
		depth = depthOf(ps.Required)
	}
	for ; depth >= last; depth-- {
		d := Root
		switch {
		case depth == node:
			if id := q.oneNode(max(last%node, 0)); id != NoNode {
				q.out = append(q.out, Seat{id, int32(q.n)})
				return true
			}
			continue
		case depth > 0:
			d = q.smallest(depth)
		case q.e.usable(q.s, Root) < q.n:
			d = -1
		}
		if d >= 0 {
			q.fillLeast(d, ps)
			return true
		}
	}
	return false
}

// fillLeast puts the pods on d's nodes, those with the least capacity first; in
// slices, domain by domain.
func (q *search) fillLeast(d DomainID, ps *PodSet) {
	if len(ps.Slices) > 0 {
		q.out = append(q.out, q.dealt(d).seats...)
		return
	}
	var list []share
	q.e.eachNode(q.s, d, func(id NodeID, fit int64) { list = append(list, share{-1, id, fit}) })
	q.steps += int64(len(list))
	slices.SortFunc(list, func(a, b share) int {
		return cmp.Or(cmp.Compare(a.pods, b.pods), q.e.compareNodes(a.node, b.node))
	})
	rest := q.n
	for _, sh := range list {
		pods := min(sh.pods, rest)
		q.out = append(q.out, Seat{sh.node, int32(pods)})
		if rest -= pods; rest == 0 {
			return
		}
	}
}

// evenly is one way to spread the pods: the domains and their shares, ascending.
type evenly struct {
	list []share
	room int64
}

// balanced spreads the pods evenly over the fewest domains of the preferred
// layer (the narrowest where none is preferred), inside the required one.
func (q *search) balanced(ps *PodSet, fabric int8) bool {
	e := q.e
	target := int8(e.layers)
	for target > 1 && len(e.order[target]) == 0 {
		target-- // a layer that no node carries tells nothing apart
	}
	if e.layers == 0 {
		target = 1 // without layers the nodes are what there is to spread over
	}
	if ps.Preferred != NoLayer {
		target = depthOf(ps.Preferred)
	}
	required := max(depthOf(ps.Required), fabric)
	if int(required) > e.layers || target == 0 || required > target {
		return false // one node, or one domain inside the layer: TIGHTEST says which
	}
	if len(ps.Slices) > 0 && depthOf(ps.Slices[0].Layer) < target {
		return false // shares of the layer are then no whole slices
	}
	var best *evenly
	// The narrowest domain first: of shares equally even, those nearest together.
	for depth := min(target, int8(e.layers)); depth >= required; depth-- {
		var here *evenly
		for _, d := range e.order[depth] {
			if e.usable(q.s, d) < q.n {
				continue
			}
			if w := q.spread(d, target); w != nil && (here == nil || w.better(here)) {
				here = w
			}
		}
		if here != nil && (best == nil || here.moreEven(best) > 0) {
			best = here
		}
	}
	if best == nil {
		return false
	}
	for _, sh := range best.list {
		if sh.dom < 0 {
			q.out = append(q.out, Seat{sh.node, int32(sh.pods)})
			continue
		}
		q.seat(sh.dom, sh.pods)
	}
	return true
}

func (w *evenly) better(o *evenly) bool {
	if c := w.moreEven(o); c != 0 {
		return c > 0
	}
	return w.room < o.room
}

// moreEven is above zero where w has fewer shares than o, or as many and more
// even ones.
func (w *evenly) moreEven(o *evenly) int {
	if c := cmp.Compare(len(o.list), len(w.list)); c != 0 {
		return c
	}
	for i := range w.list {
		if c := cmp.Compare(w.list[i].pods, o.list[i].pods); c != 0 {
			return c
		}
	}
	return 0
}

// spread fills the fewest domains of the target depth below d as evenly as
// their room allows: from the smallest on, each an even share of what is left.
func (q *search) spread(d DomainID, target int8) *evenly {
	e := q.e
	list := q.gather(d, target, nil)
	slices.SortFunc(list, q.compareShares)
	count, sum := 0, int64(0)
	for count < len(list) && sum < q.n {
		sum += list[count].pods
		count++
	}
	if sum < q.n {
		return nil
	}
	list = list[:count]
	slices.Reverse(list)
	unit := int64(q.s.unit[target])
	rest := q.n / unit
	for i := range list {
		pods := min(list[i].pods/unit, rest/int64(len(list)-i))
		rest -= pods
		list[i].pods = pods * unit
	}
	slices.SortStableFunc(list, func(a, b share) int { return cmp.Compare(a.pods, b.pods) })
	return &evenly{list: list, room: e.roomIn(q.s, d) - q.n}
}

// gather lists the domains of a depth below d, and the nodes attached above it,
// each with what it can take.
func (q *search) gather(d DomainID, target int8, list []share) []share {
	e := q.e
	if e.doms[d].depth == target {
		if pods := e.usable(q.s, d); pods > 0 {
			list = append(list, share{d, NoNode, pods})
		}
		return list
	}
	if int(target) > e.layers || e.doms[d].depth < target {
		for _, key := range e.nodeRun(q.s, d) {
			if keyCount(key) > 0 {
				list = append(list, share{-1, e.doms[d].nodes[keyPos(key)], keyCount(key)})
			}
		}
	}
	for _, kid := range e.doms[d].kids {
		list = q.gather(kid, target, list)
	}
	q.steps += int64(len(list))
	return list
}
