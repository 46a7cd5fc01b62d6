package placertest

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// Solution is what the specification says about the best answer. Whatever
// differs between answers that it leaves open is not in here.
type Solution struct {
	// Pods of each pod set: Count, or fewer under a floor.
	Pods []int32
	// Vector counts distinct domains per layer, widest first, then nodes.
	Vector []int32
	// Preferred is how many pod sets state a preference and have it met.
	Preferred int
	// Affinity is the sum of preferred weights over all pods.
	Affinity int64
	// Aligned is the deepest domain that holds every pod, or the one node.
	Aligned Place
	// Room is how many more pods of the first set Aligned takes afterwards.
	Room int64

	total int32
}

// Compare orders solutions, the better first: more pods, more of earlier pod
// sets, the lesser vector, then the ties of the specification.
func (s *Solution) Compare(t *Solution) int {
	return cmp.Or(
		s.compareFirst(t),
		cmp.Compare(s.Room, t.Room),
		s.Aligned.Compare(t.Aligned),
	)
}

// compareFirst is Compare without what is costly to know.
func (s *Solution) compareFirst(t *Solution) int {
	return cmp.Or(
		cmp.Compare(t.total, s.total),
		slices.Compare(t.Pods, s.Pods),
		slices.Compare(s.Vector, t.Vector),
		cmp.Compare(t.Preferred, s.Preferred),
		cmp.Compare(t.Affinity, s.Affinity),
	)
}

// Solve tries every assignment of pods to nodes and returns the best under
// TIGHTEST, whatever policy the gang asks for; false says that there is none.
// A case may have up to 20 nodes; Assignments says how long it takes.
func Solve(c *Case) (*Solution, bool) {
	e := newEnumeration(c)
	var best *Solution
	e.each(func(counts [][]int32) {
		s := e.judge(counts)
		if best != nil && s.compareFirst(best) > 0 {
			return
		}
		s.Room = e.room(counts, s.Aligned)
		if best == nil || s.Compare(best) < 0 {
			best = s
		}
	})
	return best, best != nil
}

// Judge describes given counts, pods per [set][node], in the oracle's terms.
// It takes the counts as valid.
func Judge(c *Case, counts [][]int32) *Solution {
	e := newEnumeration(c)
	s := e.judge(counts)
	s.Room = e.room(counts, s.Aligned)
	return s
}

// judge computes a solution but for its room.
func (e *enumeration) judge(counts [][]int32) *Solution {
	s := &Solution{Pods: make([]int32, len(counts))}
	used := 0
	for p := range counts {
		for i, n := range counts[p] {
			s.Pods[p] += n
			s.Affinity += int64(n) * e.weight[p][i]
			if n > 0 {
				used |= 1 << i
			}
		}
		s.total += s.Pods[p]
	}
	s.Vector = e.vector(used)
	for p := range counts {
		ps := &e.c.Gang.PodSets[p]
		if ps.Preferred >= 0 && e.inOne(e.unitNodes(p, counts), ps.Preferred) {
			s.Preferred++
		}
	}
	s.Aligned = e.aligned(used)
	return s
}

// vector counts the distinct domains of a set of nodes (a bit per node).
func (e *enumeration) vector(used int) []int32 {
	if v := e.vectors[used]; v != nil {
		return v
	}
	v := make([]int32, e.layers+1)
	for l := range v {
		seen := map[string]bool{}
		for i := range e.c.Nodes {
			if used>>i&1 == 1 {
				seen[e.key[i][l]] = true
			}
		}
		v[l] = int32(len(seen))
	}
	e.vectors[used] = v
	return v
}

// inOne says whether nodes share one real domain of a layer.
func (e *enumeration) inOne(used int, l placer.Layer) bool {
	for i := range e.c.Nodes {
		if used>>i&1 == 1 && !e.has[i][l] {
			return false
		}
	}
	return e.vector(used)[l] <= 1
}

// aligned is the deepest place that holds every node of a set.
func (e *enumeration) aligned(used int) Place {
	first := bits.TrailingZeros(uint(used))
	if bits.OnesCount(uint(used)) == 1 {
		return e.nodePlace(first)
	}
	deepest := 0
	for deepest < e.layers && e.inOne(used, placer.Layer(deepest)) {
		deepest++
	}
	return Place{Path: e.paths[first][:deepest]}
}

// inside says whether a node lies in a place.
func (f *facts) inside(i int, p Place) bool {
	if p.Node != "" {
		return f.c.Nodes[i].Name == p.Node
	}
	return len(f.paths[i]) >= len(p.Path) && slices.Equal(f.paths[i][:len(p.Path)], p.Path)
}

// room is how many more pods of the first pod set a place takes beside counts.
func (f *facts) room(counts [][]int32, p Place) int64 {
	var room int64
	here := make([]int32, len(counts))
	for i := range f.c.Nodes {
		if !f.inside(i, p) {
			continue
		}
		for s := range counts {
			here[s] = counts[s][i]
		}
		room += f.more(i, 0, here)
	}
	return room
}

// unitNodes are the nodes of a pod set's unit: its group's, or its own.
func (f *facts) unitNodes(s int, counts [][]int32) int {
	used := 0
	for t := range counts {
		if t != s && (f.c.Gang.PodSets[s].Group == "" || f.c.Gang.PodSets[t].Group != f.c.Gang.PodSets[s].Group) {
			continue
		}
		for i, n := range counts[t] {
			if n > 0 {
				used |= 1 << i
			}
		}
	}
	return used
}
