package cluster

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hopwise/hopwise/server/ledger"
)

// grid is a cluster of n nodes: 16 a leaf, 16 leaves a spine.
func grid(n int) Delta {
	d := Delta{Replace: true}
	for i := range n {
		d.Nodes = append(d.Nodes, gpuNode(fmt.Sprintf("n%06d", i), "root", fmt.Sprintf("s%04d", i/256), fmt.Sprintf("l%05d", i/16)))
	}
	return d
}

// BenchmarkPlaceRelease is a gang of 64 pods placed and released again, by one
// caller and by 64, through queue, writer and memory store.
func BenchmarkPlaceRelease(b *testing.B) {
	for _, nodes := range []int{1_000, 10_000, 100_000} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("nodes=%d/callers=%d", nodes, callers), func(b *testing.B) { benchPlace(b, nodes, callers) })
		}
	}
}

func benchPlace(b *testing.B, nodes, callers int) {
	c := start(b, Config{}, grid(nodes))
	pods := int32(64)
	if nodes/callers < 64 {
		pods = int32(nodes / callers / 2)
	}
	mustPlace(b, c, gpus("warm", "", pods, "")) // the shape's first sight is not the figure
	b.ResetTimer()
	var n atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
				who := ledger.Gang{Namespace: "team-a", Name: fmt.Sprintf("g%d", i)}
				if res, err := c.PlaceGang(context.Background(), gpus(who.Name, "", pods, "")); err != nil || res.Refusal != nil {
					b.Errorf("%+v, %v", res, err)
					return
				}
				if _, err := c.ReleasePlacement(context.Background(), ReleaseRequest{Gang: who}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "gangs/s")
}

// BenchmarkFirstDelta is a whole cluster taken in at the start.
func BenchmarkFirstDelta(b *testing.B) {
	d := grid(100_000)
	for b.Loop() {
		c, err := New(context.Background(), Config{Scheme: awsScheme(b)})
		if err != nil {
			b.Fatal(err)
		}
		c.state.apply(d)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/node")
}
