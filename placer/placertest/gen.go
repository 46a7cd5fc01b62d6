package placertest

import (
	"fmt"
	"math/rand/v2"

	"github.com/hopwise/hopwise/placer"
)

// Profile names for Generate.
const (
	// Issue3 draws gangs of one pod set, under TIGHTEST and BEST_FIT, with a
	// constraint, exclusive nodes, one layer of slices and filters.
	Issue3 = "issue3"
	// All draws every feature of the specification.
	All = "all"
)

// MaxAssignments bounds what Solve may have to try on a generated case.
const MaxAssignments = 200_000

// generator draws one case.
type generator struct {
	*rand.Rand
	all bool
	c   *Case
	cpu bool // a second resource is in play
	// quiet cases keep most nodes usable, so that the search has work to do.
	quiet bool
	// hard cases have many nodes with room and constraints that bind little.
	hard bool
}

// Generate draws the case of a seed. Every draw gives a case: counts and nodes
// are lowered until Solve has at most MaxAssignments to try, mostly far fewer.
func Generate(profile string, seed uint64) *Case {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x686f70)), all: profile == All}
	g.quiet = !g.one(3)
	g.hard = g.quiet && g.one(3)
	g.c = &Case{Name: fmt.Sprintf("%s %d", profile, seed)}
	g.scheme()
	g.nodes()
	g.gang()
	limit := 10_000.0
	if g.one(20) {
		limit = MaxAssignments
	}
	for Assignments(g.c) > limit {
		g.shrink()
	}
	return g.c
}

// one is true once in n.
func (g *generator) one(n int) bool { return g.IntN(n) == 0 }

// pick draws an index with the given weights.
func (g *generator) pick(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := g.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("unreachable")
}

func (g *generator) scheme() {
	layers := g.pick(1, 4, 8, 8, 4)
	if g.hard {
		layers = max(layers, 2)
	}
	for l := range layers {
		g.c.Scheme.Layers = append(g.c.Scheme.Layers, fmt.Sprintf("l%d", l))
	}
	g.c.Scheme.Node = "host"
	g.c.Disconnected = g.all && g.one(6)
}

// shrink makes a case smaller: fewer pods in the largest set, else one node
// fewer.
func (g *generator) shrink() {
	sets := g.c.Gang.PodSets
	largest := 0
	for s := range sets {
		if sets[s].Count > sets[largest].Count {
			largest = s
		}
	}
	ps := &sets[largest]
	if g.IntN(3) > 0 || len(g.c.Nodes) <= 2 {
		if g.setCount(ps, ps.Count-1-g.Int32N(2)) {
			g.clampFloor()
			return
		}
	}
	if len(g.c.Nodes) > 1 {
		g.c.Nodes = g.c.Nodes[:len(g.c.Nodes)-1]
		return
	}
	g.c.Gang.PodSets = sets[:1]
	g.c.Gang.PodSets[0].After = nil
	g.clampFloor()
}

// setCount sets a count, rounded down to whole slices unless the last may be
// short, and mends the floor; false where no pod would be left.
func (g *generator) setCount(ps *placer.PodSet, n int32) bool {
	whole := int32(1)
	if len(ps.Slices) > 0 {
		whole = ps.Slices[0].Size
	}
	if !ps.PartialLastSlice {
		n -= n % whole
	}
	if n < 1 {
		return false
	}
	ps.Count = n
	if ps.MinCount > n {
		ps.MinCount = n - n%whole
	}
	return true
}

func (g *generator) clampFloor() {
	var total int32
	for _, ps := range g.c.Gang.PodSets {
		total += ps.Count
	}
	g.c.Gang.MinCount = min(g.c.Gang.MinCount, total)
}
