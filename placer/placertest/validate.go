package placertest

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// Validate recounts an outcome and returns the first rule that it breaks; nil
// for a valid placement and for a refusal (whether a refusal is right, only a
// search can tell). Where the outcome is Unranked, the order of seats is not
// looked at; where it has no Claims, they are not.
func Validate(c *Case, o *Outcome) error {
	if o.Refused {
		return nil
	}
	v := &validation{facts: newFacts(c), o: o}
	checks := []func() error{
		v.checkSeats, v.checkNumbers, v.checkGang, v.checkUse, v.checkNodes, v.checkUnits, v.checkSlices,
	}
	if !o.Unranked {
		checks = append(checks, v.checkRanks)
	}
	if o.Claims != nil {
		checks = append(checks, v.checkClaims)
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

type validation struct {
	*facts
	o *Outcome
}

func (v *validation) set(s int) *placer.PodSet { return &v.c.Gang.PodSets[s] }

func (v *validation) errorf(s int, format string, args ...any) error {
	return fmt.Errorf("set %q: %s", v.set(s).Name, fmt.Sprintf(format, args...))
}

// checkSeats: one list per pod set, real nodes, at least one pod a seat.
func (v *validation) checkSeats() error {
	if len(v.o.Sets) != len(v.c.Gang.PodSets) {
		return fmt.Errorf("%d pod sets placed of %d", len(v.o.Sets), len(v.c.Gang.PodSets))
	}
	for s, seats := range v.o.Sets {
		seen := map[int]bool{}
		for _, seat := range seats {
			if seat.Node < 0 || seat.Node >= len(v.c.Nodes) || seat.Pods < 1 {
				return v.errorf(s, "bad seat %+v", seat)
			}
			if seen[seat.Node] {
				return v.errorf(s, "node %s has two runs of ranks", v.c.Nodes[seat.Node].Name)
			}
			seen[seat.Node] = true
		}
	}
	return nil
}

func (v *validation) pods(s int) int32 {
	var n int32
	for _, seat := range v.o.Sets[s] {
		n += seat.Pods
	}
	return n
}

// checkNumbers: the count, or no fewer than the floor, in whole slices.
func (v *validation) checkNumbers() error {
	var total int32
	for s := range v.o.Sets {
		ps, n := v.set(s), v.pods(s)
		total += n
		floor := ps.Count
		if ps.MinCount > 0 {
			floor = ps.MinCount
		} else if v.c.Gang.MinCount > 0 {
			floor = 0
		}
		if n > ps.Count || n < floor {
			return v.errorf(s, "%d pods placed, want %d to %d", n, floor, ps.Count)
		}
		if n < ps.Count && len(ps.Slices) > 0 && n%ps.Slices[0].Size != 0 {
			return v.errorf(s, "%d pods are no whole slices of %d", n, ps.Slices[0].Size)
		}
	}
	if total == 0 || total < v.c.Gang.MinCount {
		return fmt.Errorf("%d pods placed in all, want at least %d", total, max(v.c.Gang.MinCount, 1))
	}
	return nil
}

// checkGang: one fabric, where fabrics are disconnected.
func (v *validation) checkGang() error {
	if !v.c.Disconnected || v.c.Gang.SpanFabrics || v.layers == 0 {
		return nil
	}
	roots := map[string]bool{}
	for _, seats := range v.o.Sets {
		for _, seat := range seats {
			roots[v.key[seat.Node][0]] = true
		}
	}
	if len(roots) > 1 {
		return fmt.Errorf("spans %d disconnected fabrics", len(roots))
	}
	return nil
}

// checkUse: health, taints, filter.
func (v *validation) checkUse() error {
	for s, seats := range v.o.Sets {
		ps := v.set(s)
		for _, seat := range seats {
			n := &v.c.Nodes[seat.Node]
			switch {
			case n.Health != placer.Healthy:
				return v.errorf(s, "node %s is not healthy", n.Name)
			case !tolerated(n, ps.Filter.Tolerations):
				return v.errorf(s, "node %s has a taint that is not tolerated", n.Name)
			case !matches(n, &ps.Filter):
				return v.errorf(s, "node %s does not pass the filter", n.Name)
			case ps.MaxPerNode > 0 && seat.Pods > ps.MaxPerNode:
				return v.errorf(s, "%d pods on node %s, at most %d allowed", seat.Pods, n.Name, ps.MaxPerNode)
			}
		}
	}
	return nil
}

// checkNodes: no node gives more than it has to the sets that run at one time.
func (v *validation) checkNodes() error {
	counts := v.o.Counts(len(v.c.Nodes))
	for i := range v.c.Nodes {
		for _, together := range v.beside {
			if err := v.checkNode(i, together, counts); err != nil {
				return fmt.Errorf("node %s: %w", v.c.Nodes[i].Name, err)
			}
		}
	}
	return nil
}

func (v *validation) checkNode(i int, together []int, counts [][]int32) error {
	n := &v.c.Nodes[i]
	need := placer.Resources{}
	var pods int32
	exclusive := false
	for _, s := range together {
		if counts[s][i] == 0 {
			continue
		}
		pods += counts[s][i]
		exclusive = exclusive || v.set(s).Exclusive
		if n.Total == nil && !v.set(s).Exclusive {
			return fmt.Errorf("capacities are unknown: only exclusive pods fit")
		}
		for name, q := range v.set(s).Requests {
			need[name] += q * int64(counts[s][i])
		}
	}
	if exclusive && (pods > 1 || n.UsedPods > 0) {
		return fmt.Errorf("an exclusive pod is not alone")
	}
	if _, counted := n.Total[placer.PodsResource]; counted {
		need[placer.PodsResource] += int64(pods)
	}
	for name, q := range need {
		if q > 0 && q > n.Total[name]-n.Used[name] {
			return fmt.Errorf("%s: %d asked of %d", name, q, n.Total[name]-n.Used[name])
		}
	}
	return nil
}

// checkUnits: every unit with a required layer lies in one domain of it.
func (v *validation) checkUnits() error {
	for s := range v.o.Sets {
		l := v.set(s).Required
		if l < 0 {
			continue
		}
		if !v.common(v.unitSeats(s), l) {
			return v.errorf(s, "not in one domain of required layer %s", v.c.Scheme.Name(l))
		}
	}
	return nil
}

// unitSeats are the seats of a pod set and of its group.
func (v *validation) unitSeats(s int) []Seat {
	seats := slices.Clone(v.o.Sets[s])
	for t := range v.o.Sets {
		if t != s && v.set(s).Group != "" && v.set(t).Group == v.set(s).Group {
			seats = append(seats, v.o.Sets[t]...)
		}
	}
	return seats
}

// common says whether seats share one domain of a layer, which all must carry.
func (v *validation) common(seats []Seat, l placer.Layer) bool {
	for _, seat := range seats {
		if !v.has[seat.Node][l] || v.key[seat.Node][l] != v.key[seats[0].Node][l] {
			return false
		}
	}
	return true
}
