package placertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hopwise/hopwise/placer"
)

// fillText fills the case's missing ranks with an engine that holds the others.
func fillText(eng *placer.Engine, c *Case, relax bool) *placer.Answer {
	ids := make([][]placer.NodeID, len(c.Ranks))
	for s, ranks := range c.Ranks {
		for _, name := range ranks {
			id := placer.NoNode
			if name != "" {
				id, _ = eng.NodeByName(name)
			}
			ids[s] = append(ids[s], id)
		}
	}
	return eng.Fill(c.CloneGang(), ids, relax)
}

// loadHeld is a new engine with the case's nodes and the ranks that stay.
func loadHeld(c *Case) (*placer.Engine, error) {
	eng, err := Load(c, nil)
	if err != nil {
		return nil, err
	}
	for s, ranks := range c.Ranks {
		on := map[string]int32{}
		for _, name := range ranks {
			if name != "" {
				on[name]++
			}
		}
		for _, name := range sortedNames(on) {
			id, _ := eng.NodeByName(name)
			eng.Hold(&c.CloneGang().PodSets[s], []placer.Seat{{Node: id, Pods: on[name]}})
		}
	}
	return eng, nil
}

// checkFill compares one filling with the exhaustive search.
func checkFill(eng *placer.Engine, c *Case, relax bool) (kind Kind, err error) {
	defer func() {
		if p := recover(); p != nil {
			kind, err = Invalid, fmt.Errorf("panic: %v", p)
		}
	}()
	ans := fillText(eng, c, relax)
	if !slices.ContainsFunc(c.Ranks, func(r []string) bool { return strings.Join(r, "") != "" }) {
		return compareWhole(eng, c, ans)
	}
	o, err := FromAnswer(eng, c, ans)
	if err != nil {
		return Invalid, err
	}
	want, feasible := Complete(c, relax)
	switch {
	case o.Refused && !feasible:
		if !ans.Proven || !ans.Refusal.Proven {
			return Ties, fmt.Errorf("refusal not proven, though small")
		}
		return Same, nil
	case o.Refused:
		return Feasibility, fmt.Errorf("refused, but fits: vector %v", want)
	}
	if err := validFill(c, o, relax); err != nil {
		return Invalid, err
	}
	switch {
	case !feasible:
		return Feasibility, fmt.Errorf("filled, but does not fit")
	case !slices.Equal(ans.Vector, want):
		return Vector, fmt.Errorf("vector: have %v, want %v", ans.Vector, want)
	case !ans.Proven:
		return Ties, fmt.Errorf("not proven, though small")
	}
	return Same, nil
}

// compareWhole: a gang of which nothing is left is decided as a new one.
func compareWhole(eng *placer.Engine, c *Case, ans *placer.Answer) (Kind, error) {
	have, err := FromAnswer(eng, c, ans)
	if err != nil {
		return Invalid, err
	}
	want, _, err := Decide(eng, c)
	if err != nil {
		return Invalid, err
	}
	if a, b := strings.Join(have.Lines(c), "\n"), strings.Join(want.Lines(c), "\n"); a != b {
		return Vector, fmt.Errorf("nothing is left; have\n%s\nwant\n%s", a, b)
	}
	return Same, nil
}

// validFill plays the answer back rank by rank: those that had a node keep it,
// each other one must be allowed beside all before, bonds included unless they
// fell.
func validFill(c *Case, o *Outcome, relax bool) error {
	ranks := namesOf(c, o)
	bound := c
	if _, keeps := Complete(c, false); relax && !keeps {
		bound = unbound(c)
	}
	f := newCompletion(bound)
	for s := range c.Ranks {
		if len(ranks[s]) != len(c.Ranks[s]) {
			return fmt.Errorf("set %d: %d ranks of %d", s, len(ranks[s]), len(c.Ranks[s]))
		}
		for r, name := range c.Ranks[s] {
			if name != "" && ranks[s][r] != name {
				return fmt.Errorf("set %d: rank %d moved from %s to %s", s, r, name, ranks[s][r])
			}
		}
	}
	for _, m := range f.missing {
		name := ranks[m.set][m.rank]
		i := slices.IndexFunc(c.Nodes, func(n placer.Node) bool { return n.Name == name })
		if !f.allowed(m, i) {
			return fmt.Errorf("set %d: rank %d may not be on %s", m.set, m.rank, name)
		}
		f.ranks[m.set][m.rank] = i
		f.added[m.set][i]++
	}
	v := &validation{facts: newFacts(c), o: o}
	if cl := o.Claims; !slices.Equal(cl.Vector, v.recount()) || cl.Aligned.Compare(v.deepest()) != 0 {
		return fmt.Errorf("says vector %v aligned %s, is %v %s", cl.Vector, cl.Aligned, v.recount(), v.deepest())
	}
	return nil
}

// TestFillOracle holds repairs and resizes to exhaustive search.
//
//	FILL_CASES=100000 ORACLE_PROFILE=issue3|all FILL_SEED=1 go test -run FillOracle -v
//
// Without ORACLE_PROFILE the cases are shared out over both profiles.
func TestFillOracle(t *testing.T) {
	cases, first := envInt(t, "FILL_CASES", 5_000), envInt(t, "FILL_SEED", 1)
	profiles := envProfiles(t)
	var n fillCounts
	for k := range cases {
		n.run(t, profileOf(profiles, uint64(first+k)), uint64(first+k))
	}
	t.Logf("%d of them refused, %d relaxed, %d with nothing left, %d relaxed in vain", n.refused, n.relaxed, n.whole, n.vain)
	fmt.Printf("fill oracle: cases=%d vector_differs=%d feasibility_differs=%d invalid=%d unproven=%d seeds=%s:%d..%d\n",
		cases, n.kinds[Vector], n.kinds[Feasibility], n.kinds[Invalid], n.kinds[Ties],
		strings.Join(profiles, ","), first, first+cases-1)
}

type fillCounts struct {
	kinds                         [Ties + 1]int
	refused, relaxed, whole, vain int
	shown                         int
}

func (n *fillCounts) run(t *testing.T, profile string, seed uint64) {
	d, err := GenerateFill(profile, seed)
	if err != nil {
		t.Fatalf("seed %s:%d: %v", profile, seed, err)
	}
	n.count(d)
	kind, err := checkFill(d.Engine, d.Case, d.Relax)
	if kind == Same {
		kind, err = sameFresh(d)
	}
	n.kinds[kind]++
	if kind == Same {
		return
	}
	t.Fail()
	if n.shown++; n.shown > 10 {
		return
	}
	small := smallFill(d.Case, kind, d.Relax)
	_, now := checkFresh(small, d.Relax)
	t.Logf("seed %s:%d relax %v: %v; made small: %v\n%s", profile, seed, d.Relax, err, now, small)
}

func (n *fillCounts) count(d *Damage) {
	if !slices.ContainsFunc(d.Ranks, func(r []string) bool { return strings.Join(r, "") != "" }) {
		n.whole++
	} else if _, ok := Complete(d.Case, d.Relax); !ok {
		n.refused++
		if d.Relax {
			n.vain++
		}
	}
	if d.Relax {
		n.relaxed++
	}
}

// sameFresh: the engine that went through it all answers like a new one.
func sameFresh(d *Damage) (Kind, error) {
	fresh, err := loadHeld(d.Case)
	if err != nil {
		return Invalid, err
	}
	a, err := FromAnswer(d.Engine, d.Case, fillText(d.Engine, d.Case, d.Relax))
	if err != nil {
		return Invalid, err
	}
	b, err := FromAnswer(fresh, d.Case, fillText(fresh, d.Case, d.Relax))
	if err != nil {
		return Invalid, err
	}
	if x, y := strings.Join(a.Lines(d.Case), "\n"), strings.Join(b.Lines(d.Case), "\n"); x != y {
		return Vector, fmt.Errorf("after its history\n%s\na new engine\n%s", x, y)
	}
	return Same, nil
}

func checkFresh(c *Case, relax bool) (Kind, error) {
	eng, err := loadHeld(c)
	if err != nil {
		return Invalid, err
	}
	return checkFill(eng, c, relax)
}

// smallFill makes a failing case smaller, its ranks with it.
func smallFill(c *Case, kind Kind, relax bool) *Case {
	return Minimise(c, func(d *Case) bool {
		d.Ranks = slices.Clone(d.Ranks[:len(d.Gang.PodSets)])
		for s := range d.Ranks {
			d.Ranks[s] = d.Ranks[s][:d.Gang.PodSets[s].Count]
			for _, name := range d.Ranks[s] {
				if name != "" && !slices.ContainsFunc(d.Nodes, func(n placer.Node) bool { return n.Name == name }) {
					return false
				}
			}
		}
		k, _ := checkFresh(d, relax)
		return k == kind
	})
}

// TestFillText holds both the exhaustive search and the engine to hand-drawn
// cases. "expect relaxed" is what is left where the bonds may fall.
func TestFillText(t *testing.T) {
	RunText(t, "testdata/fill.txt", func(t *testing.T, c *Case) []string {
		var lines []string
		for _, relax := range []bool{false, true} {
			line := "expect refused"
			if v, ok := Complete(c, relax); ok {
				line = "expect vector " + strings.Trim(fmt.Sprint(v), "[]")
			}
			if relax {
				line = strings.Replace(line, "expect", "expect relaxed", 1)
			}
			if !relax || slices.ContainsFunc(c.Expect, func(s string) bool { return strings.Contains(s, "relaxed") }) {
				lines = append(lines, line)
			}
			if kind, err := checkFresh(c, relax); kind != Same {
				t.Errorf("relax %v: %v\n%s", relax, err, c)
			}
		}
		return lines
	})
}
