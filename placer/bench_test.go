package placer_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/hopwise/hopwise/placer"
)

// grid is a cluster of n nodes with 8 GPUs each: leaves of 100 nodes, ten
// leaves to a layer-2 domain, the rest of the tree above. full is the chance
// of every GPU, or with whole of every node, to be taken by pods outside any
// gang.
func grid(tb testing.TB, n int, full float64, whole bool) *placer.Engine {
	tb.Helper()
	e := placer.New(placer.Scheme{Layers: []string{"layer-1", "layer-2", "layer-3"}, Node: "kubernetes.io/hostname"})
	r := rand.New(rand.NewPCG(1, uint64(n)))
	top := max(1, n/10_000)
	if top > 10 {
		top = 10
	}
	for i := range n {
		leaf := i / 100
		second := leaf / 10
		first := second * top / max(1, (n+999)/1000)
		node := placer.Node{
			Name:  fmt.Sprintf("n%07d", i),
			Path:  []string{fmt.Sprintf("a%02d", first), fmt.Sprintf("b%04d", second), fmt.Sprintf("c%05d", leaf)},
			Total: placer.Resources{"gpu": 8, "cpu": 192_000, "memory": 2 << 40, "pods": 110},
		}
		used := int32(0)
		for range 8 {
			if !whole && r.Float64() < full {
				used++
			}
		}
		if whole && r.Float64() < full {
			used = 8
		}
		node.Used = placer.Resources{"gpu": int64(used), "cpu": int64(used) * 20_000, "pods": int64(used) + 5}
		node.UsedPods = used
		if _, err := e.Upsert(node); err != nil {
			tb.Fatal(err)
		}
	}
	return e
}

func gang(pods int32, requests placer.Resources) *placer.Gang {
	return &placer.Gang{PodSets: []placer.PodSet{{
		Name: "main", Count: pods, Requests: requests, Required: placer.NoLayer, Preferred: placer.NoLayer,
	}}}
}

var shapes = []struct {
	name     string
	requests placer.Resources
}{
	{"1gpu", placer.Resources{"gpu": 1, "cpu": 8_000}},
	{"8gpu", placer.Resources{"gpu": 8, "cpu": 30_000}},
}

// BenchmarkDecide times decisions on a known shape. Every answer is held and
// the oldest of several is given back, so that the winner keeps changing.
func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		for _, full := range []float64{0, 0.60, 0.85} {
			if n == 1_000_000 && testing.Short() {
				continue
			}
			for _, sh := range shapes {
				var e *placer.Engine
				for _, pods := range []int32{1, 64, 1_024} {
					b.Run(fmt.Sprintf("nodes=%d/full=%.0f%%/%s/pods=%d", n, full*100, sh.name, pods), func(b *testing.B) {
						if e == nil {
							e = grid(b, n, full, sh.name == "8gpu")
						}
						decide(b, e, gang(pods, sh.requests), n)
					})
				}
			}
		}
	}
}

func decide(b *testing.B, e *placer.Engine, g *placer.Gang, nodes int) {
	var held [8]*placer.Answer
	keep := min(len(held), max(1, nodes*2/int(g.PodSets[0].Count)/8))
	e.Decide(g)
	times := make([]time.Duration, 0, b.N)
	cut, refused := 0, 0
	for i := range b.N {
		start := time.Now()
		a := e.Decide(g)
		times = append(times, time.Since(start))
		if !a.Proven {
			cut++
		}
		if a.Refusal != nil {
			refused++
			a = nil
		} else {
			e.Hold(&g.PodSets[0], a.Sets[0].Seats)
		}
		if old := held[i%keep]; old != nil {
			e.Release(&g.PodSets[0], old.Sets[0].Seats)
		}
		held[i%keep] = a
	}
	for _, old := range held {
		if old != nil {
			e.Release(&g.PodSets[0], old.Sets[0].Seats)
		}
	}
	report(b, times)
	b.ReportMetric(float64(cut)/float64(b.N), "cut")
	b.ReportMetric(float64(refused)/float64(b.N), "refused")
}

func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkFirstSight times the one step that walks all nodes.
func BenchmarkFirstSight(b *testing.B) {
	for _, live := range []int{8, 64} {
		b.Run(fmt.Sprintf("nodes=100000/live=%d", live), func(b *testing.B) {
			e := grid(b, 100_000, 0.6, false)
			e.LimitShapes(live)
			i := int64(0)
			for b.Loop() {
				i++
				g := gang(64, placer.Resources{"gpu": 1, "cpu": i})
				e.Prepare(g)
			}
		})
	}
}

// BenchmarkNodeUpdate changes one node's usage so that every live shape's fit
// changes with it.
func BenchmarkNodeUpdate(b *testing.B) {
	e := grid(b, 100_000, 0.6, false)
	for i := range int64(32) {
		e.Prepare(gang(1, placer.Resources{"gpu": 1, "cpu": 1_000 + i}))
	}
	r := rand.New(rand.NewPCG(3, 4))
	times := make([]time.Duration, 0, b.N)
	for range b.N {
		id := placer.NodeID(r.IntN(e.Len()))
		used := int64(r.IntN(9))
		before := e.NodeResources(id)
		if before[1].Used == used {
			used = (used + 1) % 9
		}
		res := placer.Resources{"gpu": used, "cpu": used * 20_000, "pods": used + 5}
		start := time.Now()
		e.SetUsed(id, res, int32(used))
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	sum := time.Duration(0)
	for _, t := range times {
		sum += t
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N)/1e3, "mean-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkMemory reports what 100,000 nodes and 8 live shapes keep.
func BenchmarkMemory(b *testing.B) {
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		e := grid(b, 100_000, 0.6, false)
		for i := range int64(8) {
			e.Prepare(gang(1, placer.Resources{"gpu": 1 + i%4, "cpu": 1_000 + i}))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		runtime.KeepAlive(e)
	}
	b.ReportMetric(0, "ns/op")
}
