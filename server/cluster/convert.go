package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/scheme"
)

// askFor turns a request's spec into the engine's words and checks it. It reads
// nothing of the state but the scheme, which is fixed, so that callers do it.
func (c *Cluster) askFor(spec ledger.Spec, budget int64) (*ask, error) {
	v := converter{scheme: c.cfg.Scheme, strict: true}
	a := v.ask(spec, c.policy(spec.Policy))
	if v.err != nil {
		return nil, v.err
	}
	a.gang.Budget = budget
	if budget == 0 {
		a.gang.Budget = c.cfg.DefaultBudget
	}
	err := placer.Check(&a.gang, placer.Scheme{Layers: c.cfg.Scheme.Layers, Node: c.cfg.Scheme.Node})
	var bad *placer.InvalidError
	if errors.As(err, &bad) {
		return nil, fail(InvalidRequest, "%s", bad.Message).at(asGiven(spec, bad.Field))
	}
	if err != nil {
		return nil, fmt.Errorf("check the gang: %w", err)
	}
	return a, checkGroups(spec)
}

func (c *Cluster) policy(p ledger.Policy) ledger.Policy {
	if p == ledger.DefaultPolicy {
		return c.cfg.DefaultPolicy
	}
	return p
}

// asGiven points at the gang's constraint where a pod set has none of its own.
func asGiven(spec ledger.Spec, field string) string {
	for i := range spec.PodSets {
		if rest, ok := strings.CutPrefix(field, fmt.Sprintf("pod_sets[%d].constraint.", i)); ok && spec.PodSets[i].Constraint == nil {
			return "constraint." + rest
		}
	}
	return field
}

// checkGroups: members of a group state the same constraint.
func checkGroups(spec ledger.Spec) error {
	first := map[string]int{}
	for i, ps := range spec.PodSets {
		j, seen := first[ps.Group]
		switch {
		case ps.Group == "":
		case !seen:
			first[ps.Group] = i
		case spec.ConstraintOf(i) != spec.ConstraintOf(j):
			return fail(InvalidRequest, "group %q has two constraints: pod sets %q and %q must state the same", ps.Group,
				spec.PodSets[j].Name, ps.Name).at(fmt.Sprintf("pod_sets[%d].constraint", i))
		}
	}
	return nil
}

// askOf turns a stored spec into the engine's words, as far as they still exist.
func (s *state) askOf(spec ledger.Spec) *ask {
	v := converter{scheme: s.cfg.Scheme}
	policy := spec.Policy
	if policy == ledger.DefaultPolicy {
		policy = s.cfg.DefaultPolicy
	}
	a := v.ask(spec, policy)
	a.gang.Budget = s.cfg.DefaultBudget
	return a
}

// converter resolves names; the first that it cannot is err, where strict.
type converter struct {
	scheme scheme.Scheme
	strict bool
	err    error
}

var policies = map[ledger.Policy]placer.Policy{
	ledger.Tightest: placer.Tightest, ledger.BestFit: placer.BestFit,
	ledger.LeastFree: placer.LeastFree, ledger.Balanced: placer.Balanced,
}

func (v *converter) ask(spec ledger.Spec, policy ledger.Policy) *ask {
	a := &ask{gang: placer.Gang{Policy: policies[policy], MinCount: spec.MinCount, SpanFabrics: spec.SpanFabrics}}
	for i := range spec.PodSets {
		a.gang.PodSets = append(a.gang.PodSets, v.podSet(spec, i))
	}
	return a
}

func (v *converter) podSet(spec ledger.Spec, i int) placer.PodSet {
	ps, at := &spec.PodSets[i], fmt.Sprintf("pod_sets[%d]", i)
	where := at + ".constraint"
	if ps.Constraint == nil {
		where = "constraint"
	}
	con := spec.ConstraintOf(i)
	out := placer.PodSet{
		Name: ps.Name, Count: ps.Count, MinCount: ps.MinCount, Requests: ps.Requests, Exclusive: ps.Exclusive,
		MaxPerNode: ps.MaxPerNode, Filter: filterOf(ps.Filter), PartialLastSlice: ps.PartialLastSlice, Group: ps.Group,
		Required:  v.layer(con.Required, where+".required_layer"),
		Preferred: v.layer(con.Preferred, where+".preferred_layer"),
	}
	for k, sl := range ps.Slices {
		if l := v.layer(sl.Layer, fmt.Sprintf("%s.slices[%d].layer", at, k)); l != placer.NoLayer {
			out.Slices = append(out.Slices, placer.Slice{Layer: l, Size: sl.Size})
		}
	}
	for k, name := range ps.After {
		j := slices.IndexFunc(spec.PodSets, func(o ledger.PodSet) bool { return o.Name == name })
		switch {
		case j >= 0 && j != i:
			out.After = append(out.After, j)
		case v.strict && v.err == nil:
			v.err = fail(InvalidRequest, "%q is no other pod set of this gang", name).at(fmt.Sprintf("%s.after[%d]", at, k))
		}
	}
	return out
}

// layer resolves a layer's name; the empty one is none.
func (v *converter) layer(name, field string) placer.Layer {
	if name == "" {
		return placer.NoLayer
	}
	i, err := v.scheme.Resolve(name)
	if err == nil {
		return placer.Layer(i)
	}
	if v.strict && v.err == nil {
		v.err = unknownLayer(err, field)
	}
	return placer.NoLayer
}

func unknownLayer(err error, field string) *Error {
	e := fail(UnknownLayer, "%v", err).at(field).with("field", field)
	var unknown *scheme.UnknownLayerError
	if errors.As(err, &unknown) {
		e = e.with("layer", unknown.Name, "known", strings.Join(unknown.Known, ","))
		if unknown.Nearest != "" {
			e = e.with("nearest", unknown.Nearest)
		}
	}
	return e
}

func filterOf(f ledger.Filter) placer.Filter {
	var out placer.Filter
	for key, value := range f.Labels {
		out.Labels = append(out.Labels, placer.Label{Key: key, Value: value})
	}
	slices.SortFunc(out.Labels, func(a, b placer.Label) int { return compareText(a.Key, b.Key) })
	for _, t := range f.Terms {
		out.Terms = append(out.Terms, termOf(t))
	}
	for _, t := range f.Tolerations {
		out.Tolerations = append(out.Tolerations, placer.Toleration{
			Key: t.Key, Exists: t.Exists, Value: t.Value, AnyEffect: t.Effect == "", Effect: effects[t.Effect],
		})
	}
	for _, p := range f.Preferred {
		out.Preferred = append(out.Preferred, placer.PreferredTerm{Weight: p.Weight, Term: termOf(p.Term)})
	}
	return out
}

var operators = map[string]placer.Operator{
	"In": placer.In, "NotIn": placer.NotIn, "Exists": placer.Exists,
	"DoesNotExist": placer.DoesNotExist, "Gt": placer.Gt, "Lt": placer.Lt,
}

func termOf(t ledger.Term) placer.Term {
	out := make(placer.Term, 0, len(t))
	for _, x := range t {
		out = append(out, placer.Expression{Key: x.Key, Operator: operators[x.Operator], Values: x.Values})
	}
	return out
}

// checkResources refuses resources that no node ever had: with a typing error
// in it a request would otherwise just never fit.
func (s *state) checkResources(requests map[string]int64, at string) error {
	for name := range requests {
		if !s.names.known(name) {
			known := strings.Join(s.names.sorted(), ",")
			field := fmt.Sprintf("%s.requests[%q]", at, name)
			if at == "" {
				field = fmt.Sprintf("requests[%q]", name)
			}
			return fail(UnknownResource, "no node has ever had %q; nodes here have %s", name, orNone(known)).
				at(field).with("resource", name, "known", known, "field", field)
		}
	}
	return nil
}

func orNone(list string) string {
	if list == "" {
		return "no known capacities"
	}
	return strings.ReplaceAll(list, ",", ", ")
}
