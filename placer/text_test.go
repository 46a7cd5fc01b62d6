package placer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/placer/placertest"
)

// seatsOf are a case's ranks as placements, in rank order.
func seatsOf(t *testing.T, eng *placer.Engine, c *placertest.Case) []placer.SetPlacement {
	t.Helper()
	sets := make([]placer.SetPlacement, len(c.Ranks))
	for s, ranks := range c.Ranks {
		for _, name := range ranks {
			id, known := eng.NodeByName(name)
			if !known {
				t.Fatalf("ranks on node %q, which is not there", name)
			}
			list := sets[s].Seats
			if n := len(list); n > 0 && list[n-1].Node == id {
				list[n-1].Pods++
			} else {
				sets[s].Seats = append(list, placer.Seat{Node: id, Pods: 1})
			}
			sets[s].Pods++
		}
	}
	return sets
}

func load(t *testing.T, c *placertest.Case) *placer.Engine {
	t.Helper()
	eng, err := placertest.Load(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

// TestGreedy: the whole answer, seats and all.
func TestGreedy(t *testing.T) {
	placertest.RunText(t, "testdata/greedy.txt", func(t *testing.T, c *placertest.Case) []string {
		o, ans, err := placertest.Decide(load(t, c), c)
		if err != nil {
			t.Fatal(err)
		}
		if !ans.Proven {
			t.Error("not proven")
		}
		later, _, err := placertest.Decide(emptied(t, c), c)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(o.Lines(c)), fmt.Sprint(later.Lines(c)); a != b {
			t.Errorf("at once\n%s\nafter the nodes became free one by one\n%s", a, b)
		}
		return o.Lines(c)
	})
}

// emptied is an engine that saw all nodes full, decided, and then saw them
// become what the case says.
func emptied(t *testing.T, c *placertest.Case) *placer.Engine {
	t.Helper()
	full := *c
	full.Nodes = slices.Clone(c.Nodes)
	for i := range full.Nodes {
		full.Nodes[i].Used = full.Nodes[i].Total
	}
	eng := load(t, &full)
	eng.Decide(c.CloneGang())
	for _, n := range c.Nodes {
		id, _ := eng.NodeByName(n.Name)
		eng.SetUsed(id, n.Used, n.UsedPods)
	}
	return eng
}

// TestQuality: hops and crossings, counted by hand.
func TestQuality(t *testing.T) {
	placertest.RunText(t, "testdata/quality.txt", func(t *testing.T, c *placertest.Case) []string {
		eng := load(t, c)
		eng.Kids(placer.Root) // Quality does not settle new nodes itself
		q := eng.Quality(seatsOf(t, eng, c))
		return []string{fmt.Sprintf("expect leaves %d crossings %d of %d mean %.3f worst %d",
			q.Leaves, q.Crossings, q.BestCrossings, q.MeanHops, q.WorstHops)}
	})
}

// TestScore: ratios worked out by hand; judging leaves everything as it was.
func TestScore(t *testing.T) {
	placertest.RunText(t, "testdata/score.txt", func(t *testing.T, c *placertest.Case) []string {
		eng := load(t, c)
		before, _, err := placertest.Decide(eng, c)
		if err != nil {
			t.Fatal(err)
		}
		sc := eng.Score(c.CloneGang(), seatsOf(t, eng, c))
		after, _, err := placertest.Decide(eng, c)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(before.Lines(c)), fmt.Sprint(after.Lines(c)); a != b {
			t.Errorf("before\n%s\nafter\n%s", a, b)
		}
		return []string{fmt.Sprintf("expect now %.3f empty %.3f", sc.Now, sc.Empty)}
	})
}

// TestHops between two nodes of each kind.
func TestHops(t *testing.T) {
	c := &placertest.Case{Scheme: placer.Scheme{Layers: []string{"block", "rack"}, Node: "host"}}
	for name, path := range map[string][]string{
		"ax1": {"a", "x"}, "ax2": {"a", "x"}, "ay": {"a", "y"}, "bx": {"b", "x"}, "a": {"a"}, "none": nil,
	} {
		c.Nodes = append(c.Nodes, placer.Node{Name: name, Path: path})
	}
	eng := load(t, c)
	for _, x := range []struct {
		a, b string
		hops int
	}{
		{"ax1", "ax1", 0}, {"ax1", "ax2", 2}, {"ax1", "ay", 4}, {"ax1", "bx", 6},
		{"a", "ax1", 4}, {"none", "ax1", 6}, {"none", "a", 4}, {"a", "bx", 6},
	} {
		a, _ := eng.NodeByName(x.a)
		b, _ := eng.NodeByName(x.b)
		if h := eng.Hops(a, b); h != x.hops || eng.Hops(b, a) != h {
			t.Errorf("%s to %s: %d hops, want %d", x.a, x.b, h, x.hops)
		}
	}
}

// TestBarred: a maintenance hold keeps new pods away until it is lifted, and
// says nothing about the empty cluster.
func TestBarred(t *testing.T) {
	c := &placertest.Case{Scheme: placer.Scheme{Layers: []string{"rack"}, Node: "host"}}
	c.Nodes = []placer.Node{{Name: "a", Path: []string{"x"}, Total: placer.Resources{"gpu": 4}}}
	c.Gang.PodSets = []placer.PodSet{{
		Name: "s", Count: 4, Requests: placer.Resources{"gpu": 1}, Required: placer.NoLayer, Preferred: placer.NoLayer,
	}}
	eng := load(t, c)
	id, _ := eng.NodeByName("a")
	for _, barred := range []string{"", "new switch", ""} {
		eng.SetBarred(id, barred)
		if ans := eng.Decide(c.CloneGang()); (ans.Refusal != nil) != (barred != "") {
			t.Errorf("barred %q: refusal %+v", barred, ans.Refusal)
		}
		if n := eng.FitsEmpty(&c.CloneGang().PodSets[0], placer.Root); n != 4 {
			t.Errorf("barred %q: %d pods on the empty cluster", barred, n)
		}
	}
}
