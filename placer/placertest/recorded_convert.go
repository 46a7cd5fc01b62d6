package placertest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func labelList(m map[string]string) []placer.Label {
	var list []placer.Label
	for _, k := range sortedNames(m) {
		list = append(list, placer.Label{Key: k, Value: m[k]})
	}
	return list
}

func (n *recordedNode) convert(layers []string) (placer.Node, error) {
	node := placer.Node{Name: n.Name, Labels: labelList(n.Labels), Total: placer.Resources{}}
	maps.Copy(node.Total, n.Free)
	for _, key := range layers {
		if n.Labels[key] == "" {
			break
		}
		node.Path = append(node.Path, n.Labels[key])
	}
	switch {
	case n.Ready != nil && !*n.Ready:
		node.Health = placer.NotReady
	case n.Unschedulable:
		node.Health = placer.Cordoned
	}
	for _, t := range n.Taints {
		effect, known := effects[t.Effect]
		if !known {
			return node, fmt.Errorf("taint effect %q", t.Effect)
		}
		node.Taints = append(node.Taints, placer.Taint{Key: t.Key, Value: t.Value, Effect: effect})
	}
	return node, nil
}

func (s *recordedSet) convert(c *Case) (placer.PodSet, error) {
	ps := placer.PodSet{Name: s.Name, Count: s.Count, Requests: s.Requests, Group: s.Group}
	var err error
	if ps.Required, err = c.optionalLayer(s.Required); err != nil {
		return ps, err
	}
	if ps.Preferred, err = c.optionalLayer(s.Preferred); err != nil {
		return ps, err
	}
	for _, sl := range s.Slices {
		if sl.Size == nil {
			continue // no size, no slice
		}
		l, err := c.optionalLayer(sl.Layer)
		if err != nil {
			return ps, err
		}
		ps.Slices = append(ps.Slices, placer.Slice{Layer: l, Size: *sl.Size})
	}
	ps.Filter.Labels = labelList(s.NodeSelector)
	for _, t := range s.Tolerations {
		tol := placer.Toleration{Key: t.Key, Value: t.Value, Exists: t.Operator == "Exists", AnyEffect: t.Effect == ""}
		if !tol.AnyEffect {
			effect, known := effects[t.Effect]
			if !known {
				return ps, fmt.Errorf("toleration of effect %q", t.Effect)
			}
			tol.Effect = effect
		}
		ps.Filter.Tolerations = append(ps.Filter.Tolerations, tol)
	}
	return ps, s.NodeAffinity.convert(&ps.Filter)
}

// optionalLayer finds a layer by name; no name is no layer.
func (c *Case) optionalLayer(name string) (placer.Layer, error) {
	if name == "" {
		return placer.NoLayer, nil
	}
	return c.layer(escape(name))
}

func (a *recordedAffinity) convert(f *placer.Filter) error {
	if a == nil {
		return nil
	}
	if a.Required != nil {
		for _, t := range a.Required.Terms {
			term, err := t.convert()
			if err != nil {
				return err
			}
			f.Terms = append(f.Terms, term)
		}
	}
	for _, p := range a.Preferred {
		term, err := p.Preference.convert()
		if err != nil {
			return err
		}
		f.Preferred = append(f.Preferred, placer.PreferredTerm{Weight: p.Weight, Term: term})
	}
	return nil
}

var kubernetesOperators = map[string]placer.Operator{
	"In": placer.In, "NotIn": placer.NotIn, "Exists": placer.Exists,
	"DoesNotExist": placer.DoesNotExist, "Gt": placer.Gt, "Lt": placer.Lt,
}

func (t *recordedTerm) convert() (placer.Term, error) {
	if len(t.MatchFields) > 0 {
		return nil, fmt.Errorf("matchFields is not supported")
	}
	term := placer.Term{}
	for _, e := range t.MatchExpressions {
		op, known := kubernetesOperators[e.Operator]
		if !known {
			return nil, fmt.Errorf("operator %q", e.Operator)
		}
		term = append(term, placer.Expression{Key: e.Key, Operator: op, Values: e.Values})
	}
	return term, nil
}
