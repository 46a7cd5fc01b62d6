package server

import (
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// TestRepairOverRPC: a node of the file goes, and only its rank moves.
func TestRepairOverRPC(t *testing.T) {
	cfg := configFor(t, sevenNodes())
	s := start(t, cfg)
	p := s.place(t, with(sets("llama", set("leader", 1, grouped("u")), set("worker", 2, grouped("u"))), func(r *hopwisev1.PlaceGangRequest) {
		r.Constraint = required(layer2)
	}))
	at := nodesOf(p) // a leaf of three
	_, err := s.RepairPlacement(soon(t), &hopwisev1.RepairPlacementRequest{Gang: gangNamed("llama"), Nodes: at[:1]})
	if field, _ := violation1(err); reasonIn(err) != "NODE_USABLE" || status.Code(err) != codes.FailedPrecondition ||
		metadataIn(err)["node"] != at[0] || metadataIn(err)["field"] != "nodes[0]" || field != "" {
		t.Errorf("a usable node: %v", err)
	}
	if diff := nodesOf(p); strings.Join(diff, " ") != "n11 n12 n13" {
		t.Fatalf("placed on %v", diff)
	}
	writeNodes(t, cfg.Source.Paths[0], sevenNodes()[1:]) // n11 is gone
	waitDegraded(t, s, "llama")
	req := &hopwisev1.RepairPlacementRequest{Gang: gangNamed("llama"), Slots: []*hopwisev1.SlotRange{{PodSet: "leader"}}, Explain: true}
	answer, err := s.RepairPlacement(soon(t), req)
	if err != nil || answer.GetRefusal().GetReason() != hopwisev1.RefusalReason_REFUSAL_REASON_UNREPAIRABLE ||
		!strings.Contains(answer.GetRefusal().GetMessage(), "the whole gang would fit in nn-22") {
		t.Fatalf("nothing free below nn-21, and yet: %v, %v", answer, err)
	}
	req.OnUnrepairable = hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_RELAX
	dry := proto.Clone(req).(*hopwisev1.RepairPlacementRequest)
	dry.DryRun = true
	if answer, err = s.RepairPlacement(soon(t), dry); err != nil || !answer.GetPlacement().GetDryRun() || !answer.GetRelaxed() {
		t.Fatalf("dry run: %v, %v", answer, err)
	}
	if answer, err = s.RepairPlacement(soon(t), req); err != nil || len(answer.GetMoves()) != 1 || answer.GetMoves()[0].GetFromNode() != "n11" {
		t.Fatalf("%v, %v", answer, err)
	}
	moved := answer.GetPlacement()
	kinds := moved.GetTroubles()[0].GetKind()
	if kinds != hopwisev1.TroubleKind_TROUBLE_KIND_CONSTRAINT_BROKEN || moved.GetPodSets()[0].GetSlots()[0].GetMovedFrom() != "n11" {
		t.Errorf("%v", moved)
	}
	if again, err := s.RepairPlacement(soon(t), req); err != nil || !again.GetExisting() || again.GetPlacement().GetEtag() != moved.GetEtag() {
		t.Errorf("repeat: %v, %v", again, err)
	}
}

// waitDegraded waits for the source's file to be read again.
func waitDegraded(t *testing.T, s *service, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		got, err := s.GetPlacement(ctx, &hopwisev1.GetPlacementRequest{Gang: gangNamed(name)})
		if err != nil {
			t.Fatal(err)
		}
		if got.GetPlacement().GetState() == hopwisev1.PlacementState_PLACEMENT_STATE_DEGRADED {
			return
		}
	}
}

// TestResizeOverRPC grows and shrinks one set of two, and answers to both specs.
func TestResizeOverRPC(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	ask := sets("llama", set("leader", 1), set("worker", 1))
	s.place(t, ask)
	size := func(name string, n int32) *hopwisev1.ResizePlacementRequest {
		return &hopwisev1.ResizePlacementRequest{Gang: gangNamed("llama"), PodSets: []*hopwisev1.PodSetSize{{Name: name, Count: n}}}
	}
	grown, err := s.ResizePlacement(soon(t), size("worker", 3))
	if err != nil || grown.GetPlacement().GetPods() != 4 || grown.GetPlacement().GetOriginalSpec().GetPodSets()[1].GetCount() != 1 {
		t.Fatalf("%v, %v", grown, err)
	}
	if again, err := s.ResizePlacement(soon(t), size("worker", 3)); err != nil || !again.GetExisting() {
		t.Errorf("repeat: %v, %v", again, err)
	}
	for _, n := range []int32{1, 3} {
		ask.PodSets[1].Count = n
		if resp, err := s.PlaceGang(soon(t), ask); err != nil || !resp.GetExisting() || resp.GetPlacement().GetPods() != 4 {
			t.Errorf("asked for %d: %v, %v", n, resp, err)
		}
	}
	if _, err := s.ConfirmPlacement(soon(t), &hopwisev1.ConfirmPlacementRequest{Gang: gangNamed("llama"), AllAsPlanned: true}); err != nil {
		t.Fatal(err)
	}
	refused, err := s.ResizePlacement(soon(t), size("worker", 9))
	if err != nil || refused.GetRefusal() == nil {
		t.Errorf("%v, %v", refused, err)
	}
	for _, c := range []struct {
		req                 *hopwisev1.ResizePlacementRequest
		reason, field, text string
		code                codes.Code
	}{
		{size("worker", 2), "SIZE_BELOW_BOUND", "", "rank 2 is bound", codes.FailedPrecondition},
		{size("", 2), "SLOT_NOT_FOUND", "", "name one of leader, worker", codes.NotFound},
		{size("worker", 0), "INVALID_REQUEST", "pod_sets[0].count", "greater than or equal to 1", codes.InvalidArgument},
		{&hopwisev1.ResizePlacementRequest{Gang: gangNamed("llama")}, "INVALID_REQUEST", "pod_sets", "at least 1", codes.InvalidArgument},
	} {
		_, err := s.ResizePlacement(soon(t), c.req)
		field, _ := violation1(err)
		if reasonIn(err) != c.reason || status.Code(err) != c.code || field != c.field || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v, field %q", c.req, err, field)
		}
	}
	if md := metadataIn(second(s.ResizePlacement(soon(t), size("worker", 2)))); md["pod_set"] != "worker" || md["rank"] != "2" {
		t.Errorf("metadata %v", md)
	}
}

func second[T any](_ T, err error) error { return err }

// TestUnprovenAnswer: with one step the answer is given all the same, with a bound.
func TestUnprovenAnswer(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	req := sets("cut", set("a", 2, within(required(layer3))), set("b", 2, within(required(layer3))), set("c", 1))
	req.StepBudget = proto.Int64(1)
	resp, err := s.PlaceGang(soon(t), req)
	if err != nil {
		t.Fatal(err)
	}
	switch p := resp.GetPlacement(); {
	case p != nil && !p.GetProven() && len(p.GetLowerBound()) == 0:
		t.Errorf("not proven, and no bound: %v", p)
	case p == nil && resp.GetRefusal().GetReason() != hopwisev1.RefusalReason_REFUSAL_REASON_BUDGET_ENDED:
		t.Errorf("%v", resp.GetRefusal())
	}
}
