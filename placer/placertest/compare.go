package placertest

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// Kind is how an answer differs from what the specification asks for.
type Kind int

// The kinds of difference, the gravest first.
const (
	Same        Kind = iota
	Invalid          // breaks a rule, or says of itself what is not so
	Feasibility      // refused what fits, or placed what cannot be
	Vector           // more or fewer pods, or a vector that is not the least
	Ties             // the least vector, but another choice than the ties say
)

// Compare holds an outcome to the exhaustive search and the validator; the
// error says what differs. Under TIGHTEST all of Solution is compared; under
// the other policies what semantics 11 fixes (gangs of one pod set).
func Compare(c *Case, o *Outcome) (Kind, error) {
	if err := Validate(c, o); err != nil {
		return Invalid, err
	}
	best, feasible := Solve(c)
	switch {
	case o.Refused && !feasible:
		return Same, nil
	case o.Refused:
		return Feasibility, fmt.Errorf("refused, but fits: pods %v vector %v", best.Pods, best.Vector)
	case !feasible:
		return Feasibility, fmt.Errorf("placed, but does not fit")
	}
	counts := o.Counts(len(c.Nodes))
	have := Judge(c, counts)
	if !slices.Equal(have.Pods, best.Pods) {
		return Vector, fmt.Errorf("pods: have %v, want %v", have.Pods, best.Pods)
	}
	if c.Gang.Policy != placer.Tightest {
		return comparePolicy(c, counts)
	}
	if !slices.Equal(have.Vector, best.Vector) {
		return Vector, fmt.Errorf("vector: have %v, want %v", have.Vector, best.Vector)
	}
	if o.Claims != nil && !o.Claims.Proven {
		return Ties, fmt.Errorf("not proven, though small")
	}
	return compareTies(have, best)
}

func compareTies(have, best *Solution) (Kind, error) {
	switch {
	case have.Preferred != best.Preferred:
		return Ties, fmt.Errorf("preferences met: have %d, want %d", have.Preferred, best.Preferred)
	case have.Affinity != best.Affinity:
		return Ties, fmt.Errorf("affinity: have %d, want %d", have.Affinity, best.Affinity)
	case have.Room != best.Room:
		return Ties, fmt.Errorf("room left: have %d in %s, want %d in %s", have.Room, have.Aligned, best.Room, best.Aligned)
	case have.Aligned.Compare(best.Aligned) != 0:
		return Ties, fmt.Errorf("aligned: have %s, want %s", have.Aligned, best.Aligned)
	}
	return Same, nil
}

// comparePolicy holds counts to the reference of the gang's policy, where
// there is one for it.
func comparePolicy(c *Case, counts [][]int32) (Kind, error) {
	ps := &c.Gang.PodSets[0]
	if len(c.Gang.PodSets) > 1 || c.Disconnected || len(ps.Filter.Preferred) > 0 {
		return Same, nil
	}
	var pods int32
	for _, n := range counts[0] {
		pods += n
	}
	if pods < ps.Count {
		return Same, nil
	}
	switch c.Gang.Policy {
	case placer.BestFit:
		// Kueue has no short slices, and no constraint inside a slice's domain.
		if len(ps.Slices) > 0 && (ps.PartialLastSlice || max(ps.Preferred, ps.Required) > ps.Slices[0].Layer) {
			return Same, nil
		}
		want := BestFitProfiles(c)
		if have := Profile(c, counts[0]); len(want) > 0 && !want[have] {
			return Vector, fmt.Errorf("best fit: have %s, want one of %v", have, sortedKeys(want))
		}
	case placer.LeastFree:
		if len(ps.Slices) > 0 {
			return Same, nil
		}
		want := LeastFreeProfiles(c)
		if have := Profile(c, counts[0]); len(want) > 0 && !want[have] {
			return Vector, fmt.Errorf("least free: have %s, want one of %v", have, sortedKeys(want))
		}
	case placer.Balanced:
		if len(ps.Slices) > 0 && (ps.PartialLastSlice || ps.Slices[0].Layer < balancedLayer(c)) {
			// Shares of the layer are no whole slices then; how even they can be is
			// not promised.
			return Same, nil
		}
		have, want := balance(newFacts(c), counts[0]), BalancedCounts(c)
		if !slices.Equal(have, want) {
			return Vector, fmt.Errorf("balanced: have %v, want %v", have, want)
		}
	}
	return Same, nil
}
