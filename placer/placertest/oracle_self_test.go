package placertest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hopwise/hopwise/placer"
)

// TestOracleItself holds the oracle to answers that were worked out by hand.
func TestOracleItself(t *testing.T) {
	RunText(t, "testdata/oracle.txt", func(_ *testing.T, c *Case) []string { return solutionLines(c) })
}

// TestFound holds the engine to the cases in which it once was wrong.
func TestFound(t *testing.T) {
	RunText(t, "testdata/found.txt", func(t *testing.T, c *Case) []string {
		if _, err := ask(c); err != nil {
			t.Errorf("%v\n%s", err, c)
		}
		return solutionLines(c)
	})
}

// solutionLines is what Solve says, as a text file expects it.
func solutionLines(c *Case) []string {
	s, ok := Solve(c)
	if !ok {
		return []string{"expect refused"}
	}
	return []string{fmt.Sprintf("expect pods %v vector %v preferred %d affinity %d aligned %s room %d",
		s.Pods, s.Vector, s.Preferred, s.Affinity, s.Aligned, s.Room)}
}

// TestSolutionIsValid holds oracle and validator to each other: what the
// oracle enumerates is valid, and what it forbids is not. The second walks all
// assignments of a few small cases, allowed or not.
func TestSolutionIsValid(t *testing.T) {
	for seed := range uint64(1_000) {
		c := Generate(All, seed)
		allowed := map[string]bool{}
		e := newEnumeration(c)
		e.each(func(counts [][]int32) { allowed[fmt.Sprint(counts)] = true })
		tried := 0
		everyCount(c, func(counts [][]int32) bool {
			o := &Outcome{Sets: Rank(c, counts), Unranked: true}
			if err := Validate(c, o); (err == nil) != allowed[fmt.Sprint(counts)] {
				t.Fatalf("seed %d: oracle allows %v: %v, validator says %v\n%s", seed, counts, err != nil, err, c)
			}
			tried++
			return tried < 300
		})
	}
}

// TestCompareItself: the best that the oracle finds compares as the same, and a
// refusal of it does not.
func TestCompareItself(t *testing.T) {
	for seed := range uint64(2_000) {
		c := Generate(All, seed)
		c.Gang.Policy = placer.Tightest
		best, ok := Solve(c)
		if !ok {
			continue
		}
		e := newEnumeration(c)
		var counts [][]int32
		e.each(func(now [][]int32) {
			s := e.judge(now)
			if s.Room = e.room(now, s.Aligned); s.Compare(best) == 0 && counts == nil {
				for _, set := range now {
					counts = append(counts, slices.Clone(set))
				}
			}
		})
		if kind, err := Compare(c, &Outcome{Sets: Rank(c, counts), Unranked: true}); kind != Same {
			t.Fatalf("seed %d: %v\n%s", seed, err, c)
		}
		if kind, _ := Compare(c, &Outcome{Refused: true}); kind != Feasibility {
			t.Fatalf("seed %d: a wrong refusal is not seen", seed)
		}
	}
}

// everyCount calls yield with every dealing of up to each set's count of pods,
// whatever the nodes hold, until it returns false.
func everyCount(c *Case, yield func([][]int32) bool) {
	counts := make([][]int32, len(c.Gang.PodSets))
	for s := range counts {
		counts[s] = make([]int32, len(c.Nodes))
	}
	var deal func(s, i int, left int32) bool
	deal = func(s, i int, left int32) bool {
		if s == len(counts) {
			return yield(counts)
		}
		if i == len(c.Nodes) {
			if s+1 < len(counts) {
				return deal(s+1, 0, c.Gang.PodSets[s+1].Count)
			}
			return deal(s+1, 0, 0)
		}
		for n := left; n >= 0; n-- {
			counts[s][i] = n
			if !deal(s, i+1, left-n) {
				return false
			}
		}
		counts[s][i] = 0
		return true
	}
	deal(0, 0, c.Gang.PodSets[0].Count)
}

// TestGenerateText: every generated case survives being written and read, and
// is small enough.
func TestGenerateText(t *testing.T) {
	for seed := range uint64(2_000) {
		c := Generate(All, seed)
		if n := Assignments(c); n > MaxAssignments {
			t.Fatalf("seed %d: %g assignments", seed, n)
		}
		again, err := ParseCases("text", c.String())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, c)
		}
		if len(again) != 1 || again[0].String() != c.String() {
			t.Fatalf("seed %d: read back as\n%s\nfrom\n%s", seed, again[0], c)
		}
	}
}

// BenchmarkOracle prints the oracle's speed.
func BenchmarkOracle(b *testing.B) {
	for _, profile := range []string{Issue3, All} {
		b.Run(profile, func(b *testing.B) {
			feasible, assignments := 0, 0.0
			for i := range b.N {
				c := Generate(profile, uint64(i))
				assignments += Assignments(c)
				if _, ok := Solve(c); ok {
					feasible++
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
			b.ReportMetric(float64(feasible)/float64(b.N), "feasible")
			b.ReportMetric(assignments/float64(b.N), "assignments/case")
		})
	}
}
