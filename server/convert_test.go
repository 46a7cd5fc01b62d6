package server

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/ledger"
)

// fullSpec sets every field of a request's spec.
const fullSpec = `
gang { namespace: "team-a" name: "llama" uid: "1" }
pod_sets {
  name: "worker" count: 16 min_count: 8
  requests { key: "cpu" value: "1500m" } requests { key: "memory" value: "64Gi" }
  exclusive: true max_per_node: 2
  filter {
    labels { key: "a" value: "b" }
    terms { expressions { key: "k" operator: SELECTOR_OPERATOR_IN values: "v" }
            expressions { key: "n" operator: SELECTOR_OPERATOR_GT values: "-3" } }
    terms { expressions { key: "e" operator: SELECTOR_OPERATOR_EXISTS } }
    tolerations { key: "t" operator: TOLERATION_OPERATOR_EQUAL value: "x" effect: TAINT_EFFECT_NO_EXECUTE }
    tolerations { operator: TOLERATION_OPERATOR_EXISTS }
    preferred { weight: 7 term { expressions { key: "p" operator: SELECTOR_OPERATOR_DOES_NOT_EXIST } } }
  }
  constraint { required_layer: "r" preferred_layer: "p" }
  slices { layer: "s" size: 8 } slices { layer: "t" size: 4 }
  partial_last_slice: true group: "g" after: "other"
}
pod_sets { name: "free" count: 1 constraint { unconstrained: true } }
constraint { required_layer: "g" }
policy: POLICY_BALANCED min_count: 9
labels { key: "team" value: "a" }
span_fabrics: true on_unrepairable: ON_UNREPAIRABLE_REPLACE`

// TestSpecThereAndBack: what is asked comes back as asked, field by field.
func TestSpecThereAndBack(t *testing.T) {
	req := &hopwisev1.PlaceGangRequest{}
	if err := prototext.Unmarshal([]byte(fullSpec), req); err != nil {
		t.Fatal(err)
	}
	in, err := placeIn(req)
	if err != nil {
		t.Fatal(err)
	}
	want := &hopwisev1.GangSpec{
		PodSets: req.PodSets, Constraint: req.Constraint, Policy: req.Policy, MinCount: req.MinCount,
		Labels: req.Labels, SpanFabrics: req.SpanFabrics, OnUnrepairable: req.OnUnrepairable,
	}
	if diff := cmp.Diff(want, specOut(in.Spec), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if in.Spec.PodSets[0].Requests["cpu"] != 1500 || in.Spec.PodSets[0].Filter.Terms[0][1].Operator != "Gt" {
		t.Errorf("%+v", in.Spec.PodSets[0])
	}
}

// TestConstraintIn: unset, empty, and none said outright are told apart.
func TestConstraintIn(t *testing.T) {
	none := &ledger.Constraint{}
	for _, c := range []struct {
		in   *hopwisev1.Constraint
		want *ledger.Constraint
	}{
		{nil, nil},
		{&hopwisev1.Constraint{}, none},
		{&hopwisev1.Constraint{Unconstrained: true}, none},
		{&hopwisev1.Constraint{PreferredLayer: "p"}, &ledger.Constraint{Preferred: "p"}},
	} {
		if diff := cmp.Diff(c.want, constraintIn(c.in)); diff != "" {
			t.Errorf("%v: %s", c.in, diff)
		}
	}
}

// TestConvertRefuses: what no rule of a single field can say.
func TestConvertRefuses(t *testing.T) {
	for _, c := range []struct{ podSet, field, message string }{
		{`count: 2 min_count: 3`, "pod_sets[0].min_count", "above count"},
		{`count: 2 requests { key: "memory" value: "64GB" }`, `pod_sets[0].requests["memory"]`, "no quantity"},
		{`filter { terms { expressions { key: "k" operator: SELECTOR_OPERATOR_IN } } }`,
			"pod_sets[0].filter.terms[0].expressions[0].values", "one value or more"},
		{`filter { terms { expressions { key: "k" operator: SELECTOR_OPERATOR_EXISTS values: "v" } } }`,
			"pod_sets[0].filter.terms[0].expressions[0].values", "take none"},
		{`filter { preferred { term { expressions { key: "k" operator: SELECTOR_OPERATOR_LT values: "x" } } } }`,
			"pod_sets[0].filter.preferred[0].term.expressions[0].values", "no whole number"},
		{`filter { terms { expressions { key: "k" operator: SELECTOR_OPERATOR_GT values: "1" values: "2" } } }`,
			"pod_sets[0].filter.terms[0].expressions[0].values", "one whole number"},
		{`filter { tolerations { value: "x" } }`, "pod_sets[0].filter.tolerations[0].key", "empty"},
		{`filter { tolerations { key: "k" operator: TOLERATION_OPERATOR_EXISTS value: "x" } }`,
			"pod_sets[0].filter.tolerations[0].value", "takes none"},
	} {
		req := &hopwisev1.PlaceGangRequest{}
		if err := prototext.Unmarshal([]byte("pod_sets {"+c.podSet+"}"), req); err != nil {
			t.Fatal(err)
		}
		_, err := placeIn(req)
		var f *failure
		if !errors.As(err, &f) || f.violations[0].field != c.field || !strings.Contains(f.violations[0].message, c.message) {
			t.Errorf("%s: %v", c.podSet, err)
		}
	}
}

// FuzzPlaceGang: any bytes that are a request are refused in a status's words or
// converted; a converted spec reads back as the one asked for.
func FuzzPlaceGang(f *testing.F) {
	full := &hopwisev1.PlaceGangRequest{}
	if err := prototext.Unmarshal([]byte(fullSpec), full); err != nil {
		f.Fatal(err)
	}
	for _, m := range []*hopwisev1.PlaceGangRequest{full, {}, {PodSets: []*hopwisev1.PodSet{{Count: -1}}}} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	rules, err := newRules()
	if err != nil {
		f.Fatal(err)
	}
	g := &gate{rules: rules, unbuilt: indexUnbuilt(unbuiltFields), mostBytes: 1 << 20}
	f.Fuzz(func(t *testing.T, data []byte) {
		req := &hopwisev1.PlaceGangRequest{}
		if proto.Unmarshal(data, req) != nil {
			return
		}
		var broken *failure
		if err := g.check(req); err != nil && !errors.As(err, &broken) {
			t.Fatalf("no failure of the contract: %v", err)
		} else if err != nil && broken.reason == hopwisev1.ErrorReason_ERROR_REASON_INVALID_REQUEST {
			_ = broken.status()
			return
		}
		in, err := placeIn(req)
		if err != nil {
			if !errors.As(err, &broken) {
				t.Fatalf("no failure of the contract: %v", err)
			}
			return
		}
		again, err := placeIn(&hopwisev1.PlaceGangRequest{PodSets: specOut(in.Spec).PodSets})
		if err != nil {
			t.Fatalf("what came out does not go in: %v", err)
		}
		if diff := cmp.Diff(in.Spec.PodSets, again.Spec.PodSets, cmp.Transformer("empty", nilIfEmpty)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// nilIfEmpty brings empty and nil lists of values together: the wire does not
// tell them apart.
func nilIfEmpty(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return s
}
