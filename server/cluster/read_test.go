package cluster

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

// uneven has nodes at every depth, side domains and an unhealthy node.
func uneven() Delta {
	d := small()
	d.Nodes = append(d.Nodes, gpuNode("bare"), gpuNode("half", "root", "a"), gpuNode("zz", "root"))
	for i := range d.Nodes[:4] {
		d.Nodes[i].Labels["nvidia.com/gpu.clique"] = fmt.Sprintf("c.%d", i/2)
	}
	d.Nodes[1].Ready = false
	return d
}

// walkText is the tree as lines, page by page.
func walkText(t *testing.T, c *Cluster, req TopologyRequest) []string {
	t.Helper()
	var lines []string
	for {
		top, err := c.GetTopology(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range top.Domains {
			if !d.Continued {
				lines = append(lines, fmt.Sprintf("%s %d/%d", strings.Join(d.Ref.Path, "/"), d.Unhealthy, d.Nodes))
			}
			for _, n := range d.Direct {
				lines = append(lines, "- "+n.Name)
			}
		}
		if top.NextPageToken == "" {
			return lines
		}
		req.PageToken = top.NextPageToken
	}
}

func TestTopologyPages(t *testing.T) {
	c := start(t, Config{}, uneven())
	whole := walkText(t, c, TopologyRequest{IncludeNodes: true, PageSize: 1000})
	want := []string{
		" 1/10", "- bare", "root 1/9", "- zz", "root/a 1/6", "- half", "root/a/a1 1/3", "- n1", "- n2", "- n3",
		"root/a/a2 0/2", "- n4", "- n5", "root/b 0/2", "root/b/b1 0/2", "- n6", "- n7",
	}
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	for size := 1; size < 20; size++ {
		if diff := cmp.Diff(whole, walkText(t, c, TopologyRequest{IncludeNodes: true, PageSize: size})); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", size, diff)
		}
	}
	under := walkText(t, c, TopologyRequest{Root: &DomainRef{l2, []string{"root", "a"}}, MaxDepth: 1, PageSize: 1})
	if diff := cmp.Diff([]string{"root/a 1/6", "root/a/a1 1/3", "root/a/a2 0/2"}, under); diff != "" {
		t.Errorf("under a (-want +got):\n%s", diff)
	}
}

func TestTopologyShowsAll(t *testing.T) {
	d := uneven()
	d.Warnings = []string{"be warned"}
	c := start(t, Config{}, d)
	mustPlace(t, c, gpus("g", "", 2, l3))
	top, err := c.GetTopology(context.Background(), TopologyRequest{Root: &DomainRef{"kubernetes.io/hostname", []string{"n1"}}})
	if err != nil {
		t.Fatal(err)
	}
	n := top.Domains[0].Direct[0]
	want := []NodeHold{{Gang: ledger.Gang{Namespace: "team-a", Name: "g"}, PodSet: "main", Count: 1, State: ledger.Reserved}}
	if diff := cmp.Diff(want, n.Holds); diff != "" || n.Name != "n1" || n.Sides["nvidia.com/gpu.clique"] != "c.0" {
		t.Errorf("node %+v, holds (-want +got):\n%s", n, diff)
	}
	if diff := cmp.Diff([]SideLayer{{"nvidia.com/gpu.clique", 2, 4}}, top.SideLayers); diff != "" {
		t.Errorf("side layers (-want +got):\n%s", diff)
	}
	if len(top.Scheme.Layers) != 4 || !top.Scheme.Layers[3].Hidden || top.Scheme.Layers[2].Domains != 3 {
		t.Errorf("scheme %+v", top.Scheme)
	}
	if diff := cmp.Diff([]string{"be warned"}, top.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestPageTokens(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	top, err := c.GetTopology(ctx, TopologyRequest{PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range []TopologyRequest{{PageToken: "no"}, {PageToken: top.NextPageToken, IncludeNodes: true}} {
		if _, err := c.GetTopology(ctx, req); reasonOf(err) != PageTokenInvalid {
			t.Errorf("%+v: %v", req, err)
		}
	}
	for _, root := range []DomainRef{{l1, []string{"none"}}, {l2, []string{"root"}}} {
		if _, err := c.GetTopology(ctx, TopologyRequest{Root: &root}); reasonOf(err) != DomainNotFound {
			t.Errorf("%+v: %v", root, err)
		}
	}
}

func TestListPlacements(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	for i := range 7 {
		req := gpus(fmt.Sprintf("g%d", i), "", 1, "")
		req.Spec.Labels = map[string]string{"queue": []string{"even", "odd"}[i%2]}
		mustPlace(t, c, req)
	}
	if _, err := c.ReleasePlacement(ctx, ReleaseRequest{Gang: ledger.Gang{Namespace: "team-a", Name: "g3"}}); err != nil {
		t.Fatal(err)
	}
	list := func(req ListRequest) string {
		var names []string
		for {
			res, err := c.ListPlacements(ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range res.Placements {
				names = append(names, p.Record.Gang.Name)
			}
			if res.NextPageToken == "" {
				return strings.Join(names, " ")
			}
			req.PageToken = res.NextPageToken
		}
	}
	get, err := c.GetPlacement(ctx, ledger.Gang{Namespace: "team-a", Name: "g0"})
	if err != nil {
		t.Fatal(err)
	}
	node := get.Placement.Sets[0].Ranks[0].Node
	for _, w := range []struct {
		req  ListRequest
		want string
	}{
		{ListRequest{}, "g0 g1 g2 g4 g5 g6"},
		{ListRequest{PageSize: 2}, "g0 g1 g2 g4 g5 g6"},
		{ListRequest{Namespace: "team-b"}, ""},
		{ListRequest{States: []ledger.State{ledger.Released}}, "g3"},
		{ListRequest{Node: node}, "g0"},
		{ListRequest{Selector: "queue=odd", Match: func(l map[string]string) bool { return l["queue"] == "odd" }}, "g1 g5"},
		{ListRequest{PlacedBy: "kueue"}, ""},
	} {
		if got := list(w.req); got != w.want {
			t.Errorf("%+v: %q, want %q", w.req, got, w.want)
		}
	}
	all := 0
	for _, leaf := range [][]string{{"root", "a", "a1"}, {"root", "a", "a2"}, {"root", "b", "b1"}} {
		all += len(strings.Fields(list(ListRequest{Domain: &DomainRef{l3, leaf}})))
	}
	if all != 6 {
		t.Errorf("%d placements by leaf, want 6", all)
	}
}

func TestListFree(t *testing.T) {
	c := start(t, Config{}, uneven())
	mustPlace(t, c, gpus("g", "", 2, l3)) // a2 or b1
	ctx := context.Background()
	req := FreeRequest{Requests: map[string]int64{"nvidia.com/gpu": 4}, Layers: []string{l2, l3}}
	res, err := c.ListFree(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Layers {
		res.Layers[i].Fragmentation = 0
	}
	want := []LayerFree{
		{Layer: l2, Free: 10, Largest: 6, WithRoom: 2, Domains: 2},
		{Layer: l3, Free: 8, Largest: 4, WithRoom: 2, Domains: 3},
	}
	if diff := cmp.Diff(want, res.Layers); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
	for _, layers := range [][]string{{l2, l3}, {l3, "kubernetes.io/hostname"}} {
		req.Layers, req.PageSize, req.PageToken = layers, 0, ""
		res, err := c.ListFree(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		for size := 1; size < 6; size++ {
			var paged []DomainFree
			for req.PageSize, req.PageToken = size, ""; ; {
				page, err := c.ListFree(ctx, req)
				if err != nil {
					t.Fatal(err)
				}
				paged = append(paged, page.Domains...)
				if req.PageToken = page.NextPageToken; req.PageToken == "" {
					break
				}
			}
			if diff := cmp.Diff(res.Domains, paged); diff != "" {
				t.Errorf("pages of %d (-want +got):\n%s", size, diff)
			}
		}
	}
}

func TestSharedLayer(t *testing.T) {
	c := start(t, Config{}, uneven())
	ctx := context.Background()
	res, err := c.SharedLayer(ctx, SharedRequest{Nodes: []string{"n4", "n1", "n2"}})
	if err != nil {
		t.Fatal(err)
	}
	want := &SharedResult{
		Nodes: []string{"n1", "n2", "n4"}, Deepest: &DomainRef{l2, []string{"root", "a"}},
		Shared: []string{l1, l2}, Unshared: []string{l3},
		Groups: []SharedDomain{
			{DomainRef{l3, []string{"root", "a", "a1"}}, []string{"n1", "n2"}},
			{DomainRef{l3, []string{"root", "a", "a2"}}, []string{"n4"}},
		},
		SideGroups: []SharedDomain{{DomainRef{"nvidia.com/gpu.clique", []string{"c.0"}}, []string{"n1", "n2"}}},
		Pairs:      []NodePair{{0, 1, 2}, {0, 2, 4}, {1, 2, 4}},
		Revision:   res.Revision,
	}
	if diff := cmp.Diff(want, res); diff != "" {
		t.Errorf("shared (-want +got):\n%s", diff)
	}
	var groups []string
	req := SharedRequest{PageSize: 2}
	for {
		page, err := c.SharedLayer(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range page.Groups {
			groups = append(groups, fmt.Sprintf("%s:%d", last(g.Ref.Path), len(g.Nodes)))
		}
		if req.PageToken = page.NextPageToken; req.PageToken == "" {
			break
		}
	}
	if diff := cmp.Diff([]string{"root:9", "a:6", "b:2", "a1:3", "a2:2", "b1:2"}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if _, err := c.SharedLayer(ctx, SharedRequest{Nodes: []string{"n99"}}); reasonOf(err) != NodeNotFound {
		t.Errorf("unknown node: %v", err)
	}
}

func TestScore(t *testing.T) {
	c := start(t, Config{}, small())
	ctx := context.Background()
	var slots []ScoreSlot
	for i, node := range []string{"n4", "n6", "n1"} {
		slots = append(slots, ScoreSlot{Node: node, PodName: fmt.Sprintf("mnist-%d", 2-i), Rank: -1})
	}
	sc, err := c.ScorePlacement(ctx, ScoreRequest{Slots: slots})
	if err != nil {
		t.Fatal(err)
	}
	if sc.Pods != 3 || sc.Nodes != 3 || sc.Quality.Leaves != 3 || !sc.Now.Found || sc.Now.Score >= 1 || len(sc.Moves) != 2 {
		t.Errorf("%+v", sc)
	}
	var kinds []string
	for _, a := range sc.Assumptions {
		kinds = append(kinds, a.Kind)
	}
	if diff := cmp.Diff([]string{"WHOLE_NODES", "RANK_FROM_NAME"}, kinds); diff != "" {
		t.Errorf("assumptions (-want +got):\n%s", diff)
	}
	mustPlace(t, c, gpus("g", "", 3, l3))
	own, err := c.ScorePlacement(ctx, ScoreRequest{Gang: &ledger.Gang{Namespace: "team-a", Name: "g"}})
	if err != nil || own.Now.Score != 1 || len(own.Moves) != 0 {
		t.Errorf("own: %+v, %v", own, err)
	}
	recount(t, c)
}

func TestGauges(t *testing.T) {
	c := start(t, Config{GangGauges: 1}, uneven())
	for _, name := range []string{"g", "h"} {
		mustPlace(t, c, gpus(name, "", 1, ""))
	}
	g, err := c.Gauges(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if g.Nodes != 10 || g.Unhealthy != 1 || len(g.Gangs) != 1 || g.GangsCut != 1 || g.Placements[ledger.Reserved] != 2 || len(g.Layers) != 3 {
		t.Errorf("%+v", g)
	}
}

func TestChooseScheme(t *testing.T) {
	for _, w := range []struct {
		d      Delta
		preset string
		custom []string
		want   string
	}{
		{small(), "", nil, "aws false"},
		{Delta{Nodes: []Node{gpuNode("n")}}, "", nil, "aws true"},
		{Delta{Scheme: []string{"root", "leaf"}, NodeWord: "node"}, "", nil, "source false"},
		{small(), "gke", nil, "gke false"},
		{small(), "", []string{"a", "b"}, "custom false"},
		{small(), "gke", []string{"a"}, "error"},
		{small(), "none", nil, "error"},
	} {
		got := "error"
		if ch, err := ChooseScheme(w.d, w.preset, w.custom); err == nil {
			got = fmt.Sprintf("%s %v", ch.Scheme.Name, ch.Guessed)
		}
		if got != w.want {
			t.Errorf("%q %q: %s, want %s", w.preset, w.custom, got, w.want)
		}
	}
}
