package placer

import "slices"

// Fill finds nodes for the ranks that have none: those of a placement that lost
// its nodes, or that a larger gang adds. ranks[set][rank] is the rank's node or
// NoNode; the ranks that have one keep it, and hold their capacity already.
// Every missing rank stays inside what the others bind it to, the innermost
// slice first, then the required domain. Of the ways that remain, the one with
// the least vector of the whole gang is taken. Where nothing fits inside those bonds,
// relax drops them.
//
// The answer's sets list every rank's node in rank order.
func (e *Engine) Fill(g *Gang, ranks [][]NodeID, relax bool) *Answer {
	e.settle()
	budget := g.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	f := &filling{e: e, g: g, ranks: ranks}
	f.keep()
	if f.kept == 0 {
		return e.Decide(g)
	}
	q := &e.scratch.search
	q.start(e, budget)
	f.cut()
	j := f.solve(q)
	if j == nil && relax {
		refused := f.refuse(q)
		f.relaxed = true
		f.cut()
		if j = f.solve(q); j == nil {
			return refused
		}
	}
	if j == nil {
		return f.refuse(q)
	}
	return f.answer(j)
}

// filling is the work of one Fill.
type filling struct {
	e     *Engine
	g     *Gang
	ranks [][]NodeID
	// relaxed says that slices and required layers bind no more.
	relaxed bool

	pieces []piece
	kept   int      // ranks that have a node
	fabric piece    // where one fabric binds all
	home   DomainID // the deepest domain that holds those
	paid   map[DomainID]bool
	used   map[NodeID][]int64 // per node in use: ranks of each set that stay

	found [][]Seat
	// unproven is set where a greedy plan decided.
	unproven bool
}

// piece is missing ranks of one set that are bound alike.
type piece struct {
	set   int
	ranks []int
	ps    PodSet
	fixed DomainID // where it has to stay
	node  NodeID   // where it has to stay, for slices of the node layer
}

// keep notes what stays.
func (f *filling) keep() {
	e := f.e
	f.paid, f.used = map[DomainID]bool{Root: true}, map[NodeID][]int64{}
	f.home = -1
	var all []NodeID
	for set, nodes := range f.ranks {
		for _, id := range nodes {
			if id == NoNode {
				continue
			}
			f.kept++
			if f.used[id] == nil {
				f.used[id] = make([]int64, len(f.ranks))
			}
			f.used[id][set]++
			all = append(all, id)
			d := e.nodes[id].dom
			for x := d; x >= 0; x = e.doms[x].parent {
				f.paid[x] = true
			}
			if f.home < 0 {
				f.home = d
			}
			f.home = e.common(f.home, d)
		}
	}
	f.fabric = piece{fixed: Root, node: NoNode}
	if depth := e.fabricDepth(f.g); depth > 0 && len(all) > 0 {
		f.fabric.fixed, f.fabric.node = f.homeOf(all, depth)
	}
}

// cut sorts the missing ranks into pieces. What stays counts beside all of
// them; pieces of sets that follow one another need not fit together.
func (f *filling) cut() {
	f.pieces = nil
	for set := range f.ranks {
		f.cutSet(set)
	}
	for i := range f.pieces {
		for _, a := range f.g.PodSets[f.pieces[i].set].After {
			for k := range f.pieces {
				if f.pieces[k].set == a {
					f.pieces[i].ps.After = append(f.pieces[i].ps.After, k)
				}
			}
		}
	}
}

// cutSet cuts one set: by its unit's required domain, then slice by slice.
func (f *filling) cutSet(set int) {
	ps := f.g.PodSets[set]
	all := make([]int, len(f.ranks[set]))
	for r := range all {
		all[r] = r
	}
	fixed, node := f.fabric.fixed, f.fabric.node
	if ps.Required != NoLayer && !f.relaxed {
		if nodes := f.unitNodes(set); len(nodes) > 0 {
			fixed, node = f.homeOf(nodes, depthOf(ps.Required))
		}
	}
	inner := ps.Slices
	if f.relaxed {
		inner = nil
	}
	f.cutSlices(set, all, inner, fixed, node)
}

// unitNodes lists the nodes of a set's unit that ranks still have.
func (f *filling) unitNodes(set int) []NodeID {
	var nodes []NodeID
	for k := range f.ranks {
		if k == set || f.g.PodSets[set].Group != "" && f.g.PodSets[k].Group == f.g.PodSets[set].Group {
			nodes = append(nodes, f.ranks[k]...)
		}
	}
	return slices.DeleteFunc(nodes, func(id NodeID) bool { return id == NoNode })
}

// homeOf is the domain of a depth, or the node, that these nodes share already;
// Root where there are none.
func (f *filling) homeOf(nodes []NodeID, depth int8) (DomainID, NodeID) {
	if len(nodes) == 0 {
		return Root, NoNode
	}
	d := f.e.nodes[nodes[0]].dom
	if int(depth) > f.e.layers {
		return d, nodes[0]
	}
	if f.e.doms[d].depth < depth {
		return d, nodes[0] // a domain of its own
	}
	return f.e.ancestor(d, depth), NoNode
}

// cutSlices goes through the slices of one layer: what is missing of a slice
// that is partly there stays with the rest of it; slices missing whole go
// together, bound only by what is around them.
func (f *filling) cutSlices(set int, ranks []int, slicesLeft []Slice, fixed DomainID, node NodeID) {
	if len(slicesLeft) == 0 {
		f.add(set, f.missing(set, ranks), nil, fixed, node)
		return
	}
	size := int(slicesLeft[0].Size)
	var whole []int
	for len(ranks) > 0 {
		part := ranks[:min(size, len(ranks))]
		ranks = ranks[len(part):]
		gone := f.missing(set, part)
		switch {
		case len(gone) == len(part):
			whole = append(whole, gone...)
		case len(gone) > 0:
			var nodes []NodeID
			for _, r := range part {
				if id := f.ranks[set][r]; id != NoNode {
					nodes = append(nodes, id)
				}
			}
			d, n := f.homeOf(nodes, depthOf(slicesLeft[0].Layer))
			f.cutSlices(set, part, slicesLeft[1:], d, n)
		}
	}
	f.add(set, whole, slicesLeft, fixed, node)
}

func (f *filling) missing(set int, ranks []int) []int {
	var gone []int
	for _, r := range ranks {
		if f.ranks[set][r] == NoNode {
			gone = append(gone, r)
		}
	}
	return gone
}

func (f *filling) add(set int, ranks []int, inner []Slice, fixed DomainID, node NodeID) {
	if len(ranks) == 0 {
		return
	}
	ps := f.g.PodSets[set]
	ps.Count, ps.MinCount, ps.Slices = int32(len(ranks)), 0, inner
	ps.PartialLastSlice = len(inner) > 0 && len(ranks)%int(inner[0].Size) != 0
	ps.Preferred, ps.After, ps.shape = NoLayer, nil, nil
	if f.relaxed || len(f.unitNodes(set)) > 0 {
		ps.Required, ps.Group = NoLayer, "" // fixed says where
	}
	f.pieces = append(f.pieces, piece{set: set, ranks: ranks, ps: ps, fixed: fixed, node: node})
}

// solve climbs from the domain that holds the ranks that stay: the first that
// has room has the least vector, since anything outside it adds a domain that
// nothing inside it does.
func (f *filling) solve(q *search) *joint {
	e := f.e
	gang := &Gang{SpanFabrics: f.g.SpanFabrics || e.fabricDepth(f.g) == 0, Budget: f.g.Budget}
	counts := make([]int64, len(f.pieces))
	for i := range f.pieces {
		gang.PodSets = append(gang.PodSets, f.pieces[i].ps)
		counts[i] = int64(f.pieces[i].ps.Count)
	}
	if len(counts) == 0 {
		return &joint{q: q}
	}
	j, ok := q.newJoint(gang, counts)
	defer j.done()
	j.filling = f
	stop := e.fabricDepth(f.g)
	for d := f.home; d >= 0 && (e.doms[d].depth >= stop || d == f.home); d = e.doms[d].parent {
		if !j.mayHold(d) {
			continue
		}
		if ok && !q.cut && j.affordable(d) {
			price := j.table(d).price[j.full()]
			if !q.cut {
				if price == maxVec {
					continue
				}
				f.found = make([][]Seat, len(counts))
				j.seats(d, j.full(), f.found)
				return j
			}
		}
		f.unproven = true
		if out := f.oneByOne(d, j); out != nil {
			f.found = out
			return j
		}
	}
	return nil
}

// oneByOne fills piece after piece with the search for one set, each inside
// the smallest domain around what stays that has room.
func (f *filling) oneByOne(top DomainID, j *joint) [][]Seat {
	e := f.e
	out := make([][]Seat, len(f.pieces))
	defer func() {
		for i := range out {
			j.take(i, out[i], -1)
		}
	}()
	for i := range f.pieces {
		p := &f.pieces[i]
		d := f.home
		if e.doms[p.fixed].depth > e.doms[d].depth {
			d = p.fixed
		}
		var seats []Seat
		for {
			if p.node != NoNode {
				if j.fitsWith(i, p.node) >= j.sets[i].n {
					seats = []Seat{{p.node, p.ps.Count}}
				}
			} else {
				t := task{set: i, ps: p.ps, required: depthOf(p.ps.Required)}
				seats = j.within(d, &t)
			}
			if seats != nil || d == top || d == p.fixed || d == Root {
				break
			}
			d = e.doms[d].parent
		}
		if seats == nil {
			return nil
		}
		out[i] = seats
		j.take(i, seats, 1)
	}
	result := make([][]Seat, len(out))
	for i := range out {
		result[i] = slices.Clone(out[i])
	}
	return result
}

// answer gives every missing rank its node: a piece's ranks in order, its
// nodes in path order.
func (f *filling) answer(j *joint) *Answer {
	e := f.e
	ranks := make([][]NodeID, len(f.ranks))
	for i := range ranks {
		ranks[i] = slices.Clone(f.ranks[i])
	}
	for i := range f.pieces {
		p := &f.pieces[i]
		seats := merged(f.found[i])
		e.orderRanks(seats, &p.ps, int64(p.ps.Count))
		k := 0
		for _, s := range seats {
			for range s.Pods {
				ranks[p.set][p.ranks[k]] = s.Node
				k++
			}
		}
	}
	a := &Answer{Proven: !f.unproven, Steps: j.q.steps}
	for i := range ranks {
		a.Sets = append(a.Sets, SetPlacement{Seats: seatsOf(ranks[i]), Pods: int32(len(ranks[i]))})
	}
	e.describe(a)
	for i := range a.Sets {
		a.Sets[i].PreferenceMet = e.unitMeets(f.g, a.Sets, i)
	}
	return a
}

// seatsOf turns the nodes of ranks into runs.
func seatsOf(ranks []NodeID) []Seat {
	var seats []Seat
	for _, id := range ranks {
		if n := len(seats); n > 0 && seats[n-1].Node == id {
			seats[n-1].Pods++
			continue
		}
		seats = append(seats, Seat{id, 1})
	}
	return seats
}

// refuse says which piece has no room where it has to stay.
func (f *filling) refuse(q *search) *Answer {
	e := f.e
	r := &Refusal{PodSet: -1, Binding: NoLayer, BestNode: NoNode, Proven: !f.unproven}
	for i := range f.pieces {
		p := &f.pieces[i]
		s := e.shapeOf(&p.ps)
		fits := e.usable(s, p.fixed)
		if p.node != NoNode {
			fits = int64(e.fit[int(p.node)*e.stride+int(s.slot)])
		}
		if fits >= int64(p.ps.Count) && i+1 < len(f.pieces) {
			continue
		}
		r.PodSet, r.Best, r.BestNode = p.set, p.fixed, p.node
		r.Fits, r.Want = fits, int64(p.ps.Count)
		r.Binding = e.DomainLayer(p.fixed)
		if fits < int64(p.ps.Count) {
			break
		}
	}
	return &Answer{AlignedNode: NoNode, Proven: r.Proven, Steps: q.steps, Refusal: r}
}
