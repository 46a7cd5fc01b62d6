package server

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// served are the fields of requests that this version obeys, at least for some
// values: a new field of the contract fails the test until it stands here, or in
// the table of what is not built.
var served = map[string]string{
	"PlaceGangRequest": "gang pod_sets constraint policy min_count priority labels ttl dry_run explain " +
		"span_fabrics on_unrepairable step_budget min_revision",
	"GetPlacementRequest": "gang min_revision",
	"ListPlacementsRequest": "namespace states node domain label_selector created_before placed_by " +
		"page_size page_token min_revision",
	"ConfirmPlacementRequest": "gang slots all_as_planned owner_state etag",
	"RenewPlacementRequest":   "gang ttl etag",
	"ReleasePlacementRequest": "gang slots etag",
	"RepairPlacementRequest":  "gang slots nodes on_unrepairable dry_run explain etag step_budget min_revision",
	"ResizePlacementRequest":  "gang pod_sets dry_run explain etag step_budget min_revision",
	"PodSetSize":              "name count min_count",
	"ScorePlacementRequest":   "gang slots shapes min_revision",
	"GetTopologyRequest":      "root max_depth include_nodes page_size page_token min_revision",
	"ListFreeRequest": "requests exclusive max_per_node filter layers root page_size page_token " +
		"min_revision",
	"SharedLayerRequest":  "nodes page_size page_token min_revision",
	"HoldDomainRequest":   "domain note by ttl",
	"UnholdDomainRequest": "domain",
	"GangRef":             "namespace name uid",
	"PodSet": "name count min_count requests exclusive max_per_node filter constraint slices " +
		"partial_last_slice group after",
	"Constraint":         "required_layer preferred_layer unconstrained",
	"Slice":              "layer size",
	"Filter":             "labels terms tolerations preferred",
	"SelectorTerm":       "expressions",
	"SelectorExpression": "key operator values",
	"PreferredTerm":      "weight term",
	"Toleration":         "key operator value effect",
	"DomainRef":          "layer path",
	"SlotReport":         "pod_set rank pod_name pod_uid node event",
	"SlotRange":          "pod_set first_rank count",
	"ScoreSlot":          "node pod_set pod_name rank",
	"ScoreShape":         "pod_set requests exclusive filter",
}

// requestFields is every field that a request of either service can carry, by
// its full name.
func requestFields() map[protoreflect.FullName]protoreflect.FieldDescriptor {
	found := map[protoreflect.FullName]protoreflect.FieldDescriptor{}
	seen := map[protoreflect.FullName]bool{}
	var walk func(protoreflect.MessageDescriptor)
	walk = func(m protoreflect.MessageDescriptor) {
		if seen[m.FullName()] || m.ParentFile().Package() != "hopwise.v1" {
			return
		}
		seen[m.FullName()] = true
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			found[f.FullName()] = f
			if f.Message() != nil && !f.IsMap() {
				walk(f.Message())
			}
		}
	}
	for _, file := range []protoreflect.FileDescriptor{
		hopwisev1.File_hopwise_v1_placement_service_proto, hopwisev1.File_hopwise_v1_topology_service_proto,
	} {
		for i := range file.Services().Len() {
			for j := range file.Services().Get(i).Methods().Len() {
				walk(file.Services().Get(i).Methods().Get(j).Input())
			}
		}
	}
	return found
}

// TestEveryFieldIsServedOrRefused holds the table complete, and the list of
// served fields to the code: a served field's getter is called somewhere.
func TestEveryFieldIsServedOrRefused(t *testing.T) {
	obeyed := map[protoreflect.FullName]bool{}
	for message, names := range served {
		for name := range strings.FieldsSeq(names) {
			obeyed[protoreflect.FullName("hopwise.v1."+message+"."+name)] = true
		}
	}
	rows := indexUnbuilt(unbuiltFields).rows
	code := packageCode(t)
	fields := requestFields()
	for name, f := range fields {
		row, refused := rows[name]
		switch {
		case !obeyed[name] && !refused:
			t.Errorf("%s: neither served nor refused", name)
		case obeyed[name] && refused && row.asks == nil:
			t.Errorf("%s: served, and refused whatever its value", name)
		case obeyed[name] && !strings.Contains(code, ".Get"+goName(f)+"()"):
			t.Errorf("%s: listed as served, but nothing reads it", name)
		}
	}
	for name := range obeyed {
		if fields[name] == nil {
			t.Errorf("%s: served, but no such field", name)
		}
	}
	for name, row := range rows {
		if fields[name] == nil || row.feature == "" {
			t.Errorf("%s: refused, but no such field, or no feature named", name)
		}
	}
}

func goName(f protoreflect.FieldDescriptor) string {
	var b strings.Builder
	for part := range strings.SplitSeq(string(f.Name()), "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func packageCode(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		text, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

// TestNotBuilt: each row refuses by path; values that are served pass.
func TestNotBuilt(t *testing.T) {
	base := func(change func(*hopwisev1.PlaceGangRequest)) proto.Message {
		r := &hopwisev1.PlaceGangRequest{PodSets: []*hopwisev1.PodSet{{Count: 4}}}
		change(r)
		return r
	}
	set := func(change func(*hopwisev1.PodSet)) proto.Message {
		return base(func(r *hopwisev1.PlaceGangRequest) { change(r.PodSets[0]) })
	}
	slice := &hopwisev1.Slice{Layer: "x", Size: 2}
	side := "nvidia.com/gpu.clique"
	hit := map[protoreflect.FullName]bool{}
	for _, c := range []struct {
		path, row string // empty: served
		request   proto.Message
	}{
		{"", "", base(func(*hopwisev1.PlaceGangRequest) {})},
		{"", "", base(func(r *hopwisev1.PlaceGangRequest) { r.Policy = hopwisev1.Policy_POLICY_BALANCED })},
		{"", "", base(func(r *hopwisev1.PlaceGangRequest) { r.OnUnrepairable = hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_RELAX })},
		{"", "", base(func(r *hopwisev1.PlaceGangRequest) { r.MinCount, r.SpanFabrics = 2, true })},
		{"", "", set(func(p *hopwisev1.PodSet) { p.Slices = []*hopwisev1.Slice{slice, slice}; p.PartialLastSlice = true })},
		{"", "", set(func(p *hopwisev1.PodSet) { p.Constraint = required(layer3); p.Group = "g" })},
		{"", "", &hopwisev1.ConfirmPlacementRequest{Slots: []*hopwisev1.SlotReport{{}}}},
		{"constraint.required_layer", "Constraint.required_layer", base(func(r *hopwisev1.PlaceGangRequest) { r.Constraint = required(side) })},
		{"pod_sets[0].constraint.preferred_layer", "Constraint.preferred_layer", set(func(p *hopwisev1.PodSet) { p.Constraint = preferred(side) })},
		{"pod_sets[0].slices[1].layer", "Slice.layer", set(func(p *hopwisev1.PodSet) { p.Slices = []*hopwisev1.Slice{slice, {Layer: side, Size: 1}} })},
	} {
		err := indexUnbuilt(unbuiltFields).refuse(c.request)
		var f *failure
		switch {
		case c.path == "" && err != nil:
			t.Errorf("served, but %v", err)
		case c.path != "" && (!errors.As(err, &f) || f.reason != hopwisev1.ErrorReason_ERROR_REASON_NOT_BUILT || f.metadata["field"] != c.path):
			t.Errorf("%s: %v", c.path, err)
		}
		hit[protoreflect.FullName("hopwise.v1."+c.row)] = true
	}
	for _, row := range unbuiltFields {
		if !hit[row.field] {
			t.Errorf("%s: no case", row.field)
		}
	}
}
