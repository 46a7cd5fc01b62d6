package placer_test

import "testing"

// TestBudgetEnds: a search that its budget cannot finish says so, and gives a
// bound that its answer is not below.
func TestBudgetEnds(t *testing.T) {
	e := fragmented(t, 10_000, 0.95)
	g := gang(1_024, map[string]int64{"gpu": 1})
	for _, budget := range []int64{1, 1_000, 20_000} {
		g.Budget = budget
		a := e.Decide(g)
		if a.Refusal != nil {
			t.Fatalf("budget %d: refused: %+v", budget, a.Refusal)
		}
		if a.Proven {
			t.Errorf("budget %d: proven after %d steps", budget, a.Steps)
			continue
		}
		for i := range a.Vector {
			if a.LowerBound[i] != a.Vector[i] {
				if a.LowerBound[i] > a.Vector[i] {
					t.Errorf("budget %d: the bound %v is above the answer %v", budget, a.LowerBound, a.Vector)
				}
				break
			}
		}
	}
}
