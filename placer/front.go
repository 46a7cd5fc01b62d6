package placer

import "slices"

// entry says that a domain can take pods at the price of v, and no more pods
// at a lesser price.
type entry struct {
	v    vec
	pods int32
}

// front is what a domain can offer: entries with rising price and rising pods.
// Prices are lexicographic vectors, which keep their order under addition; so
// the least price of c pods in a domain is a min-plus sum over its children,
// and only these entries matter.
type front struct {
	dom     DomainID
	entries []entry
	// For a domain whose children had to be combined: the children, and for
	// each of them, per number of pods in units, which of its entries was taken
	// (-1 = none).
	items []item
	pick  [][]int32
	unit  int64
	flat  bool // its leaves are taken whole, the largest first
}

// frontKey tells a domain's front from the one that counts domains alone.
type frontKey struct {
	dom  DomainID
	flat bool
}

// item is one child in a combination: a domain, a node, or (node = NoNode and
// dom = -1) all plain nodes of the domain together, of which the largest first.
type item struct {
	dom     DomainID
	node    NodeID
	cost    int64 // affinity cost per pod of a node
	entries []entry
}

// front computes d's front for up to n pods, once per decision.
func (q *search) front(d DomainID) *front {
	key := frontKey{d, q.flat > 0}
	if i, ok := q.frontOf[key]; ok {
		return &q.fronts[i]
	}
	fr := front{dom: d}
	switch {
	case q.flat > 0 && q.e.isLeaf(d):
		fr.entries = append(q.ents.take(1)[:0], entry{pods: int32(min(q.n, q.e.usable(q.s, d)))})
	case q.flat > 0 && q.e.aboveLeaves(d):
		fr.entries, fr.flat = q.leavesFront(d), true
	case q.e.isLeaf(d) && !q.weighted:
		fr.entries = q.nodesFront(d, q.s.unit[q.e.doms[d].depth])
	default:
		q.combine(&fr)
	}
	q.frontOf[key] = int32(len(q.fronts))
	q.fronts = append(q.fronts, fr)
	return &q.fronts[len(q.fronts)-1]
}

// nodesFront is the front of d's own nodes, the largest fits first, in whole
// units.
func (q *search) nodesFront(d DomainID, whole int32) []entry {
	dom := &q.e.doms[d]
	run := q.e.nodeRun(q.s, d)
	price := q.f.node[dom.depth]
	unit := int64(whole)
	list := q.ents.take(int(min(int64(len(run)), q.n)))[:0]
	sum, v := int64(0), vec{}
	for i := len(run) - 1; i >= 0 && sum < q.n && keyCount(run[i]) > 0; i-- {
		sum += keyCount(run[i])
		v = v.add(price)
		pods := min(sum-sum%unit, q.n)
		if n := len(list); pods > 0 && (n == 0 || pods > int64(list[n-1].pods)) {
			list = append(list, entry{v, int32(pods)})
		}
	}
	q.steps += int64(len(list))
	return list
}

// combine fills fr with the min-plus sum over d's children.
func (q *search) combine(fr *front) {
	d := fr.dom
	dom := &q.e.doms[d]
	fr.unit = int64(q.s.unit[dom.depth+1])
	fr.items = q.items(d)
	size := min(q.n, q.e.usable(q.s, d)) / fr.unit
	best := q.vecs.take(int(size) + 1)
	for i := range best {
		best[i] = maxVec
	}
	best[0] = vec{}
	fr.pick = make([][]int32, len(fr.items))
	for i := range fr.items {
		pick := q.picks.take(int(size) + 1)
		for c := range pick {
			pick[c] = -1
		}
		fr.pick[i] = pick
		q.addItem(best, pick, fr.items[i].entries, fr.unit)
	}
	fr.entries = q.risingPrices(best, fr.unit, int64(q.s.unit[dom.depth]))
}

// addItem lets one more child take part: each entry of it, or nothing.
func (q *search) addItem(best []vec, pick []int32, entries []entry, unit int64) {
	if q.spend(int64(len(best)) * int64(len(entries))) {
		return
	}
	for c := len(best) - 1; c > 0; c-- {
		for k := range entries {
			rest := max(0, c-int(int64(entries[k].pods)/unit))
			if best[rest] == maxVec {
				continue
			}
			if v := best[rest].add(entries[k].v); v.less(best[c]) {
				best[c] = v
				pick[c] = int32(k)
			}
		}
	}
}

// risingPrices keeps of the prices per number of pods those where the price
// rises, in whole units of the domain.
func (q *search) risingPrices(best []vec, unit, own int64) []entry {
	list := q.ents.take(len(best))[:0]
	for c := 1; c < len(best); c++ {
		pods := int64(c) * unit
		if pods%own != 0 || best[c] == maxVec {
			continue
		}
		if n := len(list); n > 0 && list[n-1].v == best[c] {
			list[n-1].pods = int32(pods)
		} else {
			list = append(list, entry{best[c], int32(pods)})
		}
	}
	return list
}

// items lists d's children that can take pods. Plain nodes go together as one
// item, since the largest are always the best of them; where affinity tells
// them apart each is an item of its own.
func (q *search) items(d DomainID) []item {
	e := q.e
	dom := &e.doms[d]
	var list []item
	step := q.f.one[dom.depth+1]
	for i := range dom.kids {
		kid := dom.kids[i]
		if e.usable(q.s, kid) == 0 {
			continue
		}
		if q.cut {
			return list
		}
		entries := slices.Clone(q.front(kid).entries)
		for k := range entries {
			entries[k].v = entries[k].v.add(step)
		}
		list = append(list, item{dom: kid, node: NoNode, entries: entries})
	}
	if q.weighted {
		return q.weightedItems(d, list)
	}
	if entries := q.nodesFront(d, q.s.unit[dom.depth+1]); len(entries) > 0 {
		list = append(list, item{dom: -1, node: NoNode, entries: entries})
	}
	return list
}

// weightedItems adds every node with a price for each number of pods: affinity
// is a cost per pod, below all counts.
func (q *search) weightedItems(d DomainID, list []item) []item {
	e := q.e
	dom := &e.doms[d]
	unit := int64(q.s.unit[e.layers+1])
	run := e.nodeRun(q.s, d)
	for i := len(run) - 1; i >= 0 && keyCount(run[i]) > 0; i-- {
		id := dom.nodes[keyPos(run[i])]
		cost := q.maxCost - q.weightOf(id)
		most := min(keyCount(run[i]), q.n)
		entries := make([]entry, 0, most/unit)
		for pods := unit; pods <= most; pods += unit {
			v := q.f.node[dom.depth].add(vec{lo: uint64(cost * pods)})
			entries = append(entries, entry{v, int32(pods)})
		}
		list = append(list, item{dom: -1, node: id, cost: cost, entries: entries})
	}
	return list
}

// seat puts c pods into d at the least price and appends the seats to q.out,
// in no particular order.
func (q *search) seat(d DomainID, c int64) {
	fr := q.front(d)
	if fr.flat {
		q.seatLeaves(d, c)
		return
	}
	if fr.pick == nil {
		q.seatNodes(d, c)
		return
	}
	items, pick, unit := fr.items, fr.pick, fr.unit
	for i := len(items) - 1; i >= 0 && c > 0; i-- {
		k := pick[i][c/unit]
		if k < 0 {
			continue
		}
		share := min(int64(items[i].entries[k].pods), c)
		switch {
		case items[i].node != NoNode:
			q.out = append(q.out, Seat{items[i].node, int32(share)})
		case items[i].dom < 0:
			q.seatNodes(d, share)
		default:
			q.seat(items[i].dom, share)
		}
		c -= share
	}
}

// seatLeaves fills the leaves below d, the largest first.
func (q *search) seatLeaves(d DomainID, c int64) {
	run := q.e.kidRun(q.s, d)
	for i := len(run) - 1; i >= 0 && c > 0; i-- {
		pods := min(keyCount(run[i]), c)
		q.seatNodes(q.e.doms[d].kids[keyPos(run[i])], pods)
		c -= pods
	}
}

// seatNodes fills d's own nodes, the largest first.
func (q *search) seatNodes(d DomainID, c int64) {
	dom := &q.e.doms[d]
	run := q.e.nodeRun(q.s, d)
	for i := len(run) - 1; i >= 0 && c > 0; i-- {
		pods := min(keyCount(run[i]), c)
		q.out = append(q.out, Seat{dom.nodes[keyPos(run[i])], int32(pods)})
		c -= pods
	}
}
