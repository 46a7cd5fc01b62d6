package cluster

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

func TestPlaceGang(t *testing.T) {
	c := start(t, Config{}, small())
	res := mustPlace(t, c, gpus("llama", "u1", 2, l3))
	if diff := cmp.Diff([]string{"n4*1", "n5*1"}, nodesOf(res.Placement)); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	p := res.Placement
	if p.Record.State != ledger.Reserved || p.Durable || p.Etag == "" || p.Quality.Score != 1 {
		t.Errorf("state %v durable %v etag %q score %v", p.Record.State, p.Durable, p.Etag, p.Quality.Score)
	}
	want := DomainRef{l3, []string{"root", "a", "a2"}}
	if diff := cmp.Diff(want, p.Quality.Aligned); diff != "" {
		t.Errorf("aligned (-want +got):\n%s", diff)
	}
	if got := c.Revision(); got != res.Revision || p.Record.Revision != got {
		t.Errorf("revision %v, answer %v, record %v", got, res.Revision, p.Record.Revision)
	}
	if p.Sets[0].Name != ledger.OnlyPodSet {
		t.Errorf("set name %q", p.Sets[0].Name)
	}
}

// TestIdentity walks the rules by which a gang asked for again is the same one.
func TestIdentity(t *testing.T) {
	type step struct {
		do   string // place, release, degrade
		req  PlaceRequest
		want string // existing, placed, anew, refused, or a reason
	}
	other := gpus("g", "u1", 2, "")
	other.Priority = 7
	other.TTL = 1e12
	cases := map[string][]step{
		"same again":              {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", other, "existing"}},
		"empty uid is current":    {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", gpus("g", "", 2, ""), "existing"}},
		"another spec":            {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", gpus("g", "u1", 3, ""), "GANG_CHANGED"}},
		"new uid inherits":        {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", gpus("g", "u2", 2, ""), "existing"}},
		"new uid, another spec":   {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", gpus("g", "u2", 7, ""), "placed"}},
		"old uid":                 {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", gpus("g", "u2", 2, ""), "existing"}, {"place", gpus("g", "u1", 2, ""), "GANG_REPLACED"}},
		"released":                {{"place", gpus("g", "u1", 2, ""), "placed"}, {"release", gpus("g", "u1", 2, ""), ""}, {"place", gpus("g", "u1", 2, ""), "GANG_RELEASED"}},
		"released, new uid":       {{"place", gpus("g", "u1", 2, ""), "placed"}, {"release", gpus("g", "u1", 2, ""), ""}, {"place", gpus("g", "u2", 2, ""), "placed"}},
		"unbound, node lost":      {{"place", gpus("g", "u1", 2, l3), "placed"}, {"degrade", PlaceRequest{}, ""}, {"place", gpus("g", "u1", 2, l3), "anew"}},
		"refused":                 {{"place", gpus("g", "u1", 8, ""), "refused"}, {"place", gpus("g", "u1", 2, ""), "placed"}},
		"unknown layer":           {{"place", gpus("g", "u1", 2, "network-node-layer-3"), "UNKNOWN_LAYER"}},
		"too many pods":           {{"place", gpus("g", "u1", 0, ""), "INVALID_REQUEST"}},
		"ended and replaced, old": {{"place", gpus("g", "u1", 2, ""), "placed"}, {"place", gpus("g", "u2", 9, ""), "refused"}, {"place", gpus("g", "u1", 2, ""), "GANG_RELEASED"}},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			c := start(t, Config{}, small())
			for i, s := range steps {
				if got := takeStep(t, c, s.do, s.req); got != s.want {
					t.Fatalf("step %d: %q, want %q", i, got, s.want)
				}
			}
			recount(t, c)
		})
	}
}

func takeStep(t *testing.T, c *Cluster, do string, req PlaceRequest) string {
	t.Helper()
	ctx := context.Background()
	switch do {
	case "release":
		if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: req.Gang}); err != nil {
			return string(reasonOf(err))
		}
		return ""
	case "degrade":
		if err := c.Apply(ctx, Delta{RemovedNodes: []string{"n4"}}); err != nil {
			return err.Error()
		}
		got, err := c.GetPlacement(ctx, ledger.Gang{Namespace: "team-a", Name: "g"})
		if err != nil || got.Placement.Record.State != ledger.Degraded {
			t.Fatalf("after the loss: %v, %v", got, err)
		}
		return ""
	}
	res, err := c.PlaceGang(ctx, req)
	switch {
	case err != nil:
		return string(reasonOf(err))
	case res.Refusal != nil:
		return "refused"
	case res.DecidedAnew && len(res.Notes) > 0:
		return "anew"
	case res.Existing:
		return "existing"
	}
	return "placed"
}

func TestGangChangedNamesFields(t *testing.T) {
	c := start(t, Config{}, small())
	mustPlace(t, c, gpus("g", "u1", 2, ""))
	_, err := c.PlaceGang(context.Background(), gpus("g", "u1", 3, l3))
	e, ok := err.(*Error) //nolint:errorlint // calls give it bare
	if !ok || e.Metadata["fields"] != "constraint,pod_sets[0].count" {
		t.Errorf("%v: %+v", err, e)
	}
}

func TestDryRunHoldsNothing(t *testing.T) {
	c := start(t, Config{}, small())
	before := c.Revision()
	req := gpus("g", "u1", 7, "")
	req.DryRun = true
	for range 3 {
		res := mustPlace(t, c, req)
		if !res.Placement.DryRun || res.Placement.Record.State != ledger.NoState || res.Placement.Etag != "" || res.Existing {
			t.Errorf("dry run: %+v", res.Placement)
		}
	}
	if got := c.Revision(); got != before {
		t.Errorf("revision moved from %v to %v", before, got)
	}
	if _, err := c.GetPlacement(context.Background(), req.Gang); reasonOf(err) != PlacementNotFound {
		t.Errorf("get: %v", err)
	}
	recount(t, c)
}

func TestAllOrNothing(t *testing.T) {
	c := start(t, Config{}, small())
	mustPlace(t, c, gpus("first", "", 5, ""))
	res, err := c.PlaceGang(context.Background(), gpus("second", "", 3, ""))
	if err != nil || res.Refusal == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	if res.Refusal.Best.Fits != 2 || res.Refusal.Best.Wanted != 3 {
		t.Errorf("best: %+v", res.Refusal.Best)
	}
	mustPlace(t, c, gpus("third", "", 2, ""))
	recount(t, c)
}

func TestUnknownResource(t *testing.T) {
	c := start(t, Config{}, small())
	req := gpus("g", "", 1, "")
	req.Spec.PodSets[0].Requests = map[string]int64{"nvidia.com/gpus": 8}
	_, err := c.PlaceGang(context.Background(), req)
	e, ok := err.(*Error) //nolint:errorlint // calls give it bare
	if !ok || e.Reason != UnknownResource || e.Metadata["known"] != "cpu,nvidia.com/gpu,pods" {
		t.Errorf("%v", err)
	}
}

func TestExplain(t *testing.T) {
	d := small()
	d.Nodes[0].Ready = false
	c := start(t, Config{}, d)
	mustPlace(t, c, gpus("bert", "", 1, l3)) // goes to the fullest leaf, a1, b1 or a2
	req := gpus("llama", "", 3, l3)
	req.Explain = true
	res, err := c.PlaceGang(context.Background(), req)
	if err != nil || res.Refusal == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	r := res.Refusal
	if r.Message != "team-a/llama: 3 pods need one layer-3 domain; the best, a2, has room for 2" && r.Best.Fits != 2 {
		t.Errorf("message %q, best %+v", r.Message, r.Best)
	}
	kinds := map[SuggestionKind]Suggestion{}
	for _, s := range r.Suggestions {
		kinds[s.Kind] = s
	}
	if kinds[FewerPods].Pods != 2 || kinds[WiderLayer].Constraint == nil || kinds[Prefer].Crossings < 2 {
		t.Errorf("suggestions: %+v", r.Suggestions)
	}
	recount(t, c)
}

func TestExplainHolders(t *testing.T) {
	c := start(t, Config{}, small())
	for _, name := range []string{"x", "y"} {
		mustPlace(t, c, gpus(name, "", 2, l3)) // fills a2 and b1
	}
	mustPlace(t, c, gpus("z", "", 1, l3)) // a1
	req := gpus("llama", "", 3, l3)
	req.Explain = true
	res, err := c.PlaceGang(context.Background(), req)
	if err != nil || res.Refusal == nil {
		t.Fatalf("%+v, %v", res, err)
	}
	var after *Suggestion
	for i := range res.Refusal.Suggestions {
		if res.Refusal.Suggestions[i].Kind == AfterGangs {
			after = &res.Refusal.Suggestions[i]
		}
	}
	if after == nil || len(after.After) != 1 || after.After[0].Name != "z" || after.Message != "3 pods in a1 once team-a/z ends" {
		t.Errorf("after: %+v", after)
	}
	want := []NodeCount{{Reason: "HELD", By: "team-a/z", Nodes: 1}, {Reason: "FITS", Nodes: 2}}
	for i := range res.Refusal.Counts {
		res.Refusal.Counts[i].Until = want[0].Until
	}
	if diff := cmp.Diff(want, res.Refusal.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	recount(t, c)
}
