package placertest

import (
	"fmt"

	"github.com/hopwise/hopwise/placer"
)

func (g *generator) gang() {
	gang := &g.c.Gang
	n := 1
	if g.all {
		n += g.pick(5, 4, 2)
		gang.Policy = placer.Policy(g.pick(8, 2, 1, 1))
		gang.SpanFabrics = g.one(3)
	} else {
		gang.Policy = placer.Policy(g.pick(3, 1))
	}
	for s := range n {
		gang.PodSets = append(gang.PodSets, g.podSet(s))
	}
	if n > 1 {
		g.groups()
		g.after()
	}
	if g.all && g.one(6) {
		var total int32
		for _, ps := range gang.PodSets {
			total += ps.Count
		}
		gang.MinCount = 1 + g.Int32N(total)
	}
}

func (g *generator) podSet(s int) placer.PodSet {
	ps := placer.PodSet{Name: fmt.Sprintf("s%d", s), Filter: g.filter(), Exclusive: !g.hard && g.one(5)}
	ps.Requests = placer.Resources{"gpu": int64(1 + g.pick(8, 2, 1))}
	if g.cpu && !g.one(3) {
		ps.Requests["cpu"] = int64(500 * (1 + g.IntN(4)))
	}
	if ps.Exclusive && !g.one(3) {
		ps.Requests = nil
	}
	g.constraint(&ps)
	g.slices(&ps)
	if g.all && g.one(4) {
		ps.MaxPerNode = 1 + g.Int32N(3)
	}
	g.count(&ps)
	return ps
}

func (g *generator) constraint(ps *placer.PodSet) {
	ps.Required, ps.Preferred = placer.NoLayer, placer.NoLayer
	layers := len(g.c.Scheme.Layers) + 1
	kind := g.pick(3, 4, 4, 2)
	if g.hard {
		kind = g.pick(2, 0, 2)
	}
	// Layers of the scheme twice as often as the node.
	layer := func() placer.Layer { return placer.Layer(g.IntN(2*layers-1) / 2) }
	if kind == 1 || kind == 3 {
		ps.Required = layer()
	}
	if kind == 2 || kind == 3 {
		ps.Preferred = max(layer(), ps.Required)
	}
}

// slices draws layers of slices, from the required layer down.
func (g *generator) slices(ps *placer.PodSet) {
	if !g.one(3) {
		return
	}
	depth := 1
	if g.all {
		depth += g.pick(4, 2, 1)
	}
	size := int32(2 + g.IntN(2))
	if depth > 1 {
		size = 4
	}
	first := max(int(ps.Required), 0)
	for range depth {
		if first > len(g.c.Scheme.Layers) {
			break
		}
		l := first + g.IntN(len(g.c.Scheme.Layers)+1-first)
		ps.Slices = append(ps.Slices, placer.Slice{Layer: placer.Layer(l), Size: size})
		first = l + 1
		size = max(size/2, 1)
	}
	ps.PartialLastSlice = g.all && g.one(3)
}

// count draws the size so that most gangs fit, and some only just do not.
func (g *generator) count(ps *placer.PodSet) {
	c := *g.c
	c.Gang = placer.Gang{PodSets: []placer.PodSet{*ps}}
	c.Gang.PodSets[0].After = nil
	var room int64
	for _, n := range newFacts(&c).cap[0] {
		room += min(n, 20)
	}
	want := 1 + g.IntN(int(room)+2)
	if !g.one(3) {
		want = (2*want + 2) / 3
	}
	if !g.setCount(ps, min(int32(want), 16)) {
		ps.Count = ps.Slices[0].Size
	}
	if g.all && g.one(4) {
		whole := int32(1)
		if len(ps.Slices) > 0 {
			whole = ps.Slices[0].Size
		}
		ps.MinCount = whole * (1 + g.Int32N(max(ps.Count/whole, 1)))
		if ps.MinCount > ps.Count {
			ps.MinCount = 0
		}
	}
}

// groups puts pod sets into one group in half of the gangs; its members state
// the same constraint.
func (g *generator) groups() {
	if g.one(2) {
		return
	}
	sets := g.c.Gang.PodSets
	first := -1
	for s := range sets {
		if g.one(4) {
			continue
		}
		sets[s].Group = "g"
		if first < 0 {
			first = s
		}
		sets[s].Required, sets[s].Preferred = sets[first].Required, sets[first].Preferred
		// Slices start at the required layer.
		if len(sets[s].Slices) > 0 && sets[s].Slices[0].Layer < sets[s].Required {
			sets[s].Slices, sets[s].PartialLastSlice = nil, false
		}
	}
}

// after makes later sets wait for earlier ones in a third of the gangs.
func (g *generator) after() {
	if !g.one(3) {
		return
	}
	sets := g.c.Gang.PodSets
	for s := 1; s < len(sets); s++ {
		for t := range s {
			if g.one(2) {
				sets[s].After = append(sets[s].After, t)
			}
		}
	}
}
