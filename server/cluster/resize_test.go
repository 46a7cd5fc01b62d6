package cluster

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

func size(n int32) ResizeRequest { return ResizeRequest{Gang: theGang(), Sets: []SetSize{{Count: n}}} }

func mustResize(t *testing.T, c *Cluster, req ResizeRequest) *ResizeResult {
	t.Helper()
	res, err := c.ResizePlacement(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if (res.Placement == nil) == (res.Refusal == nil) {
		t.Fatalf("neither or both: %+v", res)
	}
	return res
}

// TestResize grows in the same domain, keeps ranks, shrinks from the end, and
// answers to both specs afterwards.
func TestResize(t *testing.T) {
	c := start(t, Config{}, small())
	first := repairable(2, 0, &ledger.Constraint{Required: l2})
	placed := mustPlace(t, c, first).Placement // a2: n4 n5
	dry := size(4)
	dry.DryRun = true
	if res := mustResize(t, c, dry); !res.Placement.DryRun || len(nodesOf(res.Placement)) != 4 {
		t.Errorf("dry run: %+v", res)
	}
	if got, _ := c.GetPlacement(context.Background(), theGang()); got.Placement.Etag != placed.Etag {
		t.Error("a dry run changed the placement")
	}
	grown := mustResize(t, c, size(4)).Placement
	if diff := cmp.Diff(nodesOf(placed), nodesOf(grown)[:2]); diff != "" || grown.Pods != 4 || grown.Quality.Aligned.Layer != l2 {
		t.Errorf("grown: %v", nodesOf(grown))
	}
	if rec := grown.Record; rec.Original == nil || rec.Original.PodSets[0].Count != 2 || rec.Spec.PodSets[0].Count != 4 {
		t.Errorf("specs: %+v", rec)
	}
	if again := mustResize(t, c, size(4)); !again.Existing || again.Placement.Etag != grown.Etag {
		t.Errorf("repeat: %+v", again)
	}
	for _, n := range []int32{2, 4} {
		if res := mustPlace(t, c, repairable(n, 0, &ledger.Constraint{Required: l2})); !res.Existing || len(nodesOf(res.Placement)) != 4 {
			t.Errorf("asked for %d: %+v", n, res)
		}
	}
	if _, err := c.PlaceGang(context.Background(), repairable(3, 0, &ledger.Constraint{Required: l2})); reasonOf(err) != GangChanged {
		t.Errorf("a third spec: %v", err)
	}
	shrunk := mustResize(t, c, size(3)).Placement
	if diff := cmp.Diff(nodesOf(grown)[:3], nodesOf(shrunk)); diff != "" {
		t.Errorf("shrunk (-want +got):\n%s", diff)
	}
	back := mustResize(t, c, size(2)).Placement
	if back.Record.Original != nil || !cmp.Equal(nodesOf(back), nodesOf(placed)) {
		t.Errorf("back at the first size: %v, original %v", nodesOf(back), back.Record.Original)
	}
	recount(t, c)
}

func TestResizeBadInput(t *testing.T) {
	c := start(t, Config{}, small())
	sliced := repairable(4, 2, nil)
	mustPlace(t, c, sliced)
	if _, err := c.ConfirmPlacement(context.Background(), ConfirmRequest{Gang: theGang(), Slots: []ledger.Report{{Rank: 2}}}); err != nil {
		t.Fatal(err)
	}
	floor := func(n, least int32) ResizeRequest {
		req := size(n)
		req.Sets[0].MinCount = &least
		return req
	}
	twice := size(4)
	twice.Sets = append(twice.Sets, SetSize{Name: "main", Count: 6})
	named := size(4)
	named.Sets[0].Name = "other"
	old := size(4)
	old.Etag = "9-9"
	for _, x := range []struct {
		req         ResizeRequest
		want        Reason
		field, text string
	}{
		{size(2), SizeBelowBound, "pod_sets[0].count", "main cannot shrink to 2 pods: rank 2 is bound"},
		{size(5), InvalidRequest, "pod_sets[0].count", "slices[0].size: 2 does not divide the count, 5"},
		{floor(6, 7), InvalidRequest, "pod_sets[0].min_count", "is 7, above count"},
		{floor(6, 3), InvalidRequest, "pod_sets[0].min_count", "no whole number of slices"},
		{twice, InvalidRequest, "pod_sets[1].name", "resized by pod_sets[0] too"},
		{named, SlotNotFound, "pod_sets[0].name", `no pod set "other"`},
		{old, EtagMismatch, "", "has changed"},
	} {
		_, err := c.ResizePlacement(context.Background(), x.req)
		e, ok := err.(*Error) //nolint:errorlint // calls give it bare
		if !ok || e.Reason != x.want || e.Field != x.field || !strings.Contains(e.Message, x.text) {
			t.Errorf("%s %q: %v", x.want, x.text, err)
		}
	}
	recount(t, c)
}

// TestResizeRefused: the domain that binds the gang is full, and the size that is
// suggested can be had.
func TestResizeRefused(t *testing.T) {
	c := start(t, Config{}, small())
	mustPlace(t, c, repairable(2, 0, &ledger.Constraint{Required: l2}))
	req := size(6)
	req.Explain = true
	res := mustResize(t, c, req)
	if res.Refusal == nil || !strings.Contains(res.Refusal.Message, "4 more pods") || len(res.Refusal.Suggestions) != 1 {
		t.Fatalf("%+v", res.Refusal)
	}
	n := res.Refusal.Suggestions[0].Pods
	if got := mustResize(t, c, size(n)); got.Placement == nil || got.Placement.Pods != n || n < 3 {
		t.Errorf("%d pods: %+v", n, got.Refusal)
	}
	recount(t, c)
}

// TestPartialGains: ranks that wait get seats when the gang is asked for again,
// and no rank that has one loses it.
func TestPartialGains(t *testing.T) {
	c := start(t, Config{}, small())
	mustPlace(t, c, gpus("other", "", 1, l3))
	req := repairable(5, 0, &ledger.Constraint{Required: l2})
	req.Spec.PodSets[0].MinCount = 2
	first := mustPlace(t, c, req)
	had := nodesOf(first.Placement)
	if first.Placement.Pods < 2 || first.Placement.Wanted != 5 || first.Placement.Pods == 5 {
		t.Fatalf("%d of %d", first.Placement.Pods, first.Placement.Wanted)
	}
	same := mustPlace(t, c, req)
	if !same.Existing || !cmp.Equal(had, nodesOf(same.Placement)) {
		t.Errorf("no room, and yet: %v", nodesOf(same.Placement))
	}
	if _, err := c.ReleasePlacement(context.Background(), ReleaseRequest{Gang: ledger.Gang{Namespace: "team-a", Name: "other"}}); err != nil {
		t.Fatal(err)
	}
	more := mustPlace(t, c, req)
	if !more.Existing || len(nodesOf(more.Placement)) <= len(had) || !cmp.Equal(had, nodesOf(more.Placement)[:len(had)]) || len(more.Notes) == 0 {
		t.Errorf("%v after %v, notes %v", nodesOf(more.Placement), had, more.Notes)
	}
	recount(t, c)
}

// TestChangesLast: what was resized and repaired is the same after a restart.
func TestChangesLast(t *testing.T) {
	store := ledger.NewMemory(4)
	c, err := New(context.Background(), Config{Store: store, Scheme: awsScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	stop := run(t, c)
	if err := c.Apply(context.Background(), wide()); err != nil {
		t.Fatal(err)
	}
	mustPlace(t, c, repairable(3, 0, &ledger.Constraint{Required: l3}))
	grown := mustResize(t, c, size(4)).Placement
	bindAll(t, c)
	gone := grown.Sets[0].Ranks[1].Node
	lose(t, c, gone)
	if res := mustRepair(t, c, RepairRequest{}); len(res.Moves) != 1 {
		t.Fatalf("%+v", res)
	}
	before, err := c.GetPlacement(context.Background(), theGang())
	if err != nil {
		t.Fatal(err)
	}
	stop()
	d := wide()
	d.Nodes = slices.DeleteFunc(d.Nodes, func(n Node) bool { return n.Name == gone })
	after, err := start(t, Config{Store: store}, d).GetPlacement(context.Background(), theGang())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nodesOf(before.Placement), nodesOf(after.Placement)); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if rec := after.Placement.Record; rec.Original == nil || rec.Original.PodSets[0].Count != 3 || rec.Sets[0].SlotAt(1).From != gone {
		t.Errorf("%+v", rec)
	}
}
