package server

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// set is a pod set of eight GPUs a pod.
func set(name string, pods int32, change ...func(*hopwisev1.PodSet)) *hopwisev1.PodSet {
	ps := &hopwisev1.PodSet{Name: name, Count: pods, Requests: map[string]string{gpu: "8"}}
	for _, f := range change {
		f(ps)
	}
	return ps
}

// sets is a request for several pod sets.
func sets(name string, list ...*hopwisev1.PodSet) *hopwisev1.PlaceGangRequest {
	return &hopwisev1.PlaceGangRequest{Gang: gangNamed(name), PodSets: list}
}

func sliced(list ...any) func(*hopwisev1.PodSet) {
	return func(p *hopwisev1.PodSet) {
		for i := 0; i < len(list); i += 2 {
			p.Slices = append(p.Slices, &hopwisev1.Slice{Layer: list[i].(string), Size: int32(list[i+1].(int))})
		}
	}
}

func within(c *hopwisev1.Constraint) func(*hopwisev1.PodSet) {
	return func(p *hopwisev1.PodSet) { p.Constraint = c }
}
func grouped(group string) func(*hopwisev1.PodSet) {
	return func(p *hopwisev1.PodSet) { p.Group = group }
}
func following(names ...string) func(*hopwisev1.PodSet) {
	return func(p *hopwisev1.PodSet) { p.After = names }
}
func atLeast(n int32) func(*hopwisev1.PodSet) {
	return func(p *hopwisev1.PodSet) { p.MinCount = n }
}

func with(r *hopwisev1.PlaceGangRequest, f func(*hopwisev1.PlaceGangRequest)) *hopwisev1.PlaceGangRequest {
	f(r)
	return r
}

// violation1 is the first field violation of a failed call.
func violation1(err error) (field, message string) {
	bad := detailOf[*errdetails.BadRequest](status.Convert(err))
	if len(bad.GetFieldViolations()) == 0 {
		return "", ""
	}
	return bad.GetFieldViolations()[0].GetField(), bad.GetFieldViolations()[0].GetDescription()
}

// TestContradictions: each thing that makes no sense on any cluster has its own
// field and its own message.
func TestContradictions(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	budget := func(n int64) *hopwisev1.PlaceGangRequest {
		return with(ask("bad", 2, nil), func(r *hopwisev1.PlaceGangRequest) { r.StepBudget = proto.Int64(n) })
	}
	many := sets("bad")
	for i := range 40 {
		many.PodSets = append(many.PodSets, set(strings.Repeat("x", i+1), 1))
	}
	said := map[string]string{}
	for _, c := range []struct {
		field, message string
		req            *hopwisev1.PlaceGangRequest
	}{
		{"constraint", "unconstrained excludes", ask("bad", 2, &hopwisev1.Constraint{RequiredLayer: layer3, Unconstrained: true})},
		{"constraint.preferred_layer", "wider than the required layer", ask("bad", 2, &hopwisev1.Constraint{RequiredLayer: layer3, PreferredLayer: layer1})},
		{"pod_sets[1].constraint.preferred_layer", `"` + layer2 + `" is wider`, sets("bad", set("a", 1), set("b", 1, within(&hopwisev1.Constraint{RequiredLayer: layer3, PreferredLayer: layer2})))},
		{"pod_sets[0].slices[0].size", "3 does not divide the count, 4", sets("bad", set("a", 4, sliced(layer3, 3)))},
		{"pod_sets[0].slices[1].size", "3 does not divide 4, the size of the slice around it", sets("bad", set("a", 4, sliced(layer2, 4, layer3, 3)))},
		{"pod_sets[0].slices[1].layer", "not narrower than", sets("bad", set("a", 4, sliced(layer3, 4, layer2, 2)))},
		{"pod_sets[0].slices[0].layer", "wider than the required layer", sets("bad", set("a", 4, within(required(layer3)), sliced(layer2, 2)))},
		{"pod_sets[0].slices[0].size", "greater than or equal to 1", sets("bad", set("a", 4, sliced(layer2, 0)))},
		{"pod_sets[0].slices", "no more than 3", sets("bad", set("a", 8, sliced(layer1, 8, layer2, 4, layer3, 2, "kubernetes.io/hostname", 1)))},
		{"pod_sets[0].min_count", "is 5, above count", sets("bad", set("a", 4, atLeast(5)))},
		{"pod_sets[0].min_count", "no whole number of slices of 2", sets("bad", set("a", 4, atLeast(3), sliced(layer3, 2)))},
		{"min_count", "not between 1 and the gang's 4 pods", with(sets("bad", set("a", 4)), func(r *hopwisev1.PlaceGangRequest) { r.MinCount = 5 })},
		{"pod_sets[1].constraint", `group "g"`, sets("bad", set("a", 1, grouped("g"), within(required(layer3))), set("b", 1, grouped("g"), within(required(layer2))))},
		{"pod_sets[1].constraint", `group "h"`, with(sets("bad", set("a", 1, grouped("h"), within(required(layer3))), set("b", 1, grouped("h"))), func(r *hopwisev1.PlaceGangRequest) { r.Constraint = preferred(layer3) })},
		{"pod_sets[1].after[0]", "pod_sets[1] would wait for itself", sets("bad", set("a", 1, following("b")), set("b", 1, following("a")))},
		{"pod_sets[0].after[0]", `"a" is no other pod set`, sets("bad", set("a", 1, following("a")), set("b", 1))},
		{"pod_sets[1].after[1]", `"c" is no other pod set`, sets("bad", set("a", 1), set("b", 1, following("a", "c")))},
		{"", "names of their own", sets("bad", set("a", 1), set("a", 1))},
		{"pod_sets", "40 pod sets; at most 16", many},
		{"step_budget", "greater than or equal to 1", budget(0)},
		{"step_budget", "less than or equal to 1000000000", budget(1_000_000_001)},
		{"ttl", "expected at least 1s, at most 30 days", with(ask("bad", 1, nil), func(r *hopwisev1.PlaceGangRequest) { r.Ttl = durationpb.New(1e6) })},
	} {
		_, err := s.PlaceGang(soon(t), c.req)
		field, message := violation1(err)
		if status.Code(err) != codes.InvalidArgument || field != c.field || !strings.Contains(message, c.message) {
			t.Errorf("%s %q: %v at %q", c.field, c.message, err, field)
		}
		said[message] = c.field
	}
	if list, err := s.ListPlacements(soon(t), &hopwisev1.ListPlacementsRequest{}); err != nil || len(list.GetPlacements()) != 0 {
		t.Errorf("something is held after bad requests: %v, %v", list, err)
	}
}

// TestServedFields places gangs that use each feature, and sees the feature kept.
func TestServedFields(t *testing.T) {
	nodes := func(p *hopwisev1.Placement) string { return strings.Join(nodesOf(p), " ") }
	for _, c := range []struct {
		name, want string
		pods       []int32
		req        *hopwisev1.PlaceGangRequest
	}{
		{"two sets", "n11 n12 n13", []int32{1, 2}, sets("g", set("leader", 1), set("worker", 2))},
		{"group in one leaf", "n11 n12 n13", []int32{1, 2}, sets("g", set("leader", 1, grouped("x"), within(required(layer3))), set("worker", 2, grouped("x"), within(required(layer3))))},
		{"apart, each required", "n21 n22 n11 n12 n13", []int32{2, 3}, with(sets("g", set("a", 2), set("b", 3)), func(r *hopwisev1.PlaceGangRequest) { r.Constraint = required(layer3) })},
		{"after shares nodes", "n11 n12 n13 n11 n12 n13", []int32{3, 3}, with(sets("g", set("a", 3), set("b", 3, following("a"))), func(r *hopwisev1.PlaceGangRequest) { r.Constraint = required(layer3) })},
		{"min_count of a set", "n11 n12 n13", []int32{3}, with(sets("g", set("a", 4, atLeast(2))), func(r *hopwisev1.PlaceGangRequest) { r.Constraint = required(layer3) })},
		{"min_count of the gang", "n11 n12 n13 n21 n22 n31", []int32{4, 2}, with(sets("g", set("a", 4), set("b", 4)), func(r *hopwisev1.PlaceGangRequest) { r.MinCount = 5 })},
		{"nested slices", "n12 n13 n21 n22", []int32{4}, sets("g", set("a", 4, sliced(layer2, 2, layer3, 1)))},
		{"partial last slice", "n11 n12 n13 n21", []int32{4}, sets("g", set("a", 4, sliced(layer3, 3), func(p *hopwisev1.PodSet) { p.PartialLastSlice = true }))},
		{"least free", "n31", []int32{1}, with(sets("g", set("a", 1)), func(r *hopwisev1.PlaceGangRequest) { r.Policy = hopwisev1.Policy_POLICY_LEAST_FREE })},
		{"balanced", "n12 n13 n21 n22", []int32{4}, with(sets("g", set("a", 4, within(preferred(layer3)))), func(r *hopwisev1.PlaceGangRequest) { r.Policy = hopwisev1.Policy_POLICY_BALANCED })},
		{"own constraint none", "n11 n12 n13 n21", []int32{4}, with(sets("g", set("a", 4, within(&hopwisev1.Constraint{Unconstrained: true}))), func(r *hopwisev1.PlaceGangRequest) { r.Constraint = required(layer3) })},
	} {
		s := start(t, configFor(t, sevenNodes()))
		p := s.place(t, c.req)
		var pods []int32
		for i, ps := range p.GetPodSets() {
			pods = append(pods, ps.GetPods())
			if ps.GetPodsWanted() != c.req.GetPodSets()[i].GetCount() || ps.GetQuality() == nil {
				t.Errorf("%s: %v", c.name, ps)
			}
		}
		if nodes(p) != c.want || !slices.Equal(pods, c.pods) || !p.GetProven() {
			t.Errorf("%s: %s, %v pods, proven %v", c.name, nodes(p), pods, p.GetProven())
		}
		again, err := s.PlaceGang(soon(t), c.req)
		if err != nil || !again.GetExisting() || nodes(again.GetPlacement()) != c.want {
			t.Errorf("%s again: %v, %v", c.name, again, err)
		}
		if _, err := s.ReleasePlacement(soon(t), &hopwisev1.ReleasePlacementRequest{Gang: gangNamed("g")}); err != nil {
			t.Error(err)
		}
	}
}
