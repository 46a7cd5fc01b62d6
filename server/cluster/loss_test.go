package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// TestNodeLost is semantics 20, sentence by sentence: what makes a node lost,
// and what does not.
func TestNodeLost(t *testing.T) {
	n4 := func(change func(*Node)) Delta {
		n := gpuNode("n4", "root", "a", "a2")
		n.UID = "n4/1"
		change(&n)
		return Delta{Nodes: []Node{n}}
	}
	unready := n4(func(n *Node) { n.Ready = false })
	for _, w := range []struct {
		name string
		d    Delta
		wait time.Duration
		want ledger.State
	}{
		{"object deleted", Delta{RemovedNodes: []string{"n4"}}, 0, ledger.Degraded},
		{"out-of-service taint", n4(func(n *Node) { n.Taints = []Taint{{Key: outOfService, Effect: "NoExecute"}} }), 0, ledger.Degraded},
		{"provider says replace", n4(func(n *Node) { n.Provider = "UnschedulablePendingReplacement" }), 0, ledger.Degraded},
		{"not ready for longer", unready, 5*time.Minute + time.Second, ledger.Degraded},
		{"not ready, not for long", unready, 4*time.Minute + 59*time.Second, ledger.Bound},
		{"cordoned", n4(func(n *Node) { n.Unschedulable = true }), time.Hour, ledger.Bound},
		{"provider says reboot", n4(func(n *Node) { n.Provider = "UnschedulablePendingReboot" }), time.Hour, ledger.Bound},
		{"another taint", n4(func(n *Node) { n.Taints = []Taint{{Key: "a", Effect: "NoExecute"}} }), time.Hour, ledger.Bound},
		{"another resource", n4(func(n *Node) { n.Total["cpu"] = 1 }), time.Hour, ledger.Bound},
		{"label moved", n4(func(n *Node) { n.Labels[l3] = "a1" }), 0, ledger.Degraded},
		{"label vanished", n4(func(n *Node) { delete(n.Labels, l3) }), 0, ledger.Degraded},
	} {
		t.Run(w.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := start(t, Config{}, small())
				ctx := context.Background()
				if err := c.Apply(ctx, n4(func(*Node) {})); err != nil {
					t.Fatal(err)
				}
				req := gpus("g", "u1", 2, l3) // n4, n5
				mustPlace(t, c, req)
				if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, AllAsPlanned: true}); err != nil {
					t.Fatal(err)
				}
				if err := c.Apply(ctx, w.d); err != nil {
					t.Fatal(err)
				}
				time.Sleep(w.wait)
				synctest.Wait()
				if got := stateOf(t, c, req.Gang); got != w.want {
					t.Errorf("%v, want %v", got, w.want)
				}
				if err := c.Apply(ctx, n4(func(*Node) {})); err != nil { // back: it mends by itself
					t.Fatal(err)
				}
				synctest.Wait()
				if got := stateOf(t, c, req.Gang); got != ledger.Bound {
					t.Errorf("back: %v", got)
				}
				recount(t, c)
			})
		})
	}
}

// TestBlipsAreForgotten: being ready in between begins the time anew.
func TestBlipsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{NodeLossAfter: time.Minute}, small())
		req := gpus("g", "u1", 2, l3)
		mustPlace(t, c, req)
		for range 5 {
			for _, ready := range []bool{false, true} {
				n := gpuNode("n4", "root", "a", "a2")
				n.Ready = ready
				if err := c.Apply(context.Background(), Delta{Nodes: []Node{n}}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(50 * time.Second)
				synctest.Wait()
				if got := stateOf(t, c, req.Gang); got != ledger.Reserved {
					t.Fatalf("ready %v: %v", ready, got)
				}
				if _, err := c.RenewPlacement(context.Background(), RenewRequest{Gang: req.Gang}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestAnotherMachineOfTheName: a node that is made again under its name has none
// of the old one's pods, unless the source shows them.
func TestAnotherMachineOfTheName(t *testing.T) {
	for _, w := range []struct {
		name           string
		deleted, shown bool
		want           ledger.SlotState
	}{
		{"changed at once", false, false, ledger.SlotAwaiting},
		{"deleted before", true, false, ledger.SlotAwaiting},
		{"its pod still shown", false, true, ledger.SlotBound},
	} {
		t.Run(w.name, func(t *testing.T) {
			c := start(t, Config{}, small())
			ctx := context.Background()
			n := gpuNode("n4", "root", "a", "a2")
			apply := func(d Delta) {
				t.Helper()
				if err := c.Apply(ctx, d); err != nil {
					t.Fatal(err)
				}
			}
			n.UID = "first"
			apply(Delta{Nodes: []Node{n}})
			req := gpus("g", "u1", 2, l3)
			mustPlace(t, c, req)
			if w.shown {
				apply(Delta{Pods: []Pod{{Namespace: "team-a", Name: "g-0", UID: "p0", Node: "n4"}}})
			}
			reports := []ledger.Report{{Rank: 0, PodName: "g-0", PodUID: "p0"}, {Rank: 1, PodName: "g-1", PodUID: "p1"}}
			if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: req.Gang, Slots: reports}); err != nil {
				t.Fatal(err)
			}
			if w.deleted {
				apply(Delta{RemovedNodes: []string{"n4"}})
			}
			n.UID = "second"
			apply(Delta{Nodes: []Node{n}})
			got, err := c.GetPlacement(ctx, req.Gang)
			if err != nil {
				t.Fatal(err)
			}
			if sl := got.Placement.Record.Sets[0].SlotAt(0); sl.State != w.want {
				t.Errorf("rank 0 is %+v, want state %d", sl, w.want)
			}
			recount(t, c)
		})
	}
}

// TestSeatWaitsAnewOnceItsNodeIsBack: while the node was lost no successor could
// come.
func TestSeatWaitsAnewOnceItsNodeIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Config{}, small())
		ctx := context.Background()
		req := gpus("g", "u1", 2, l3) // n4, n5
		mustPlace(t, c, req)
		for _, r := range []ConfirmRequest{
			{Gang: req.Gang, AllAsPlanned: true},
			{Gang: req.Gang, Slots: []ledger.Report{{Rank: 0, Event: ledger.PodGone}}},
		} {
			if _, err := c.ConfirmPlacement(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		seat := func(d Delta, wait time.Duration) ledger.SlotState {
			t.Helper()
			if err := c.Apply(ctx, d); err != nil {
				t.Fatal(err)
			}
			time.Sleep(wait)
			synctest.Wait()
			got, err := c.GetPlacement(ctx, req.Gang)
			if err != nil {
				t.Fatal(err)
			}
			return got.Placement.Record.Sets[0].SlotAt(0).State
		}
		if got := seat(Delta{RemovedNodes: []string{"n4"}}, time.Hour); got != ledger.SlotLost {
			t.Errorf("lost: %v", got)
		}
		back := Delta{Nodes: []Node{gpuNode("n4", "root", "a", "a2")}}
		if got := seat(back, 10*time.Minute-time.Second); got != ledger.SlotAwaiting {
			t.Errorf("back: %v", got)
		}
		if got := seat(Delta{}, time.Second); got != ledger.SlotEnded {
			t.Errorf("after its time: %v", got)
		}
	})
}

// TestNobodyLeftIsDecidedAnew: with its pods dead and their nodes lost nothing of
// the gang is left to keep.
func TestNobodyLeftIsDecidedAnew(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	req := gpus("g", "u1", 1, "")
	node := mustPlace(t, c, req).Placement.Sets[0].Ranks[0].Node
	for _, r := range []ConfirmRequest{
		{Gang: req.Gang, AllAsPlanned: true},
		{Gang: req.Gang, Slots: []ledger.Report{{Rank: 0, Event: ledger.PodGone}}},
	} {
		if _, err := c.ConfirmPlacement(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Apply(ctx, Delta{RemovedNodes: []string{node}}); err != nil {
		t.Fatal(err)
	}
	if res := mustPlace(t, c, req); !res.DecidedAnew || res.Placement.Sets[0].Ranks[0].Node == node {
		t.Errorf("decided anew %v, on %s", res.DecidedAnew, res.Placement.Sets[0].Ranks[0].Node)
	}
	recount(t, c)
}
