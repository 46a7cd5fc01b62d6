package placer

// numMarks is how many values of t a ceiling has.
const numMarks = 8

// ceiling bounds how few nodes of a leaf can hold n pods without looking at
// them: over[i] is the sum of max(0, fit-t) over the leaf's nodes for the t of
// Shape.marks[i]. Since m nodes hold at most m*t + over, any t for which
// n > m*t + over proves that m nodes are too few. A domain above leaves has, for
// every t, at least the most that any leaf below it has, so that one look rules
// out all of them. It may be too high there, never too low: leaves are exact,
// rises are carried up at once, and falls are made good when a search looks.
type ceiling [numMarks]int32

// chooseMarks spreads the values of t over the fits that a whole node can have;
// up to numMarks of those there is one for each.
func (e *Engine) chooseMarks(s *Shape) {
	top := int64(1)
	for t := range e.totals.rows {
		fit := int64(1)<<31 - 1
		for _, a := range s.req {
			fit = min(fit, e.totalOf(int32(t), a.res)/a.qty)
		}
		top = max(top, fit)
	}
	if s.spec.exclusive {
		top = 1
	}
	if s.spec.maxPerNode > 0 {
		top = min(top, int64(s.spec.maxPerNode))
	}
	s.top, s.fine = top, top <= numMarks
	for i := range s.marks {
		s.marks[i] = int32(max((top*int64(i+1)+numMarks-1)/numMarks, 1))
		if s.fine {
			s.marks[i] = int32(min(int64(i+1), top))
		}
	}
}

// countWith is the number of nodes of a leaf with just this fit, for a shape
// with fine marks: the nodes of more than t are over(t-1) - over(t).
func (e *Engine) countWith(s *Shape, d DomainID, fit int64) int64 {
	c := &e.ceil[int(d)*e.stride+int(s.slot)]
	over := func(t int64) int64 {
		switch {
		case t == 0:
			return e.pods[int(d)*e.stride+int(s.slot)]
		case t > s.top:
			return 0
		}
		return int64(c[t-1])
	}
	return over(fit-1) - 2*over(fit) + over(fit+1)
}

// needs says that more than k-1 nodes, so at least k, are needed in any leaf
// below d to hold n pods; false where the ceiling does not tell.
func (e *Engine) needs(s *Shape, d DomainID, n, k int64) bool {
	c := &e.ceil[int(d)*e.stride+int(s.slot)]
	for i := range c {
		if n > (k-1)*int64(s.marks[i])+int64(c[i]) {
			return true
		}
	}
	return false
}

// raiseCeiling follows one node's change from old to fit.
func (e *Engine) raiseCeiling(s *Shape, d DomainID, old, fit int32) {
	if len(e.doms[d].kids) > 0 {
		return // no leaf
	}
	c := &e.ceil[int(d)*e.stride+int(s.slot)]
	for i, t := range s.marks {
		c[i] += max(0, fit-t) - max(0, old-t)
	}
	if fit > old {
		e.carryCeiling(s, d)
	}
}

// carryCeiling lifts the ceilings above d to d's where they are lower.
func (e *Engine) carryCeiling(s *Shape, d DomainID) {
	for {
		c := &e.ceil[int(d)*e.stride+int(s.slot)]
		d = e.doms[d].parent
		if d < 0 {
			return
		}
		up := &e.ceil[int(d)*e.stride+int(s.slot)]
		higher := false
		for i := range up {
			if c[i] > up[i] {
				up[i], higher = c[i], true
			}
		}
		if !higher {
			return
		}
	}
}

// lowerCeiling makes the ceiling of a domain above leaves the most of its kids'.
func (e *Engine) lowerCeiling(s *Shape, d DomainID) {
	dom := &e.doms[d]
	if len(dom.kids) == 0 {
		return
	}
	var c ceiling
	for _, kid := range dom.kids {
		k := &e.ceil[int(kid)*e.stride+int(s.slot)]
		for i := range c {
			c[i] = max(c[i], k[i])
		}
	}
	e.ceil[int(d)*e.stride+int(s.slot)] = c
}

// buildCeiling computes d's ceiling from its children.
func (e *Engine) buildCeiling(s *Shape, d DomainID) {
	dom := &e.doms[d]
	if len(dom.kids) > 0 {
		e.lowerCeiling(s, d)
	} else {
		var c ceiling
		for _, id := range dom.nodes {
			fit := e.fit[int(id)*e.stride+int(s.slot)]
			for i, t := range s.marks {
				c[i] += max(0, fit-t)
			}
		}
		e.ceil[int(d)*e.stride+int(s.slot)] = c
	}
	e.carryCeiling(s, d)
}
