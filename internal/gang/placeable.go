package gang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// unsupported are the demands that stand in the way of a plan: names of layers that
// annotations have put another in the place of do not.
func (g Gang) unsupported() []Unsupported {
	var out []Unsupported
	for _, u := range g.Unsupported {
		if u.layer == "" || g.usesLayer(u.layer) {
			out = append(out, u)
		}
	}
	return out
}

func (g Gang) usesLayer(layer string) bool {
	for _, p := range g.PodSets {
		if c := p.Constraint; c != nil && (c.RequiredLayer == layer || c.PreferredLayer == layer) {
			return true
		}
		if slices.ContainsFunc(p.Slices, func(s Slice) bool { return s.Layer == layer }) {
			return true
		}
	}
	return false
}

// Placeable is the gang as it is asked for: what the contract has no words for put
// into those that it has, the set that leads the ranks first. A demand that cannot
// be kept to is refused by name: a plan that ignored it could not bind.
// ignore names those to leave out of account, besides what hopwise.dev/ignore on the
// pods says.
func (g Gang) Placeable(ignore ...string) (Gang, error) {
	ignored := append(slices.Clone(g.ignored), ignore...)
	g.PodSets = slices.Clone(g.PodSets)
	if err := g.selfAffinity(); err != nil {
		return Gang{}, err
	}
	var lines []string
	for _, u := range g.unsupported() {
		if !slices.Contains(ignored, u.Name) {
			lines = append(lines, u.Name+": "+u.Text)
		}
	}
	if len(lines) > 0 {
		return Gang{}, &Error{File: g.Origin.File, Line: g.Origin.Line(""),
			Msg:  fmt.Sprintf("%s asks for what no plan would keep to:\n    %s", g.title(), strings.Join(unique(lines), "\n    ")),
			Hint: "leave it out, or place the rest: --ignore NAME, or " + ownIgnore + ": NAME on the pod template (several with commas)"}
	}
	g.leadFirst()
	return g, nil
}

func (g Gang) title() string {
	o := Object{Kind: firstWord(g.Origin.Kind, "gang"), Namespace: g.Ref.Namespace, Name: g.Ref.Name, GenerateName: g.Origin.GenerateName}
	return o.String()
}

// selfAffinity puts affinity to the set's own pods into a required layer, which it
// is in other words.
func (g *Gang) selfAffinity() error {
	for i, p := range g.PodSets {
		for _, key := range p.PodAffinity {
			c := Constraint{}
			if p.Constraint != nil {
				c = *p.Constraint
			}
			if c.RequiredLayer != "" && c.RequiredLayer != key {
				return &Error{File: g.Origin.File, Line: g.Origin.Line("pod_sets[" + strconv.Itoa(i) + "]"),
					Msg: fmt.Sprintf("%s: pod set %s: pod affinity to itself on %s and a required topology %s: only one required layer can be kept to",
						g.title(), p.Name, key, c.RequiredLayer),
					Hint: "leave the wider of the two out"}
			}
			c.RequiredLayer, c.Unconstrained = key, false
			if p.near && p.Group == "" {
				g.PodSets[i].Group = "pod-affinity"
			}
			p.Constraint = &c
		}
		g.PodSets[i].Constraint = p.Constraint
	}
	return nil
}

// leadFirst moves the set with rank 0 to the front, and its lines along.
func (g *Gang) leadFirst() {
	i := slices.IndexFunc(g.PodSets, func(p PodSet) bool { return p.LeadsRanks })
	if i <= 0 {
		return
	}
	order := append([]int{i}, make([]int, 0, len(g.PodSets))...)
	for j := range g.PodSets {
		if j != i {
			order = append(order, j)
		}
	}
	sets, lines := make([]PodSet, len(order)), make(map[string]int, len(g.Origin.lines))
	for path, line := range g.Origin.lines {
		if !strings.HasPrefix(path, "pod_sets[") {
			lines[path] = line
		}
	}
	for to, from := range order {
		sets[to] = g.PodSets[from]
		was, is := "pod_sets["+strconv.Itoa(from)+"]", "pod_sets["+strconv.Itoa(to)+"]"
		for path, line := range g.Origin.lines {
			if rest, ok := strings.CutPrefix(path, was); ok {
				lines[is+rest] = line
			}
		}
	}
	g.PodSets, g.Origin.lines = sets, lines
}

// Each is one gang for each copy: NAME-0, NAME-1 and so on, as LeaderWorkerSet and
// Grove call their groups.
func (g Gang) Each() []Gang {
	if g.Copies == 0 {
		return []Gang{g}
	}
	out := make([]Gang, g.Copies)
	for i := range out {
		out[i] = g
		if g.Ref.Name != "" {
			out[i].Ref.Name = g.Ref.Name + "-" + strconv.Itoa(i)
		} else {
			out[i].Origin.GenerateName = g.Origin.GenerateName + "-" + strconv.Itoa(i)
		}
	}
	return out
}
