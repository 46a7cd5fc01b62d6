package cluster

import (
	"context"
	"testing"

	"github.com/hopwise/hopwise/server/ledger"
)

// TestAfterSharesNodes: pod sets that follow each other share their nodes, each
// holding them until its own ranks end.
func TestAfterSharesNodes(t *testing.T) {
	c := start(t, Config{}, small())
	req := manySets(map[string]int32{"first": 7, "second": 7}, []string{"first", "second"}, func(s *ledger.Spec) {
		s.PodSets[1].After = []string{"first"}
	})
	if res := mustPlace(t, c, req); res.Placement.Pods != 14 {
		t.Fatalf("%d pods", res.Placement.Pods)
	}
	top, err := c.GetTopology(context.Background(), TopologyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range top.Domains[0].Resources {
		if a.Free < 0 || a.Name == "nvidia.com/gpu" && a.Free != 0 {
			t.Errorf("%+v", a)
		}
	}
	if _, err := c.ReleasePlacement(context.Background(), ReleaseRequest{Gang: theGang(), Slots: []ledger.Ranks{{Set: "first", Count: 7}}}); err != nil {
		t.Fatal(err)
	}
	if res, err := c.PlaceGang(context.Background(), gpus("other", "", 1, "")); err != nil || res.Refusal == nil {
		t.Errorf("the second set has lost its nodes: %+v, %v", res, err)
	}
	if _, err := c.ReleasePlacement(context.Background(), ReleaseRequest{Gang: theGang()}); err != nil {
		t.Fatal(err)
	}
	if res := mustPlace(t, c, gpus("other", "", 7, "")); res.Placement.Pods != 7 {
		t.Errorf("%d pods", res.Placement.Pods)
	}
}
