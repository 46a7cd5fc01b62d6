package gang

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// member is a pod set that a group claims.
type member struct {
	w *workload
	set
}

// groupKey names a group.
type groupKey struct{ convention, namespace, name string }

// claimed is a group with its members, in the order of the file.
type claimed struct {
	groupKey
	object  *podGroup // nil where the convention has none, or it is not there
	members []member
}

// gang puts a group's members together. The pods that their owners make are the
// size; what the group object says is the floor.
func (c *claimed) gang() (Gang, error) {
	w := c.members[0].w
	lead := newWorkload(w.object, c.convention)
	lead.kind = "PodGroup"
	var err error
	switch {
	case c.object != nil:
		lead = c.object.workload
		lead.kind = "PodGroup"
	case c.convention == byOwn:
		lead.kind = w.object.Kind
		err = c.ownSize()
	case c.convention == byKueue:
		err = c.kueueSize()
	}
	if err != nil {
		return Gang{}, err
	}
	sets := c.sets()
	if c.object != nil {
		bind(sets, c.object.key, c.object.preferred, c.name)
	}
	g := lead.gang(nil)
	g.Ref = Ref{Namespace: firstWord(lead.object.Namespace, c.namespaces()), Name: c.name}
	if c.object != nil {
		g.Ref.UID = lead.object.UID
	}
	g.Origin.GenerateName = ""
	for _, m := range sets {
		m.w.addTo(&g, m.set)
		if m.w.err != nil {
			return Gang{}, m.w.err
		}
	}
	c.notes(&g)
	g.PriorityClass = firstWord(g.PriorityClass, c.priority(&g))
	c.floor(&g)
	return g, nil
}

// bind puts all members into one domain of a group's layer.
func bind(sets []member, key, preferred, group string) {
	for i := range sets {
		sets[i].required = firstWord(key, sets[i].required)
		sets[i].preferred = firstWord(preferred, sets[i].preferred)
		if key != "" && len(sets) > 1 {
			sets[i].group = group
		}
	}
}

// sets merges single pods of one shape and keeps what owners already call a set.
func (c *claimed) sets() []member {
	var out []member
	byShape := make(map[string]int)
	names := make(map[string]bool)
	for _, m := range c.members {
		if m.w.onePerPod != "" {
			shape := firstWord(m.template.annotations[roleHash], shapeHash(m.template))
			if i, seen := byShape[shape]; seen {
				out[i].count += m.count
				continue
			}
			byShape[shape] = len(out)
			m.name = shape
		}
		if names[m.name] {
			m.name = lower(m.w.object.Name) + "-" + m.name
		}
		for n := 2; names[m.name]; n++ {
			m.name += "-" + strconv.Itoa(n)
		}
		names[m.name] = true
		m.after = maps.Clone(m.after)
		out = append(out, m)
	}
	for _, m := range out { // a dependency on a set that is not of this group binds nothing here
		maps.DeleteFunc(m.after, func(name, _ string) bool { return !names[name] })
	}
	return out
}

// shapeHash names pods of one role as Kueue's role hash does: by what makes them
// alike to a scheduler, not by command or name.
func shapeHash(t template) string {
	s := t.spec.DeepCopy()
	requests, _, _ := PodShape(s)
	var ports []any
	for _, c := range s.Containers {
		ports = append(ports, c.Ports)
	}
	topology := make(map[string]string)
	for key, value := range t.annotations {
		if topological(key) && key != ownRank {
			topology[key] = value
		}
	}
	raw, err := json.Marshal([]any{requests, ports, s.NodeSelector, s.Affinity, s.Tolerations, s.RuntimeClassName, s.PriorityClassName,
		s.Priority, s.TopologySpreadConstraints, s.Overhead, s.ResourceClaims, s.NodeName, topology})
	if err != nil {
		return "main"
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:4])
}

// namespaces is the members' namespace, where one of them says it.
func (c *claimed) namespaces() string {
	for _, m := range c.members {
		if m.w.object.Namespace != "" {
			return m.w.object.Namespace
		}
	}
	return ""
}

func (c *claimed) notes(g *Gang) {
	var seen []*workload
	for _, m := range c.members {
		if slices.Contains(seen, m.w) {
			continue
		}
		seen = append(seen, m.w)
		g.Origin.Warnings = append(g.Origin.Warnings, m.w.warnings...)
		g.Origin.Notes = append(g.Origin.Notes, m.w.notes...)
		if m.w.exclusive != nil {
			g.ExclusiveTopology = m.w.exclusive
		}
		g.Unsupported = append(g.Unsupported, m.w.unsupported...)
	}
	slices.Sort(g.Origin.Notes)
	g.Origin.Notes = slices.Compact(g.Origin.Notes)
	g.Origin.Warnings = unique(g.Origin.Warnings)
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// priority is the members' class where they agree.
func (c *claimed) priority(g *Gang) string {
	class := ""
	for i, m := range c.members {
		here := firstWord(m.w.object.Labels[kueuePriority], m.template.labels[kueuePriority], m.template.spec.PriorityClassName)
		if i > 0 && here != class {
			g.Origin.Warnings = append(g.Origin.Warnings, "the pods have different priority classes; the gang's is the lowest, which the file does not tell")
			return ""
		}
		class = here
	}
	return class
}

// floor compares the group's floor with the pods there are.
func (c *claimed) floor(g *Gang) {
	size := int64(0)
	for _, p := range g.PodSets {
		size += int64(p.Count)
	}
	switch {
	case int64(g.MinCount) > size:
		text := "the group waits for " + strconv.Itoa(int(g.MinCount)) + " pods and the file makes " + strconv.FormatInt(size, 10)
		g.Origin.Warnings = append(g.Origin.Warnings, text)
		g.Unsupported = append(g.Unsupported, Unsupported{Name: "group-size", Text: text})
	case g.MinCount > 0 && int64(g.MinCount) < size:
		g.Origin.Notes = append(g.Origin.Notes, "a floor of "+strconv.Itoa(int(g.MinCount))+" of "+strconv.FormatInt(size, 10)+
			" pods: the rest is reserved beside them where there is room")
	}
}
