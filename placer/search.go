package placer

// DefaultBudget is how many steps a search may take where the gang names no
// budget. A step is one try of the innermost loop, a few nanoseconds.
const DefaultBudget = 200_000

// scratch is memory that decisions use again and again.
type scratch struct {
	vals   []int64
	search search
}

// candidate is a domain that can hold the whole pod set.
type candidate struct {
	dom  DomainID
	kids int64 // fewest children that can hold it
	room int64 // pods of the shape that are left after it
}

// search is one decision's state: a pod set of n pods under TIGHTEST.
type search struct {
	e       *Engine
	s       *Shape
	n       int64
	f       fields
	budget  int64
	steps   int64
	cut     bool
	maxCost int64 // largest sum of preferred weights a node can have
	minCost int64 // least affinity cost of a pod
	lower   vec   // what no way to seat the pods, left out for the budget, is below
	bound32 []int32
	// weighted says that nodes differ in preferred affinity.
	weighted bool
	flat     int64    // see flatIn
	asked    DomainID // what flatIn was last asked, and its answer
	alike    int64

	list    []candidate // with the fewest children so far
	best    int64       // that number
	open    []openCandidate
	fronts  []front
	frontOf map[frontKey]int32
	vecs    bump[vec]
	picks   bump[int32]
	ents    bump[entry]
	narrows []narrow
	hulls   []hull
	hullAt  map[DomainID]int32
	longs   bump[int64]
	scratch []int64
	out     []Seat
}

// bump hands out pieces of one growing block, all given back at once.
type bump[T any] struct {
	block []T
	used  int
}

func (b *bump[T]) reset() { b.used = 0 }

func (b *bump[T]) take(n int) []T {
	if b.used+n > len(b.block) {
		b.block = make([]T, max(n, 2*len(b.block), 1024))
		b.used = 0
	}
	piece := b.block[b.used : b.used+n : b.used+n]
	b.used += n
	return piece
}

// start readies the search for a decision.
func (q *search) start(e *Engine, budget int64) {
	q.e, q.budget = e, budget
	q.steps, q.cut = 0, false
	q.lower, q.bound32 = maxVec, nil
	q.flat, q.asked = 0, -1
	q.clearFronts()
	q.out = q.out[:0]
}

// begin readies the search for n pods of a shape.
func (q *search) begin(e *Engine, s *Shape, n, budget int64) {
	q.start(e, budget)
	q.s, q.n = s, n
	q.weigh()
	q.f.layout(e, n, uint64(2*n*q.maxCost))
}

// weigh finds out whether preferred affinity tells nodes apart at all: where
// every class earns the same, it decides nothing.
func (q *search) weigh() {
	q.maxCost, q.minCost, q.weighted = 0, 0, false
	if !q.s.weighted {
		return
	}
	f := &q.s.spec.filter
	for _, p := range f.Preferred {
		q.maxCost += max(0, int64(p.Weight))
	}
	if q.s.perNode {
		q.weighted = true
		return
	}
	most, first := int64(0), true
	for _, c := range q.e.classes.list {
		if c.nodes == 0 {
			continue
		}
		w := f.weight(func(key string) (string, bool) { return find(c.labels, key) })
		q.weighted = q.weighted || !first && w != most
		most, first = max(most, w), false
	}
	q.minCost = q.maxCost - most
}

func (q *search) clearFronts() {
	q.fronts = q.fronts[:0]
	if q.frontOf == nil {
		q.frontOf = map[frontKey]int32{}
		q.hullAt = map[DomainID]int32{}
	}
	clear(q.frontOf)
	q.vecs.reset()
	q.picks.reset()
	q.ents.reset()
	q.narrows = q.narrows[:0]
	q.hulls = q.hulls[:0]
	clear(q.hullAt)
	q.longs.reset()
}

// spend counts steps and says whether the budget has ended.
func (q *search) spend(steps int64) bool {
	q.steps += steps
	if q.steps > q.budget {
		q.cut = true
	}
	return q.cut
}

// fewest is the smallest number of d's children, domains and nodes alike, that
// together hold n pods: the largest first. It stops above most.
func (e *Engine) fewest(s *Shape, d DomainID, n, most int64) int64 {
	kids, nodes := e.kidRun(s, d), e.nodeRun(s, d)
	i, j := len(kids)-1, len(nodes)-1
	for count := int64(1); count <= most; count++ {
		next := int64(0)
		switch {
		case i >= 0 && (j < 0 || keyCount(kids[i]) >= keyCount(nodes[j])):
			next = keyCount(kids[i])
			i--
		case j >= 0:
			next = keyCount(nodes[j])
			j--
		}
		if n > (most-count+1)*next {
			return most + 1 // none of the rest is larger
		}
		if n -= next; n <= 0 {
			return count
		}
	}
	return most + 1
}

// largest is the most pods that one child of d holds.
func (e *Engine) largest(s *Shape, d DomainID) int64 {
	top := int64(0)
	if run := e.kidRun(s, d); len(run) > 0 {
		top = keyCount(run[len(run)-1])
	}
	if run := e.nodeRun(s, d); len(run) > 0 {
		top = max(top, keyCount(run[len(run)-1]))
	}
	return top
}

// largestFit is the most pods that one node below d holds.
func (e *Engine) largestFit(s *Shape, d DomainID) int64 {
	have := e.have[int(d)*e.stride+int(s.slot)]
	if have == 0 {
		return 0
	}
	top := 63
	for have&(1<<top) == 0 {
		top--
	}
	if top < topBucket {
		return int64(top)
	}
	best := int64(0)
	if run := e.nodeRun(s, d); len(run) > 0 {
		best = keyCount(run[len(run)-1])
	}
	for _, kid := range e.doms[d].kids {
		if e.have[int(kid)*e.stride+int(s.slot)]&(1<<topBucket) != 0 {
			best = max(best, e.largestFit(s, kid))
		}
	}
	return best
}
