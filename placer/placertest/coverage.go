package placertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// Features lists what a case exercises, by the specification's words.
func Features(c *Case) []string {
	seen := map[string]bool{}
	seen[keyOf(policies, c.Gang.Policy)] = true
	seen["several sets"] = len(c.Gang.PodSets) > 1
	seen["gang min_count"] = c.Gang.MinCount > 0
	seen["disconnected"] = c.Disconnected && !c.Gang.SpanFabrics
	seen["span_fabrics"] = c.Disconnected && c.Gang.SpanFabrics
	parents, depths := map[string]string{}, map[int]bool{}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		nodeFeatures(c, n, seen)
		depths[len(n.Path)] = true
		for l := 1; l < len(n.Path); l++ {
			k, parent := fmt.Sprint(l, n.Path[l]), strings.Join(n.Path[:l], "/")
			if p, ok := parents[k]; ok && p != parent {
				seen["equal names"] = true
			}
			parents[k] = parent
		}
	}
	seen["mixed depths"] = len(depths) > 1
	for s := range c.Gang.PodSets {
		setFeatures(c, &c.Gang.PodSets[s], seen)
	}
	maps.DeleteFunc(seen, func(_ string, yes bool) bool { return !yes })
	return slices.Sorted(maps.Keys(seen))
}

func nodeFeatures(c *Case, n *placer.Node, seen map[string]bool) {
	mark(seen, map[string]bool{
		"missing label":   len(n.Path) < len(c.Scheme.Layers),
		"health":          n.Health != placer.Healthy,
		"taint":           len(n.Taints) > 0,
		"used":            len(n.Used) > 0,
		"no capacities":   n.Total == nil,
		"two resources":   n.Total["cpu"] > 0,
		"pods counted":    n.Total[placer.PodsResource] > 0,
		"daemons only":    len(n.Used) > 0 && n.UsedPods == 0,
		"overcommitted":   n.Total != nil && n.Used["gpu"] > n.Total["gpu"],
		"layerless nodes": len(n.Path) == 0 && len(c.Scheme.Layers) > 0,
	})
}

func setFeatures(c *Case, ps *placer.PodSet, seen map[string]bool) {
	node := c.Scheme.NodeLayer()
	mark(seen, map[string]bool{
		"required":      ps.Required >= 0 && ps.Preferred < 0,
		"preferred":     ps.Preferred >= 0 && ps.Required < 0,
		"both":          ps.Required >= 0 && ps.Preferred >= 0,
		"none":          ps.Required < 0 && ps.Preferred < 0,
		"node layer":    ps.Required == node || ps.Preferred == node,
		"exclusive":     ps.Exclusive,
		"slices":        len(ps.Slices) == 1,
		"nested slices": len(ps.Slices) > 1,
		"partial slice": len(ps.Slices) > 0 && ps.Count%ps.Slices[0].Size != 0,
		"min_count":     ps.MinCount > 0 && ps.MinCount < ps.Count,
		"max_per_node":  ps.MaxPerNode > 0,
		"group":         ps.Group != "",
		"after":         len(ps.After) > 0,
		"filter labels": len(ps.Filter.Labels) > 0,
		"filter terms":  len(ps.Filter.Terms) > 0,
		"tolerations":   len(ps.Filter.Tolerations) > 0,
		"affinity":      len(ps.Filter.Preferred) > 0,
	})
}

// mark keeps what was seen before.
func mark(seen, now map[string]bool) {
	for k, yes := range now {
		seen[k] = seen[k] || yes
	}
}

// Coverage counts features and pairs of features over cases.
type Coverage map[[2]string]int

// Add counts a case; a feature alone is the pair with itself.
func (v Coverage) Add(c *Case) {
	features := Features(c)
	for i, a := range features {
		for _, b := range features[i:] {
			v[[2]string{a, b}]++
		}
	}
}

// Merge adds another count.
func (v Coverage) Merge(w Coverage) {
	for k, n := range w {
		v[k] += n
	}
}

// size is how many features and how many pairs of two were seen.
func (v Coverage) size() (features, pairs int) {
	for k := range v {
		if k[0] == k[1] {
			features++
		}
	}
	return features, len(v) - features
}

// String is a table: a line per feature, how many cases have it, and how many
// have it together with each feature in turn (those without a case are left out).
func (v Coverage) String() string {
	var features []string
	for k := range v {
		if k[0] == k[1] {
			features = append(features, k[0])
		}
	}
	slices.Sort(features)
	var b strings.Builder
	for _, a := range features {
		fmt.Fprintf(&b, "%-16s %7d ", a, v[[2]string{a, a}])
		for _, o := range features {
			if n := v[[2]string{min(a, o), max(a, o)}]; o != a && n > 0 {
				fmt.Fprintf(&b, " %s=%d", strings.ReplaceAll(o, " ", "_"), n)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
