package placertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// completion walks every way to give the missing ranks of a gang a node.
type completion struct {
	*enumeration
	ranks   [][]int // [set][rank] node, -1 = none yet
	missing []place
	kept    [][]int32 // [set][node] pods that stay
	added   [][]int32 // [set][node] pods put there so far
	seen    map[string]bool
	best    []int32
}

// place is one rank of one pod set.
type place struct{ set, rank int }

// Complete gives the least vector of the whole gang among all ways to find
// nodes for the ranks of c.Ranks that have none; false where there is none.
// The others stay, and hold their capacity one beside the other, whatever the
// order of their sets. A slice is its ranks; wherever some of a slice, or of a
// unit with a required layer, are, there the rest must be. With relax these
// bonds fall where nothing keeps them.
func Complete(c *Case, relax bool) ([]int32, bool) {
	best := complete(c)
	if best == nil && relax {
		best = complete(unbound(c))
	}
	return best, best != nil
}

func complete(c *Case) []int32 {
	f := newCompletion(c)
	f.fill(0)
	return f.best
}

// unbound is the case without its required layers and slices.
func unbound(c *Case) *Case {
	d := *c
	d.Gang = *c.CloneGang()
	for s := range d.Gang.PodSets {
		d.Gang.PodSets[s].Required, d.Gang.PodSets[s].Slices = placer.NoLayer, nil
	}
	return &d
}

func newCompletion(c *Case) *completion {
	f := &completion{enumeration: newEnumeration(c), ranks: c.rankNodes(), seen: map[string]bool{}}
	for s, ranks := range f.ranks {
		f.kept = append(f.kept, make([]int32, len(c.Nodes)))
		f.added = append(f.added, make([]int32, len(c.Nodes)))
		for r, i := range ranks {
			if i < 0 {
				f.missing = append(f.missing, place{s, r})
			} else {
				f.kept[s][i]++
			}
		}
	}
	return f
}

// rankNodes are the ranks as indices of nodes, -1 for none.
func (c *Case) rankNodes() [][]int {
	index := map[string]int{"": -1}
	for i := range c.Nodes {
		index[c.Nodes[i].Name] = i
	}
	ranks := make([][]int, len(c.Ranks))
	for s := range c.Ranks {
		for _, name := range c.Ranks[s] {
			i, known := index[name]
			if !known {
				panic(fmt.Sprintf("case %s: ranks on node %q, which is not there", c.Name, name))
			}
			ranks[s] = append(ranks[s], i)
		}
	}
	return ranks
}

// fill gives the missing ranks from the at-th on every node that they may have.
func (f *completion) fill(at int) {
	if at == len(f.missing) {
		f.judge()
		return
	}
	state := f.state(at)
	if f.seen[state] {
		return // another way led here, and what follows is the same
	}
	f.seen[state] = true
	m := f.missing[at]
	for i := range f.c.Nodes {
		if !f.allowed(m, i) {
			continue
		}
		f.ranks[m.set][m.rank] = i
		f.added[m.set][i]++
		f.fill(at + 1)
		f.added[m.set][i]--
		f.ranks[m.set][m.rank] = -1
	}
}

func (f *completion) judge() {
	used := 0
	for _, ranks := range f.ranks {
		for _, i := range ranks {
			used |= 1 << i
		}
	}
	if v := f.vector(used); f.best == nil || slices.Compare(v, f.best) < 0 {
		f.best = v
	}
}

// state is what later ranks can see of those before: the pods on every node,
// and where the slices are that the next rank belongs to.
func (f *completion) state(at int) string {
	var b strings.Builder
	m := f.missing[at]
	fmt.Fprint(&b, at, f.added)
	for _, sl := range f.c.Gang.PodSets[m.set].Slices {
		key := ""
		for _, i := range f.sliceOf(m, sl) {
			if i >= 0 {
				key = f.key[i][sl.Layer]
			}
		}
		fmt.Fprintf(&b, " %q", key)
	}
	return b.String()
}

// sliceOf are the nodes of the ranks of one slice.
func (f *completion) sliceOf(m place, sl placer.Slice) []int {
	first := m.rank - m.rank%int(sl.Size)
	ranks := f.ranks[m.set]
	return ranks[first:min(first+int(sl.Size), len(ranks))]
}

// allowed says whether a missing rank may go to node i beside all that are.
func (f *completion) allowed(m place, i int) bool {
	ps := &f.c.Gang.PodSets[m.set]
	if !f.may[m.set][i] || !f.takes(m.set, i) {
		return false
	}
	for _, sl := range ps.Slices {
		if f.elsewhere(f.sliceOf(m, sl), i, sl.Layer) {
			return false
		}
	}
	for s := range f.ranks {
		unit := s == m.set || ps.Group != "" && f.c.Gang.PodSets[s].Group == ps.Group
		if unit && ps.Required >= 0 && f.elsewhere(f.ranks[s], i, ps.Required) {
			return false
		}
		if f.c.Disconnected && !f.c.Gang.SpanFabrics && f.layers > 0 && f.elsewhere(f.ranks[s], i, 0) {
			return false
		}
	}
	return true
}

// elsewhere says whether any of the ranks is in another domain of the layer.
func (f *completion) elsewhere(ranks []int, i int, l placer.Layer) bool {
	return slices.ContainsFunc(ranks, func(at int) bool { return at >= 0 && f.key[at][l] != f.key[i][l] })
}

// takes says whether node i has room for one more pod of set s.
func (f *completion) takes(s, i int) bool {
	n, ps := &f.c.Nodes[i], &f.c.Gang.PodSets[s]
	if n.Total == nil && (!ps.Exclusive || f.asksAny(s)) {
		return false
	}
	if ps.MaxPerNode > 0 && f.kept[s][i]+f.added[s][i] >= ps.MaxPerNode {
		return false
	}
	for _, together := range f.beside {
		if slices.Contains(together, s) && !f.takesBeside(s, i, together) {
			return false
		}
	}
	return true
}

// takesBeside is takes for one list of pod sets that run at one time. Pods that
// stay are there at any time.
func (f *completion) takesBeside(s, i int, together []int) bool {
	var pods, exclusive int32
	left := slices.Clone(f.free[i])
	for t := range f.c.Gang.PodSets {
		here := f.kept[t][i]
		if slices.Contains(together, t) {
			here += f.added[t][i]
		}
		pods += here
		if f.c.Gang.PodSets[t].Exclusive {
			exclusive += here
		}
		for r, q := range f.ask[t] {
			left[r] -= int64(here) * q
		}
	}
	if exclusive > 0 || f.c.Gang.PodSets[s].Exclusive && (pods > 0 || f.c.Nodes[i].UsedPods > 0) {
		return false
	}
	for r, q := range f.ask[s] {
		if q > 0 && q > left[r] {
			return false
		}
	}
	return true
}
