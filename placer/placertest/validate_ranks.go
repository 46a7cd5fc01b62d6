package placertest

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// checkSlices: with ranks, slice after slice must lie in one domain; without,
// each domain must hold whole slices, but one where the last may be short.
func (v *validation) checkSlices() error {
	for s := range v.o.Sets {
		for _, sl := range v.set(s).Slices {
			err := v.checkSliceDomains(s, sl)
			if err == nil && !v.o.Unranked {
				err = v.checkSliceRanks(s, sl)
			}
			if err != nil {
				return v.errorf(s, "slices of %d in layer %s: %v", sl.Size, v.c.Scheme.Name(sl.Layer), err)
			}
		}
	}
	return nil
}

func (v *validation) checkSliceDomains(s int, sl placer.Slice) error {
	if v.pods(s)%sl.Size != 0 && !v.set(s).PartialLastSlice {
		return fmt.Errorf("%d pods are no whole slices", v.pods(s))
	}
	perDomain := map[string]int32{}
	for _, seat := range v.o.Sets[s] {
		if !v.has[seat.Node][sl.Layer] {
			return fmt.Errorf("node %s lacks the layer", v.c.Nodes[seat.Node].Name)
		}
		perDomain[v.key[seat.Node][sl.Layer]] += seat.Pods
	}
	var whole, begun int32
	for _, n := range perDomain {
		whole += n / sl.Size
		begun += (n + sl.Size - 1) / sl.Size
	}
	wantWhole, wantBegun := v.pods(s)/sl.Size, (v.pods(s)+sl.Size-1)/sl.Size
	if whole != wantWhole || begun != wantBegun {
		return fmt.Errorf("cut: %d pods make %d whole slices of %d, want %d of %d", v.pods(s), whole, begun, wantWhole, wantBegun)
	}
	return nil
}

func (v *validation) checkSliceRanks(s int, sl placer.Slice) error {
	var ranks []int
	for _, seat := range v.o.Sets[s] {
		for range seat.Pods {
			ranks = append(ranks, seat.Node)
		}
	}
	for slice := range slices.Chunk(ranks, int(sl.Size)) {
		for _, node := range slice {
			if v.key[node][sl.Layer] != v.key[slice[0]][sl.Layer] {
				return fmt.Errorf("a slice lies on %s and %s", v.c.Nodes[slice[0]].Name, v.c.Nodes[node].Name)
			}
		}
	}
	return nil
}

// checkRanks: ranks follow path order. Where the last slice is short, the
// domains that hold it come last among their siblings instead.
func (v *validation) checkRanks() error {
	for s, seats := range v.o.Sets {
		if len(seats) == 0 {
			continue
		}
		last := seats[len(seats)-1].Node
		short := false
		for _, sl := range v.set(s).Slices {
			short = short || v.pods(s)%sl.Size != 0
		}
		for i := 1; i < len(seats); i++ {
			a, b := seats[i-1].Node, seats[i].Node
			if v.nodePlace(a).Compare(v.nodePlace(b)) < 0 {
				continue
			}
			if !short || !v.sameBranch(a, b, last) {
				return v.errorf(s, "ranks on %s come before those on %s, against path order", v.c.Nodes[a].Name, v.c.Nodes[b].Name)
			}
		}
		if err := v.checkRuns(s); err != nil {
			return err
		}
	}
	return nil
}

// sameBranch says whether b's domain just below where a and b part is last's.
func (v *validation) sameBranch(a, b, last int) bool {
	l := 0
	for l < v.layers && v.key[a][l] == v.key[b][l] {
		l++
	}
	return v.key[b][l] == v.key[last][l]
}

// checkRuns: the ranks in any one domain are consecutive.
func (v *validation) checkRuns(s int) error {
	for l := range v.layers {
		done := map[string]bool{}
		previous := ""
		for _, seat := range v.o.Sets[s] {
			k := v.key[seat.Node][l]
			if k != previous && done[k] {
				return v.errorf(s, "ranks leave a domain of layer %s and come back on %s", v.c.Scheme.Layers[l], v.c.Nodes[seat.Node].Name)
			}
			done[k], previous = true, k
		}
	}
	return nil
}

// checkClaims: what the answer says of itself is what its seats give.
func (v *validation) checkClaims() error {
	cl := v.o.Claims
	if want := v.recount(); !slices.Equal(cl.Vector, want) {
		return fmt.Errorf("vector: says %v, is %v", cl.Vector, want)
	}
	for s := range v.o.Sets {
		if cl.Pods[s] != v.pods(s) {
			return v.errorf(s, "says %d pods, seats %d", cl.Pods[s], v.pods(s))
		}
		l := v.set(s).Preferred
		if met := l < 0 || v.common(v.unitSeats(s), l); cl.PreferenceMet[s] != met {
			return v.errorf(s, "preference met: says %v, is %v", cl.PreferenceMet[s], met)
		}
	}
	if want := v.deepest(); cl.Aligned.Compare(want) != 0 {
		return fmt.Errorf("aligned: says %s, is %s", cl.Aligned, want)
	}
	return nil
}

// recount counts the distinct domains per layer from the seats.
func (v *validation) recount() []int32 {
	vector := make([]int32, v.layers+1)
	for l := range vector {
		seen := map[string]bool{}
		for _, seats := range v.o.Sets {
			for _, seat := range seats {
				seen[v.key[seat.Node][l]] = true
			}
		}
		vector[l] = int32(len(seen))
	}
	return vector
}

// deepest finds the aligned place from the seats: what all paths begin with.
func (v *validation) deepest() Place {
	var all []Seat
	for _, seats := range v.o.Sets {
		all = append(all, seats...)
	}
	path := v.paths[all[0].Node]
	one := true
	for _, seat := range all {
		one = one && seat.Node == all[0].Node
		other := v.paths[seat.Node]
		n := 0
		for n < len(path) && n < len(other) && path[n] == other[n] {
			n++
		}
		path = path[:n]
	}
	if one {
		return v.nodePlace(all[0].Node)
	}
	return Place{Path: path}
}

// Rank lists counts, pods per [set][node], in path order of the nodes. A short
// last slice may have to move; mark such an outcome Unranked.
func Rank(c *Case, counts [][]int32) [][]Seat {
	f := newFacts(c)
	sets := make([][]Seat, len(counts))
	for s := range counts {
		for _, i := range f.order {
			if counts[s][i] > 0 {
				sets[s] = append(sets[s], Seat{Node: i, Pods: counts[s][i]})
			}
		}
	}
	return sets
}
