package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// TestOwner is what becomes of slots when their owner ends: semantics 19.
func TestOwner(t *testing.T) {
	for _, w := range []struct {
		owner ledger.OwnerState
		want  ledger.State // once the last pod went
		next  Reason       // of placing the same uid again; "" = decided anew
	}{
		{ledger.OwnerSuspended, ledger.Expired, ""},
		{ledger.OwnerFinished, ledger.Expired, ""},
		{ledger.OwnerGone, ledger.Released, GangReleased},
	} {
		c := start(t, Config{}, small())
		ctx := context.Background()
		req := gpus("g", "u1", 3, "")
		mustPlace(t, c, req)
		confirm := func(r ConfirmRequest) *Placement {
			t.Helper()
			r.Gang = req.Gang
			got, err := c.ConfirmPlacement(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			return got.Placement
		}
		confirm(ConfirmRequest{Slots: []ledger.Report{{Rank: 0, PodUID: "p0"}, {Rank: 1, PodUID: "p1"}}})
		p := confirm(ConfirmRequest{Owner: w.owner})
		if sl := p.Record.Sets[0].SlotAt(2); sl.State != ledger.SlotEnded || p.Record.State.Ended() {
			t.Errorf("%d: the seat without a pod is %+v, the placement %v", w.owner, sl, p.Record.State)
		}
		p = confirm(ConfirmRequest{Slots: []ledger.Report{{Rank: 0, PodUID: "p0", Event: ledger.PodGone}}})
		if sl := p.Record.Sets[0].SlotAt(0); sl.State != ledger.SlotEnded {
			t.Errorf("%d: no grace, but %+v", w.owner, sl)
		}
		last := ConfirmRequest{Slots: []ledger.Report{{Rank: 1, PodUID: "p1", Event: ledger.PodGone}}}
		for range 2 { // the answer was lost: the repeat is told the same
			if p = confirm(last); p.Record.State != w.want {
				t.Errorf("%d: %v, want %v", w.owner, p.Record.State, w.want)
			}
		}
		res, err := c.PlaceGang(ctx, req)
		if w.next != "" && reasonOf(err) != w.next || w.next == "" && (err != nil || res.Existing) {
			t.Errorf("%d: placed again: %+v, %v", w.owner, res, err)
		}
		recount(t, c)
	}
}

// TestSucceededPodFreesItsSlot, at once and for others.
func TestSucceededPodFreesItsSlot(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	req := gpus("g", "u1", 7, "")
	mustPlace(t, c, req)
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, AllAsPlanned: true}); err != nil {
		t.Fatal(err)
	}
	if res, err := c.PlaceGang(ctx, gpus("h", "u1", 1, "")); err != nil || res.Refusal == nil {
		t.Fatalf("nothing is free: %+v, %v", res, err)
	}
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: []ledger.Report{{Rank: 3, Event: ledger.PodSucceeded}}}); err != nil {
		t.Fatal(err)
	}
	if got := stateOf(t, c, req.Gang); got != ledger.Bound {
		t.Errorf("BOUND until the last slot ends, but %v", got)
	}
	mustPlace(t, c, gpus("h", "u1", 1, ""))
}

// TestEtagGuards: a guarded call on a placement that changed does nothing.
func TestEtagGuards(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	req := gpus("g", "u1", 2, "")
	old := mustPlace(t, c, req).Placement.Etag
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: []ledger.Report{{Rank: 0}}, Etag: old}); err != nil {
		t.Fatal(err)
	}
	before := c.Revision()
	_, err1 := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, AllAsPlanned: true, Etag: old})
	_, err2 := c.RenewPlacement(ctx, RenewRequest{Gang: req.Gang, Etag: old})
	_, err3 := c.ReleasePlacement(ctx, ReleaseRequest{Gang: req.Gang, Etag: old})
	for _, err := range []error{err1, err2, err3} {
		if reasonOf(err) != EtagMismatch {
			t.Errorf("%v", err)
		}
	}
	if c.Revision() != before {
		t.Error("something changed")
	}
	now, err := c.GetPlacement(ctx, req.Gang)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: req.Gang, Etag: now.Placement.Etag}); err != nil {
		t.Error(err)
	}
}

// TestInheritedSeats: an old pod counts inside the seat that its successor
// inherited, never besides.
func TestInheritedSeats(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	req := gpus("g", "u1", 7, "")
	first := mustPlace(t, c, req)
	reports := make([]ledger.Report, 7)
	pods := make([]Pod, 7)
	for i, node := range first.Placement.Sets[0].Ranks {
		name := string(rune('a' + i))
		reports[i] = ledger.Report{Rank: int32(i), PodName: name, PodUID: name + "1"}
		pods[i] = Pod{Namespace: "team-a", Name: name, UID: name + "1", Node: node.Node, Requests: map[string]int64{"nvidia.com/gpu": 8}}
	}
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: reports}); err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(ctx, Delta{Pods: pods}); err != nil {
		t.Fatal(err)
	}
	req.Gang.UID = "u2"
	second := mustPlace(t, c, req)
	if !second.Existing || second.Placement.Record.State != ledger.Reserved {
		t.Errorf("inherited: existing %v, %v", second.Existing, second.Placement.Record.State)
	}
	recount(t, c)
	if err := c.Apply(ctx, Delta{RemovedPods: []string{"team-a/a"}}); err != nil { // the old one ends
		t.Fatal(err)
	}
	if sl := second.Placement.Record.Sets[0].SlotAt(0); sl.State != ledger.SlotReserved {
		t.Errorf("%+v", sl)
	}
	old := ledger.Gang{Namespace: "team-a", Name: "g", UID: "u1"}
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: old, AllAsPlanned: true}); reasonOf(err) != GangReplaced {
		t.Errorf("the old incarnation: %v", err)
	}
	recount(t, c)
}

// TestDownTimeDoesNotCount: a reservation does not lapse because the server was
// down, restarts in a row included, and a kill adds at most a heartbeat.
func TestDownTimeDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &mortal{Memory: ledger.NewMemory(1)}
		req := gpus("g", "u1", 2, "")
		req.TTL = time.Minute
		remains := time.Minute
		for i := range 4 {
			c, err := New(context.Background(), Config{Store: store, Scheme: awsScheme(t)})
			if err != nil {
				t.Fatal(err)
			}
			stop := run(t, c)
			if err := c.Apply(context.Background(), small()); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				mustPlace(t, c, req)
			}
			got, err := c.GetPlacement(context.Background(), req.Gang)
			if err != nil {
				t.Fatal(err)
			}
			left := time.Until(got.Placement.Record.Expires)
			if left < remains || left > remains+heartbeat {
				t.Errorf("start %d: %v remain, want %v and at most a heartbeat more", i, left, remains)
			}
			remains = left
			time.Sleep(15 * time.Second)
			remains -= 15 * time.Second
			store.dead.Store(i%2 == 0) // killed
			stop()
			store.dead.Store(false)
			time.Sleep(48 * time.Hour)
		}
	})
}
