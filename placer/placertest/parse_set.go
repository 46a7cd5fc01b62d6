package placertest

import (
	"fmt"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// parseSet reads a pod set: its name, then words of these forms.
//
//	count=N min=N maxpernode=N RESOURCE=AMOUNT exclusive partial
//	required=LAYER preferred=LAYER slice=LAYER:SIZE (outermost first)
//	group=NAME after=INDEX (of a pod set of the gang, from 0; may be repeated)
//	filter:K=V   term:K=in(a|b)&K=notin(a)&K=exists&K=absent&K=gt(3)&K=lt(3)
//	prefer:WEIGHT:TERM
//	tolerate:K=V[:EFFECT]  tolerate:K[:EFFECT] (exists)  tolerate:*[:EFFECT] (any key)
func (c *Case) parseSet(words []string) error {
	if len(words) == 0 {
		return fmt.Errorf("set: want NAME and words")
	}
	name, err := unescape(words[0])
	if err != nil {
		return err
	}
	ps := placer.PodSet{Name: name, Count: 1, Required: placer.NoLayer, Preferred: placer.NoLayer}
	for _, w := range words[1:] {
		if err := c.parseSetWord(&ps, w); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	c.Gang.PodSets = append(c.Gang.PodSets, ps)
	return nil
}

func (c *Case) parseSetWord(ps *placer.PodSet, w string) (err error) {
	if kind, rest, ok := strings.Cut(w, ":"); ok && !strings.Contains(kind, "=") {
		return parseFilterWord(&ps.Filter, kind, rest)
	}
	key, value, _ := strings.Cut(w, "=")
	switch key {
	case "count":
		ps.Count, err = parseCount(value)
	case "min":
		ps.MinCount, err = parseCount(value)
	case "maxpernode":
		ps.MaxPerNode, err = parseCount(value)
	case "exclusive":
		ps.Exclusive = true
	case "partial":
		ps.PartialLastSlice = true
	case "required":
		ps.Required, err = c.layer(value)
	case "preferred":
		ps.Preferred, err = c.layer(value)
	case "slice":
		err = c.parseSlice(ps, value)
	case "group":
		ps.Group, err = unescape(value)
	case "after":
		err = c.parseAfter(ps, value)
	default:
		ps.Requests, err = addResource(ps.Requests, w)
	}
	return err
}

func (c *Case) parseSlice(ps *placer.PodSet, value string) error {
	name, size, ok := strings.Cut(value, ":")
	n, err := parseCount(size)
	if !ok || err != nil {
		return fmt.Errorf("slice: want LAYER:SIZE, have %q", value)
	}
	l, err := c.layer(name)
	ps.Slices = append(ps.Slices, placer.Slice{Layer: l, Size: n})
	return err
}

// parseAfter takes a pod set's place in the gang, from 0: names may not be
// known yet, and may be given twice.
func (c *Case) parseAfter(ps *placer.PodSet, value string) error {
	n, err := parseCount(value)
	ps.After = append(ps.After, int(n))
	return err
}

func parseFilterWord(f *placer.Filter, kind, rest string) error {
	switch kind {
	case "filter":
		l, err := parseLabel(rest)
		f.Labels = append(f.Labels, l)
		return err
	case "term":
		t, err := parseTerm(rest)
		f.Terms = append(f.Terms, t)
		return err
	case "prefer":
		weight, term, _ := strings.Cut(rest, ":")
		n, err := parseCount(weight)
		if err != nil {
			return fmt.Errorf("prefer: want WEIGHT:TERM: %w", err)
		}
		t, err := parseTerm(term)
		f.Preferred = append(f.Preferred, placer.PreferredTerm{Weight: n, Term: t})
		return err
	case "tolerate":
		t, err := parseToleration(rest)
		f.Tolerations = append(f.Tolerations, t)
		return err
	}
	return fmt.Errorf("unknown word %q", kind)
}

func parseToleration(word string) (placer.Toleration, error) {
	kv, effect, withEffect := strings.Cut(word, ":")
	t := placer.Toleration{AnyEffect: !withEffect}
	if withEffect {
		e, known := effects[effect]
		if !known {
			return t, fmt.Errorf("tolerate: unknown effect %q", effect)
		}
		t.Effect = e
	}
	key, value, equal := strings.Cut(kv, "=")
	t.Exists = !equal
	if key == "*" {
		return t, nil
	}
	var err error
	if t.Key, err = unescape(key); err == nil {
		t.Value, err = unescape(value)
	}
	return t, err
}

var operators = map[string]placer.Operator{
	"in": placer.In, "notin": placer.NotIn, "exists": placer.Exists,
	"absent": placer.DoesNotExist, "gt": placer.Gt, "lt": placer.Lt,
}

func parseTerm(word string) (placer.Term, error) {
	if word == "" {
		return placer.Term{}, nil
	}
	var term placer.Term
	for part := range strings.SplitSeq(word, "&") {
		e, err := parseExpression(part)
		if err != nil {
			return nil, fmt.Errorf("term %q: %w", word, err)
		}
		term = append(term, e)
	}
	return term, nil
}

func parseExpression(part string) (placer.Expression, error) {
	k, rest, _ := strings.Cut(part, "=")
	name, values, hasValues := strings.Cut(rest, "(")
	op, known := operators[name]
	if !known || hasValues && !strings.HasSuffix(values, ")") {
		return placer.Expression{}, fmt.Errorf("want KEY=OP or KEY=OP(a|b), have %q", part)
	}
	key, err := unescape(k)
	e := placer.Expression{Key: key, Operator: op}
	if !hasValues || err != nil {
		return e, err
	}
	for v := range strings.SplitSeq(strings.TrimSuffix(values, ")"), "|") {
		value, err := unescape(v)
		if err != nil {
			return e, err
		}
		e.Values = append(e.Values, value)
	}
	return e, nil
}
