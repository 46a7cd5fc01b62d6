package placertest

import (
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// Minimise makes a failing case smaller while it goes on to fail: it drops
// nodes, pod sets, pods and parts of what nodes and sets say.
func Minimise(c *Case, fails func(*Case) bool) *Case {
	for {
		smaller := false
		for _, candidate := range simpler(c) {
			if fails(candidate) {
				c, smaller = candidate, true
				break
			}
		}
		if !smaller {
			return c
		}
	}
}

// simpler lists cases that say a little less than c.
func simpler(c *Case) []*Case {
	var list []*Case
	change := func(edit func(*Case)) {
		d := *c
		d.Nodes = slices.Clone(c.Nodes)
		d.Gang = *c.CloneGang()
		edit(&d)
		list = append(list, &d)
	}
	for i := range c.Nodes {
		change(func(d *Case) { d.Nodes = slices.Delete(d.Nodes, i, i+1) })
	}
	for _, edit := range gangEdits {
		for s := range c.Gang.PodSets {
			before := c.Gang.PodSets[s]
			if edit.applies(&before) {
				change(func(d *Case) { edit.do(&d.Gang.PodSets[s]) })
			}
		}
	}
	if n := len(c.Gang.PodSets); n > 1 {
		change(func(d *Case) { d.Gang.PodSets = d.Gang.PodSets[:n-1] })
	}
	if c.Gang.MinCount > 0 {
		change(func(d *Case) { d.Gang.MinCount = 0 })
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		if len(n.Labels)+len(n.Taints) > 0 {
			change(func(d *Case) { d.Nodes[i].Labels, d.Nodes[i].Taints = nil, nil })
		}
		if n.Used != nil || n.UsedPods != 0 {
			change(func(d *Case) { d.Nodes[i].Used, d.Nodes[i].UsedPods = nil, 0 })
		}
		if len(n.Total) > 1 {
			change(func(d *Case) { d.Nodes[i].Total = placer.Resources{"gpu": n.Total["gpu"]} })
		}
	}
	return list
}

// gangEdits take something from a pod set, where it has it.
var gangEdits = []struct {
	applies func(*placer.PodSet) bool
	do      func(*placer.PodSet)
}{
	{func(p *placer.PodSet) bool { return p.Count > 1 && len(p.Slices) == 0 },
		func(p *placer.PodSet) { p.Count--; p.MinCount = min(p.MinCount, p.Count) }},
	{func(p *placer.PodSet) bool { return len(p.Slices) > 0 },
		func(p *placer.PodSet) { p.Slices, p.PartialLastSlice = nil, false }},
	{func(p *placer.PodSet) bool { return p.MinCount > 0 }, func(p *placer.PodSet) { p.MinCount = 0 }},
	{func(p *placer.PodSet) bool { return p.MaxPerNode > 0 }, func(p *placer.PodSet) { p.MaxPerNode = 0 }},
	{func(p *placer.PodSet) bool { return len(p.Filter.Terms)+len(p.Filter.Labels) > 0 },
		func(p *placer.PodSet) { p.Filter.Terms, p.Filter.Labels = nil, nil }},
	{func(p *placer.PodSet) bool { return len(p.Filter.Preferred) > 0 },
		func(p *placer.PodSet) { p.Filter.Preferred = nil }},
	{func(p *placer.PodSet) bool { return len(p.Filter.Tolerations) > 0 },
		func(p *placer.PodSet) { p.Filter.Tolerations = nil }},
	{func(p *placer.PodSet) bool { return len(p.Requests) > 1 && p.Requests["gpu"] > 0 },
		func(p *placer.PodSet) { p.Requests = placer.Resources{"gpu": p.Requests["gpu"]} }},
	{func(p *placer.PodSet) bool { return p.Group == "" && p.Required >= 0 },
		func(p *placer.PodSet) { p.Required = placer.NoLayer }},
	{func(p *placer.PodSet) bool { return p.Group == "" && p.Preferred >= 0 },
		func(p *placer.PodSet) { p.Preferred = placer.NoLayer }},
}
