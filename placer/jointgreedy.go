package placer

import "slices"

// task is one step of a greedy plan: pods of one set that go together.
type task struct {
	set      int
	ps       PodSet // as the search for one set wants it
	required int8
}

// tasks cuts the gang into steps, a short last slice being one of its own;
// false where that slice would have to be cut again.
func (j *joint) tasks() ([]task, bool) {
	var list []task
	for i := range j.sets {
		ps := *j.sets[i].ps
		ps.Preferred, ps.After, ps.PartialLastSlice = NoLayer, nil, false
		t := task{set: i, ps: ps, required: depthOf(ps.Required)}
		short := int64(0)
		if len(ps.Slices) > 0 {
			short = j.sets[i].n % int64(ps.Slices[0].Size)
		}
		t.ps.Count = int32(j.sets[i].n - short)
		if t.ps.Count > 0 {
			list = append(list, t)
		}
		if short == 0 {
			continue
		}
		t.ps.Count, t.ps.Slices, t.ps.shape = int32(short), nil, nil
		t.required = max(t.required, depthOf(ps.Slices[0].Layer))
		for k := 1; k < len(ps.Slices); k++ {
			size := int64(ps.Slices[k].Size)
			if short%size == 0 {
				t.ps.Slices = ps.Slices[k:]
				break
			}
			if short > size {
				return nil, false
			}
			t.required = max(t.required, depthOf(ps.Slices[k].Layer))
		}
		j.follow(&t.ps)
		list = append(list, t)
	}
	return list, true
}

// follow keeps a shape that is no set's own up to date while seats are taken.
func (j *joint) follow(ps *PodSet) {
	s := j.q.e.shapeFor(j.g, ps)
	for _, o := range j.extra {
		if o == s {
			return
		}
	}
	j.q.e.pin(s, 1)
	j.pinned = append(j.pinned, s)
	j.extra = append(j.extra, s)
}

// greedy seats the gang in d one step after the other, in a few orders, on what
// the steps before leave. It is the answer that a search cut by its budget
// gives, and often the least vector; nil where no order works out.
func (j *joint) greedy(d DomainID) [][]Seat {
	var best [][]Seat
	bestPrice := maxVec
	for _, order := range j.orders() {
		out := j.inOrder(d, order)
		if out == nil {
			continue
		}
		if v := j.priceOf(d, out); v.less(bestPrice) {
			best, bestPrice = out, v
		}
	}
	return best
}

// orders lists the orders to try: as declared, the other way, and the sets with
// most pods first.
func (j *joint) orders() [][]task {
	list, ok := j.tasks()
	if !ok {
		return nil
	}
	back := slices.Clone(list)
	slices.Reverse(back)
	large := slices.Clone(list)
	slices.SortStableFunc(large, func(a, b task) int { return int(b.ps.Count) - int(a.ps.Count) })
	return [][]task{large, list, back}
}

// inOrder places the steps; what is taken meanwhile is given back at the end.
func (j *joint) inOrder(d DomainID, order []task) [][]Seat {
	out := make([][]Seat, len(j.sets))
	home := map[uint32]DomainID{} // where a bond's sets are, once one is placed
	for _, t := range order {
		j.takeBeside(t.set, out, 1)
		seats := j.step(d, &t, out, home)
		j.takeBeside(t.set, out, -1)
		if seats == nil {
			return nil
		}
		out[t.set] = merged(append(out[t.set], seats...))
	}
	return out
}

// merged adds up seats on one node.
func merged(seats []Seat) []Seat {
	slices.SortStableFunc(seats, func(a, b Seat) int { return int(a.Node - b.Node) })
	list := seats[:0]
	for _, s := range seats {
		if n := len(list); n > 0 && list[n-1].Node == s.Node {
			list[n-1].Pods += s.Pods
			continue
		}
		list = append(list, s)
	}
	return list
}

// takeBeside takes, or gives back, what the sets already placed that run beside
// this one use. Only the gang's own shapes see it.
func (j *joint) takeBeside(set int, out [][]Seat, sign int32) {
	for k := range out {
		if k == set || slices.ContainsFunc(j.crowds, func(c uint32) bool { return c&(1<<k) != 0 && c&(1<<set) != 0 }) {
			j.take(k, out[k], sign)
		}
	}
}

func (j *joint) take(set int, seats []Seat, sign int32) {
	e := j.q.e
	s := j.sets[set].s
	for _, seat := range seats {
		e.charge(s, seat, sign)
		for i := range j.sets {
			e.setFit(j.sets[i].s, seat.Node, e.fitOf(j.sets[i].s, seat.Node))
			if f := e.shapeFor(j.g, j.sets[i].ps); f != j.sets[i].s {
				e.setFit(f, seat.Node, e.fitOf(f, seat.Node))
			}
		}
		for _, x := range j.extra {
			e.setFit(x, seat.Node, e.fitOf(x, seat.Node))
		}
	}
}

// step places one task inside d: on nodes already in use if they suffice, else
// where the search for one set puts it.
func (j *joint) step(d DomainID, t *task, out [][]Seat, home map[uint32]DomainID) []Seat {
	key := uint32(0)
	for _, b := range j.bonds {
		if b.mask&(1<<t.set) != 0 && int(b.depth) <= j.q.e.layers && b.depth > j.q.e.doms[d].depth {
			key = b.mask
			if at, placed := home[key]; placed {
				d = at
			}
		}
	}
	seats := j.onUsed(d, t, out)
	if seats == nil {
		seats = j.within(d, t)
	}
	if seats != nil && key != 0 {
		home[key] = j.q.e.ancestor(j.q.e.nodes[seats[0].Node].dom, depthOf(j.sets[t.set].ps.Required))
	}
	return seats
}

// onUsed puts the task on nodes that the gang uses already; nil where they do
// not suffice or slices say more about where.
func (j *joint) onUsed(d DomainID, t *task, out [][]Seat) []Seat {
	e := j.q.e
	if len(t.ps.Slices) > 0 || t.required > e.doms[d].depth {
		return nil
	}
	var used []NodeID
	for k := range out {
		for _, s := range out[k] {
			used = append(used, s.Node)
		}
	}
	slices.SortFunc(used, e.compareNodes)
	used = slices.Compact(used)
	rest := int64(t.ps.Count)
	var seats []Seat
	for _, id := range used {
		if pods := min(j.fitsWith(t.set, id)-j.seated(t.set, id, out), rest); pods > 0 && e.holdsNode(d, id) {
			seats = append(seats, Seat{id, int32(pods)})
			rest -= pods
		}
	}
	if rest > 0 {
		return nil
	}
	return seats
}

// seated is how many pods of a set that max_per_node limits are on the node.
func (j *joint) seated(set int, id NodeID, out [][]Seat) int64 {
	if j.sets[set].ps.MaxPerNode == 0 {
		return 0
	}
	n := int64(0)
	for _, s := range out[set] {
		if s.Node == id {
			n += int64(s.Pods)
		}
	}
	return n
}

// holdsNode says whether the node is below d.
func (e *Engine) holdsNode(d DomainID, id NodeID) bool {
	at := e.nodes[id].dom
	return e.doms[at].depth >= e.doms[d].depth && e.ancestor(at, e.doms[d].depth) == d
}

// within searches d alone for one task.
func (j *joint) within(d DomainID, t *task) []Seat {
	e := j.q.e
	in := &j.inner
	s := e.shapeFor(j.g, &t.ps)
	in.begin(e, s, int64(t.ps.Count), max(j.q.budget-j.q.steps, 1))
	defer func() { j.q.steps += in.steps }()
	node := int8(e.layers) + 1
	if id := in.oneNodeIn(d, t.required%node); id != NoNode {
		return []Seat{{id, t.ps.Count}}
	}
	if t.required == node {
		return nil
	}
	for depth := int8(e.layers); depth >= max(t.required, e.doms[d].depth); depth-- {
		if cands := in.candidatesIn(d, depth); len(cands) > 0 {
			in.settleOn(cands)
			return slices.Clone(in.out)
		}
	}
	return nil
}

// oneNodeIn is oneNode below d, by the nodes' runs.
func (q *search) oneNodeIn(d DomainID, minDepth int8) NodeID {
	best := oneBest{id: NoNode}
	q.eachLarge(d, minDepth, func(id NodeID, fit int64) bool {
		if best.id == NoNode || fit < best.fit {
			best = oneBest{id, fit}
		}
		return !q.spend(1)
	})
	return best.id
}

// candidatesIn is candidates below d.
func (q *search) candidatesIn(d DomainID, depth int8) []candidate {
	q.list, q.best = q.list[:0], q.n+1
	var visit func(x DomainID)
	visit = func(x DomainID) {
		if q.e.usable(q.s, x) < q.n {
			return
		}
		if q.e.doms[x].depth == depth {
			q.consider(x)
			return
		}
		for _, kid := range q.e.doms[x].kids {
			visit(kid)
		}
	}
	visit(d)
	return q.list
}

// countsOf is the vector of seats inside d, fields below its own layer.
func (j *joint) countsOf(d DomainID, out [][]Seat) vec {
	e := j.q.e
	v := vec{}
	counts := e.vectorOf(setsOf(out))
	for l := int(e.doms[d].depth); l <= e.layers; l++ {
		v = v.add(j.q.f.one[l+1].times(int64(counts[l])))
	}
	return v
}

func setsOf(out [][]Seat) []SetPlacement {
	sets := make([]SetPlacement, len(out))
	for i := range out {
		sets[i].Seats = out[i]
	}
	return sets
}

// priceOf is the price of seats inside d, as a table has it but for the room.
func (j *joint) priceOf(d DomainID, out [][]Seat) vec {
	e := j.q.e
	v, sets := j.countsOf(d, out), setsOf(out)
	for i := range out {
		if j.sets[i].ps.Preferred != NoLayer && e.unitMeets(j.g, sets, i) {
			v = v.minus(j.met)
		}
		for _, s := range out[i] {
			if j.sets[i].s.weighted {
				cost := int64(s.Pods) * (j.sets[i].maxCost - j.weight(i, s.Node))
				v = v.add(vec{lo: uint64(cost) * uint64(j.space)})
			}
		}
	}
	return v
}

// lower is a price that no way to seat the gang in d is below, in the counts
// alone: each set by itself needs so much.
func (j *joint) lower(d DomainID) vec {
	e := j.q.e
	depth := int(e.doms[d].depth)
	need := make([]int64, e.layers+2)
	for i := range j.sets {
		if j.sets[i].n == 0 {
			continue
		}
		s := j.sets[i].s
		kids := e.fewest(s, d, j.sets[i].n, j.sets[i].n)
		for l := depth + 1; l <= e.layers; l++ {
			need[l] = max(need[l], kids)
		}
		need[e.layers+1] = max(need[e.layers+1], kids, ceilDiv(j.sets[i].n, e.largestFit(s, d)))
	}
	v := vec{}
	for l := depth + 1; l <= e.layers+1; l++ {
		v = v.add(j.q.f.one[l].times(need[l]))
	}
	return v
}
