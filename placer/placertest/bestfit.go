package placertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// Profile is what BEST_FIT fixes of an answer: per layer, how many pods each
// domain holds, without saying which domain.
func Profile(c *Case, counts []int32) string { return newFacts(c).profile(counts) }

func (f *facts) profile(counts []int32) string {
	var b strings.Builder
	for l := range f.layers + 1 {
		perDomain := map[string]int{}
		for i, n := range counts {
			if n > 0 {
				perDomain[f.key[i][l]] += int(n)
			}
		}
		var list []int
		for _, n := range perDomain {
			list = append(list, n)
		}
		slices.Sort(list)
		fmt.Fprint(&b, list)
	}
	return b.String()
}

// BestFitProfiles are the profiles that BEST_FIT may give to a gang of one pod
// set: as Kueue's BestFit decides, with every way to break a tie. Domains are
// compared by the slices that fit. The smallest that suffices is taken at the
// constraint's layer (the node where there is none, the widest where there are
// slices alone); a preference that none suffices climbs a layer; without
// a requirement the widest layer is filled from the largest domain on, the
// last one being the smallest that takes the rest; then likewise layer by
// layer, over all chosen domains together down to the layer of the slices, and
// below it inside each. Preferred affinity, which Kueue puts first where that
// is switched on, is left out. None means that the gang does not fit.
func BestFitProfiles(c *Case) map[string]bool {
	profiles := map[string]bool{}
	// Inside a slice's domain Kueue fills the smallest subdomains first, since
	// it compares slices there, which are none; the largest first is what its
	// documents say. Either will do.
	// Without a constraint Kueue fills the smallest first by default and the
	// largest first in its BestFit profile; either will do here too.
	for variant := range 4 {
		b := &bestFit{facts: newFacts(c), ps: &c.Gang.PodSets[0], profiles: profiles}
		b.smallestInside = variant&1 == 1
		b.smallestFirst = variant&2 == 2 && b.ps.Required < 0 && b.ps.Preferred < 0
		b.read()
		b.start()
	}
	return profiles
}

type bestFit struct {
	*facts
	ps             *placer.PodSet
	sliceLayer     int   // of the outermost slice; the node where there is none
	sizes          []int // [layer] pods that stay together there, 1 where free
	profiles       map[string]bool
	smallestInside bool // below the layer of the slices
	smallestFirst  bool // at and above it
}

// share is a domain (its nodes) and the pods that it is to take.
type share struct {
	layer int
	nodes []int
	pods  int
}

func (b *bestFit) read() {
	b.sizes = make([]int, b.layers+1)
	for l := range b.sizes {
		b.sizes[l] = 1
	}
	b.sliceLayer = b.layers
	for s, sl := range b.ps.Slices {
		from := 0
		if s == 0 {
			b.sliceLayer = int(sl.Layer)
		} else {
			from = int(b.ps.Slices[s-1].Layer) + 1
		}
		// A layer between two of slices deals in the inner one's size.
		for l := from; l <= int(sl.Layer); l++ {
			b.sizes[l] = int(sl.Size)
		}
	}
}

// fits is how many pods a domain takes, in multiples that its children keep.
func (b *bestFit) fits(d share) int {
	if d.layer == b.layers {
		return int(min(b.cap[0][d.nodes[0]], int64(b.ps.Count)*1000))
	}
	sum := 0
	for _, child := range b.children(d) {
		n := b.fits(child)
		if child.layer > b.sliceLayer {
			n -= n % b.sizes[child.layer]
		}
		sum += n
	}
	return sum
}

// units is how many slices (or pods) of a layer's size a domain takes.
func (b *bestFit) units(d share) int {
	if d.layer >= b.sliceLayer {
		return b.fits(d) / b.sizes[d.layer]
	}
	sum := 0
	for _, child := range b.children(d) {
		sum += b.units(child)
	}
	return sum
}

// domains are those of one layer among nodes; a node that lacks the layer is a
// domain of its own.
func (b *bestFit) domains(layer int, nodes []int) []share {
	var list []share
	index := map[string]int{}
	for _, i := range nodes {
		k := b.key[i][layer]
		if _, seen := index[k]; !seen {
			index[k] = len(list)
			list = append(list, share{layer: layer})
		}
		d := &list[index[k]]
		d.nodes = append(d.nodes, i)
	}
	return list
}

func (b *bestFit) children(d share) []share { return b.domains(d.layer+1, d.nodes) }

// start finds the layer and the domains to begin with.
func (b *bestFit) start() {
	need := int(b.ps.Count)
	size := b.sizes[b.sliceLayer]
	layer, lowest := b.layers, b.layers
	switch {
	case b.ps.Preferred >= 0:
		layer, lowest = int(b.ps.Preferred), max(int(b.ps.Required), 0)
	case b.ps.Required >= 0:
		layer, lowest = int(b.ps.Required), int(b.ps.Required)
	case len(b.ps.Slices) > 0:
		layer, lowest = 0, 0
	}
	for l := layer; l >= lowest; l-- {
		var real []share
		for _, d := range b.domains(l, b.order) {
			if b.has[d.nodes[0]][l] {
				real = append(real, d)
			}
		}
		for _, d := range b.smallest(real, need/size, b.units) {
			d.pods = need
			b.descend([]share{d}, l)
			lowest = b.layers + 1 // found: the ties go on, the climb does not
		}
	}
	if b.ps.Required >= 0 || lowest > b.layers {
		return
	}
	for _, dealt := range b.deal(b.domains(lowest, b.order), need, size, b.smallestFirst) {
		b.descend(dealt, lowest)
	}
}

// smallest lists the domains that suffice for need units and are the smallest.
func (b *bestFit) smallest(list []share, need int, units func(share) int) []share {
	var best []share
	for _, d := range list {
		if units(d) < need {
			continue
		}
		if len(best) > 0 {
			if units(d) > units(best[0]) {
				continue
			}
			if units(d) < units(best[0]) {
				best = best[:0]
			}
		}
		best = append(best, d)
	}
	return best
}
