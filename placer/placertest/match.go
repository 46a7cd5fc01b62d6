package placertest

import (
	"slices"
	"strconv"

	"github.com/hopwise/hopwise/placer"
)

// tolerated says whether every taint that keeps pods away is tolerated.
func tolerated(n *placer.Node, tolerations []placer.Toleration) bool {
	for _, t := range n.Taints {
		if t.Effect == placer.PreferNoSchedule {
			continue
		}
		if !slices.ContainsFunc(tolerations, func(o placer.Toleration) bool { return tolerates(o, t) }) {
			return false
		}
	}
	return true
}

func tolerates(o placer.Toleration, t placer.Taint) bool {
	return (o.AnyEffect || o.Effect == t.Effect) && (o.Key == "" || o.Key == t.Key) && (o.Exists || o.Value == t.Value)
}

// matches says whether a node passes the filter's labels and terms.
func matches(n *placer.Node, filter *placer.Filter) bool {
	for _, want := range filter.Labels {
		if v, ok := label(n, want.Key); !ok || v != want.Value {
			return false
		}
	}
	if len(filter.Terms) == 0 {
		return true
	}
	return slices.ContainsFunc(filter.Terms, func(t placer.Term) bool { return termMatches(n, t) })
}

// termMatches says whether all of a term's expressions hold. An empty term
// matches no node, as in Kubernetes.
func termMatches(n *placer.Node, term placer.Term) bool {
	for _, e := range term {
		if !expressionMatches(n, e) {
			return false
		}
	}
	return len(term) > 0
}

func expressionMatches(n *placer.Node, e placer.Expression) bool {
	v, ok := label(n, e.Key)
	switch e.Operator {
	case placer.In:
		return ok && slices.Contains(e.Values, v)
	case placer.NotIn:
		return !ok || !slices.Contains(e.Values, v)
	case placer.Exists:
		return ok
	case placer.DoesNotExist:
		return !ok
	}
	if !ok || len(e.Values) != 1 {
		return false
	}
	have, errHave := strconv.ParseInt(v, 10, 64)
	bound, errBound := strconv.ParseInt(e.Values[0], 10, 64)
	if errHave != nil || errBound != nil {
		return false
	}
	return e.Operator == placer.Gt && have > bound || e.Operator == placer.Lt && have < bound
}

func label(n *placer.Node, key string) (string, bool) {
	for _, l := range n.Labels {
		if l.Key == key {
			return l.Value, true
		}
	}
	return "", false
}
