package placer

import (
	"math/bits"
	"slices"
)

// needsJoint says whether the gang is beyond the search for one pod set.
func (g *Gang) needsJoint() bool {
	if len(g.PodSets) != 1 {
		return true
	}
	ps := &g.PodSets[0]
	return ps.PartialLastSlice && len(ps.Slices) > 0 && ps.Count%ps.Slices[0].Size != 0
}

// jointly decides a gang of several pod sets.
func (e *Engine) jointly(g *Gang, budget int64) *Answer {
	q := &e.scratch.search
	q.start(e, budget)
	counts := make([]int64, len(g.PodSets))
	for i := range g.PodSets {
		counts[i] = int64(g.PodSets[i].Count)
	}
	j, ok := q.newJoint(g, counts)
	defer func() { j.done() }()
	var at *jointBest
	if !ok {
		q.cut = true
	}
	if at = j.solve(); at == nil {
		if less := j.reduce(); less != nil {
			j.done()
			if j, ok = q.newJoint(g, less); !ok {
				q.cut = true
			}
			at = j.solve()
		}
	}
	if at == nil {
		return e.refuseJoint(g, q, !q.cut && !j.unproven)
	}
	return j.answer(at)
}

// jointBest is the best place for the gang so far: a domain, or one node.
type jointBest struct {
	dom  DomainID
	node NodeID
	key  vec      // price and the room left
	out  [][]Seat // the seats, where they were not found in a table
	took int64    // the room that they take
}

// solve finds the deepest place that holds the gang, of those of one depth the
// one with the least price, then the least room, then the first in path order.
func (j *joint) solve() *jointBest {
	e := j.q.e
	if best := j.solveNode(); best != nil {
		return best
	}
	for depth := e.layers; depth >= 0; depth-- {
		if best := j.solveAt(e.order[depth]); best != nil {
			return best
		}
	}
	return nil
}

// solveAt finds the best of these domains, the one with the least room first:
// most often nothing else is left to look at then.
func (j *joint) solveAt(doms []DomainID) *jointBest {
	cands := j.inner.list[:0]
	for _, d := range doms {
		if j.mayHold(d) {
			cands = append(cands, candidate{dom: d, room: j.roomIn(d)})
		}
	}
	j.inner.list = cands
	var best *jointBest
	for len(cands) > 0 {
		k := j.q.firstByRoom(cands)
		c := cands[k]
		cands = append(cands[:k], cands[k+1:]...)
		if o := j.try(c.dom); o != nil && (best == nil || o.key.less(best.key) || o.key == best.key && j.q.e.compareDomains(o.dom, best.dom) < 0) {
			best = o
			cands = slices.DeleteFunc(cands, func(c candidate) bool { return !j.promising(c.dom, best) })
		}
	}
	return best
}

// promising says whether d could be better than the best so far: with every
// wish met, and no more room left than the gang could not avoid.
func (j *joint) promising(d DomainID, best *jointBest) bool {
	low := j.lower(d)
	for _, w := range j.wishes {
		low = low.minus(j.met.times(int64(bits.OnesCount32(w.mask))))
	}
	room := j.roomIn(d)
	if j.cost(d) > greedyAbove && best.out != nil {
		// Where plans are greedy, the room that one takes stands for all.
		room -= best.took
	} else {
		for i := range j.sets {
			room -= j.sets[i].n * j.drop(i)
		}
	}
	low = low.add(vec{lo: uint64(max(room, 0))})
	return low.less(best.key) || low == best.key && j.q.e.compareDomains(d, best.dom) < 0
}

// drop is the most room for the first set that one pod of another takes.
func (j *joint) drop(i int) int64 {
	first, other := j.sets[0].s, j.sets[i].s
	if i == 0 {
		return 1
	}
	most := int64(0)
	for _, a := range first.req {
		most = max(most, ceilDiv(other.asks(a.res), a.qty))
	}
	if first.spec.exclusive || other.spec.exclusive {
		most = max(most, j.q.e.largestFit(first, Root))
	}
	return most
}

// mayHold says whether a domain has room for each set by itself.
func (j *joint) mayHold(d DomainID) bool {
	e := j.q.e
	for i := range j.sets {
		if e.pods[int(d)*e.stride+int(j.sets[i].s.slot)] < j.sets[i].n {
			return false
		}
	}
	return true
}

func (j *joint) roomIn(d DomainID) int64 {
	e := j.q.e
	return e.pods[int(d)*e.stride+int(j.sets[0].s.slot)]
}

// solveNode finds the best node that holds the whole gang.
func (j *joint) solveNode() *jointBest {
	e := j.q.e
	for i := range j.sets {
		if j.states == 1 || j.sets[i].n > 0 && e.largestFit(j.sets[i].s, Root) < j.sets[i].n {
			return nil
		}
	}
	var best *jointBest
	in := &j.inner
	lead := slices.IndexFunc(j.sets, func(s jointSet) bool { return s.n > 0 })
	in.begin(e, j.sets[lead].s, j.sets[lead].n, j.q.budget)
	in.eachLarge(Root, 0, func(id NodeID, _ int64) bool {
		for i := range j.sets {
			if j.fitsWith(i, id) < j.sets[i].n {
				return !in.spend(1)
			}
		}
		for _, o := range j.offers(id) {
			if int(o.state) != j.full() {
				continue
			}
			room := j.roomBeside(id, make([]int64, len(j.sets)))
			key := o.v.minus(j.above(id)).add(vec{lo: uint64(room)})
			if best == nil || key.less(best.key) || key == best.key && e.compareNodes(id, best.node) < 0 {
				best = &jointBest{dom: e.nodes[id].dom, node: id, key: key}
			}
		}
		return !in.spend(1)
	})
	j.unproven = j.unproven || in.cut
	return best
}

// above is what a node's price has more than that of one attached at the
// narrowest layer, less the wishes that its domains meet: on one node, every
// layer counts one domain, whichever the node lacks.
func (j *joint) above(id NodeID) vec {
	e := j.q.e
	depth := e.doms[e.nodes[id].dom].depth
	v := j.q.f.node[depth].minus(j.q.f.node[e.layers])
	for d := int8(1); d <= depth; d++ {
		v = v.add(j.credit(d, j.full()))
	}
	return v
}

// answer seats the gang at the best place, every set in rank order.
func (j *joint) answer(at *jointBest) *Answer {
	e := j.q.e
	out := make([][]Seat, len(j.sets))
	switch {
	case at.out != nil:
		out = at.out
	case at.node != NoNode:
		j.seatNode(at.node, j.full(), out)
	default:
		j.seats(at.dom, j.full(), out)
	}
	a := &Answer{Proven: !j.unproven && !j.q.f.short, Steps: j.q.steps}
	if j.unproven && j.q.lower != maxVec {
		j.q.bounded(at.dom)
		a.LowerBound = j.q.bound32
	}
	for i := range out {
		e.orderRanks(out[i], j.sets[i].ps, j.sets[i].n)
		a.Sets = append(a.Sets, SetPlacement{Seats: out[i], Pods: int32(j.sets[i].n)})
	}
	e.describe(a)
	for i := range a.Sets {
		a.Sets[i].PreferenceMet = e.unitMeets(j.g, a.Sets, i)
	}
	return a
}

// unitMeets says whether the pods of a set and its group share one domain of
// the preferred layer; true where none is preferred.
func (e *Engine) unitMeets(g *Gang, sets []SetPlacement, i int) bool {
	ps := &g.PodSets[i]
	if ps.Preferred == NoLayer {
		return true
	}
	unit := &Answer{}
	for k := range sets {
		if k == i || ps.Group != "" && g.PodSets[k].Group == ps.Group {
			unit.Sets = append(unit.Sets, sets[k])
		}
	}
	empty := !slices.ContainsFunc(unit.Sets, func(s SetPlacement) bool { return len(s.Seats) > 0 })
	if empty {
		return true
	}
	e.describe(unit)
	return e.meets(unit, ps.Preferred)
}

// orderRanks sorts a set's seats into path order; where the last slice is
// short, the domain that holds it comes last among its siblings.
func (e *Engine) orderRanks(seats []Seat, ps *PodSet, n int64) {
	slices.SortFunc(seats, func(a, b Seat) int { return e.compareNodes(a.Node, b.Node) })
	last, inner := e.shortAt(seats, ps, n)
	if last == NoNode {
		return
	}
	rank := func(id NodeID, depth int8) int {
		switch d := e.nodes[id].dom; {
		case depth >= inner:
			return 0 // inside the innermost domain that holds it
		case id == last:
			return 1
		case e.doms[d].depth > depth && e.doms[e.nodes[last].dom].depth > depth && e.ancestor(d, depth+1) == e.ancestor(e.nodes[last].dom, depth+1):
			return 1
		}
		return 0
	}
	slices.SortStableFunc(seats, func(a, b Seat) int {
		depth := e.doms[e.common(e.nodes[a.Node].dom, e.nodes[b.Node].dom)].depth
		if c := rank(a.Node, depth) - rank(b.Node, depth); c != 0 {
			return c
		}
		return e.compareNodes(a.Node, b.Node)
	})
}

// shortAt is a node in the innermost domain that holds a short slice, and that
// domain's depth; NoNode where every slice is whole.
func (e *Engine) shortAt(seats []Seat, ps *PodSet, n int64) (NodeID, int8) {
	for k := len(ps.Slices) - 1; k >= 0; k-- {
		size := int64(ps.Slices[k].Size)
		if n%size == 0 {
			continue
		}
		depth := depthOf(ps.Slices[k].Layer)
		sum := int64(0)
		for i := len(seats) - 1; i >= 0; i-- {
			sum += int64(seats[i].Pods)
			if i > 0 && e.sameAt(seats[i].Node, seats[i-1].Node, depth) {
				continue
			}
			if sum%size != 0 {
				return seats[i].Node, depth
			}
			sum = 0
		}
	}
	return NoNode, 0
}

// sameAt says whether two nodes share their domain of a depth; beyond the
// narrowest layer it is the node itself.
func (e *Engine) sameAt(a, b NodeID, depth int8) bool {
	if int(depth) > e.layers {
		return a == b
	}
	da, db := e.nodes[a].dom, e.nodes[b].dom
	return e.doms[da].depth >= depth && e.doms[db].depth >= depth && e.ancestor(da, depth) == e.ancestor(db, depth)
}

// refuseJoint says why: the first set that does not fit even alone, or that
// they do not fit together.
func (e *Engine) refuseJoint(g *Gang, q *search, proven bool) *Answer {
	steps := q.steps
	for i := range g.PodSets {
		one := Gang{PodSets: []PodSet{g.PodSets[i]}, Budget: g.Budget, empty: g.empty}
		one.PodSets[0].PartialLastSlice, one.PodSets[0].After = false, nil
		ps := &one.PodSets[0]
		if len(ps.Slices) > 0 {
			ps.Count -= ps.Count % ps.Slices[0].Size
		}
		if ps.Count == 0 {
			continue
		}
		if a := e.Decide(&one); a.Refusal != nil {
			a.Refusal.PodSet = i
			a.Refusal.Want = int64(g.PodSets[i].Count)
			a.Steps += steps
			return a
		}
	}
	ps := &g.PodSets[0]
	r := e.refuse(ps, e.shapeFor(g, ps))
	r.PodSet, r.Proven = -1, proven
	return &Answer{AlignedNode: NoNode, Proven: proven, Steps: steps, Refusal: r}
}
