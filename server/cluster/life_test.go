package cluster

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

func stateOf(t *testing.T, c *Cluster, g ledger.Gang) ledger.State {
	t.Helper()
	got, err := c.GetPlacement(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	return got.Placement.Record.State
}

func TestReservationLapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{}, small())
		ctx := context.Background()
		req := gpus("g", "u1", 2, "")
		req.TTL = time.Minute
		mustPlace(t, c, req)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if got := stateOf(t, c, req.Gang); got != ledger.Reserved {
			t.Fatalf("before its time: %v", got)
		}
		if _, err := c.RenewPlacement(ctx, RenewRequest{Gang: req.Gang, TTL: 2 * time.Minute}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(119 * time.Second)
		synctest.Wait()
		if got := stateOf(t, c, req.Gang); got != ledger.Reserved {
			t.Fatalf("renewed: %v", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := stateOf(t, c, req.Gang); got != ledger.Expired {
			t.Fatalf("after its time: %v", got)
		}
		recount(t, c)
		if _, err := c.RenewPlacement(ctx, RenewRequest{Gang: req.Gang}); reasonOf(err) != GangExpired {
			t.Errorf("renewing what has expired: %v", err)
		}
		if res := mustPlace(t, c, req); res.Existing {
			t.Error("an expired gang is decided anew")
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if _, err := c.GetPlacement(ctx, req.Gang); reasonOf(err) != PlacementNotFound {
			t.Errorf("after a day: %v", err)
		}
	})
}

func TestHalfAGangIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{}, small())
		ctx := context.Background()
		req := gpus("g", "u1", 2, "")
		mustPlace(t, c, req)
		confirm := ConfirmRequest{Gang: req.Gang, Slots: []ledger.Report{{Rank: 0, PodUID: "p0"}}}
		first, err := c.ConfirmPlacement(ctx, confirm)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.ConfirmPlacement(ctx, confirm)
		if err != nil || again.Revision != first.Revision {
			t.Errorf("a repeat: %v, %v", again, err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		got, err := c.GetPlacement(ctx, req.Gang)
		if err != nil {
			t.Fatal(err)
		}
		p := got.Placement
		if p.Record.State != ledger.Reserved || len(p.Troubles) != 1 || p.Troubles[0].Kind != ledger.Overdue {
			t.Errorf("state %v, troubles %+v", p.Record.State, p.Troubles)
		}
		if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, AllAsPlanned: true}); err != nil {
			t.Fatal(err)
		}
		if got := stateOf(t, c, req.Gang); got != ledger.Bound {
			t.Errorf("whole: %v", got)
		}
	})
}

func TestSlotFollowsPod(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	req := gpus("g", "u1", 2, l3)
	mustPlace(t, c, req) // n4, n5
	got, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: []ledger.Report{{Rank: 1, Node: "n6"}}, AllAsPlanned: true})
	if err != nil {
		t.Fatal(err)
	}
	p := got.Placement
	if diff := cmp.Diff([]string{"n4*1", "n6*1"}, nodesOf(p)); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	kinds := []ledger.TroubleKind{}
	for _, tr := range p.Troubles {
		kinds = append(kinds, tr.Kind)
	}
	if diff := cmp.Diff([]ledger.TroubleKind{ledger.ConstraintBroken, ledger.Drift}, kinds); diff != "" {
		t.Errorf("troubles (-want +got):\n%s", diff)
	}
	if p.Record.State != ledger.Degraded || p.Quality.Leaves != 2 {
		t.Errorf("state %v, leaves %d", p.Record.State, p.Quality.Leaves)
	}
	recount(t, c)
	_, err = c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: []ledger.Report{{Rank: 0, Node: "n99"}}})
	if reasonOf(err) != NodeNotFound {
		t.Errorf("unknown node: %v", err)
	}
	_, err = c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: []ledger.Report{{Rank: 2}}})
	if reasonOf(err) != SlotNotFound {
		t.Errorf("unknown rank: %v", err)
	}
}

func TestNodeLostAndBack(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	req := gpus("g", "u1", 2, l3)
	mustPlace(t, c, req)
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, AllAsPlanned: true}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct {
		d    Delta
		want ledger.State
	}{
		{Delta{RemovedNodes: []string{"n4"}}, ledger.Degraded},
		{Delta{Nodes: []Node{gpuNode("n4", "root", "a", "a2")}}, ledger.Bound},
		{Delta{Nodes: []Node{gpuNode("n4", "root", "a", "a1")}}, ledger.Degraded}, // the label moved
		{Delta{Nodes: []Node{gpuNode("n4", "root", "a", "a2")}}, ledger.Bound},
	} {
		if err := c.Apply(ctx, s.d); err != nil {
			t.Fatal(err)
		}
		if got := stateOf(t, c, req.Gang); got != s.want {
			t.Errorf("%+v: %v, want %v", s.d, got, s.want)
		}
		recount(t, c)
	}
	if res := mustPlace(t, c, req); !res.Existing || res.DecidedAnew {
		t.Error("a bound gang keeps its seats")
	}
}

// flaky is a memory store that fails while told to.
type flaky struct {
	*ledger.Memory
	broken  atomic.Bool
	commits atomic.Int64
}

func (f *flaky) Commit(ctx context.Context, changes []ledger.Change) error {
	f.commits.Add(1)
	if f.broken.Load() {
		return errors.New("disk full")
	}
	return f.Memory.Commit(ctx, changes)
}

func TestFailedCommitChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &flaky{Memory: ledger.NewMemory(1)}
		c := start(t, Config{Store: store}, small())
		ctx := context.Background()
		kept := gpus("kept", "u1", 2, l3)
		mustPlace(t, c, kept)
		before := c.Revision()
		store.broken.Store(true)
		if _, err := c.PlaceGang(ctx, gpus("g", "u1", 2, l3)); reasonOf(err) != StoreFailed {
			t.Errorf("place: %v", err)
		}
		if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: kept.Gang}); reasonOf(err) != StoreFailed {
			t.Errorf("release: %v", err)
		}
		if got := c.Revision(); got != before || reasonOf(c.Writes()) != StoreFailed {
			t.Errorf("revision %v, want %v; writes %v", got, before, c.Writes())
		}
		if got := stateOf(t, c, kept.Gang); got != ledger.Reserved {
			t.Errorf("kept is %v", got)
		}
		recount(t, c)
		if err := c.Apply(ctx, Delta{RemovedNodes: []string{"n4"}}); err != nil { // the graph goes on
			t.Fatal(err)
		}
		if got := stateOf(t, c, kept.Gang); got != ledger.Reserved {
			t.Errorf("unwritten: %v", got)
		}
		store.broken.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := stateOf(t, c, kept.Gang); got != ledger.Degraded || c.Writes() != nil {
			t.Errorf("healed: %v, writes %v", got, c.Writes())
		}
		recount(t, c)
	})
}

// TestRestore: a cluster made from the same store is in the same state.
func TestRestore(t *testing.T) { synctest.Test(t, testRestore) }

func testRestore(t *testing.T) {
	store := ledger.NewMemory(4)
	c, err := New(context.Background(), Config{Store: store, Scheme: awsScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	stop := run(t, c)
	if err := c.Apply(ctx, small()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c"} {
		mustPlace(t, c, gpus(name, "u", 2, l3))
	}
	if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: ledger.Gang{Namespace: "team-a", Name: "b"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: ledger.Gang{Namespace: "team-a", Name: "a"}, AllAsPlanned: true}); err != nil {
		t.Fatal(err)
	}
	want := snapshot(t, c)
	old := c.Revision()
	stop()
	next := start(t, Config{Store: store}, small())
	if diff := cmp.Diff(want, snapshot(t, next)); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	recount(t, next)
	if got := next.Revision(); got.Epoch != old.Epoch+1 {
		t.Errorf("epoch %d after %d", got.Epoch, old.Epoch)
	}
	if err := next.WaitRevision(ctx, old.String()); err != nil {
		t.Errorf("an earlier epoch: %v", err)
	}
	if _, err := c.PlaceGang(ctx, gpus("d", "", 1, "")); reasonOf(err) != Stopping {
		t.Errorf("after the stop: %v", err)
	}
}

// snapshot is all placements and sums.
func snapshot(t *testing.T, c *Cluster) any {
	t.Helper()
	list, err := c.ListPlacements(context.Background(), ListRequest{States: []ledger.State{ledger.Reserved, ledger.Bound, ledger.Released}})
	if err != nil {
		t.Fatal(err)
	}
	top, err := c.GetTopology(context.Background(), TopologyRequest{IncludeNodes: true})
	if err != nil {
		t.Fatal(err)
	}
	var records []ledger.Record
	for _, p := range list.Placements {
		rec := *p.Record
		records = append(records, rec)
	}
	return []any{records, top.Domains}
}

func TestWaitRevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{}, small())
		now := c.Revision()
		later := ledger.Revision{Epoch: now.Epoch, N: now.N + 1}
		short, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for _, w := range []struct {
			text string
			want Reason
		}{
			{now.String(), "<nil>"}, {"", "<nil>"}, {"9-1", RevisionUnknown}, {"x", InvalidRequest}, {later.String(), RevisionNotReached},
		} {
			if got := reasonOf(c.WaitRevision(short, w.text)); got != w.want {
				t.Errorf("%q: %v, want %v", w.text, got, w.want)
			}
		}
		waited := make(chan error, 1) // the one answer
		go func() { waited <- c.WaitRevision(context.Background(), later.String()) }()
		synctest.Wait()
		mustPlace(t, c, gpus("g", "", 1, ""))
		if err := <-waited; err != nil {
			t.Error(err)
		}
	})
}

func TestStaleSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{}, small())
		s := SourceStatus{Kind: "file", Detail: "nodes.yaml", Updated: time.Now(), Stale: true, Error: "half written"}
		c.SetSource(s)
		mustPlace(t, c, gpus("g", "", 1, ""))
		time.Sleep(61 * time.Second)
		if _, err := c.PlaceGang(context.Background(), gpus("h", "", 1, "")); reasonOf(err) != SourceStale {
			t.Errorf("stale: %v", err)
		}
		dry := gpus("h", "", 1, "")
		dry.DryRun = true
		mustPlace(t, c, dry)
		s.Stale = false
		c.SetSource(s)
		mustPlace(t, c, gpus("h", "", 1, ""))
	})
}

func TestBeforeTheFirstDelta(t *testing.T) {
	c, err := New(context.Background(), Config{Scheme: awsScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	run(t, c)
	if _, err := c.PlaceGang(context.Background(), gpus("g", "", 1, "")); reasonOf(err) != NotSynced {
		t.Errorf("place: %v", err)
	}
	if reasonOf(c.Writes()) != NotSynced || c.Synced() {
		t.Errorf("writes: %v", c.Writes())
	}
}

func TestOverload(t *testing.T) {
	c, err := New(context.Background(), Config{Scheme: awsScheme(t), Queue: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1) // the one answer
	go func() {                 // waits: nothing runs yet
		_, err := c.GetPlacement(ctx, ledger.Gang{Namespace: "a", Name: "b"})
		done <- err
	}()
	for len(c.queue) == 0 {
		runtime.Gosched()
	}
	if _, err := c.GetPlacement(ctx, ledger.Gang{Namespace: "a", Name: "b"}); reasonOf(err) != Overloaded {
		t.Errorf("second: %v", err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
