package main

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hopwise/hopwise/internal/gang"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// request is the contract's form of a gang and of what place's flags add.
func (p *placeFlags) request(g gang.Gang) *hopwisev1.PlaceGangRequest {
	req := &hopwisev1.PlaceGangRequest{
		Gang:       &hopwisev1.GangRef{Namespace: g.Ref.Namespace, Name: g.Ref.Name, Uid: g.Ref.UID},
		Constraint: constraintOf(g.Constraint),
		Policy:     hopwisev1.Policy(hopwisev1.Policy_value["POLICY_"+string(g.Policy)]),
		MinCount:   g.MinCount, Priority: g.Priority, Labels: g.Labels,
		DryRun: p.dryRun, Explain: p.explain, SpanFabrics: g.SpanFabrics, StepBudget: g.StepBudget,
		OnUnrepairable: hopwisev1.OnUnrepairable(hopwisev1.OnUnrepairable_value["ON_UNREPAIRABLE_"+string(g.OnUnrepairable)]),
	}
	if g.TTL != 0 {
		req.Ttl = durationpb.New(g.TTL)
	}
	for _, ps := range g.PodSets {
		req.PodSets = append(req.PodSets, podSetOf(ps))
	}
	return req
}

func podSetOf(ps gang.PodSet) *hopwisev1.PodSet {
	out := &hopwisev1.PodSet{
		Name: ps.Name, Count: ps.Count, MinCount: ps.MinCount, Requests: ps.Requests,
		Exclusive: ps.Exclusive, MaxPerNode: ps.MaxPerNode, Filter: filterOf(ps.Filter),
		Constraint: constraintOf(ps.Constraint), PartialLastSlice: ps.PartialLastSlice,
		Group: ps.Group, After: ps.After,
	}
	for _, s := range ps.Slices {
		out.Slices = append(out.Slices, &hopwisev1.Slice{Layer: s.Layer, Size: s.Size})
	}
	return out
}

func constraintOf(c *gang.Constraint) *hopwisev1.Constraint {
	if c == nil {
		return nil
	}
	return &hopwisev1.Constraint{RequiredLayer: c.RequiredLayer, PreferredLayer: c.PreferredLayer, Unconstrained: c.Unconstrained}
}

func filterOf(f *gang.Filter) *hopwisev1.Filter {
	if f == nil {
		return nil
	}
	out := &hopwisev1.Filter{Labels: f.Labels}
	for _, t := range f.Terms {
		out.Terms = append(out.Terms, termOf(t))
	}
	for _, t := range f.Tolerations {
		out.Tolerations = append(out.Tolerations, &hopwisev1.Toleration{
			Key: t.Key, Value: t.Value, Operator: tolerationOperators[t.Operator], Effect: effects[t.Effect],
		})
	}
	for _, p := range f.Preferred {
		out.Preferred = append(out.Preferred, &hopwisev1.PreferredTerm{Weight: p.Weight, Term: termOf(p.Term)})
	}
	return out
}

func termOf(t gang.Term) *hopwisev1.SelectorTerm {
	out := &hopwisev1.SelectorTerm{}
	for _, e := range t.Expressions {
		out.Expressions = append(out.Expressions, &hopwisev1.SelectorExpression{
			Key: e.Key, Operator: selectorOperators[e.Operator], Values: e.Values,
		})
	}
	return out
}

var selectorOperators = map[gang.Operator]hopwisev1.SelectorOperator{
	"In":           hopwisev1.SelectorOperator_SELECTOR_OPERATOR_IN,
	"NotIn":        hopwisev1.SelectorOperator_SELECTOR_OPERATOR_NOT_IN,
	"Exists":       hopwisev1.SelectorOperator_SELECTOR_OPERATOR_EXISTS,
	"DoesNotExist": hopwisev1.SelectorOperator_SELECTOR_OPERATOR_DOES_NOT_EXIST,
	"Gt":           hopwisev1.SelectorOperator_SELECTOR_OPERATOR_GT,
	"Lt":           hopwisev1.SelectorOperator_SELECTOR_OPERATOR_LT,
}

var tolerationOperators = map[gang.TolerationOperator]hopwisev1.TolerationOperator{
	"Equal":  hopwisev1.TolerationOperator_TOLERATION_OPERATOR_EQUAL,
	"Exists": hopwisev1.TolerationOperator_TOLERATION_OPERATOR_EXISTS,
}

var effects = map[gang.Effect]hopwisev1.TaintEffect{
	"NoSchedule":       hopwisev1.TaintEffect_TAINT_EFFECT_NO_SCHEDULE,
	"NoExecute":        hopwisev1.TaintEffect_TAINT_EFFECT_NO_EXECUTE,
	"PreferNoSchedule": hopwisev1.TaintEffect_TAINT_EFFECT_PREFER_NO_SCHEDULE,
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func sorted(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	return slices.Sorted(slices.Values(values))
}
