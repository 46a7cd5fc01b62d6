package placertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/hopwise/hopwise/placer"
)

// TestMiddle holds the engine to an unpruned dynamic program on clusters too
// large for exhaustive search. Where the budget cut the search, the answer may
// be no better than the best and the lower bound no higher.
//
//	MIDDLE_CASES=10000 MIDDLE_SEED=1 go test -run Middle -v
func TestMiddle(t *testing.T) {
	cases, first := envInt(t, "MIDDLE_CASES", 1_500), envInt(t, "MIDDLE_SEED", 1)
	var results [2]middleCounts
	var wg sync.WaitGroup
	for w := range results {
		wg.Go(func() {
			for k := w; k < cases; k += 2 {
				results[w].run(t, uint64(first+k))
			}
		})
	}
	wg.Wait()
	n, m := results[0], results[1]
	fmt.Printf("middle: cases=%d refused=%d vector_differs=%d feasibility_differs=%d unproven=%d better_than_best=%d bound_too_high=%d seeds=%d..%d\n",
		cases, n.refused+m.refused, n.vector+m.vector, n.feasibility+m.feasibility, n.unproven+m.unproven,
		n.better+m.better, n.bound+m.bound, first, first+cases-1)
}

type middleCounts struct{ refused, vector, feasibility, unproven, better, bound int }

func (n *middleCounts) run(t *testing.T, seed uint64) {
	c := GenerateMiddle(seed)
	o, ans, err := askMiddle(c, seed)
	if err == nil {
		err = Validate(c, o)
	}
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return
	}
	want := Least(c)
	switch {
	case o.Refused && want == nil:
		n.refused++
	case o.Refused != (want == nil):
		n.feasibility++
		t.Errorf("seed %d: refused %v, the best is %v", seed, o.Refused, want)
	case ans.Proven && !slices.Equal(ans.Vector, want):
		n.vector++
		t.Errorf("seed %d: vector %v, the best is %v", seed, ans.Vector, want)
	case !ans.Proven:
		n.unproven++
		if slices.Compare(ans.Vector, want) < 0 {
			n.better++
			t.Errorf("seed %d: vector %v, better than the best, %v", seed, ans.Vector, want)
		}
		if len(ans.LowerBound) != len(want) || slices.Compare(ans.LowerBound, want) > 0 {
			n.bound++
			t.Errorf("seed %d: lower bound %v, the best is %v", seed, ans.LowerBound, want)
		}
	}
}

// askMiddle asks an engine that was loaded with the case; for odd seeds one that
// saw other usage before, decided, and had the nodes change one by one.
func askMiddle(c *Case, seed uint64) (o *Outcome, ans *placer.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	before := *c
	before.Nodes = slices.Clone(c.Nodes)
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range before.Nodes {
		if seed%2 == 1 && r.IntN(2) == 0 {
			before.Nodes[i].Used = c.Nodes[r.IntN(len(c.Nodes))].Used
		}
	}
	eng, err := Load(&before, nil)
	if err != nil {
		return nil, nil, err
	}
	if seed%2 == 1 {
		eng.Decide(c.CloneGang())
		for i := range c.Nodes {
			id, _ := eng.NodeByName(c.Nodes[i].Name)
			eng.SetUsed(id, c.Nodes[i].Used, 0)
		}
	}
	return Decide(eng, c)
}

// TestLeast holds the dynamic program to exhaustive search on small cases.
func TestLeast(t *testing.T) {
	compared := 0
	for seed := uint64(1); compared < 2000; seed++ {
		c := Generate(Issue3, seed)
		if c.Gang.Policy != placer.Tightest {
			continue
		}
		compared++
		best, ok := Solve(c)
		if have := Least(c); ok != (have != nil) || ok && !slices.Equal(have, best.Vector) {
			t.Errorf("seed %d: have %v, want %+v\n%s", seed, have, best, c)
		}
	}
}
