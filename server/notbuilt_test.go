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
	"PlaceGangRequest": "gang pod_sets constraint policy priority labels ttl dry_run explain " +
		"on_unrepairable step_budget min_revision",
	"GetPlacementRequest": "gang min_revision",
	"ListPlacementsRequest": "namespace states node domain label_selector created_before placed_by " +
		"page_size page_token min_revision",
	"ConfirmPlacementRequest": "gang slots all_as_planned owner_state etag",
	"RenewPlacementRequest":   "gang ttl etag",
	"ReleasePlacementRequest": "gang slots etag",
	"ScorePlacementRequest":   "gang slots shapes min_revision",
	"GetTopologyRequest":      "root max_depth include_nodes page_size page_token min_revision",
	"ListFreeRequest": "requests exclusive max_per_node filter layers root page_size page_token " +
		"min_revision",
	"SharedLayerRequest": "nodes page_size page_token min_revision",
	"GangRef":            "namespace name uid",
	"PodSet":             "name count requests exclusive max_per_node filter constraint slices",
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
	hit := map[protoreflect.FullName]bool{}
	for _, c := range []struct {
		path, row string // empty: served
		request   proto.Message
	}{
		{"", "", base(func(*hopwisev1.PlaceGangRequest) {})},
		{"", "", base(func(r *hopwisev1.PlaceGangRequest) { r.Policy = hopwisev1.Policy_POLICY_BEST_FIT })},
		{"", "", base(func(r *hopwisev1.PlaceGangRequest) { r.OnUnrepairable = hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_WAIT })},
		{"", "", set(func(p *hopwisev1.PodSet) { p.Slices = []*hopwisev1.Slice{slice}; p.MaxPerNode = 1 })},
		{"", "", &hopwisev1.ConfirmPlacementRequest{Slots: []*hopwisev1.SlotReport{{}}}},
		{"pod_sets", "PlaceGangRequest.pod_sets", base(func(r *hopwisev1.PlaceGangRequest) { r.PodSets = append(r.PodSets, r.PodSets[0]) })},
		{"policy", "PlaceGangRequest.policy", base(func(r *hopwisev1.PlaceGangRequest) { r.Policy = hopwisev1.Policy_POLICY_LEAST_FREE })},
		{"policy", "PlaceGangRequest.policy", base(func(r *hopwisev1.PlaceGangRequest) { r.Policy = hopwisev1.Policy_POLICY_BALANCED })},
		{"min_count", "PlaceGangRequest.min_count", base(func(r *hopwisev1.PlaceGangRequest) { r.MinCount = 1 })},
		{"span_fabrics", "PlaceGangRequest.span_fabrics", base(func(r *hopwisev1.PlaceGangRequest) { r.SpanFabrics = true })},
		{"on_unrepairable", "PlaceGangRequest.on_unrepairable", base(func(r *hopwisev1.PlaceGangRequest) { r.OnUnrepairable = hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_RELAX })},
		{"pod_sets[0].min_count", "PodSet.min_count", set(func(p *hopwisev1.PodSet) { p.MinCount = 2 })},
		{"pod_sets[0].slices", "PodSet.slices", set(func(p *hopwisev1.PodSet) { p.Slices = []*hopwisev1.Slice{slice, slice} })},
		{"pod_sets[0].partial_last_slice", "PodSet.partial_last_slice", set(func(p *hopwisev1.PodSet) { p.PartialLastSlice = true })},
		{"pod_sets[0].group", "PodSet.group", set(func(p *hopwisev1.PodSet) { p.Group = "g" })},
		{"pod_sets[0].after", "PodSet.after", set(func(p *hopwisev1.PodSet) { p.After = []string{"a"} })},
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
