package placertest

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// nodes draws up to nine nodes on a random tree. Names of domains are short
// and repeat under other parents in half of the cases.
func (g *generator) nodes() {
	n := 1 + g.pick(1, 2, 3, 4, 5, 7, 8, 7, 6)
	if g.hard {
		n = max(n, 6)
	}
	equalNames, missing, mixed := g.one(2), g.one(3), g.one(4)
	unknown := !g.hard && g.one(10)
	g.cpu = g.one(3)
	pods := g.one(2)
	width := 1 + g.IntN(3)
	paths := make([][]string, n)
	for i := range paths {
		paths[i] = g.path(width, equalNames)
		if mixed && i%2 == 0 || missing && g.one(3) {
			paths[i] = paths[i][:g.IntN(len(paths[i])+1)]
		}
	}
	busy, sick, tainted := !g.hard && g.one(2), !g.quiet && g.one(3), !g.quiet && g.one(3)
	names := g.Perm(n)
	for i := range n {
		node := placer.Node{Name: fmt.Sprintf("n%d", names[i]), Path: paths[i]}
		g.capacity(&node, unknown, pods, busy)
		g.labels(&node)
		if sick && g.one(4) {
			node.Health = placer.Health(1 + g.IntN(3))
		}
		if tainted && g.one(3) {
			taint := placer.Taint{Key: g.word("k", 2), Value: g.word("v", 2), Effect: placer.Effect(g.IntN(3))}
			node.Taints = append(node.Taints, taint)
		}
		g.c.Nodes = append(g.c.Nodes, node)
	}
}

// path draws a node's domains. The first layer is one domain in most cases.
func (g *generator) path(width int, equalNames bool) []string {
	var path []string
	prefix := ""
	for l := range g.c.Scheme.Layers {
		name := string(rune('a' + g.IntN(width)))
		if l == 0 && !g.one(3) {
			name = "a"
		}
		if !equalNames {
			name = prefix + name
			prefix = name
		}
		path = append(path, name)
	}
	return path
}

func (g *generator) capacity(n *placer.Node, unknown, pods, busy bool) {
	if unknown && !g.one(4) {
		n.UsedPods = int32(g.pick(4, 1))
		return
	}
	n.Total = placer.Resources{"gpu": int64(g.pick(1, 4, 6, 6, 5, 3, 2))}
	if g.cpu {
		n.Total["cpu"] = int64(1000 * g.IntN(7))
	}
	if pods {
		n.Total[placer.PodsResource] = int64(1 + g.IntN(6))
	}
	if !busy || g.one(2) {
		return
	}
	// Some of what is used is no bar to an exclusive pod (DaemonSets), and a
	// node may be overcommitted.
	n.Used = placer.Resources{"gpu": int64(g.IntN(3))}
	if g.cpu {
		n.Used["cpu"] = int64(500 * g.IntN(4))
	}
	if pods {
		n.Used[placer.PodsResource] = int64(g.IntN(3))
	}
	n.UsedPods = int32(g.pick(2, 2, 1))
}

func (g *generator) labels(n *placer.Node) {
	for k := range 2 {
		if !g.one(3) {
			n.Labels = append(n.Labels, placer.Label{Key: fmt.Sprintf("p%d", k), Value: g.word("x", 2)})
		}
	}
	if !g.one(4) {
		n.Labels = append(n.Labels, placer.Label{Key: "gen", Value: fmt.Sprint(g.IntN(5))})
	}
}

func (g *generator) word(prefix string, n int) string { return fmt.Sprintf("%s%d", prefix, g.IntN(n)) }

func (g *generator) expression() placer.Expression {
	e := placer.Expression{Key: g.word("p", 3), Operator: placer.Operator(g.IntN(6))}
	switch e.Operator {
	case placer.In, placer.NotIn:
		for v := range 1 + g.IntN(2) {
			e.Values = append(e.Values, fmt.Sprintf("x%d", (v+g.IntN(3))%3))
		}
		slices.Sort(e.Values)
		e.Values = slices.Compact(e.Values)
	case placer.Gt, placer.Lt:
		e.Key = "gen"
		e.Values = []string{fmt.Sprint(g.IntN(5))}
	}
	return e
}

func (g *generator) term() placer.Term {
	term := placer.Term{g.expression()}
	if g.one(3) {
		term = append(term, g.expression())
	}
	if g.one(20) {
		term = placer.Term{}
	}
	return term
}

func (g *generator) filter() placer.Filter {
	var f placer.Filter
	if !g.quiet && g.one(6) {
		f.Labels = append(f.Labels, placer.Label{Key: g.word("p", 2), Value: g.word("x", 2)})
	}
	if !g.quiet && g.one(4) {
		for range 1 + g.IntN(2) {
			f.Terms = append(f.Terms, g.term())
		}
	}
	if g.one(4) {
		for range 1 + g.IntN(2) {
			f.Preferred = append(f.Preferred, placer.PreferredTerm{Weight: 1 + g.Int32N(9), Term: g.term()})
		}
	}
	for range g.pick(3, 2, 1) {
		f.Tolerations = append(f.Tolerations, g.toleration())
	}
	return f
}

func (g *generator) toleration() placer.Toleration {
	t := placer.Toleration{Key: g.word("k", 2), Exists: g.one(2), AnyEffect: g.one(2)}
	if !t.Exists {
		t.Value = g.word("v", 2)
	} else if g.one(4) {
		t.Key = ""
	}
	if !t.AnyEffect {
		t.Effect = placer.Effect(g.IntN(3))
	}
	return t
}
