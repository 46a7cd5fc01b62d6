package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func TestPlaceGang(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	p := s.place(t, ask("llama", 3, required(layer3)))
	if diff := cmp.Diff([]string{"n11", "n12", "n13"}, nodesOf(p)); diff != "" {
		t.Error(diff)
	}
	q := p.GetQuality()
	if got := strings.Join(q.GetAligned().GetPath(), "/"); got != "nn-1/nn-21/nn-31" || q.GetAligned().GetLayer() != layer3 {
		t.Errorf("aligned %v", q.GetAligned())
	}
	if q.GetLeaves() != 1 || q.GetCrossings() != 0 || q.GetWorstHops() != 2 {
		t.Errorf("quality %v", q)
	}
	if !p.GetProven() || p.GetState() != hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED || p.GetEtag() == "" ||
		p.GetRevision() == "" || p.GetDurable() || p.GetPlacedBy() != "hopwise" || p.GetPods() != 3 ||
		p.GetPolicy() != hopwisev1.Policy_POLICY_TIGHTEST || p.GetPodSets()[0].GetName() != "main" {
		t.Errorf("placement %v", p)
	}
	if left := time.Until(p.GetExpireTime().AsTime()); left < 4*time.Minute || left > 5*time.Minute {
		t.Errorf("expires in %s", left)
	}
	// The preference cannot be met any more: said so, with how near it came.
	p = s.place(t, ask("bert", 3, preferred(layer3)))
	set := p.GetPodSets()[0]
	if set.PreferenceMet == nil || set.GetPreferenceMet() || set.GetPreferenceMiss().GetFits() != 2 {
		t.Errorf("preference %v", set)
	}
}

// TestPlaceGangAgain: the same ask gives the same placement, another is refused
// with what differs, and what may differ may.
func TestPlaceGangAgain(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	req := ask("llama", 2, required(layer3))
	first := s.place(t, req)
	again := proto.Clone(req).(*hopwisev1.PlaceGangRequest)
	again.Priority, again.Explain, again.Ttl = 7, true, durationpb.New(time.Hour)
	again.PodSets[0].Name = "main"
	again.PodSets[0].Requests[gpu] = "8.0"
	resp, err := s.PlaceGang(soon(t), again)
	if err != nil || !resp.GetExisting() {
		t.Fatalf("%v, %v", resp, err)
	}
	if diff := cmp.Diff(first.GetPodSets(), resp.GetPlacement().GetPodSets(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	other := ask("llama", 3, required(layer2))
	_, err = s.PlaceGang(soon(t), other)
	if reasonIn(err) != "GANG_CHANGED" || status.Code(err) != codes.AlreadyExists || metadataIn(err)["fields"] == "" {
		t.Errorf("%v %v", err, metadataIn(err))
	}
}

func TestPlaceGangRefused(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	s.place(t, ask("holder", 3, required(layer3)))
	for _, explain := range []bool{false, true} {
		req := ask("llama", 3, required(layer3))
		req.Explain = explain
		resp, err := s.PlaceGang(soon(t), req)
		if err != nil {
			t.Fatal(err)
		}
		r := resp.GetRefusal()
		if r.GetReason() != hopwisev1.RefusalReason_REFUSAL_REASON_NO_ROOM || r.GetMessage() == "" || !r.GetProven() ||
			r.GetBindingLayer() != layer3 || r.GetBest().GetFits() != 2 || r.GetBest().GetWanted() != 3 ||
			r.GetExplained() != explain || (len(r.GetSuggestions()) > 0) != explain || resp.GetRevision() == "" {
			t.Errorf("%v", r)
		}
		for _, c := range r.GetSuggestions() {
			if c.GetKind() == 0 || c.GetMessage() == "" {
				t.Errorf("%v", c)
			}
		}
	}
	req := ask("huge", 7, nil)
	req.Explain = true
	resp, err := s.PlaceGang(soon(t), req)
	if err != nil || resp.GetRefusal() == nil {
		t.Fatalf("%v, %v", resp, err)
	}
	nodes := int32(0)
	for _, c := range resp.GetRefusal().GetNodeCounts() {
		if c.GetReason() == 0 {
			t.Errorf("no reason: %v", c)
		}
		nodes += c.GetNodes()
	}
	if nodes != 7 {
		t.Errorf("counts add up to %d of 7: %v", nodes, resp.GetRefusal().GetNodeCounts())
	}
	if _, err := s.GetPlacement(soon(t), &hopwisev1.GetPlacementRequest{Gang: gangNamed("huge")}); reasonIn(err) != "PLACEMENT_NOT_FOUND" {
		t.Errorf("a refused gang has a placement: %v", err)
	}
}

// TestNoDoubleBooking: many callers at once never get the same node.
func TestNoDoubleBooking(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	const callers = 24
	answers := make(chan *hopwisev1.PlaceGangResponse, callers) // one for each caller
	for i := range callers {
		go func() {
			resp, err := s.PlaceGang(soon(t), ask(fmt.Sprintf("g%d", i%16), 1, nil)) // some ask twice
			if err != nil {
				t.Error(err)
			}
			answers <- resp
		}()
	}
	taken := map[string]string{}
	for range callers {
		resp := <-answers
		for _, node := range nodesOf(resp.GetPlacement()) {
			gang := resp.GetPlacement().GetGang().GetName()
			if taken[node] != "" && taken[node] != gang {
				t.Errorf("%s: %s and %s", node, taken[node], gang)
			}
			taken[node] = gang
		}
	}
	if len(taken) != 6 {
		t.Errorf("%d of 6 nodes taken: %v", len(taken), taken)
	}
}

// TestDryRun decides in full and holds nothing.
func TestDryRun(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	req := ask("llama", 6, nil)
	req.DryRun = true
	for range 2 {
		resp, err := s.PlaceGang(soon(t), req)
		if err != nil {
			t.Fatal(err)
		}
		p := resp.GetPlacement()
		if p == nil || !p.GetDryRun() || p.GetState() != 0 || p.GetEtag() != "" || p.GetRevision() != "" || p.GetDurable() || resp.GetExisting() {
			t.Fatalf("%v", resp)
		}
	}
	if _, err := s.GetPlacement(soon(t), &hopwisev1.GetPlacementRequest{Gang: gangNamed("llama")}); status.Code(err) != codes.NotFound {
		t.Errorf("%v", err)
	}
}

func TestBadPlaceGang(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	change := func(f func(*hopwisev1.PlaceGangRequest)) *hopwisev1.PlaceGangRequest {
		r := ask("bad", 2, nil)
		f(r)
		return r
	}
	for _, c := range []struct {
		name, reason, field string
		req                 *hopwisev1.PlaceGangRequest
	}{
		{"nothing", "INVALID_REQUEST", "gang", &hopwisev1.PlaceGangRequest{}},
		{"no pods", "INVALID_REQUEST", "pod_sets[0].count", ask("bad", 0, nil)},
		{"fewer than none", "INVALID_REQUEST", "pod_sets[0].count", ask("bad", -1, nil)},
		{"too many", "INVALID_REQUEST", "pod_sets[0].count", ask("bad", 1<<30, nil)},
		{"escape", "INVALID_REQUEST", "gang.name", ask("\x1b[31mred", 1, nil)},
		{"unit", "INVALID_REQUEST", `pod_sets[0].requests["nvidia.com/gpu"]`, change(func(r *hopwisev1.PlaceGangRequest) { r.PodSets[0].Requests[gpu] = "8GB" })},
		{"negative", "INVALID_REQUEST", `pod_sets[0].requests["nvidia.com/gpu"]`, change(func(r *hopwisev1.PlaceGangRequest) { r.PodSets[0].Requests[gpu] = "-8" })},
		{"resource", "UNKNOWN_RESOURCE", "", change(func(r *hopwisev1.PlaceGangRequest) { r.PodSets[0].Requests["nvidia.com/gup"] = "8" })},
		{"layer", "UNKNOWN_LAYER", "", ask("bad", 2, required("network-node-layer-3"))},
		{"layer of a set", "UNKNOWN_LAYER", "", change(func(r *hopwisev1.PlaceGangRequest) { r.PodSets[0].Constraint = required("rack") })},
		{"wider preference", "INVALID_REQUEST", "", ask("bad", 2, &hopwisev1.Constraint{RequiredLayer: layer3, PreferredLayer: layer1})},
		{"uneven slices", "INVALID_REQUEST", "", change(func(r *hopwisev1.PlaceGangRequest) {
			r.PodSets[0].Slices = []*hopwisev1.Slice{{Layer: layer3, Size: 3}}
		})},
		{"not built", "NOT_BUILT", "", ask("bad", 2, required("nvidia.com/gpu.clique"))},
		{"future", "REVISION_UNKNOWN", "", change(func(r *hopwisev1.PlaceGangRequest) { r.MinRevision = "999-1" })},
		{"no revision", "INVALID_REQUEST", "min_revision", change(func(r *hopwisev1.PlaceGangRequest) { r.MinRevision = "soon" })},
	} {
		_, err := s.PlaceGang(soon(t), c.req)
		if reasonIn(err) != c.reason || c.field != "" && !slices.Contains(fieldsIn(err), c.field) {
			t.Errorf("%s: %v, reason %q, fields %v", c.name, err, reasonIn(err), fieldsIn(err))
		}
	}
	_, err := s.PlaceGang(soon(t), ask("bad", 2, required("network-node-layer-3")))
	m := metadataIn(err)
	if m["nearest"] != layer3 || !strings.Contains(m["known"], layer1) || m["field"] != "constraint.required_layer" || m["layer"] != "network-node-layer-3" {
		t.Errorf("unknown layer: %v", m)
	}
	if list, err := s.ListPlacements(soon(t), &hopwisev1.ListPlacementsRequest{}); err != nil || len(list.GetPlacements()) != 0 {
		t.Errorf("something is held after bad requests: %v, %v", list, err)
	}
}

// TestLifecycle confirms, renews and releases one gang, each twice.
func TestLifecycle(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	gang := gangNamed("llama")
	p := s.place(t, ask("llama", 2, required(layer3)))
	for range 2 {
		renewed, err := s.RenewPlacement(soon(t), &hopwisev1.RenewPlacementRequest{Gang: gang, Ttl: durationpb.New(time.Hour)})
		if err != nil || time.Until(renewed.GetPlacement().GetExpireTime().AsTime()) < 59*time.Minute {
			t.Fatalf("%v, %v", renewed, err)
		}
	}
	if _, err := s.RenewPlacement(soon(t), &hopwisev1.RenewPlacementRequest{Gang: gang, Etag: p.GetEtag()}); reasonIn(err) != "ETAG_MISMATCH" {
		t.Errorf("%v", err)
	}
	report := &hopwisev1.ConfirmPlacementRequest{Gang: gang, Slots: []*hopwisev1.SlotReport{{Rank: 0, PodName: "llama-0", PodUid: "u0"}}}
	one, err := s.ConfirmPlacement(soon(t), report)
	if err != nil || one.GetPlacement().GetState() != hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED ||
		one.GetPlacement().GetPodSets()[0].GetSlots()[0].GetState() != hopwisev1.SlotState_SLOT_STATE_BOUND {
		t.Fatalf("%v, %v", one, err)
	}
	for range 2 {
		all, err := s.ConfirmPlacement(soon(t), &hopwisev1.ConfirmPlacementRequest{Gang: gang, AllAsPlanned: true})
		if err != nil || all.GetPlacement().GetState() != hopwisev1.PlacementState_PLACEMENT_STATE_BOUND {
			t.Fatalf("%v, %v", all, err)
		}
	}
	report.Slots[0].PodUid = "u9"
	if _, err := s.ConfirmPlacement(soon(t), report); reasonIn(err) != "SLOT_TAKEN" || metadataIn(err)["pod_uid"] != "u0" {
		t.Errorf("%v", err)
	}
	report.Slots[0].Rank = 9
	if _, err := s.ConfirmPlacement(soon(t), report); reasonIn(err) != "SLOT_NOT_FOUND" {
		t.Errorf("%v", err)
	}
	for range 2 {
		released, err := s.ReleasePlacement(soon(t), &hopwisev1.ReleasePlacementRequest{Gang: gang})
		if err != nil || released.GetPlacement().GetState() != hopwisev1.PlacementState_PLACEMENT_STATE_RELEASED {
			t.Fatalf("%v, %v", released, err)
		}
	}
	if _, err := s.PlaceGang(soon(t), ask("llama", 2, required(layer3))); reasonIn(err) != "GANG_RELEASED" {
		t.Errorf("%v", err)
	}
	if _, err := s.RenewPlacement(soon(t), &hopwisev1.RenewPlacementRequest{Gang: gang}); reasonIn(err) != "GANG_RELEASED" {
		t.Errorf("%v", err)
	}
	for _, err := range s.missing(t) {
		if reasonIn(err) != "PLACEMENT_NOT_FOUND" {
			t.Errorf("%v", err)
		}
	}
}

// missing calls everything that needs a placement for a gang that has none.
func (s *service) missing(t *testing.T) []error {
	gang := gangNamed("nobody")
	_, get := s.GetPlacement(soon(t), &hopwisev1.GetPlacementRequest{Gang: gang})
	_, confirm := s.ConfirmPlacement(soon(t), &hopwisev1.ConfirmPlacementRequest{Gang: gang})
	_, renew := s.RenewPlacement(soon(t), &hopwisev1.RenewPlacementRequest{Gang: gang})
	_, release := s.ReleasePlacement(soon(t), &hopwisev1.ReleasePlacementRequest{Gang: gang})
	_, score := s.ScorePlacement(soon(t), &hopwisev1.ScorePlacementRequest{Gang: gang})
	return []error{get, confirm, renew, release, score}
}

func TestListPlacements(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	for _, name := range []string{"c", "a", "b"} {
		req := ask(name, 1, nil)
		req.Labels = map[string]string{"name": name}
		s.place(t, req)
	}
	var names []string
	req := &hopwisev1.ListPlacementsRequest{PageSize: 1}
	for {
		page, err := s.ListPlacements(soon(t), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.GetPlacements() {
			names = append(names, p.GetGang().GetName())
		}
		if req.PageToken = page.GetNextPageToken(); req.PageToken == "" {
			break
		}
		changed := &hopwisev1.ListPlacementsRequest{PageSize: 1, Namespace: "team-a", PageToken: req.PageToken}
		if _, err := s.ListPlacements(soon(t), changed); reasonIn(err) != "PAGE_TOKEN_INVALID" {
			t.Errorf("another request's token: %v", err)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, names); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		req  *hopwisev1.ListPlacementsRequest
		want int
	}{
		{&hopwisev1.ListPlacementsRequest{LabelSelector: "name in (a,b)"}, 2},
		{&hopwisev1.ListPlacementsRequest{LabelSelector: "name!=a"}, 2},
		{&hopwisev1.ListPlacementsRequest{Namespace: "team-b"}, 0},
		{&hopwisev1.ListPlacementsRequest{States: []hopwisev1.PlacementState{hopwisev1.PlacementState_PLACEMENT_STATE_BOUND}}, 0},
		{&hopwisev1.ListPlacementsRequest{Domain: &hopwisev1.DomainRef{Path: []string{"nn-1"}}}, 3},
		{&hopwisev1.ListPlacementsRequest{PlacedBy: "kueue"}, 0},
	} {
		page, err := s.ListPlacements(soon(t), c.req)
		if err != nil || len(page.GetPlacements()) != c.want {
			t.Errorf("%v: %d, %v; want %d", c.req, len(page.GetPlacements()), err, c.want)
		}
	}
	for token, req := range map[string]*hopwisev1.ListPlacementsRequest{
		"PAGE_TOKEN_INVALID": {PageToken: "garbage"},
		"INVALID_REQUEST":    {LabelSelector: "name in ("},
	} {
		if _, err := s.ListPlacements(soon(t), req); reasonIn(err) != token {
			t.Errorf("%v: %v", req, err)
		}
	}
}

func TestScorePlacement(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	slots := []*hopwisev1.ScoreSlot{
		{Node: "n11", PodName: "m-0"}, {Node: "n21", PodName: "m-1"}, {Node: "n12", PodName: "m-2"},
	}
	got, err := s.ScorePlacement(soon(t), &hopwisev1.ScorePlacementRequest{Slots: slots})
	if err != nil {
		t.Fatal(err)
	}
	if got.GetPods() != 3 || got.GetNodes() != 3 || got.GetQuality().GetCrossings() != 2 || got.GetNow().GetCrossings() != 0 ||
		got.GetQuality().GetScore() >= 1 || len(got.GetAssumptions()) == 0 || len(got.GetMoves()) == 0 {
		t.Errorf("%v", got)
	}
	s.place(t, ask("llama", 3, required(layer3)))
	own, err := s.ScorePlacement(soon(t), &hopwisev1.ScorePlacementRequest{Gang: gangNamed("llama")})
	if err != nil || own.GetQuality().GetScore() != 1 {
		t.Errorf("%v, %v", own, err)
	}
	if _, err := s.ScorePlacement(soon(t), &hopwisev1.ScorePlacementRequest{}); reasonIn(err) != "INVALID_REQUEST" {
		t.Errorf("%v", err)
	}
	if _, err := s.ScorePlacement(soon(t), &hopwisev1.ScorePlacementRequest{Slots: []*hopwisev1.ScoreSlot{{Node: "n99"}}}); reasonIn(err) != "NODE_NOT_FOUND" {
		t.Errorf("%v", err)
	}
}
