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
	flat   int64 // as when it was found
	v      vec
}

// quick tries to settle a candidate without the exact search: a greedy plan
// gives the vector from above, the hulls from below. exact says that they met.
func (q *search) quick(d DomainID, fewest int64) (p plan, low vec, exact bool) {
	top := q.e.largestFit(q.s, d)
	low = q.bound(fewest, d, top)
	if top > maxHist || q.weighted || q.s != q.s.base || q.evenDepth(d) < 0 {
		return plan{v: maxVec}, low, false
	}
	if kids := q.e.doms[d].kids; len(kids) > 0 && q.e.aboveLeaves(kids[0]) && q.flatIn(d) > 0 {
		return q.quickFlat(d, fewest, low)
	}
	p = q.greedy(d, 0, top)
	if p.v == low {
		return p, low, true
	}
	low, best := q.hullBound(d, fewest, top)
	for t := int64(0); t <= top && p.v != low; t++ {
		if best != nil {
			if o := q.greedyFrom(best, t, top); o.v.less(p.v) {
				p = o
			}
		}
		if o := q.greedy(d, t, top); t > 0 && o.v.less(p.v) {
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
// the fewest nodes that any choice of so many children could need. With it come
// the children that need the fewest domains of the layer below them.
func (q *search) hullBound(d DomainID, kids int64, top int64) (vec, []DomainID) {
	e := q.e
	depth := int(e.doms[d].depth)
	v := q.f.one[depth+1].times(kids)
	least := kids
	var best []DomainID
	deepest := depth + 1
	for j := depth + 2; j <= e.layers; j++ {
		if len(q.below(d, j-depth)) > 0 {
			few, chosen := q.fewestBelow(d, kids, j)
			least = max(least, few)
			if j == depth+2 {
				best = chosen
			}
		}
		v = v.add(q.f.one[j].times(least))
		deepest = j
	}
	nodes := max(least, q.fewestNodes(e.doms[d].kids, kids, top))
	if all := q.below(d, deepest-depth); deepest > depth+1 && len(all) > 0 {
		nodes = max(nodes, q.fewestNodes(all, least, top))
	}
	return v.add(q.f.one[e.layers+1].times(nodes)), best
}

// fewestNodes bounds the nodes that so many of these domains need for n pods.
func (q *search) fewestNodes(doms []DomainID, count, top int64) int64 {
	nodes := int64(0)
	over := q.longs.take(len(doms))
	for t := int64(1); t <= top; t++ {
		for i, d := range doms {
			over[i] = q.hullOf(d, top).over[t]
		}
		if rest := q.n - topSum(over, count); rest > 0 {
			nodes = max(nodes, ceilDiv(rest, t))
		}
	}
	return nodes
}

// fewestBelow bounds the number of domains of depth j that hold n pods inside
// so many children of d, by the same argument with domains instead of nodes.
// The children that reach the most above the sharpest t come with it.
func (q *search) fewestBelow(d DomainID, kids int64, j int) (least int64, best []DomainID) {
	e := q.e
	depth := int(e.doms[d].depth)
	all := q.below(d, j-depth)
	counts := q.countsIn(all)
	within := make([][]int64, len(e.doms[d].kids))
	for k, kid := range e.doms[d].kids {
		within[k] = q.countsIn(q.below(kid, j-depth-1))
	}
	over := q.longs.take(len(within))
	fewest, seen, sum := int64(len(all))+1, int64(-1), int64(0)
	least = 1
	for i, t := range counts {
		if t == 0 || sum >= 2*q.n {
			break
		}
		sum += t
		if t == seen || i+1 < int(least) {
			continue
		}
		seen = t
		for k := range within {
			over[k] = overOf(within[k], t)
		}
		q.steps += int64(len(all))
		chosen := q.mostOver(d, over, kids)
		rest := q.n
		for _, k := range chosen {
			rest -= over[k]
		}
		if rest > 0 {
			least = max(least, ceilDiv(rest, t))
		}
		if few := q.needed(within, chosen); few < fewest {
			fewest, best = few, best[:0]
			for _, k := range chosen {
				best = append(best, e.doms[d].kids[k])
			}
		}
		if fewest == least {
			break
		}
	}
	return least, best
}

// countsIn lists what the domains hold, the most first.
func (q *search) countsIn(doms []DomainID) []int64 {
	counts := q.longs.take(len(doms))
	for i, x := range doms {
		counts[i] = q.e.usable(q.s, x)
	}
	slices.SortFunc(counts, func(a, b int64) int { return cmp.Compare(b, a) })
	return counts
}

func overOf(counts []int64, t int64) int64 {
	sum := int64(0)
	for _, c := range counts {
		if c <= t {
			break
		}
		sum += c - t
	}
	return sum
}

// mostOver is the k children of d with the largest values, as indices.
func (q *search) mostOver(d DomainID, over []int64, k int64) []int {
	list := make([]int, len(over))
	for i := range list {
		list[i] = i
	}
	kids := q.e.doms[d].kids
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(over[b], over[a]), cmp.Compare(q.e.usable(q.s, kids[b]), q.e.usable(q.s, kids[a])), a-b)
	})
	return list[:min(k, int64(len(list)))]
}

// needed is how many of the chosen children's domains hold n pods.
func (q *search) needed(within [][]int64, chosen []int) int64 {
	var all []int64
	for _, k := range chosen {
		all = append(all, within[k]...)
	}
	slices.SortFunc(all, func(a, b int64) int { return cmp.Compare(b, a) })
	rest := q.n
	for i, c := range all {
		if rest -= c; rest <= 0 {
			return int64(i + 1)
		}
	}
	return int64(len(all)) + 1
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
	return q.goDown([]DomainID{d}, vec{}, t, top)
}

// greedyFrom is greedy with the first step taken.
func (q *search) greedyFrom(kids []DomainID, t, top int64) plan {
	sum := int64(0)
	for _, kid := range kids {
		sum += q.e.usable(q.s, kid)
	}
	if sum < q.n {
		return plan{v: maxVec}
	}
	v := q.f.one[q.e.doms[kids[0]].depth].times(int64(len(kids)))
	return q.goDown(slices.Clone(kids), v, t, top)
}

func (q *search) goDown(chosen []DomainID, v vec, t, top int64) plan {
	e := q.e
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
