package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

var leafA1 = DomainRef{Layer: l3, Path: []string{"root", "a", "a1"}}

func nodeAt(name string) DomainRef {
	return DomainRef{Layer: "kubernetes.io/hostname", Path: []string{name}}
}

func mustHold(t *testing.T, c *Cluster, req HoldRequest) *Held {
	t.Helper()
	held, err := c.HoldDomain(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// room is how many whole-node pods fit in a domain now.
func room(t *testing.T, c *Cluster, root DomainRef) int64 {
	t.Helper()
	free, err := c.ListFree(context.Background(), FreeRequest{Requests: map[string]int64{"nvidia.com/gpu": 8}, Root: &root, Layers: []string{root.Layer}})
	if err != nil {
		t.Fatal(err)
	}
	return free.Layers[0].Free
}

func TestHoldKeepsNewPodsAway(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	stays := gpus("stays", "u1", 1, l3)
	stays.Spec.PodSets[0].Filter.Labels = map[string]string{"kubernetes.io/hostname": "n1"}
	mustPlace(t, c, stays)
	held := mustHold(t, c, HoldRequest{Domain: leafA1, Note: "switch swap", By: "eve"})
	want := &Held{
		Domain: leafA1, Hold: &Maintenance{Note: "switch swap", By: "eve"}, Nodes: 3,
		Gangs: []ledger.Gang{stays.Gang}, Revision: c.Revision(),
	}
	if diff := cmp.Diff(want, held); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
	if got := stateOf(t, c, stays.Gang); got != ledger.Reserved || room(t, c, leafA1) != 0 {
		t.Errorf("what is there stays: %v; room for %d", got, room(t, c, leafA1))
	}
	before := c.Revision()
	mustHold(t, c, HoldRequest{Domain: leafA1, Note: "switch swap", By: "eve"})
	if c.Revision() != before {
		t.Error("a repeat is news")
	}
	// A node that joins is held, one that leaves is not.
	joins, leaves := gpuNode("n8", "root", "a", "a1"), gpuNode("n3", "root", "a", "a2")
	if err := c.Apply(ctx, Delta{Nodes: []Node{joins, leaves}}); err != nil {
		t.Fatal(err)
	}
	if a2 := room(t, c, DomainRef{Layer: l3, Path: []string{"root", "a", "a2"}}); room(t, c, leafA1) != 0 || a2 != 3 {
		t.Errorf("room in a1 %d, in a2 %d", room(t, c, leafA1), a2)
	}
	// One that was away and is back is held again.
	for _, d := range []Delta{{RemovedNodes: []string{"n1"}}, {Nodes: []Node{gpuNode("n1", "root", "a", "a1")}}} {
		if err := c.Apply(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: stays.Gang}); err != nil {
		t.Fatal(err)
	}
	if got := room(t, c, leafA1); got != 0 {
		t.Errorf("n1 is back: room for %d", got)
	}
	recount(t, c)
	// A node of its own in it: lifting the leaf leaves that one held.
	mustHold(t, c, HoldRequest{Domain: nodeAt("n2")})
	lifted, err := c.UnholdDomain(ctx, leafA1)
	if err != nil || lifted.Hold == nil || lifted.Hold.Note != "switch swap" || room(t, c, leafA1) != 2 {
		t.Errorf("lifted %+v, %v; room for %d", lifted, err, room(t, c, leafA1))
	}
	if again, err := c.UnholdDomain(ctx, leafA1); err != nil || again.Hold != nil {
		t.Errorf("lifted again: %+v, %v", again, err)
	}
	recount(t, c)
}

// TestHoldIsAReason: a refusal says who keeps nodes back, why and until when.
func TestHoldIsAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{}, small())
		mustHold(t, c, HoldRequest{Domain: leafA1, Note: "switch swap", By: "eve", TTL: time.Hour})
		mustHold(t, c, HoldRequest{Domain: nodeAt("n4"), Note: "fan", By: "bob"})
		mustHold(t, c, HoldRequest{Domain: nodeAt("n5"), Note: "fan", By: "bob"})
		req := gpus("g", "u1", 4, l2)
		req.Explain = true
		res, err := c.PlaceGang(context.Background(), req)
		if err != nil || res.Refusal == nil {
			t.Fatal(res, err)
		}
		req = gpus("g", "u1", 3, "")
		req.Explain = true
		if res, err = c.PlaceGang(context.Background(), req); err != nil || res.Refusal == nil {
			t.Fatal(res, err)
		}
		want := []NodeCount{
			{Reason: "MAINTENANCE", Detail: "switch swap", By: "eve", Until: time.Now().Add(time.Hour), Nodes: 3},
			{Reason: "MAINTENANCE", Detail: "fan", By: "bob", Nodes: 2},
			{Reason: "FITS", Nodes: 2},
		}
		if diff := cmp.Diff(want, res.Refusal.Counts); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		time.Sleep(time.Hour + time.Second) // it lapses by itself
		synctest.Wait()
		if room(t, c, leafA1) != 3 {
			t.Errorf("room for %d after its time", room(t, c, leafA1))
		}
		mustPlace(t, c, req)
		recount(t, c)
	})
}

func TestHoldIsShown(t *testing.T) {
	c := start(t, Config{}, small())
	mustHold(t, c, HoldRequest{Domain: leafA1, Note: "leaf"})
	mustHold(t, c, HoldRequest{Domain: nodeAt("n2"), Note: "node"})
	top, err := c.GetTopology(context.Background(), TopologyRequest{IncludeNodes: true})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range top.Domains {
		if d.Maintenance != nil {
			got[last(d.Ref.Path)] = d.Maintenance.Note
		}
		for _, n := range d.Direct {
			if n.Maintenance != nil {
				got[n.Name] = n.Maintenance.Note
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"a1": "leaf", "n2": "node"}, got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// TestHoldOutlivesRestart: from the store, nodes that are away at the start
// included; its time goes on while the server is down; a failed write changes
// nothing.
func TestHoldOutlivesRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &flaky{Memory: ledger.NewMemory(1)}
		cfg := Config{Store: store, Scheme: awsScheme(t)}
		c, err := New(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		stop := run(t, c)
		if err := c.Apply(context.Background(), small()); err != nil {
			t.Fatal(err)
		}
		mustHold(t, c, HoldRequest{Domain: leafA1, TTL: time.Hour})
		mustHold(t, c, HoldRequest{Domain: nodeAt("n6")})
		store.broken.Store(true)
		if _, err := c.HoldDomain(context.Background(), HoldRequest{Domain: nodeAt("n7")}); reasonOf(err) != StoreFailed {
			t.Errorf("unwritten: %v", err)
		}
		if _, err := c.UnholdDomain(context.Background(), nodeAt("n6")); reasonOf(err) != StoreFailed {
			t.Errorf("unwritten: %v", err)
		}
		recount(t, c)
		store.broken.Store(false)
		stop()
		time.Sleep(30 * time.Minute)
		next := start(t, Config{Store: store}, Delta{Replace: true, Nodes: small().Nodes[:5]})
		if err := next.Apply(context.Background(), Delta{Nodes: small().Nodes[5:]}); err != nil {
			t.Fatal(err)
		}
		b1 := DomainRef{Layer: l3, Path: []string{"root", "b", "b1"}}
		if room(t, next, leafA1) != 0 || room(t, next, b1) != 1 {
			t.Errorf("room in a1 %d, in b1 %d", room(t, next, leafA1), room(t, next, b1))
		}
		time.Sleep(31 * time.Minute)
		synctest.Wait()
		if room(t, next, leafA1) != 3 {
			t.Errorf("its time went on: room for %d", room(t, next, leafA1))
		}
		recount(t, next)
	})
}

func TestHoldRefusals(t *testing.T) {
	c := start(t, Config{}, small())
	for _, w := range []struct {
		ref  DomainRef
		want Reason
	}{
		{DomainRef{Layer: l3, Path: []string{"root", "a", "zz"}}, DomainNotFound},
		{nodeAt("n99"), DomainNotFound},
		{DomainRef{Layer: "rack", Path: []string{"r"}}, UnknownLayer},
		{DomainRef{}, UnknownLayer},
	} {
		if _, err := c.HoldDomain(context.Background(), HoldRequest{Domain: w.ref}); reasonOf(err) != w.want {
			t.Errorf("%v: %v, want %v", w.ref, err, w.want)
		}
	}
	if _, err := c.UnholdDomain(context.Background(), nodeAt("n99")); err != nil {
		t.Errorf("a node that is not there any more: %v", err)
	}
}
