package house

import (
	"errors"
	"testing"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// TestRulesCompile makes the validator read every rule of the contract: a rule
// that does not compile would otherwise show at the first request.
func TestRulesCompile(t *testing.T) {
	v, err := protovalidate.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range contractFiles() {
		for i := range file.Messages().Len() {
			checkRules(t, v, file.Messages().Get(i))
		}
	}
}

// checkRules validates an empty message: a broken rule is an error of another
// type than a violated one.
func checkRules(t *testing.T, v protovalidate.Validator, m protoreflect.MessageDescriptor) {
	t.Helper()
	err := v.Validate(dynamicpb.NewMessage(m))
	var violated *protovalidate.ValidationError
	if err != nil && !errors.As(err, &violated) {
		t.Errorf("%s: %v", m.FullName(), err)
	}
}

// contractFiles is every file of hopwise.v1.
func contractFiles() []protoreflect.FileDescriptor {
	return []protoreflect.FileDescriptor{
		hopwisev1.File_hopwise_v1_domain_proto,
		hopwisev1.File_hopwise_v1_errors_proto,
		hopwisev1.File_hopwise_v1_gang_proto,
		hopwisev1.File_hopwise_v1_placement_proto,
		hopwisev1.File_hopwise_v1_placement_service_proto,
		hopwisev1.File_hopwise_v1_refusal_proto,
		hopwisev1.File_hopwise_v1_score_proto,
		hopwisev1.File_hopwise_v1_topology_proto,
		hopwisev1.File_hopwise_v1_topology_service_proto,
	}
}

// TestRules shows the rules at work on the requests that people get wrong.
func TestRules(t *testing.T) {
	gang := &hopwisev1.GangRef{Namespace: "team-a", Name: "llama"}
	set := func(name string, count int32) *hopwisev1.PodSet {
		return &hopwisev1.PodSet{Name: name, Count: count}
	}
	place := func(sets ...*hopwisev1.PodSet) *hopwisev1.PlaceGangRequest {
		return &hopwisev1.PlaceGangRequest{Gang: gang, PodSets: sets}
	}
	zero := int64(0)
	budget := place(set("", 1))
	budget.StepBudget = &zero
	both := place(set("", 1))
	both.Constraint = &hopwisev1.Constraint{RequiredLayer: "a", Unconstrained: true}
	escape := place(set("", 1))
	escape.Gang = &hopwisev1.GangRef{Namespace: "team-a", Name: "\x1b[31mred"}

	for _, c := range []struct {
		name    string
		message protoreflect.ProtoMessage
		rule    string // empty: valid
	}{
		{"one set", place(set("", 1)), ""},
		{"two sets", place(set("a", 1), set("b", 1)), ""},
		{"no gang", &hopwisev1.PlaceGangRequest{PodSets: []*hopwisev1.PodSet{set("", 1)}}, "required"},
		{"no sets", place(), "repeated.min_items"},
		{"no pods", place(set("", 0)), "int32.gte_lte"},
		{"minus one pod", place(set("", -1)), "int32.gte_lte"},
		{"same name twice", place(set("a", 1), set("a", 1)), "place_gang.pod_set_names"},
		{"empty name of two", place(set("a", 1), set("", 1)), "place_gang.pod_set_names"},
		{"budget of zero", budget, "int64.gte_lte"},
		{"constraint and none", both, "constraint.unconstrained_alone"},
		{"terminal escape", escape, "string.pattern"},
		{"score nothing", &hopwisev1.ScorePlacementRequest{}, "score_placement.gang_or_slots"},
		{"score a gang", &hopwisev1.ScorePlacementRequest{Gang: gang}, ""},
		{"node twice", &hopwisev1.SharedLayerRequest{Nodes: []string{"a", "a"}}, "repeated.unique"},
		{"page too large", &hopwisev1.ListFreeRequest{PageSize: 1001}, "int32.gte_lte"},
		{"no revision", &hopwisev1.GetTopologyRequest{MinRevision: "x"}, "string.pattern"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := violatedRule(t, c.message); got != c.rule {
				t.Errorf("violated %q, want %q", got, c.rule)
			}
		})
	}
}

// violatedRule is the id of the first rule that m breaks; empty where none.
func violatedRule(t *testing.T, m protoreflect.ProtoMessage) string {
	t.Helper()
	err := protovalidate.Validate(m)
	if err == nil {
		return ""
	}
	var violated *protovalidate.ValidationError
	if !errors.As(err, &violated) {
		t.Fatal(err)
	}
	return violated.Violations[0].Proto.GetRuleId()
}
