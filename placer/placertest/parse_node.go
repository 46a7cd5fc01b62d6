package placertest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

var healths = map[string]placer.Health{
	"notready": placer.NotReady, "cordoned": placer.Cordoned, "unhealthy": placer.ProviderUnhealthy,
}

var effects = map[string]placer.Effect{
	"NoSchedule": placer.NoSchedule, "NoExecute": placer.NoExecute, "PreferNoSchedule": placer.PreferNoSchedule,
}

func (c *Case) parseNode(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("node: want NAME PATH and words")
	}
	name, err := unescape(words[0])
	if err != nil {
		return err
	}
	path, err := parsePath(words[1])
	if err != nil {
		return err
	}
	n := placer.Node{Name: name, Path: path}
	for _, w := range words[2:] {
		if err := parseNodeWord(&n, w); err != nil {
			return fmt.Errorf("node %s: %w", name, err)
		}
	}
	c.Nodes = append(c.Nodes, n)
	return nil
}

func parseNodeWord(n *placer.Node, w string) (err error) {
	if h, ok := healths[w]; ok {
		n.Health = h
		return nil
	}
	if w == "empty" {
		n.Total = placer.Resources{}
		return nil
	}
	kind, rest, tagged := strings.Cut(w, ":")
	switch {
	case !tagged && strings.HasPrefix(w, "usedpods="):
		n.UsedPods, err = parseCount(w[len("usedpods="):])
	case !tagged:
		n.Total, err = addResource(n.Total, w)
	case kind == "used":
		n.Used, err = addResource(n.Used, rest)
	case kind == "label":
		var l placer.Label
		l, err = parseLabel(rest)
		n.Labels = append(n.Labels, l)
	case kind == "taint":
		var t placer.Taint
		t, err = parseTaint(rest)
		n.Taints = append(n.Taints, t)
	default:
		err = fmt.Errorf("unknown word %q", w)
	}
	return err
}

func addResource(r placer.Resources, word string) (placer.Resources, error) {
	key, value, ok := strings.Cut(word, "=")
	amount, err := strconv.ParseInt(value, 10, 64)
	if !ok || err != nil {
		return r, fmt.Errorf("want RESOURCE=AMOUNT, have %q", word)
	}
	name, err := unescape(key)
	if err != nil {
		return r, err
	}
	if r == nil {
		r = placer.Resources{}
	}
	r[name] = amount
	return r, nil
}

func parseLabel(word string) (placer.Label, error) {
	k, v, ok := strings.Cut(word, "=")
	if !ok {
		return placer.Label{}, fmt.Errorf("label: want KEY=VALUE, have %q", word)
	}
	key, err := unescape(k)
	if err != nil {
		return placer.Label{}, err
	}
	value, err := unescape(v)
	return placer.Label{Key: key, Value: value}, err
}

func parseTaint(word string) (placer.Taint, error) {
	kv, e, ok := strings.Cut(word, ":")
	effect, known := effects[e]
	if !ok || !known {
		return placer.Taint{}, fmt.Errorf("taint: want KEY=VALUE:EFFECT, have %q", word)
	}
	l, err := parseLabel(kv)
	return placer.Taint{Key: l.Key, Value: l.Value, Effect: effect}, err
}
