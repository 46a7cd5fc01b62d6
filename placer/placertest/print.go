package placertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// String writes the case in the text form, without its answer.
func (c *Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "case %s\nscheme", c.Name)
	for _, l := range c.Scheme.Layers {
		b.WriteString(" " + escapeKey(l))
	}
	fmt.Fprintf(&b, " : %s\n", escapeKey(c.Scheme.Node))
	if c.Disconnected {
		b.WriteString("disconnected\n")
	}
	for i := range c.Nodes {
		b.WriteString(nodeLine(&c.Nodes[i]) + "\n")
	}
	b.WriteString(c.gangLine())
	for i := range c.Gang.PodSets {
		b.WriteString(c.setLine(&c.Gang.PodSets[i]) + "\n")
	}
	for i, ranks := range c.Ranks {
		b.WriteString("ranks " + escape(c.Gang.PodSets[i].Name))
		for _, name := range ranks {
			if name == "" {
				b.WriteString(" -")
				continue
			}
			b.WriteString(" " + escape(name))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func nodeLine(n *placer.Node) string {
	words := []string{"node", escape(n.Name), formatPath(n.Path)}
	words = append(words, resourceWords("", n.Total)...)
	if n.Total != nil && len(n.Total) == 0 {
		words = append(words, "empty")
	}
	words = append(words, resourceWords("used:", n.Used)...)
	if n.UsedPods != 0 {
		words = append(words, fmt.Sprintf("usedpods=%d", n.UsedPods))
	}
	for word, h := range healths {
		if n.Health == h {
			words = append(words, word)
		}
	}
	for _, l := range n.Labels {
		words = append(words, "label:"+labelWord(l.Key, l.Value))
	}
	for _, t := range n.Taints {
		words = append(words, "taint:"+labelWord(t.Key, t.Value)+":"+keyOf(effects, t.Effect))
	}
	return strings.Join(words, " ")
}

func labelWord(key, value string) string { return escapeKey(key) + "=" + escapeKey(value) }

func resourceWords(prefix string, r placer.Resources) []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		words = append(words, fmt.Sprintf("%s%s=%d", prefix, escapeKey(name), r[name]))
	}
	return words
}

func keyOf[V comparable](m map[string]V, v V) string {
	for k, x := range m {
		if x == v {
			return k
		}
	}
	return fmt.Sprint(v)
}

// gangLine is empty where the gang says nothing but its sets.
func (c *Case) gangLine() string {
	words := []string{"gang"}
	if c.Gang.Policy != placer.Tightest {
		words = append(words, "policy="+keyOf(policies, c.Gang.Policy))
	}
	if c.Gang.MinCount != 0 {
		words = append(words, fmt.Sprintf("min=%d", c.Gang.MinCount))
	}
	if c.Gang.SpanFabrics {
		words = append(words, "span")
	}
	if c.Gang.Budget != 0 {
		words = append(words, fmt.Sprintf("budget=%d", c.Gang.Budget))
	}
	if len(words) == 1 {
		return ""
	}
	return strings.Join(words, " ") + "\n"
}

func (c *Case) setLine(ps *placer.PodSet) string {
	words := []string{"set", escape(ps.Name), fmt.Sprintf("count=%d", ps.Count)}
	add := func(say bool, format string, args ...any) {
		if say {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(ps.MinCount != 0, "min=%d", ps.MinCount)
	words = append(words, resourceWords("", ps.Requests)...)
	add(ps.Exclusive, "exclusive")
	add(ps.MaxPerNode != 0, "maxpernode=%d", ps.MaxPerNode)
	add(ps.Required >= 0, "required=%s", escapeKey(c.Scheme.Name(ps.Required)))
	add(ps.Preferred >= 0, "preferred=%s", escapeKey(c.Scheme.Name(ps.Preferred)))
	for _, sl := range ps.Slices {
		add(true, "slice=%s:%d", escapeKey(c.Scheme.Name(sl.Layer)), sl.Size)
	}
	add(ps.PartialLastSlice, "partial")
	add(ps.Group != "", "group=%s", escape(ps.Group))
	for _, t := range ps.After {
		add(true, "after=%d", t)
	}
	return strings.Join(append(words, filterWords(&ps.Filter)...), " ")
}

func filterWords(f *placer.Filter) []string {
	var words []string
	for _, l := range f.Labels {
		words = append(words, "filter:"+labelWord(l.Key, l.Value))
	}
	for _, t := range f.Terms {
		words = append(words, "term:"+termWord(t))
	}
	for _, p := range f.Preferred {
		words = append(words, fmt.Sprintf("prefer:%d:%s", p.Weight, termWord(p.Term)))
	}
	for _, t := range f.Tolerations {
		w := "tolerate:" + escapeKey(t.Key)
		if t.Key == "" {
			w = "tolerate:*"
		}
		if !t.Exists {
			w += "=" + escapeKey(t.Value)
		}
		if !t.AnyEffect {
			w += ":" + keyOf(effects, t.Effect)
		}
		words = append(words, w)
	}
	return words
}

func termWord(t placer.Term) string {
	parts := make([]string, len(t))
	for i, e := range t {
		parts[i] = escapeKey(e.Key) + "=" + keyOf(operators, e.Operator)
		if len(e.Values) > 0 {
			values := make([]string, len(e.Values))
			for j, v := range e.Values {
				values[j] = escapeKey(v)
			}
			parts[i] += "(" + strings.Join(values, "|") + ")"
		}
	}
	return strings.Join(parts, "&")
}
