package placer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hopwise/hopwise/placer"
)

// fragmented is a cluster in which leaves hold about as many free GPUs each,
// some as a few whole nodes and some as crumbs on many: the number of leaves
// and the number of nodes pull different ways.
func fragmented(tb testing.TB, n int, full float64) *placer.Engine {
	tb.Helper()
	e := placer.New(placer.Scheme{Layers: []string{"layer-1", "layer-2", "layer-3"}, Node: "kubernetes.io/hostname"})
	r := rand.New(rand.NewPCG(7, uint64(n)))
	for leaf := range n / 100 {
		free := int((1 - full) * 800 * (0.8 + 0.4*r.Float64()))
		crumb := 1 + r.IntN(8)
		for i := range 100 {
			give := min(free, crumb, 8)
			free -= give
			node := placer.Node{
				Name:  fmt.Sprintf("n%05d-%02d", leaf, i),
				Path:  []string{fmt.Sprintf("a%02d", leaf*10/max(n/100, 10)), fmt.Sprintf("b%04d", leaf/10), fmt.Sprintf("c%05d", leaf)},
				Total: placer.Resources{"gpu": 8, "pods": 110},
				Used:  placer.Resources{"gpu": int64(8 - give)},
			}
			if _, err := e.Upsert(node); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return e
}

// BenchmarkBudget reports the share of decisions that the default step budget
// cuts, and how far their nodes are above the lower bound.
func BenchmarkBudget(b *testing.B) {
	kinds := []struct {
		name  string
		build func(tb testing.TB, n int, full float64) *placer.Engine
	}{
		{"random", func(tb testing.TB, n int, full float64) *placer.Engine { return grid(tb, n, full, false) }},
		{"fragmented", fragmented},
	}
	for _, n := range []int{10_000, 100_000} {
		for _, kind := range kinds {
			for _, full := range []float64{0.60, 0.85, 0.95} {
				var e *placer.Engine
				for _, pods := range []int32{64, 256, 1_024, 4_096} {
					b.Run(fmt.Sprintf("nodes=%d/%s/full=%.0f%%/pods=%d", n, kind.name, full*100, pods), func(b *testing.B) {
						if e == nil {
							e = kind.build(b, n, full)
						}
						budget(b, e, pods, n, full)
					})
				}
			}
		}
	}
}

func budget(b *testing.B, e *placer.Engine, pods int32, nodes int, full float64) {
	g := gang(pods, placer.Resources{"gpu": 1})
	keep := max(1, min(8, int((1-full)*float64(nodes)*8/2/float64(pods))))
	held := make([]*placer.Answer, keep)
	cut, placed, gap, worst := 0, 0, 0.0, time.Duration(0)
	for i := range b.N {
		start := time.Now()
		a := e.Decide(g)
		worst = max(worst, time.Since(start))
		if old := held[i%keep]; old != nil {
			e.Release(&g.PodSets[0], old.Sets[0].Seats)
		}
		held[i%keep] = nil
		if a.Refusal != nil {
			continue
		}
		placed++
		if !a.Proven {
			cut++
			last := len(a.Vector) - 1
			gap += float64(a.Vector[last])/float64(max(a.LowerBound[last], 1)) - 1
		}
		e.Hold(&g.PodSets[0], a.Sets[0].Seats)
		held[i%keep] = a
	}
	for _, old := range held {
		if old != nil {
			e.Release(&g.PodSets[0], old.Sets[0].Seats)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*float64(cut)/float64(max(placed, 1)), "%cut")
	b.ReportMetric(100*gap/float64(max(cut, 1)), "%gap")
	b.ReportMetric(float64(placed)/float64(b.N), "placed")
	b.ReportMetric(float64(worst.Microseconds())/1e3, "worst-ms")
}

// BenchmarkFeatures times what goes beyond one plain pod set.
func BenchmarkFeatures(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		e := grid(b, n, 0.6, false)
		slices := gang(64, placer.Resources{"gpu": 1})
		slices.PodSets[0].Slices = []placer.Slice{{Layer: 2, Size: 8}}
		nodes := gang(64, placer.Resources{"gpu": 1})
		nodes.PodSets[0].Slices = []placer.Slice{{Layer: 2, Size: 8}, {Layer: 3, Size: 2}}
		floor := gang(4_096, placer.Resources{"gpu": 1})
		floor.PodSets[0].MinCount, floor.PodSets[0].Required = 64, 2
		group := gang(64, placer.Resources{"gpu": 1})
		group.PodSets = append([]placer.PodSet{{
			Name: "leader", Count: 1, Requests: placer.Resources{"cpu": 1000}, Required: 2, Preferred: placer.NoLayer, Group: "g",
		}}, group.PodSets...)
		group.PodSets[1].Group, group.PodSets[1].Required = "g", 2
		for _, c := range []struct {
			name string
			gang *placer.Gang
		}{{"slices-of-8", slices}, {"slices-of-8-and-2", nodes}, {"floor", floor}, {"leader-and-64", group}} {
			b.Run(fmt.Sprintf("nodes=%d/full=60%%/%s", n, c.name), func(b *testing.B) {
				decideAll(b, e, c.gang)
			})
		}
	}
}

// decideAll is decide for gangs of any number of pod sets.
func decideAll(b *testing.B, e *placer.Engine, g *placer.Gang) {
	var held [8]*placer.Answer
	times := make([]time.Duration, 0, b.N)
	cut := 0
	give := func(a *placer.Answer) {
		for i := range a.Sets {
			e.Release(&g.PodSets[i], a.Sets[i].Seats)
		}
	}
	e.Decide(g)
	for i := range b.N {
		start := time.Now()
		a := e.Decide(g)
		times = append(times, time.Since(start))
		if a.Refusal != nil {
			b.Fatalf("refused: %+v", a.Refusal)
		}
		if !a.Proven {
			cut++
		}
		if old := held[i%len(held)]; old != nil {
			give(old)
		}
		for k := range a.Sets {
			e.Hold(&g.PodSets[k], a.Sets[k].Seats)
		}
		held[i%len(held)] = a
	}
	for _, old := range held {
		if old != nil {
			give(old)
		}
	}
	report(b, times)
	b.ReportMetric(100*float64(cut)/float64(b.N), "%cut")
}
