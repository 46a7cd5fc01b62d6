package placer

import (
	"cmp"
	"slices"
)

// maxHist is the largest fit for which histograms are kept during a decision;
// shapes of which more fit on a node go straight to the exact search.
const maxHist = 512

// hull is what a domain's nodes can do in the best of cases: over[t] is the sum
// of max(0, fit-t) over its nodes. A set of nodes holds n pods on m of them
// only if n <= m*t + over[t] for every t, and the best m nodes reach equality
// for some t; so the numbers bound from below and tell when a choice is exact.
type hull struct {
	dom  DomainID
	pods int64
	hist []int64 // [fit]: nodes
	over []int64 // [t]
}

// plan is a way to seat the pods and its vector: on the largest nodes of some
// leaves, on seats already dealt, or as the exact search found for a domain.
type plan struct {
	leaves []DomainID
	seats  []Seat
	dom    DomainID
	v      vec
}

// quick tries to settle a candidate without the exact search: a greedy plan
// gives the vector from above, the hulls from below. exact says that they met.
func (q *search) quick(d DomainID, kids int64) (p plan, low vec, exact bool) {
	top := q.e.largestFit(q.s, d)
	low = q.bound(kids, d, top)
	if top > maxHist || q.weighted || q.s != q.s.base || q.evenDepth(d) < 0 {
		return plan{v: maxVec}, low, false
	}
	p = q.greedy(d, 0, top)
	if p.v == low {
		return p, low, true
	}
	low = q.hullBound(d, kids, top)
	for t := int64(1); t <= top && p.v != low; t++ {
		if o := q.greedy(d, t, top); o.v.less(p.v) {
			p = o
		}
	}
	return p, low, p.v == low
}

// evenDepth is the depth of the leaves below d where all nodes are attached
// there; -1 where they are not.
func (q *search) evenDepth(d DomainID) int8 {
	dom := &q.e.doms[d]
	if len(dom.kids) == 0 {
		return dom.depth
	}
	if len(dom.nodes) > 0 {
		return -1
	}
	depth := q.evenDepth(dom.kids[0])
	for _, kid := range dom.kids[1:] {
		if depth < 0 || q.evenDepth(kid) != depth {
			return -1
		}
	}
	return depth
}

// hullOf computes d's hull once per decision.
func (q *search) hullOf(d DomainID, top int64) *hull {
	if i, ok := q.hullAt[d]; ok {
		return &q.hulls[i]
	}
	h := hull{dom: d, pods: q.e.usable(q.s, d)}
	h.hist = q.longs.take(int(top) + 1)
	h.over = q.longs.take(int(top) + 1)
	clear(h.hist)
	q.fill(d, h.hist)
	count, sum := int64(0), int64(0)
	for t := top; t >= 0; t-- {
		h.over[t] = sum
		count += h.hist[t]
		sum += count
	}
	q.hullAt[d] = int32(len(q.hulls))
	q.hulls = append(q.hulls, h)
	return &q.hulls[len(q.hulls)-1]
}

// fill adds the fits below d to hist, jumping over equal ones in the runs.
func (q *search) fill(d DomainID, hist []int64) {
	run := q.e.nodeRun(q.s, d)
	for end := len(run); end > 0; {
		fit := keyCount(run[end-1])
		if fit == 0 {
			break
		}
		start := search64(run[:end], makeKey(fit, 0))
		hist[fit] += int64(end - start)
		end = start
		q.steps++
	}
	for _, kid := range q.e.doms[d].kids {
		q.fill(kid, hist)
	}
}

// hullBound is bound made sharper: the fewest domains at each layer below d and
// the fewest nodes that any choice of so many children could need.
func (q *search) hullBound(d DomainID, kids int64, top int64) vec {
	e := q.e
	depth := int(e.doms[d].depth)
	v := q.f.one[depth+1].times(kids)
	least := kids
	for j := depth + 2; j <= e.layers; j++ {
		if len(q.below(d, j-depth)) > 0 {
			least = max(least, q.fewestBelow(d, kids, j))
		}
		v = v.add(q.f.one[j].times(least))
	}
	nodes := least
	over := q.longs.take(len(e.doms[d].kids))
	for t := int64(1); t <= top; t++ {
		for i, kid := range e.doms[d].kids {
			over[i] = q.hullOf(kid, top).over[t]
		}
		if rest := q.n - topSum(over, kids); rest > 0 {
			nodes = max(nodes, ceilDiv(rest, t))
		}
	}
	return v.add(q.f.one[e.layers+1].times(nodes))
}

// fewestBelow bounds the number of domains of depth j that hold n pods inside
// so many children of d, by the same argument with domains instead of nodes.
func (q *search) fewestBelow(d DomainID, kids int64, j int) int64 {
	e := q.e
	depth := int(e.doms[d].depth)
	all := q.below(d, j-depth)
	counts := q.longs.take(len(all))
	for i, x := range all {
		counts[i] = e.usable(q.s, x)
	}
	slices.SortFunc(counts, func(a, b int64) int { return cmp.Compare(b, a) })
	least := int64(1)
	over := q.longs.take(len(e.doms[d].kids))
	seen, sum := int64(-1), int64(0)
	for i, t := range counts {
		if t == 0 || sum >= 2*q.n {
			break
		}
		sum += t
		if t == seen || i+1 < int(least) {
			continue
		}
		seen = t
		for k, kid := range e.doms[d].kids {
			over[k] = 0
			for _, x := range q.below(kid, j-depth-1) {
				over[k] += max(0, e.usable(q.s, x)-t)
			}
		}
		q.steps += int64(len(all))
		if rest := q.n - topSum(over, kids); rest > 0 {
			least = max(least, ceilDiv(rest, t))
		}
	}
	return least
}

// below lists the domains so many layers below d; none where the tree ends
// before.
func (q *search) below(d DomainID, layers int) []DomainID {
	list := []DomainID{d}
	for ; layers > 0; layers-- {
		var next []DomainID
		for _, x := range list {
			next = append(next, q.e.doms[x].kids...)
		}
		list = next
	}
	return list
}

// topSum is the sum of the k largest values; it reorders them.
func topSum(vals []int64, k int64) int64 {
	sum := int64(0)
	for i := 0; i < len(vals) && int64(i) < k; i++ {
		at := i
		for j := i + 1; j < len(vals); j++ {
			if vals[j] > vals[at] {
				at = j
			}
		}
		vals[i], vals[at] = vals[at], vals[i]
		sum += vals[i]
	}
	return sum
}

// greedy goes down from d and keeps at each layer the fewest domains that hold
// n pods: the largest, or among as many, those with the largest nodes above t.
func (q *search) greedy(d DomainID, t, top int64) plan {
	e := q.e
	v := vec{}
	chosen := []DomainID{d}
	for len(e.doms[chosen[0]].kids) > 0 {
		var all []*hull
		for _, x := range chosen {
			for _, kid := range e.doms[x].kids {
				if e.usable(q.s, kid) > 0 {
					all = append(all, q.hullOf(kid, top))
				}
			}
		}
		q.steps += int64(len(all))
		all = q.keep(all, t)
		chosen = chosen[:0]
		for _, h := range all {
			chosen = append(chosen, h.dom)
		}
		v = v.add(q.f.one[e.doms[chosen[0]].depth].times(int64(len(all))))
	}
	nodes := q.need(chosen, top)
	leaf := int(e.doms[chosen[0]].depth)
	v = v.add(q.f.node[leaf].times(nodes))
	return plan{leaves: slices.Clone(chosen), v: v}
}

// keep picks the fewest hulls that hold n pods.
func (q *search) keep(all []*hull, t int64) []*hull {
	byPods := func(a, b *hull) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), q.e.compareDomains(a.dom, b.dom))
	}
	slices.SortFunc(all, byPods)
	count, sum := 0, int64(0)
	for sum < q.n {
		sum += all[count].pods
		count++
	}
	if t == 0 || count == len(all) {
		return all[:count]
	}
	other := slices.Clone(all)
	slices.SortStableFunc(other, func(a, b *hull) int { return cmp.Compare(b.over[t], a.over[t]) })
	sum = 0
	for _, h := range other[:count] {
		sum += h.pods
	}
	if sum < q.n {
		return all[:count]
	}
	return other[:count]
}

// need is the fewest nodes in these leaves that hold n pods.
func (q *search) need(leaves []DomainID, top int64) int64 {
	hist := q.longs.take(int(top) + 1)
	clear(hist)
	for _, d := range leaves {
		for fit, count := range q.hullOf(d, top).hist {
			hist[fit] += count
		}
	}
	nodes, rest := int64(0), q.n
	for fit := top; fit > 0 && rest > 0; fit-- {
		take := min(hist[fit], ceilDiv(rest, fit))
		nodes += take
		rest -= take * fit
	}
	return nodes
}

// seatPlan seats the pods as the plan says; on the largest nodes of its leaves,
// among equal ones the first in path order.
func (q *search) seatPlan(p plan) {
	e := q.e
	switch {
	case p.seats != nil:
		q.out = append(q.out, p.seats...)
		return
	case p.leaves == nil:
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
