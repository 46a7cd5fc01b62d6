package placertest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// LeastFreeProfiles are the profiles that LEAST_FREE may give to a gang of one
// pod set without slices: of the constraint's layer (without one, the
// narrowest) the domain with the least room that suffices, else of the next
// layer up, else the whole cluster; inside it the nodes with the least room
// first. Ties may be broken either way.
func LeastFreeProfiles(c *Case) map[string]bool {
	b := &bestFit{facts: newFacts(c), ps: &c.Gang.PodSets[0], profiles: map[string]bool{}}
	b.read()
	layer := b.layers - 1
	if b.ps.Preferred >= 0 {
		layer = int(b.ps.Preferred)
	} else if b.ps.Required >= 0 {
		layer = int(b.ps.Required)
	}
	for l := layer; l >= max(int(b.ps.Required), 0); l-- {
		var real []share
		for _, d := range b.domains(l, b.order) {
			if b.has[d.nodes[0]][l] {
				real = append(real, d)
			}
		}
		for _, d := range b.smallest(real, int(b.ps.Count), b.fits) {
			b.fillLeast(d.nodes)
		}
		if len(b.profiles) > 0 {
			return b.profiles
		}
	}
	if b.ps.Required < 0 {
		b.fillLeast(b.order)
	}
	return b.profiles
}

// fillLeast fills nodes with the least room first, in every way that nodes of
// equal room leave open.
func (b *bestFit) fillLeast(nodes []int) {
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(i, j int) int { return cmp.Compare(b.cap[0][i], b.cap[0][j]) })
	b.fillFrom(nodes, make([]int32, len(b.c.Nodes)), int64(b.ps.Count))
}

func (b *bestFit) fillFrom(nodes []int, counts []int32, left int64) {
	if left == 0 {
		b.profiles[b.profile(counts)] = true
		return
	}
	if len(nodes) == 0 {
		return
	}
	room := b.cap[0][nodes[0]]
	tied := 1
	for tied < len(nodes) && b.cap[0][nodes[tied]] == room {
		tied++
	}
	if room == 0 || int64(tied)*room < left {
		for _, i := range nodes[:tied] {
			counts[i] = int32(room)
		}
		b.fillFrom(nodes[tied:], counts, left-int64(tied)*room)
		for _, i := range nodes[:tied] {
			counts[i] = 0
		}
		return
	}
	b.fillLast(nodes[:tied], counts, room, left)
}

// fillLast fills some of tied nodes whole, and one of the others with the rest.
func (b *bestFit) fillLast(tied []int, counts []int32, room, left int64) {
	full := (left - 1) / room
	for _, some := range subsets(len(tied), int(full)) {
		for last := range tied {
			if some[last] {
				continue
			}
			for k, i := range tied {
				counts[i] = 0
				if some[k] {
					counts[i] = int32(room)
				}
			}
			counts[tied[last]] = int32(left - full*room)
			b.profiles[b.profile(counts)] = true
		}
	}
	for _, i := range tied {
		counts[i] = 0
	}
}

// BalancedCounts is what BALANCED fixes for a gang of one pod set: the pods per
// domain of the preferred layer (without one, the narrowest), ascending: the
// fewest domains, then the largest least count, then the next.
func BalancedCounts(c *Case) []int {
	e := newEnumeration(c)
	var best []int
	var most int32
	e.each(func(counts [][]int32) {
		var pods int32
		for _, n := range counts[0] {
			pods += n
		}
		have := balance(e.facts, counts[0])
		better := cmp.Or(cmp.Compare(pods, most), cmp.Compare(len(best), len(have)), slices.Compare(have, best))
		if best == nil || better > 0 {
			best, most = have, pods
		}
	})
	return best
}

// balancedLayer is the layer over whose domains BALANCED spreads.
func balancedLayer(c *Case) placer.Layer {
	if l := c.Gang.PodSets[0].Preferred; l >= 0 {
		return l
	}
	deepest := 1
	for _, n := range c.Nodes {
		deepest = max(deepest, len(n.Path))
	}
	return placer.Layer(min(deepest, len(c.Scheme.Layers)) - 1)
}

func balance(f *facts, counts []int32) []int {
	layer := max(int(balancedLayer(f.c)), 0)
	perDomain := map[string]int{}
	for i, n := range counts {
		if n > 0 {
			perDomain[f.key[i][layer]] += int(n)
		}
	}
	return slices.Sorted(maps.Values(perDomain))
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
