package cluster

import (
	"context"
	"strings"
	"testing"
)

// twoFabrics is two networks of three and two nodes.
func twoFabrics() Delta {
	return Delta{Replace: true, Nodes: []Node{
		gpuNode("n1", "east", "a", "a1"), gpuNode("n2", "east", "a", "a1"), gpuNode("n3", "east", "a", "a2"),
		gpuNode("n4", "west", "b", "b1"), gpuNode("n5", "west", "b", "b1"),
	}}
}

// TestFabrics: no gang spans networks that are not connected unless it says so.
func TestFabrics(t *testing.T) {
	sets := manySets(map[string]int32{"leader": 2, "worker": 2}, []string{"leader", "worker"}, nil)
	for name, req := range map[string]PlaceRequest{"one set": gpus("g", "", 4, ""), "two sets": sets} {
		c := start(t, Config{Disconnected: true}, twoFabrics())
		req.Explain = true
		res, err := c.PlaceGang(context.Background(), req)
		if err != nil || res.Refusal == nil {
			t.Fatalf("%s: %+v, %v", name, res, err)
		}
		if r := res.Refusal; r.Reason != Disconnected || !strings.Contains(r.Message, "not connected") {
			t.Errorf("%s: %s: %s", name, r.Reason, r.Message)
		}
		for _, s := range res.Refusal.Suggestions {
			if s.Kind == FewerPods && s.Pods > 3 {
				t.Errorf("%s: %+v", name, s)
			}
		}
		req.Spec.SpanFabrics = true
		if res := mustPlace(t, c, req); res.Placement.Pods != 4 {
			t.Errorf("%s: %d pods", name, res.Placement.Pods)
		}
		recount(t, c)
	}
}
