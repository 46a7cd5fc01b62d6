package server

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// TestHoldDomain: over the wire a hold is shown, counts in a refusal with who,
// why and until when, and is gone once lifted.
func TestHoldDomain(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	leaf := &hopwisev1.DomainRef{Path: []string{"nn-1", "nn-21", "nn-31"}}
	held, err := s.HoldDomain(soon(t), &hopwisev1.HoldDomainRequest{
		Domain: leaf, Note: "switch swap", By: "eve", Ttl: durationpb.New(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	if held.GetDomain().GetLayer() != layer3 || held.GetNodes() != 3 || time.Until(held.GetHold().GetUntil().AsTime()) < 59*time.Minute {
		t.Errorf("%v", held)
	}
	top, err := s.GetTopology(soon(t), &hopwisev1.GetTopologyRequest{Root: held.GetDomain()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(held.GetHold(), top.GetDomains()[0].GetMaintenance(), protocmp.Transform()); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	req := ask("llama", 6, nil)
	req.Explain = true
	resp, err := s.PlaceGang(soon(t), req)
	if err != nil || resp.GetRefusal() == nil {
		t.Fatal(resp, err)
	}
	want := &hopwisev1.NodeCount{
		Reason: hopwisev1.NodeReason_NODE_REASON_MAINTENANCE, Detail: "switch swap", By: "eve", Until: held.GetHold().GetUntil(), Nodes: 3,
	}
	found := false
	for _, c := range resp.GetRefusal().GetNodeCounts() {
		found = found || cmp.Equal(want, c, protocmp.Transform())
	}
	if !found {
		t.Errorf("no %v among %v", want, resp.GetRefusal().GetNodeCounts())
	}
	lifted, err := s.UnholdDomain(soon(t), &hopwisev1.UnholdDomainRequest{Domain: leaf})
	if err != nil || lifted.GetLifted().GetBy() != "eve" {
		t.Errorf("%v, %v", lifted, err)
	}
	s.place(t, ask("llama", 6, nil))
}

func TestHoldDomainRefusals(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	node := func(name string) *hopwisev1.DomainRef {
		return &hopwisev1.DomainRef{Layer: "kubernetes.io/hostname", Path: []string{name}}
	}
	for _, c := range []struct {
		reason string
		req    *hopwisev1.HoldDomainRequest
	}{
		{"INVALID_REQUEST", &hopwisev1.HoldDomainRequest{}},
		{"INVALID_REQUEST", &hopwisev1.HoldDomainRequest{Domain: &hopwisev1.DomainRef{}}},
		{"INVALID_REQUEST", &hopwisev1.HoldDomainRequest{Domain: node("n11"), Note: "a\nb"}},
		{"INVALID_REQUEST", &hopwisev1.HoldDomainRequest{Domain: node("n11"), Ttl: durationpb.New(time.Millisecond)}},
		{"DOMAIN_NOT_FOUND", &hopwisev1.HoldDomainRequest{Domain: node("n99")}},
		{"UNKNOWN_LAYER", &hopwisev1.HoldDomainRequest{Domain: &hopwisev1.DomainRef{Layer: "rack", Path: []string{"r"}}}},
		{"", &hopwisev1.HoldDomainRequest{Domain: node("n11")}},
	} {
		if _, err := s.HoldDomain(soon(t), c.req); reasonIn(err) != c.reason {
			t.Errorf("%v: %v", c.req, err)
		}
	}
	if _, err := s.UnholdDomain(soon(t), &hopwisev1.UnholdDomainRequest{}); reasonIn(err) != "INVALID_REQUEST" {
		t.Errorf("%v", err)
	}
}
