package placer_test

import (
	"slices"
	"testing"

	"github.com/hopwise/hopwise/placer/placertest"
)

// TestCut: a search of one step is cut somewhere, says so, and is the same
// each time; one of as many steps as it likes never is, and does not end worse.
func TestCut(t *testing.T) {
	cut := 0
	for seed := range uint64(150) {
		c := placertest.GenerateMiddle(seed)
		eng := load(t, c)
		c.Gang.Budget = 1
		short := eng.Decide(c.CloneGang())
		again := eng.Decide(c.CloneGang())
		c.Gang.Budget = 1 << 40
		long := eng.Decide(c.CloneGang())
		if short.Refusal != nil || long.Refusal != nil {
			if short.Refusal == nil || long.Refusal == nil {
				t.Errorf("seed %d: refused by one budget alone", seed)
			}
			continue
		}
		if !long.Proven {
			t.Errorf("seed %d: not proven in %d steps, with no limit", seed, long.Steps)
		}
		if !short.Proven {
			cut++
		}
		if slices.Compare(long.Vector, short.Vector) > 0 {
			t.Errorf("seed %d: %v with no limit, %v in one step", seed, long.Vector, short.Vector)
		}
		if !slices.Equal(short.Vector, again.Vector) || short.Steps != again.Steps || !slices.Equal(short.LowerBound, again.LowerBound) {
			t.Errorf("seed %d: %v in %d steps, then %v in %d", seed, short.Vector, short.Steps, again.Vector, again.Steps)
		}
	}
	if cut == 0 {
		t.Error("one step was enough everywhere")
	}
}
