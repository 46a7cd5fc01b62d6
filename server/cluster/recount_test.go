package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// recount compares what is kept step by step with a count from nothing: what
// each node has free in the engine, and the sums of each domain.
func recount(t testing.TB, c *Cluster) {
	t.Helper()
	for _, wrong := range audited(t, c) {
		t.Error(wrong)
	}
}

func audited(t testing.TB, c *Cluster) []string {
	t.Helper()
	wrong, err := call(context.Background(), c, reading, func(tx *tx) ([]string, error) { return tx.s.audit(), nil })
	if err != nil {
		t.Fatal(err)
	}
	return wrong
}

// audit is the slow twin of all incremental counts.
func (s *state) audit() []string {
	var wrong []string
	used, held := map[string]map[string]int64{}, map[string]map[string]int64{}
	add := func(m map[string]map[string]int64, node, res string, n int64) {
		if m[node] == nil {
			m[node] = map[string]int64{}
		}
		m[node][res] += n
	}
	inSlot := map[string]bool{}
	for _, g := range s.gangs {
		if g.rec.State.Ended() {
			continue
		}
		for i, set := range g.rec.Sets {
			for rank := range set.Pods() {
				sl := set.SlotAt(rank)
				if sl.State == ledger.SlotEnded {
					continue
				}
				if sl.PodName != "" {
					inSlot[g.key.Namespace+"/"+sl.PodName] = true
				}
				inSlot["uid:"+sl.PodUID] = true
				for res, n := range g.rec.Spec.PodSets[i].Requests {
					add(held, set.NodeOf(rank), res, n)
				}
				add(held, set.NodeOf(rank), "pods", 1)
			}
		}
	}
	for key, p := range s.pods {
		if inSlot[key] || p.UID != "" && inSlot["uid:"+p.UID] {
			continue
		}
		for res, n := range p.Requests {
			add(used, p.Node, res, n)
		}
		add(used, p.Node, "pods", 1)
	}
	for name, m := range s.machines {
		if m.node != nil && m.heldBy != s.heldBy(m) {
			wrong = append(wrong, fmt.Sprintf("%s: held by %q, should be by %q", name, m.heldBy, s.heldBy(m)))
		}
	}
	sums := map[placer.DomainID]map[string]amount{}
	for name, m := range s.machines {
		if m.node == nil {
			continue
		}
		for _, r := range s.engine.NodeResources(m.id) {
			if r.Held != held[name][r.Name] || r.Used != used[name][r.Name] {
				wrong = append(wrong, fmt.Sprintf("%s %s: held %d used %d, counted %d and %d",
					name, r.Name, r.Held, r.Used, held[name][r.Name], used[name][r.Name]))
			}
			a := amount{total: r.Total, held: r.Held, used: r.Used}
			if healthOf(m.node) == placer.Healthy && s.heldBy(m) == "" {
				a.free = max(0, r.Free)
			}
			for d := s.engine.NodeDomain(m.id); d >= 0; d = s.engine.DomainParent(d) {
				if sums[d] == nil {
					sums[d] = map[string]amount{}
				}
				was := sums[d][r.Name]
				was.add(a)
				sums[d][r.Name] = was
			}
		}
	}
	for d, want := range sums {
		for i, a := range s.sums.of[d].row {
			if a != want[s.names.names[i]] {
				wrong = append(wrong, fmt.Sprintf("domain %v %s: %+v, counted %+v", s.engine.DomainPath(d), s.names.names[i], a, want[s.names.names[i]]))
			}
		}
	}
	if len(sums) > 0 && len(sums) != len(s.sums.of) {
		wrong = append(wrong, fmt.Sprintf("%d sums for %d domains", len(s.sums.of), len(sums)))
	}
	slices.Sort(wrong)
	return wrong
}

// TestCountsEqualRecount drives the state at random and compares all counts.
func TestCountsEqualRecount(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c, err := New(context.Background(), Config{Scheme: awsScheme(t)})
		if err != nil {
			rt.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { _ = c.Run(ctx) })
		defer wg.Wait()
		defer cancel()
		if err := c.Apply(ctx, small()); err != nil {
			rt.Fatal(err)
		}
		d := driver{c: c, ctx: ctx}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			d.step(rt)
		}
		recount(rt2{t, rt}, c)
	})
}

// rt2 reports to rapid so that it can shrink.
type rt2 struct {
	testing.TB
	rt *rapid.T
}

func (r rt2) Error(args ...any) { r.rt.Error(args...) }
func (r rt2) Helper()           {}

type driver struct {
	c   *Cluster
	ctx context.Context
}

func (d driver) step(rt *rapid.T) {
	node := fmt.Sprintf("n%d", rapid.IntRange(1, 8).Draw(rt, "node"))
	name := rapid.SampledFrom([]string{"g", "h", "i"}).Draw(rt, "gang")
	who := ledger.Gang{Namespace: "team-a", Name: name}
	pod := fmt.Sprintf("%s-%d", name, rapid.IntRange(0, 3).Draw(rt, "pod"))
	uid := rapid.SampledFrom([]string{"", pod + "/1", pod + "/2"}).Draw(rt, "poduid")
	rank := int32(rapid.IntRange(0, 4).Draw(rt, "rank"))
	switch rapid.IntRange(0, 10).Draw(rt, "what") {
	case 0, 1:
		req := gpus(name, rapid.SampledFrom([]string{"", "u1", "u2"}).Draw(rt, "uid"), int32(rapid.IntRange(1, 4).Draw(rt, "pods")), "")
		req.Spec.PodSets[0].Requests["nvidia.com/gpu"] = int64(rapid.SampledFrom([]int{2, 4, 8}).Draw(rt, "gpus"))
		req.DryRun = rapid.IntRange(0, 5).Draw(rt, "dry") == 0
		req.Explain = true
		_, _ = d.c.PlaceGang(d.ctx, req) // refusals and errors are outcomes too
	case 2:
		_, _ = d.c.ReleasePlacement(d.ctx, ReleaseRequest{Gang: who})
	case 3:
		_, _ = d.c.ReleasePlacement(d.ctx, ReleaseRequest{Gang: who, Slots: []ledger.Ranks{{First: rank}}})
	case 4:
		event := ledger.PodEvent(rapid.IntRange(0, 2).Draw(rt, "event"))
		report := ledger.Report{Rank: rank, PodName: pod, PodUID: uid, Event: event}
		if rapid.Bool().Draw(rt, "elsewhere") {
			report.Node = node
		}
		_, _ = d.c.ConfirmPlacement(d.ctx, ConfirmRequest{Gang: who, Slots: []ledger.Report{report}})
	case 5:
		_ = d.c.Apply(d.ctx, Delta{RemovedNodes: []string{node}})
	case 6:
		n := gpuNode(node, "root", rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "l2"), "x1")
		n.Ready = rapid.Bool().Draw(rt, "ready")
		_ = d.c.Apply(d.ctx, Delta{Nodes: []Node{n}})
	case 7:
		p := Pod{Namespace: "team-a", Name: pod, UID: uid, Node: node, Requests: map[string]int64{"nvidia.com/gpu": 1}}
		p.Static = rapid.Bool().Draw(rt, "static")
		_ = d.c.Apply(d.ctx, Delta{Pods: []Pod{p}})
	case 9:
		_, _ = d.c.HoldDomain(d.ctx, HoldRequest{Domain: d.somewhere(rt, node)})
	case 10:
		_, _ = d.c.UnholdDomain(d.ctx, d.somewhere(rt, node))
	case 8:
		_ = d.c.Apply(d.ctx, Delta{RemovedPods: []string{"team-a/" + pod}})
	}
}

// somewhere is the node or a domain.
func (d driver) somewhere(rt *rapid.T, node string) DomainRef {
	return rapid.SampledFrom([]DomainRef{
		{Layer: d.c.Scheme().Node, Path: []string{node}}, {Layer: l2, Path: []string{"root", "a"}}, {Layer: l3, Path: []string{"root", "b", "x1"}},
	}).Draw(rt, "where")
}

// TestConcurrentGangs: many callers at once never share a node.
func TestConcurrentGangs(t *testing.T) {
	c := start(t, Config{}, small())
	var wg sync.WaitGroup
	var mu sync.Mutex
	taken := map[string]string{}
	placed := 0
	for i := range 32 {
		wg.Go(func() {
			name := fmt.Sprintf("g%d", i)
			res, err := c.PlaceGang(context.Background(), gpus(name, "", 2, l3))
			mu.Lock()
			defer mu.Unlock()
			if err != nil || res.Placement == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			placed++
			for _, r := range res.Placement.Sets[0].Ranks {
				if other := taken[r.Node]; other != "" {
					t.Errorf("%s holds %s, and so does %s", name, r.Node, other)
				}
				taken[r.Node] = name
			}
		})
	}
	wg.Wait()
	if placed != 3 { // one pair in each leaf
		t.Errorf("%d gangs placed, want 3", placed)
	}
	recount(t, c)
}

func TestUnchangedNodesRaiseNoRevision(t *testing.T) {
	c := start(t, Config{}, small())
	before := c.Revision()
	for _, d := range []Delta{small(), {Nodes: small().Nodes[:2]}, {}, {RemovedNodes: []string{"none"}}, {RemovedPods: []string{"a/b"}}} {
		if err := c.Apply(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Revision(); got != before {
		t.Errorf("revision moved from %v to %v", before, got)
	}
	changed := small().Nodes[0]
	changed.Ready = false
	if err := c.Apply(context.Background(), Delta{Nodes: []Node{changed}}); err != nil {
		t.Fatal(err)
	}
	if got := c.Revision(); got.N != before.N+1 {
		t.Errorf("a change took %v to %v", before, got)
	}
}

// TestPodsCountOnce: a pod is usage, until it fills a slot.
func TestPodsCountOnce(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	res := mustPlace(t, c, gpus("g", "u1", 1, ""))
	node := res.Placement.Sets[0].Ranks[0].Node
	p := Pod{Namespace: "team-a", Name: "g-0", UID: "p1", Node: node, Requests: map[string]int64{"nvidia.com/gpu": 8}}
	if err := c.Apply(ctx, Delta{Pods: []Pod{p}}); err != nil {
		t.Fatal(err)
	}
	gpu := func() Amount {
		top, err := c.GetTopology(ctx, TopologyRequest{Root: &DomainRef{awsScheme(t).Node, []string{node}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range top.Domains[0].Direct[0].Resources {
			if a.Name == "nvidia.com/gpu" {
				return a
			}
		}
		return Amount{}
	}
	if diff := cmp.Diff(Amount{"nvidia.com/gpu", 8, 0, 8, 8}, gpu()); diff != "" {
		t.Errorf("before it is confirmed (-want +got):\n%s", diff)
	}
	if _, err := c.ConfirmPlacement(ctx, ConfirmRequest{Gang: res.Placement.Record.Gang, Slots: []ledger.Report{{PodName: "g-0", PodUID: "p1"}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Amount{"nvidia.com/gpu", 8, 0, 8, 0}, gpu()); diff != "" {
		t.Errorf("confirmed (-want +got):\n%s", diff)
	}
	if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: res.Placement.Record.Gang}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Amount{"nvidia.com/gpu", 8, 0, 0, 8}, gpu()); diff != "" {
		t.Errorf("released while it runs (-want +got):\n%s", diff)
	}
	recount(t, c)
}
