package placer

import "slices"

// topBucket collects every fit that a node's bit in have cannot tell apart.
const topBucket = 63

func bucket(fit int32) uint { return uint(min(fit, topBucket)) }

// fitOf is how many pods of the shape the node can take now. In whole slices
// where a slice is a node's.
func (e *Engine) fitOf(s *Shape, id NodeID) int32 {
	n := &e.nodes[id]
	if n.health != Healthy || !e.allows(s, id) || e.doms[n.dom].depth < s.spec.deepest {
		return 0
	}
	if !s.spec.empty && (n.barred || n.exclusive > 0) {
		return 0
	}
	if s.spec.exclusive && !s.spec.empty && n.usedPods+n.heldPods > 0 {
		return 0
	}
	fit := e.room(s, id, s.spec.empty)
	if s.spec.exclusive {
		fit = min(fit, 1)
	}
	if s.spec.maxPerNode > 0 {
		fit = min(fit, s.spec.maxPerNode)
	}
	if unit := s.unit[e.layers+1]; unit > 1 {
		fit -= fit % unit
	}
	return fit
}

// room is how many pods' requests fit into what the node has free, or into all
// it has where empty is set.
func (e *Engine) room(s *Shape, id NodeID, empty bool) int32 {
	n := &e.nodes[id]
	if n.total < 0 {
		if s.spec.exclusive && len(s.req) == 1 {
			return 1
		}
		return 0
	}
	fit := int64(1)<<31 - 1
	row := int(id) * e.res.n
	for _, a := range s.req {
		var have int64
		if empty {
			have = e.totalOf(n.total, a.res)
		} else {
			have = e.free[row+int(a.res)]
		}
		if have < a.qty {
			return 0
		}
		if a.qty > 1 {
			have /= a.qty
		}
		fit = min(fit, have)
	}
	return int32(fit)
}

// allows says whether the shape's filter lets it onto the node: one look per
// class, unless the filter asks what tells nodes of a class apart.
func (e *Engine) allows(s *Shape, id NodeID) bool {
	class := e.nodes[id].class
	if int(class) >= len(s.classOK) || s.classOK[class] == 0 {
		e.askClass(s, class)
	}
	if s.classOK[class] < 0 || !s.perNode {
		return s.classOK[class] > 0
	}
	return s.spec.filter.selects(func(key string) (string, bool) { return e.label(id, key) })
}

func (e *Engine) askClass(s *Shape, class int32) {
	for int(class) >= len(s.classOK) {
		s.classOK = append(s.classOK, 0)
	}
	s.classOK[class] = -1
	if e.classPasses(s, class) {
		s.classOK[class] = 1
	}
}

// classPasses asks the filter once for a whole class; where nodes of the class
// can differ only its taints decide.
func (e *Engine) classPasses(s *Shape, c int32) bool {
	if _, bad := s.spec.filter.intolerable(e.classes.list[c].taints); bad {
		return false
	}
	if s.perNode {
		return true
	}
	labels := e.classes.list[c].labels
	return s.spec.filter.selects(func(key string) (string, bool) { return find(labels, key) })
}

// refit brings every live shape's counts up to what the node can take now.
func (e *Engine) refit(id NodeID) {
	if len(e.slots) == 0 {
		return
	}
	e.settle()
	for _, s := range e.slots {
		if s != nil {
			e.setFit(s, id, e.fitOf(s, id))
		}
	}
}

// setFit records a node's fit and carries the difference up its path.
func (e *Engine) setFit(s *Shape, id NodeID, fit int32) {
	cell := &e.fit[int(id)*e.stride+int(s.slot)]
	old := *cell
	if old == fit {
		return
	}
	if int64(fit) > s.top {
		e.outgrow(s)
	}
	n := &e.nodes[id]
	dom := &e.doms[n.dom]
	switch {
	case s.fine && len(dom.kids) == 0:
		dom.stale |= 1 << uint(s.slot) // the run is put right when it is read
	case dom.stale&(1<<uint(s.slot)) == 0:
		move(e.nodeRun(s, n.dom), makeKey(int64(old), n.pos), makeKey(int64(fit), n.pos))
	}
	*cell = fit
	e.addPods(s, n.dom, int64(fit)-int64(old))
	e.raiseCeiling(s, n.dom, old, fit)
	if a, b := bucket(old), bucket(fit); a != b {
		e.markGone(s, n.dom, a)
		e.markHere(s, n.dom, b)
	}
}

// outgrow is for a shape of which more fits on a node than when its marks were
// chosen: its ceilings stay right, but no longer tell single fits apart.
func (e *Engine) outgrow(s *Shape) {
	s.fine, s.top = false, 1<<62
	for d := range e.doms {
		if e.doms[d].live {
			e.nodeRun(s, DomainID(d))
		}
	}
}

// addPods adds to d's count and carries what changes of the usable part up.
func (e *Engine) addPods(s *Shape, d DomainID, delta int64) {
	for {
		dom := &e.doms[d]
		cell := &e.pods[int(d)*e.stride+int(s.slot)]
		unit := int64(s.unit[dom.depth])
		old := *cell - *cell%unit
		*cell += delta
		usable := *cell - *cell%unit
		if d == Root || usable == old {
			return
		}
		up := &e.doms[dom.parent]
		run := s.kidKeys[up.kidAt.off : int(up.kidAt.off)+len(up.kids)]
		move(run, makeKey(old, dom.pos), makeKey(usable, dom.pos))
		delta = usable - old
		d = dom.parent
	}
}

// usable is how many pods d can take in whole slices.
func (e *Engine) usable(s *Shape, d DomainID) int64 {
	pods := e.pods[int(d)*e.stride+int(s.slot)]
	return pods - pods%int64(s.unit[e.doms[d].depth])
}

// move replaces one key of an ascending run, shifting what lies between.
func move(run []uint64, from, to uint64) {
	i := search64(run, from)
	if to > from {
		for i+1 < len(run) && run[i+1] < to {
			run[i] = run[i+1]
			i++
		}
	} else {
		for i > 0 && run[i-1] > to {
			run[i] = run[i-1]
			i--
		}
	}
	run[i] = to
}

// search64 is the index of the first key not below want.
func search64(run []uint64, want uint64) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid] < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// markHere says that some node of d now has a fit of this bucket.
func (e *Engine) markHere(s *Shape, d DomainID, b uint) {
	if b == 0 {
		return
	}
	for ; d >= 0; d = e.doms[d].parent {
		cell := &e.have[int(d)*e.stride+int(s.slot)]
		if *cell&(1<<b) != 0 {
			return
		}
		*cell |= 1 << b
	}
}

// markGone clears the bucket's bit from d up, as far as no other node has it.
func (e *Engine) markGone(s *Shape, d DomainID, b uint) {
	if b == 0 {
		return
	}
	for ; d >= 0 && !e.anyInBucket(s, d, b); d = e.doms[d].parent {
		e.have[int(d)*e.stride+int(s.slot)] &^= 1 << b
	}
}

// anyInBucket asks d's own nodes by their ceiling or run, its kids by their
// bits.
func (e *Engine) anyInBucket(s *Shape, d DomainID, b uint) bool {
	dom := &e.doms[d]
	switch {
	case s.fine && len(dom.kids) == 0:
		return e.countWith(s, d, int64(b)) > 0
	case len(dom.nodes) > 0:
		run := e.nodeRun(s, d)
		if i := search64(run, makeKey(int64(b), 0)); i < len(run) && (b == topBucket || keyCount(run[i]) == int64(b)) {
			return true
		}
	}
	for _, kid := range dom.kids {
		if e.have[int(kid)*e.stride+int(s.slot)]&(1<<b) != 0 {
			return true
		}
	}
	return false
}

// recount computes d's fits, count, bits and ceiling from its nodes and its
// kids, which are right, and leaves its runs to be sorted when they are read.
func (e *Engine) recount(s *Shape, d DomainID) {
	dom := &e.doms[d]
	pods, have := int64(0), uint64(0)
	var c ceiling
	for _, id := range dom.nodes {
		fit := e.fitOf(s, id)
		e.fit[int(id)*e.stride+int(s.slot)] = fit
		if fit == 0 {
			continue
		}
		pods += int64(fit)
		have |= 1 << bucket(fit)
		for i := 0; i < numMarks && s.marks[i] < fit; i++ {
			c[i] += fit - s.marks[i]
		}
	}
	for _, kid := range dom.kids {
		pods += e.usable(s, kid)
		have |= e.have[int(kid)*e.stride+int(s.slot)]
	}
	e.pods[int(d)*e.stride+int(s.slot)] = pods
	e.have[int(d)*e.stride+int(s.slot)] = have &^ 1
	dom.stale |= 1 << uint(s.slot)
	e.buildKidRun(s, d)
	if len(dom.kids) > 0 {
		e.lowerCeiling(s, d)
	} else {
		e.ceil[int(d)*e.stride+int(s.slot)] = c
	}
}

// rebuild writes d's runs anew after its children changed places.
func (e *Engine) rebuild(s *Shape, d DomainID) {
	e.doms[d].stale |= 1 << uint(s.slot)
	e.buildKidRun(s, d)
	e.buildCeiling(s, d)
}

// nodeRun is the ascending run of d's own nodes by fit.
func (e *Engine) nodeRun(s *Shape, d DomainID) []uint64 {
	dom := &e.doms[d]
	run := s.nodeKeys[dom.nodeAt.off : int(dom.nodeAt.off)+len(dom.nodes)]
	if dom.stale&(1<<uint(s.slot)) != 0 {
		dom.stale &^= 1 << uint(s.slot)
		vals := e.scratch.vals[:0]
		for _, id := range dom.nodes {
			vals = append(vals, int64(e.fit[int(id)*e.stride+int(s.slot)]))
		}
		sortRun(run, vals)
		e.scratch.vals = vals
	}
	return run
}

// kidRun is the ascending run of d's kids by usable pods.
func (e *Engine) kidRun(s *Shape, d DomainID) []uint64 {
	dom := &e.doms[d]
	return s.kidKeys[dom.kidAt.off : int(dom.kidAt.off)+len(dom.kids)]
}

func (e *Engine) buildKidRun(s *Shape, d DomainID) {
	dom := &e.doms[d]
	vals := e.scratch.vals[:0]
	for _, kid := range dom.kids {
		vals = append(vals, e.usable(s, kid))
	}
	sortRun(e.kidRun(s, d), vals)
	e.scratch.vals = vals
}

// maxCounting is the largest value that sortRun sorts by counting.
const maxCounting = 255

// sortRun writes the ascending keys of these values by position. Small values,
// the common ones, are sorted by counting.
func sortRun(run []uint64, vals []int64) {
	top := int64(0)
	for _, v := range vals {
		top = max(top, v)
	}
	if top > maxCounting || top > int64(4*len(vals)) {
		for i, v := range vals {
			run[i] = makeKey(v, int32(i))
		}
		slices.Sort(run)
		return
	}
	var at [maxCounting + 2]int32
	for _, v := range vals {
		at[v+1]++
	}
	for v := int64(1); v <= top; v++ {
		at[v] += at[v-1]
	}
	for i, v := range vals {
		run[at[v]] = makeKey(v, int32(i))
		at[v]++
	}
}
