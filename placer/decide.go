package placer

import "slices"

// Decide answers where the gang goes. It takes no capacity: Hold does. The
// gang must have passed Check.
func (e *Engine) Decide(g *Gang) *Answer {
	budget := g.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	if g.needsJoint() {
		return e.jointly(g, budget)
	}
	ps := &g.PodSets[0]
	s := e.shapeFor(g, ps)
	q := &e.scratch.search
	n := e.countThatFits(g, ps, s)
	q.begin(e, s, n, budget)
	if n == 0 || !q.byPolicy(g, ps) {
		return &Answer{AlignedNode: NoNode, Proven: true, Steps: q.steps, Refusal: e.refuse(ps, s)}
	}
	return q.answer(ps)
}

// fabricDepth is the depth that no gang may span: 1 where the domains of the
// first layer share no network.
func (e *Engine) fabricDepth(g *Gang) int8 {
	if e.disconnected && !g.SpanFabrics && e.layers > 0 {
		return 1
	}
	return 0
}

// depthOf is the depth of the domains of a layer; 0 for none.
func depthOf(l Layer) int8 { return int8(l) + 1 }

// tightest fills q.out with the least vector's seats; false says that the pod
// set does not fit.
func (q *search) tightest(ps *PodSet, fabric int8) bool {
	required, preferred := depthOf(ps.Required), depthOf(ps.Preferred)
	node := int8(q.e.layers) + 1
	if preferred == node {
		preferred = 0 // one node meets it wherever it is attached
	}
	least := required
	if least == node {
		least = 0
	}
	if id := q.oneNode(max(least, preferred)); id != NoNode {
		q.out = append(q.out, Seat{id, int32(q.n)})
		return true
	}
	if preferred > least {
		if id := q.oneNode(least); id != NoNode {
			q.out = append(q.out, Seat{id, int32(q.n)})
			return true
		}
	}
	if required == node {
		return false
	}
	floor := max(required, fabric)
	for depth := int8(q.e.layers); depth >= floor; depth-- {
		if cands := q.candidates(depth); len(cands) > 0 {
			q.settleOn(cands)
			return true
		}
	}
	return false
}

// candidates lists the domains of a depth that hold all n pods with the fewest
// children, in path order.
func (q *search) candidates(depth int8) []candidate {
	e, s := q.e, q.s
	q.list, q.best = q.list[:0], q.n+1
	switch {
	case depth == 0:
		if e.usable(s, Root) >= q.n {
			q.list = append(q.list, candidate{Root, e.fewest(s, Root, q.n, q.n+1), e.roomIn(s, Root) - q.n})
		}
	case int(depth) == e.layers || len(e.parents[depth+1]) == 0:
		if e.usable(s, Root) >= q.n {
			q.descend(Root, depth)
		}
	default:
		for _, parent := range e.parents[depth] {
			run := e.kidRun(s, parent)
			for i := search64(run, makeKey(q.n, 0)); i < len(run); i++ {
				q.consider(e.doms[parent].kids[keyPos(run[i])])
			}
		}
	}
	return q.list
}

// descend looks for leaves of a depth below d, and leaves out what the ceilings
// show to be no better than the best leaf so far.
func (q *search) descend(d DomainID, depth int8) {
	e, s := q.e, q.s
	dom := &e.doms[d]
	if dom.depth+1 < depth {
		for _, kid := range dom.kids {
			if e.usable(s, kid) < q.n || q.hopeless(kid, depth) {
				continue
			}
			e.lowerCeiling(s, kid)
			if !q.hopeless(kid, depth) {
				q.descend(kid, depth)
			}
		}
		return
	}
	run := e.kidRun(s, d)
	for i := search64(run, makeKey(q.n, 0)); i < len(run); i++ {
		leaf := dom.kids[keyPos(run[i])]
		if q.tied() && keyCount(run[i])-q.n >= q.list[0].room && e.needs(s, leaf, q.n, q.best) {
			continue
		}
		if !e.needs(s, leaf, q.n, q.best+1) {
			q.consider(leaf)
		}
	}
}

// hopeless says that no leaf below d is better than the best so far.
func (q *search) hopeless(d DomainID, depth int8) bool {
	e, s := q.e, q.s
	if e.needs(s, d, q.n, q.best+1) {
		return true
	}
	if !q.tied() || e.doms[d].depth+1 < depth {
		return false
	}
	run := e.kidRun(s, d)
	i := search64(run, makeKey(q.n, 0))
	return i == len(run) || keyCount(run[i])-q.n >= q.list[0].room && e.needs(s, d, q.n, q.best)
}

// tied says that with as many nodes only a smaller room is better, and that
// the runs are sorted by room.
func (q *search) tied() bool { return len(q.list) == 1 && q.s.base == q.s && !q.weighted }

// consider adds a domain that holds all pods to the candidates if it needs no
// more children than the best of them. Of leaves only the best is kept: the
// number of children settles their vector.
func (q *search) consider(d DomainID) {
	e, s := q.e, q.s
	if ceilDiv(q.n, e.largest(s, d)) > q.best {
		return
	}
	c := candidate{dom: d, room: e.roomIn(s, d) - q.n}
	c.kids = e.fewest(s, d, q.n, q.best)
	switch {
	case c.kids > q.best:
	case c.kids < q.best:
		q.list, q.best = append(q.list[:0], c), c.kids
	case !q.weighted && len(q.list) == 1 && e.isLeaf(d) && e.isLeaf(q.list[0].dom):
		if c.room < q.list[0].room || c.room == q.list[0].room && earlier(e, c, q.list[0]) {
			q.list[0] = c
		}
	default:
		q.list = append(q.list, c)
	}
}

func (e *Engine) isLeaf(d DomainID) bool { return len(e.doms[d].kids) == 0 }

// earlier says whether a comes before b in path order; kids of one parent come
// out of its run by room first.
func earlier(e *Engine, a, b candidate) bool {
	return e.doms[a.dom].parent == e.doms[b.dom].parent && e.doms[a.dom].pos < e.doms[b.dom].pos
}

func (e *Engine) roomIn(s *Shape, d DomainID) int64 {
	return e.pods[int(d)*e.stride+int(s.base.slot)]
}

func ceilDiv(a, b int64) int64 {
	if b <= 0 {
		return 1 << 62
	}
	return (a + b - 1) / b
}

// settleOn picks the candidate with the least vector, least room, first in
// path order, and seats the pods in it.
func (q *search) settleOn(cands []candidate) {
	if len(cands) == 1 && q.e.isLeaf(cands[0].dom) && !q.weighted {
		q.seatNodes(cands[0].dom, q.n)
		return
	}
	floor := q.floor(cands[0])
	q.lower = maxVec
	best, at := plan{v: maxVec}, -1 // the best plan and its candidate
	open := q.open[:0]
	for i := range cands {
		switch i {
		case 0: // most often the first settles it, and the rest need no order
			first := q.firstByRoom(cands)
			cands[0], cands[first] = cands[first], cands[0]
		case 1:
			sortCandidates(q.e, cands[1:])
		}
		c := &cands[i]
		if !q.ceilingBound(c).less(best.v) {
			continue
		}
		p, low, exact := q.quick(c.dom, c.kids)
		if !exact {
			open = append(open, openCandidate{i, low})
		}
		if p.v.less(best.v) {
			best, at = p, i
		}
		if len(open) == 0 && !floor.less(best.v) {
			break
		}
	}
	q.open = open
	for _, o := range open {
		// One that comes before the best wins a tie.
		if o.low.less(best.v) || o.low == best.v && o.at <= at {
			if p := q.exactly(&cands[o.at], o.low); p.v.less(best.v) || p.v == best.v && o.at < at {
				best, at = p, o.at
			}
		}
	}
	if q.lower.less(best.v) {
		q.bounded(cands[0].dom)
	} else {
		q.cut = false // what was left out could not be better
	}
	q.seatPlan(best)
}

// openCandidate is one whose vector the bounds did not settle.
type openCandidate struct {
	at  int
	low vec
}

// firstByRoom is the candidate with the least room, first in path order.
func (q *search) firstByRoom(cands []candidate) int {
	first := 0
	for i := range cands {
		if cands[i].room < cands[first].room ||
			cands[i].room == cands[first].room && q.e.compareDomains(cands[i].dom, cands[first].dom) < 0 {
			first = i
		}
	}
	return first
}

// bounded records the lower bound as a vector: one domain in each layer down to
// d's.
func (q *search) bounded(d DomainID) {
	depth := int(q.e.doms[d].depth)
	q.bound32 = make([]int32, q.e.layers+1)
	for l := range q.bound32 {
		q.bound32[l] = 1
		if l >= depth {
			q.bound32[l] = int32(q.f.get(q.lower, l+1))
		}
	}
}

// ceilingBound is bound with the nodes that the ceilings of a candidate's leaves
// show to be needed.
func (q *search) ceilingBound(c *candidate) vec {
	e, s := q.e, q.s
	v := q.bound(c.kids, c.dom, e.largestFit(s, c.dom))
	kids := e.doms[c.dom].kids
	if len(kids) == 0 || len(e.doms[c.dom].nodes) > 0 || slices.ContainsFunc(kids, func(d DomainID) bool { return !e.isLeaf(d) }) {
		return v
	}
	depth := int(e.doms[c.dom].depth)
	least := int64(0)
	var over [64]int64
	for i, t := range s.marks {
		if i > 0 && t == s.marks[i-1] || len(kids) > len(over) {
			break
		}
		for k, kid := range kids {
			over[k] = int64(e.ceil[int(kid)*e.stride+int(s.slot)][i])
		}
		least = max(least, ceilDiv(q.n-topSum(over[:len(kids)], c.kids), int64(t)))
	}
	if least <= q.f.get(v, e.layers+1) {
		return v
	}
	low := q.f.one[depth+1].times(c.kids)
	for j := depth + 2; j <= e.layers+1; j++ {
		low = low.add(q.f.one[j].times(least))
	}
	return low
}

// floor is a vector that no candidate can be below.
func (q *search) floor(c candidate) vec {
	e := q.e
	v := vec{}
	for j := int(e.doms[c.dom].depth) + 1; j <= e.layers; j++ {
		v = v.add(q.f.one[j].times(c.kids))
	}
	return v.add(q.f.one[e.layers+1].times(max(c.kids, ceilDiv(q.n, e.largestFit(q.s, Root)))))
}

// bound is a vector that no way to seat the pods in d can be below: the known
// fewest children; in each layer below at least as many domains, and as many as
// the largest there allows; nodes by the largest fit.
func (q *search) bound(kids int64, d DomainID, fit int64) vec {
	e := q.e
	depth := int(e.doms[d].depth)
	v := vec{}
	for j := depth + 1; j <= e.layers; j++ {
		if j > depth+1 && j <= depth+2 && len(e.doms[d].nodes) == 0 {
			kids = max(kids, ceilDiv(q.n, max(q.largestGrandchild(d), 1)))
		}
		v = v.add(q.f.one[j].times(kids))
	}
	return v.add(q.f.one[e.layers+1].times(max(kids, ceilDiv(q.n, fit))))
}

// largestGrandchild is the most pods that a child of a child of d holds.
func (q *search) largestGrandchild(d DomainID) int64 {
	top := int64(0)
	for _, kid := range q.e.doms[d].kids {
		top = max(top, q.e.largest(q.s, kid))
	}
	return top
}
