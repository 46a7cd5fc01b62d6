package placer

import "slices"

// joint is the exact search for several pod sets at once, and for what one set
// needs beyond the fast paths. A state says how many pods of each set a domain
// holds; the price of every state is a min-plus sum over the domain's children,
// as for one set, and a node offers every state that its capacity allows.
type joint struct {
	q    *search
	g    *Gang
	sets []jointSet
	// bonds hold sets together: all their pods in one domain of the depth.
	bonds []bond
	// wishes are bonds that are only preferred.
	wishes []bond
	// crowds lists, for every way in which sets can run at one time, which do.
	crowds []uint32

	states  int
	digits  []int32  // [state*len(sets)+set]: pods
	present []uint32 // [state]: bit per set with pods in it
	tables  map[DomainID]*table
	memo    map[string][]offer
	met     vec   // the credit for one set's preference
	space   int64 // what one unit of affinity cost is worth in room
	inner   search
	pinned  []*Shape
	extra   []*Shape // shapes of tasks that are no set's own
	filling *filling // what the sets are pieces of; nil for a whole gang
	// unproven is set once something was left to a greedy plan that no bound
	// shows to be the best.
	unproven bool
}

type jointSet struct {
	ps      *PodSet
	s       *Shape // without slices: what fits on a node
	n       int64  // pods to place
	stride  int    // of its digit in a state
	least   int8   // nodes attached above this depth lack a layer it needs
	partial bool
	sliceAt []int32 // [depth]: size of the slice of that layer, 0 = none
	unit    []int32 // [depth]: as Shape.unit
	maxCost int64
}

type bond struct {
	mask  uint32
	depth int8
}

// offer is one state that a node can take, or one that a child can.
type offer struct {
	state int32
	v     vec
}

// table is what a domain can hold: the price of every state.
type table struct {
	dom   DomainID
	price []vec
	items []jointItem
}

type jointItem struct {
	dom  DomainID // -1 for a node
	node NodeID
	took []int32 // [state]: the state of this child in it, -1 = none
}

// maxStates bounds a table; larger gangs are beyond the exact search.
const maxStates = 1 << 16

// newJoint reads the gang for these pod counts; false where its states are too
// many to search.
func (q *search) newJoint(g *Gang, counts []int64) (*joint, bool) {
	j := &joint{q: q, g: g, states: 1, tables: map[DomainID]*table{}, memo: map[string][]offer{}}
	for i := range g.PodSets {
		j.addSet(&g.PodSets[i], counts[i])
	}
	j.bind()
	if len(j.sets) <= maxPodSets {
		j.crowds = g.crowds()
	}
	j.layout()
	if len(j.sets) > maxPodSets {
		return j, false
	}
	for i := range j.sets {
		j.sets[i].stride = j.states
		if int64(j.states)*(j.sets[i].n+1) > maxStates {
			j.states = 1
			return j, false
		}
		j.states *= int(j.sets[i].n) + 1
	}
	j.digits = make([]int32, j.states*len(j.sets))
	j.present = make([]uint32, j.states)
	for st := range j.states {
		rest := st
		for i := range j.sets {
			d := rest % int(j.sets[i].n+1)
			rest /= int(j.sets[i].n + 1)
			j.digits[st*len(j.sets)+i] = int32(d)
			if d > 0 {
				j.present[st] |= 1 << i
			}
		}
	}
	return j, true
}

func (j *joint) addSet(ps *PodSet, n int64) {
	e := j.q.e
	s := e.shapeFor(j.g, ps)
	e.pin(s, 1)
	j.pinned = append(j.pinned, s)
	set := jointSet{ps: ps, s: s.base, n: n, unit: s.unit, partial: ps.PartialLastSlice}
	set.sliceAt = make([]int32, e.layers+2)
	for _, sl := range ps.Slices {
		set.sliceAt[depthOf(sl.Layer)] = sl.Size
	}
	set.least = s.spec.deepest
	if r := depthOf(ps.Required); int(r) <= e.layers {
		set.least = max(set.least, r)
	}
	for _, p := range ps.Filter.Preferred {
		set.maxCost += max(0, int64(p.Weight))
	}
	j.sets = append(j.sets, set)
}

// done lets go of the shapes.
func (j *joint) done() {
	for _, s := range j.pinned {
		j.q.e.pin(s, -1)
	}
	j.pinned = nil
}

// bind collects what keeps sets together: a group shares its constraint.
func (j *joint) bind() {
	done := map[string]bool{}
	for i := range j.sets {
		ps := j.sets[i].ps
		if ps.Group != "" && done[ps.Group] {
			continue
		}
		done[ps.Group] = true
		mask := uint32(0)
		for k := range j.sets {
			if k == i || ps.Group != "" && j.sets[k].ps.Group == ps.Group {
				mask |= 1 << k
			}
		}
		if ps.Required != NoLayer {
			j.bonds = append(j.bonds, bond{mask, depthOf(ps.Required)})
		}
		if ps.Preferred != NoLayer {
			j.wishes = append(j.wishes, bond{mask, depthOf(ps.Preferred)})
		}
	}
	if j.q.e.fabricDepth(j.g) > 0 {
		j.bonds = append(j.bonds, bond{1<<len(j.sets) - 1, 1})
	}
}

// layout gives the vector its fields: the counts, then the preferences met,
// then the cost of affinity, then the room that is taken.
func (j *joint) layout() {
	total, cost := int64(0), int64(0)
	for i := range j.sets {
		total += j.sets[i].n
		cost += 2 * j.sets[i].n * j.sets[i].maxCost
	}
	j.space = 1 << 30 // room is a credit of up to so many pods
	low := uint64(j.space) * uint64(cost+total+1)
	j.q.f.layout(j.q.e, total, low*64)
	j.met = vec{lo: low}
}

// crowds lists the largest sets of pod sets that can run at one time: none of
// them comes after another.
func (g *Gang) crowds() []uint32 {
	n := len(g.PodSets)
	before := make([]uint32, n) // all that have ended when it starts
	for range n {
		for i := range g.PodSets {
			for _, a := range g.PodSets[i].After {
				before[i] |= 1<<a | before[a]
			}
		}
	}
	apart := func(i int) uint32 {
		m := before[i]
		for k := range n {
			if before[k]&(1<<i) != 0 {
				m |= 1 << k
			}
		}
		return m
	}
	crowds := []uint32{0}
	for i := range n {
		var next []uint32
		for _, c := range crowds {
			if c&apart(i) == 0 {
				next = append(next, c|1<<i)
				continue
			}
			next = append(next, c, c&^apart(i)|1<<i)
		}
		slices.Sort(next)
		crowds = slices.Compact(next)
	}
	return slices.DeleteFunc(crowds, func(c uint32) bool {
		return slices.ContainsFunc(crowds, func(o uint32) bool { return o != c && o&c == c })
	})
}

// full is the state in which every set has all its pods.
func (j *joint) full() int { return j.states - 1 }

// fitsWith is how many pods of set i fit on a node by its shape, a node that
// lacks a layer it needs taking none.
func (j *joint) fitsWith(i int, id NodeID) int64 {
	e := j.q.e
	if e.doms[e.nodes[id].dom].depth < j.sets[i].least {
		return 0
	}
	fit := int64(e.fit[int(id)*e.stride+int(j.sets[i].s.slot)])
	if j.filling != nil {
		fit = j.filling.limit(i, id, fit)
	}
	return fit
}

// holdsTogether says whether a node can take these pods of each set at once.
func (j *joint) holdsTogether(id NodeID, x []int64) bool {
	e := j.q.e
	if j.filling != nil && !j.filling.withinLimits(id, x) {
		return false
	}
	for _, crowd := range j.crowds {
		sum, lonely := int64(0), false
		for i := range x {
			if crowd&(1<<i) != 0 && x[i] > 0 {
				sum += x[i]
				lonely = lonely || j.sets[i].s.spec.exclusive
			}
		}
		if lonely && sum > 1 {
			return false
		}
		for r := range e.res.n {
			need := int64(0)
			for i := range x {
				if crowd&(1<<i) != 0 && x[i] > 0 {
					need += x[i] * j.sets[i].s.asks(int32(r))
				}
			}
			if need > 0 && e.nodes[id].total >= 0 && need > j.freeOf(id, r) {
				return false
			}
		}
	}
	return true
}

func (j *joint) freeOf(id NodeID, r int) int64 {
	e := j.q.e
	if j.g.empty {
		return e.totalOf(e.nodes[id].total, int32(r))
	}
	return e.free[int(id)*e.res.n+r]
}

// asks is one pod's request of a resource.
func (s *Shape) asks(res int32) int64 {
	for _, a := range s.req {
		if a.res == res {
			return a.qty
		}
	}
	return 0
}

// roomBeside is how many more pods of the first set the node takes beside x.
func (j *joint) roomBeside(id NodeID, x []int64) int64 {
	most := j.fitsWith(0, id) - x[0]
	x[0]++
	defer func() { x[0]-- }()
	lo := int64(0)
	base := x[0]
	for lo < most {
		mid := (lo + most + 1) / 2
		x[0] = base - 1 + mid
		if j.holdsTogether(id, x) {
			lo = mid
		} else {
			most = mid - 1
		}
	}
	x[0] = base
	return lo
}
