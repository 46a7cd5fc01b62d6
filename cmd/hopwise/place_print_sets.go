package main

import (
	"fmt"
	"strings"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// printSets shows where the ranks are: of one pod set the rows alone, of several a
// block each, with what is the set's own in its first line.
func (a *app) printSets(n *layerNames, p *hopwisev1.Placement, wide bool) {
	sets := p.GetPodSets()
	if len(sets) == 1 {
		t := table{gap: 4, indent: "  "}
		rankRows(&t, n, sets[0], wide)
		a.print(t.format(a.style))
		return
	}
	width := 0
	for _, ps := range sets {
		width = max(width, len([]rune(safe(ps.GetName()))))
	}
	for i, ps := range sets {
		name := safe(ps.GetName())
		parts := []string{setPods(ps)}
		if aligned := alignedWord(n, ps.GetQuality()); aligned != "" && ps.GetPods() > 0 {
			parts = append(parts, aligned)
		}
		if word := preferenceWord(n, p.GetSpec(), i, ps); word != "" {
			parts = append(parts, word)
		}
		if q := ps.GetQuality(); q != nil && ps.GetPods() > 1 {
			parts = append(parts, qualityWords(q, "")...)
		}
		a.line("  " + name + strings.Repeat(" ", width-len([]rune(name))+3) + strings.Join(parts, "   "))
		t := table{gap: 4, indent: "    "}
		rankRows(&t, n, ps, wide)
		a.print(t.format(a.style))
	}
}

// setPods is how many of a set have a seat, and how many wait for one.
func setPods(ps *hopwisev1.PodSetPlacement) string {
	if waiting := ps.GetPodsWanted() - ps.GetPods(); waiting > 0 {
		return fmt.Sprintf("%d of %d placed; %s", ps.GetPods(), ps.GetPodsWanted(), waitWord(waiting))
	}
	return count(ps.GetPods(), "pod")
}

func waitWord(n int32) string {
	if n == 1 {
		return "1 waits"
	}
	return fmt.Sprintf("%d wait", n)
}

// preferenceWord says whether a set got the layer that it preferred; empty where
// it preferred none.
func preferenceWord(n *layerNames, spec *hopwisev1.GangSpec, i int, ps *hopwisev1.PodSetPlacement) string {
	if ps.PreferenceMet == nil {
		return ""
	}
	layer := ""
	if c := constraintAt(spec, i); c != nil {
		layer = " " + n.layer(c.GetPreferredLayer())
	}
	if ps.GetPreferenceMet() {
		return "preference" + layer + " met"
	}
	word := "preference" + layer + " not met"
	if miss := ps.GetPreferenceMiss(); miss != nil {
		word += fmt.Sprintf(" (%d of %d)", miss.GetFits(), miss.GetWanted())
	}
	return word
}
