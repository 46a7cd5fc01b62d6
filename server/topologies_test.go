package server

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func TestGetTopology(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	var domains, nodes []string
	req := &hopwisev1.GetTopologyRequest{IncludeNodes: true, PageSize: 4}
	for {
		page, err := s.GetTopology(soon(t), req)
		if err != nil {
			t.Fatal(err)
		}
		if page.GetScheme().GetName() != "aws" || len(page.GetSources()) != 1 || page.GetSources()[0].GetStale() || page.GetRevision() == "" {
			t.Errorf("%v", page)
		}
		for _, d := range page.GetDomains() {
			if !d.GetContinued() {
				domains = append(domains, strings.Join(d.GetRef().GetPath(), "/"))
			}
			for _, n := range d.GetNodes() {
				nodes = append(nodes, n.GetName()+" "+n.GetHealth().String()[len("NODE_HEALTH_"):])
			}
		}
		if req.PageToken = page.GetNextPageToken(); req.PageToken == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{
		"", "nn-1", "nn-1/nn-21", "nn-1/nn-21/nn-31", "nn-1/nn-22", "nn-1/nn-22/nn-32", "nn-1/nn-22/nn-33",
	}, domains); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"n11 OK", "n12 OK", "n13 OK", "n21 OK", "n22 OK", "n31 OK", "n32 NOT_READY"}, nodes); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		reason string
		req    *hopwisev1.GetTopologyRequest
	}{
		{"DOMAIN_NOT_FOUND", &hopwisev1.GetTopologyRequest{Root: &hopwisev1.DomainRef{Path: []string{"nn-9"}}}},
		{"PAGE_TOKEN_INVALID", &hopwisev1.GetTopologyRequest{PageToken: "!"}},
		{"INVALID_REQUEST", &hopwisev1.GetTopologyRequest{PageSize: 1001}},
		{"INVALID_REQUEST", &hopwisev1.GetTopologyRequest{MaxDepth: -1}},
		{"REVISION_UNKNOWN", &hopwisev1.GetTopologyRequest{MinRevision: "77-1"}},
	} {
		if _, err := s.GetTopology(soon(t), c.req); reasonIn(err) != c.reason {
			t.Errorf("%v: %v", c.req, err)
		}
	}
}

// TestHolds: what a placement holds is seen in the tree, and gone after.
func TestHolds(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	free := func() string {
		page, err := s.GetTopology(soon(t), &hopwisev1.GetTopologyRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.GetDomains()[0].GetResources() {
			if r.GetName() == gpu {
				return r.GetFree() + " of " + r.GetTotal() + ", held " + r.GetHeld()
			}
		}
		return "no GPUs"
	}
	before := free()
	if before != "48 of 56, held 0" {
		t.Error(before)
	}
	s.place(t, ask("llama", 3, nil))
	if got := free(); got != "24 of 56, held 24" {
		t.Error(got)
	}
	if _, err := s.ReleasePlacement(soon(t), &hopwisev1.ReleasePlacementRequest{Gang: gangNamed("llama")}); err != nil {
		t.Fatal(err)
	}
	if got := free(); got != before {
		t.Error(got)
	}
}

func TestListFree(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	got, err := s.ListFree(soon(t), &hopwisev1.ListFreeRequest{Requests: map[string]string{gpu: "8"}})
	if err != nil {
		t.Fatal(err)
	}
	var sums []string
	for _, l := range got.GetLayers() {
		sums = append(sums, l.GetLayer())
		if l.GetFree() != 6 {
			t.Errorf("%v", l)
		}
	}
	if diff := cmp.Diff([]string{layer1, layer2, layer3}, sums); diff != "" {
		t.Error(diff)
	}
	if largest := got.GetLayers()[2].GetLargestGang(); largest != 3 {
		t.Errorf("largest gang in a leaf: %d", largest)
	}
	for _, c := range []struct {
		reason string
		req    *hopwisev1.ListFreeRequest
	}{
		{"UNKNOWN_LAYER", &hopwisev1.ListFreeRequest{Layers: []string{"rack"}}},
		{"UNKNOWN_RESOURCE", &hopwisev1.ListFreeRequest{Requests: map[string]string{"x/y": "1"}}},
		{"INVALID_REQUEST", &hopwisev1.ListFreeRequest{Requests: map[string]string{gpu: "8G8"}}},
		{"INVALID_REQUEST", &hopwisev1.ListFreeRequest{MaxPerNode: -1}},
		{"DOMAIN_NOT_FOUND", &hopwisev1.ListFreeRequest{Root: &hopwisev1.DomainRef{Path: []string{"x"}}}},
		{"PAGE_TOKEN_INVALID", &hopwisev1.ListFreeRequest{PageToken: "AAAA"}},
	} {
		if _, err := s.ListFree(soon(t), c.req); reasonIn(err) != c.reason {
			t.Errorf("%v: %v", c.req, err)
		}
	}
}

func TestSharedLayer(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	got, err := s.SharedLayer(soon(t), &hopwisev1.SharedLayerRequest{Nodes: []string{"n21", "n11", "n12"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"n11", "n12", "n21"}, got.GetNodes()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{layer1}, got.GetSharedLayers()); diff != "" {
		t.Error(diff)
	}
	if len(got.GetPairs()) != 3 || got.GetPairs()[0].GetHops() != 2 || got.GetPairs()[1].GetHops() != 6 {
		t.Errorf("%v", got.GetPairs())
	}
	all, err := s.SharedLayer(soon(t), &hopwisev1.SharedLayerRequest{})
	if err != nil || len(all.GetGroups()) != 6 || all.GetDeepest() != nil {
		t.Errorf("%v, %v", all, err)
	}
	for _, c := range []struct {
		reason string
		req    *hopwisev1.SharedLayerRequest
	}{
		{"NODE_NOT_FOUND", &hopwisev1.SharedLayerRequest{Nodes: []string{"n11", "n99"}}},
		{"INVALID_REQUEST", &hopwisev1.SharedLayerRequest{Nodes: []string{"n11", "n11"}}},
		{"PAGE_TOKEN_INVALID", &hopwisev1.SharedLayerRequest{PageToken: "x"}},
	} {
		if _, err := s.SharedLayer(soon(t), c.req); reasonIn(err) != c.reason {
			t.Errorf("%v: %v", c.req, err)
		}
	}
}
