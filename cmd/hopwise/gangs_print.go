package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/internal/gang"
)

// gangsTable shows each gang in a block: a head, its pod sets, what is to be known.
func (a *app) gangsTable(v gang.View) {
	for i, g := range v.Gangs {
		if i > 0 {
			a.print("\n")
		}
		a.line(strings.Join(gangHead(g), "   "))
		t := table{gap: 3, indent: "  "}
		for _, p := range g.PodSets {
			t.add(c(safe(p.Name)), c(count(p.Count, "pod")), c(eachPod(p)), c(strings.Join(where(p), "; ")))
		}
		a.print(t.format(a.style))
		if g.Warn != "" {
			a.line("  " + a.style.paint(yellow, "! ") + safe(g.Warn))
		}
		for _, u := range g.Unsupported {
			a.line("  " + a.style.paint(red, "no plan keeps to ") + safe(u))
		}
		for _, n := range g.Notes {
			a.line("  " + a.style.paint(dim, "note: ") + safe(n))
		}
	}
	if len(v.Gangs) == 0 {
		a.line("no gang in " + safe(v.File))
	}
	for i, o := range v.Ignored {
		if i == 0 {
			a.print("\n")
		}
		a.line(ignoredText(o))
	}
}

func ignoredText(i gang.Ignored) string {
	name := i.Name
	if i.Namespace != "" {
		name = i.Namespace + "/" + name
	}
	return safe(i.Kind + " " + name + " is no gang: " + strings.TrimPrefix(i.Why, "no gang: "))
}

func gangHead(g gang.Shown) []string {
	name := cmp.Or(g.Name, g.GenerateName+"(made by the API server)")
	if g.Namespace != "" {
		name = g.Namespace + "/" + name
	}
	pods, spares := int32(0), int32(0)
	for _, p := range g.PodSets {
		pods, spares = pods+p.Count, spares+p.Spares
	}
	head := []string{safe(strings.TrimSpace(g.Kind + " " + name)), "by " + g.Convention, count(pods, "pod")}
	if spares > 0 {
		head = append(head, count(spares, "spare"))
	}
	if g.Copies > 0 {
		head = append(head, fmt.Sprintf("%d such gangs", g.Copies))
	}
	if g.MinMembers > 0 && g.MinMembers < pods {
		head = append(head, fmt.Sprintf("may start with %d", g.MinMembers))
	}
	if e := g.Elastic; e != nil {
		head = append(head, fmt.Sprintf("elastic %d to %d", e.Min, e.Max))
	}
	if g.PriorityClass != "" {
		head = append(head, "priority class "+safe(g.PriorityClass))
	}
	if x := g.ExclusiveTopology; x != nil {
		head = append(head, "a "+safe(x.Key)+" to itself per "+x.Per)
	}
	return head
}

// eachPod is what one pod takes.
func eachPod(p gang.ShownPodSet) string {
	var words []string
	if p.Exclusive {
		words = append(words, "a whole node")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Requests)) {
		words = append(words, safe(p.Requests[name]+" "+name))
	}
	if len(words) == 0 {
		return "asks for nothing"
	}
	return strings.Join(words, ", ")
}

// where is what binds the set's place.
func where(p gang.ShownPodSet) []string {
	var words []string
	add := func(given bool, format string, args ...any) {
		if given {
			words = append(words, safe(fmt.Sprintf(format, args...)))
		}
	}
	add(p.Required != "", "required %s", p.Required)
	add(p.Preferred != "", "preferred %s", p.Preferred)
	add(p.Unconstrained, "unconstrained")
	for _, s := range p.Slices {
		add(true, "each %d in one %s", s.Size, s.Layer)
	}
	add(p.Group != "", "group %s", p.Group)
	for _, key := range p.PodAffinity {
		add(true, "near itself by %s", key)
	}
	for _, key := range p.PodAntiAffinity {
		add(true, "one pod for each %s", key)
	}
	add(p.MaxPerNode > 0 && len(p.PodAntiAffinity) == 0, "at most %d on a node", p.MaxPerNode)
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		add(true, "%s=%s", key, p.NodeSelector[key])
	}
	for i, t := range p.NodeAffinity {
		add(true, "%s%s", map[bool]string{true: "or "}[i > 0], termText(t))
	}
	for _, t := range p.Tolerations {
		add(true, "tolerates %s", tolerationText(t))
	}
	for _, name := range slices.Sorted(maps.Keys(p.After)) {
		add(true, "once %s is %s", name, strings.ToLower(p.After[name]))
	}
	return words
}

func termText(t []gang.ExprView) string {
	words := make([]string, len(t))
	for i, e := range t {
		words[i] = strings.TrimSpace(e.Key + " " + e.Operator + " " + strings.Join(e.Values, "|"))
	}
	return strings.Join(words, " and ")
}

func tolerationText(t gang.TolerationView) string {
	text := cmp.Or(t.Key, "every taint")
	if t.Value != "" {
		text += "=" + t.Value
	}
	if t.Effect != "" {
		text += ":" + t.Effect
	}
	return text
}
