package placertest

import "github.com/hopwise/hopwise/placer"

// enumeration walks every assignment of pods to nodes that keeps every rule.
type enumeration struct {
	*facts
	counts  [][]int32 // [set][node], the assignment being built
	vectors [][]int32 // by set of nodes, filled as asked
	visit   func(counts [][]int32)
}

func newEnumeration(c *Case) *enumeration {
	e := &enumeration{facts: newFacts(c), vectors: make([][]int32, 1<<len(c.Nodes))}
	for range c.Gang.PodSets {
		e.counts = append(e.counts, make([]int32, len(c.Nodes)))
	}
	return e
}

// each calls visit with every valid assignment; the argument is reused.
func (e *enumeration) each(visit func(counts [][]int32)) {
	e.visit = visit
	e.set(0)
}

// set places pod set s in every way, the sets before it being placed.
func (e *enumeration) set(s int) {
	if s == len(e.counts) {
		if e.gangAllowed() {
			e.visit(e.counts)
		}
		return
	}
	for _, pods := range allowedCounts(&e.c.Gang, s) {
		e.node(s, 0, pods)
	}
}

// node deals what is left of a pod set's pods to nodes i and on.
func (e *enumeration) node(s, i int, left int32) {
	if i == len(e.c.Nodes) {
		if left == 0 && e.setAllowed(s) {
			e.set(s + 1)
		}
		return
	}
	for n := int32(0); n <= left && int64(n) <= e.cap[s][i]; n++ {
		e.counts[s][i] = n
		e.node(s, i+1, left-n)
	}
	e.counts[s][i] = 0
}

// setAllowed checks pod set s beside those before it.
func (e *enumeration) setAllowed(s int) bool {
	ps := &e.c.Gang.PodSets[s]
	if ps.Required >= 0 && !e.inOne(e.unitNodes(s, e.counts[:s+1]), ps.Required) {
		return false
	}
	return e.slicesWhole(s) && e.nodesHold(s)
}

// nodesHold checks every node's capacity for the sets up to s.
func (e *enumeration) nodesHold(s int) bool {
	here := make([]int32, len(e.counts))
	for i := range e.c.Nodes {
		if e.counts[s][i] == 0 {
			continue
		}
		for t := range s + 1 {
			here[t] = e.counts[t][i]
		}
		if !e.holds(i, here) {
			return false
		}
	}
	return true
}

// slicesWhole checks that each layer of slices can be cut: every domain holds
// whole slices, but for one where the last slice may be short.
func (e *enumeration) slicesWhole(s int) bool {
	ps := &e.c.Gang.PodSets[s]
	for _, sl := range ps.Slices {
		perDomain := map[string]int32{}
		var pods int32
		for i, n := range e.counts[s] {
			if n > 0 {
				perDomain[e.key[i][sl.Layer]] += n
				pods += n
			}
		}
		short := 0
		for _, n := range perDomain {
			if n%sl.Size != 0 {
				short++
			}
		}
		allowed := 0
		if ps.PartialLastSlice && pods%sl.Size != 0 {
			allowed = 1
		}
		if short > allowed {
			return false
		}
	}
	return true
}

// gangAllowed checks what only the whole gang shows: its floor, and that it
// stays in one fabric where the fabrics are disconnected.
func (e *enumeration) gangAllowed() bool {
	var total int32
	used := 0
	for s := range e.counts {
		for i, n := range e.counts[s] {
			total += n
			if n > 0 {
				used |= 1 << i
			}
		}
	}
	if total == 0 || total < e.c.Gang.MinCount {
		return false
	}
	return !e.c.Disconnected || e.c.Gang.SpanFabrics || e.layers == 0 || e.vector(used)[0] <= 1
}

// allowedCounts are the numbers of pods that set s may have, most first: its
// count, or whole slices down to its floor. Where the gang has a floor of its
// own, a set without one may shrink to nothing.
func allowedCounts(g *placer.Gang, s int) []int32 {
	ps := &g.PodSets[s]
	floor := ps.MinCount
	if floor == 0 && g.MinCount == 0 {
		floor = ps.Count
	}
	whole := int32(1)
	if len(ps.Slices) > 0 {
		whole = ps.Slices[0].Size
	}
	counts := []int32{ps.Count}
	for n := ps.Count - 1; n >= floor; n-- {
		if n%whole == 0 {
			counts = append(counts, n)
		}
	}
	return counts
}

// Assignments is how many assignments Solve tries at most: for each pod set
// the ways to deal its pods to nodes that each take so many, multiplied.
func Assignments(c *Case) float64 {
	f := newFacts(c)
	product := 1.0
	for s := range c.Gang.PodSets {
		ways := make([]float64, c.Gang.PodSets[s].Count+1)
		ways[0] = 1
		for i := range c.Nodes {
			next := make([]float64, len(ways))
			for have, w := range ways {
				for n := 0; int64(n) <= f.cap[s][i] && have+n < len(ways); n++ {
					next[have+n] += w
				}
			}
			ways = next
		}
		sum := 0.0
		for _, n := range allowedCounts(&c.Gang, s) {
			sum += ways[n]
		}
		product *= max(sum, 1)
	}
	return product
}
