package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

// repairable is a gang of n pods, in slices of a leaf where size is not 0.
func repairable(n, size int32, constraint *ledger.Constraint) PlaceRequest {
	req := gpus("g", "u1", n, "")
	req.Spec.Constraint = constraint
	if size > 0 {
		req.Spec.PodSets[0].Slices = []ledger.Slice{{Layer: l3, Size: size}}
	}
	return req
}

// wide is small with five nodes in leaf a1 and a third leaf below a.
func wide() Delta {
	d := small()
	d.Nodes = append(d.Nodes, gpuNode("n8", "root", "a", "a1"), gpuNode("n9", "root", "a", "a1"), gpuNode("nA", "root", "a", "a3"))
	return d
}

func theGang() ledger.Gang { return ledger.Gang{Namespace: "team-a", Name: "g"} }

// lose takes nodes out of the graph.
func lose(t *testing.T, c *Cluster, names ...string) {
	t.Helper()
	if err := c.Apply(context.Background(), Delta{RemovedNodes: names}); err != nil {
		t.Fatal(err)
	}
}

func mustRepair(t *testing.T, c *Cluster, req RepairRequest) *RepairResult {
	t.Helper()
	req.Gang = theGang()
	res, err := c.RepairPlacement(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if (res.Placement == nil) == (res.Refusal == nil) {
		t.Fatalf("neither or both: %+v", res)
	}
	return res
}

func bindAll(t *testing.T, c *Cluster) {
	t.Helper()
	if _, err := c.ConfirmPlacement(context.Background(), ConfirmRequest{Gang: theGang(), AllAsPlanned: true}); err != nil {
		t.Fatal(err)
	}
}

func movesText(moves []Move) string {
	var words []string
	for _, m := range moves {
		words = append(words, fmt.Sprintf("%d:%s>%s", m.Rank, m.From, m.To))
	}
	return strings.Join(words, " ")
}

// TestRepairMoves: only the lost ranks move, the innermost slice first, then the
// required domain, and no others.
func TestRepairMoves(t *testing.T) {
	for _, c := range []struct {
		name  string
		place PlaceRequest
		gone  []string
		moves string
	}{
		{"inside the leaf", repairable(4, 0, &ledger.Constraint{Required: l3}), []string{"n2"}, "0:n2>n1"},
		{"inside the required spine", repairable(5, 0, &ledger.Constraint{Required: l2}), []string{"n3"}, "2:n3>n4"},
		{"a slice keeps its leaf", repairable(4, 2, &ledger.Constraint{Required: l2}), []string{"n2"}, "0:n2>n1"},
		{"two nodes at once", repairable(5, 0, &ledger.Constraint{Required: l2}), []string{"n1", "n8"}, "0:n1>n4 3:n8>n5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := start(t, Config{}, wide())
			mustPlace(t, cl, c.place)
			bindAll(t, cl)
			lose(t, cl, c.gone...)
			dry := mustRepair(t, cl, RepairRequest{DryRun: true})
			res := mustRepair(t, cl, RepairRequest{Nodes: c.gone})
			if res.Placement == nil {
				t.Fatal(res.Refusal.Message)
			}
			if diff := cmp.Diff(dry.Moves, res.Moves); diff != "" || !dry.Placement.DryRun {
				t.Errorf("dry run and repair differ (-dry +done):\n%s", diff)
			}
			if got := movesText(res.Moves); got != c.moves {
				t.Errorf("moved %s, want %s", got, c.moves)
			}
			if res.Placement.Record.State == ledger.Degraded || len(res.Placement.Troubles) > 0 {
				t.Errorf("%v: %+v", res.Placement.Record.State, res.Placement.Troubles)
			}
			again := mustRepair(t, cl, RepairRequest{Nodes: c.gone})
			if !again.Existing || again.Placement.Record.Version != res.Placement.Record.Version {
				t.Errorf("a repeat moved: %s", movesText(again.Moves))
			}
			recount(t, cl)
		})
	}
}

// TestRepairByRank: ranks are named, and a repeat of the same call moves nothing.
func TestRepairByRank(t *testing.T) {
	c := start(t, Config{}, wide())
	p := mustPlace(t, c, repairable(4, 0, &ledger.Constraint{Required: l3})).Placement // a1
	bindAll(t, c)
	first := p.Sets[0].Ranks[0].Node
	req := RepairRequest{Gang: theGang(), Ranks: []ledger.Ranks{{First: 0}}}
	_, err := c.RepairPlacement(context.Background(), req)
	e, ok := err.(*Error) //nolint:errorlint // calls give it bare
	if !ok || e.Reason != NodeUsable || e.Field != "slots[0]" || e.Metadata["node"] != first {
		t.Fatalf("a rank on a good node: %v", err)
	}
	n := gpuNode(first, "root", "a", "a1")
	n.Ready = false // not lost yet, and unusable now
	if err := c.Apply(context.Background(), Delta{Nodes: []Node{n}}); err != nil {
		t.Fatal(err)
	}
	res := mustRepair(t, c, req)
	if len(res.Moves) != 1 || res.Moves[0].Rank != 0 || res.Moves[0].From != first {
		t.Fatalf("%+v", res)
	}
	slot := res.Placement.Sets[0].Slots[0]
	if slot.State != ledger.SlotReserved || slot.From != first || slot.PodUID != "" {
		t.Errorf("slot %+v", slot)
	}
	if again := mustRepair(t, c, req); !again.Existing {
		t.Errorf("repeat: %s", movesText(again.Moves))
	}
	recount(t, c)
}

func TestRepairBadInput(t *testing.T) {
	c := start(t, Config{}, wide())
	p := mustPlace(t, c, repairable(3, 0, &ledger.Constraint{Required: l3})).Placement
	used := p.Sets[0].Ranks[0].Node
	for _, x := range []struct {
		req   RepairRequest
		want  Reason
		field string
	}{
		{RepairRequest{Gang: ledger.Gang{Namespace: "team-a", Name: "nobody"}}, PlacementNotFound, ""},
		{RepairRequest{Gang: theGang(), Etag: "9-9"}, EtagMismatch, ""},
		{RepairRequest{Gang: theGang(), Ranks: []ledger.Ranks{{First: 3}}}, SlotNotFound, "slots[0].rank"},
		{RepairRequest{Gang: theGang(), Ranks: []ledger.Ranks{{Set: "x"}}}, SlotNotFound, "slots[0].pod_set"},
		{RepairRequest{Gang: theGang(), Nodes: []string{"ghost"}}, NodeNotFound, "nodes[0]"},
		{RepairRequest{Gang: theGang(), Nodes: []string{used}}, NodeUsable, "nodes[0]"},
		{RepairRequest{Gang: theGang(), Nodes: []string{"n6"}}, NodeUsable, "nodes[0]"},
	} {
		_, err := c.RepairPlacement(context.Background(), x.req)
		e, ok := err.(*Error) //nolint:errorlint // calls give it bare
		if !ok || e.Reason != x.want || e.Field != x.field {
			t.Errorf("%+v: %v at %q", x.req, err, e.Field)
		}
	}
	if res := mustRepair(t, c, RepairRequest{}); !res.Existing {
		t.Errorf("nothing to repair: %+v", res)
	}
}

// TestUnrepairable: a leaf of two lost one, and nothing in it is left.
func TestUnrepairable(t *testing.T) {
	broken := func(t *testing.T, bound bool) (*Cluster, *Placement) {
		t.Helper()
		c := start(t, Config{}, small())
		p := mustPlace(t, c, repairable(2, 0, &ledger.Constraint{Required: l3})).Placement // a2: n4 n5
		if bound {
			bindAll(t, c)
		}
		lose(t, c, p.Sets[0].Ranks[0].Node)
		return c, p
	}
	as := func(o ledger.OnUnrepairable) RepairRequest { return RepairRequest{Policy: &o, Explain: true} }

	c, _ := broken(t, true)
	res := mustRepair(t, c, as(ledger.Wait))
	want := "team-a/g: 1 rank to move: 1 pod needs room in a2 (layer-3) beside the rest of the gang, which has room for 0; the whole gang would fit in b1"
	if r := res.Refusal; r == nil || r.Reason != Unrepairable || r.Message != want || len(r.Counts) == 0 || r.Suggestions[0].Kind != DecideAnew {
		t.Errorf("WAIT: %+v", res.Refusal)
	}
	res = mustRepair(t, c, as(ledger.Replace))
	if res.Refusal == nil || !strings.Contains(res.Refusal.Message, "1 rank is still bound") {
		t.Errorf("REPLACE with a bound rank: %+v", res)
	}
	res = mustRepair(t, c, as(ledger.Relax))
	if !res.Relaxed || len(res.Moves) != 1 || res.Moves[0].ToLeaf.Path[1] != "a" ||
		res.Placement.Record.State != ledger.Degraded || res.Placement.Troubles[0].Kind != ledger.ConstraintBroken {
		t.Errorf("RELAX: %s, %+v", movesText(res.Moves), res.Placement)
	}
	recount(t, c)

	c, p := broken(t, false)
	res = mustRepair(t, c, as(ledger.Replace))
	if !res.Anew || res.Placement.Record.State != ledger.Reserved || res.Placement.Record.Gang != p.Record.Gang {
		t.Errorf("REPLACE: %+v", res)
	}
	if diff := cmp.Diff([]string{"n6*1", "n7*1"}, nodesOf(res.Placement)); diff != "" {
		t.Errorf("REPLACE (-want +got):\n%s", diff)
	}
	recount(t, c)
}

// TestRepairAll: with every node lost nothing binds the gang any more.
func TestRepairAll(t *testing.T) {
	c := start(t, Config{}, small())
	p := mustPlace(t, c, repairable(2, 0, &ledger.Constraint{Required: l3})).Placement
	bindAll(t, c)
	lose(t, c, p.Sets[0].Ranks[0].Node, p.Sets[0].Ranks[1].Node)
	res := mustRepair(t, c, RepairRequest{})
	if diff := cmp.Diff([]string{"n6*1", "n7*1"}, nodesOf(res.Placement)); diff != "" || len(res.Moves) != 2 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	recount(t, c)
}
