package server

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// manyNodes are n nodes in leaves of 16, spines of 8 leaves, roots of 16 spines.
func manyNodes(n int) []object {
	nodes := make([]object, n)
	for i := range nodes {
		nodes[i] = machine(fmt.Sprintf("n%06d", i), true,
			fmt.Sprintf("a%03d", i/2048), fmt.Sprintf("b%04d", i/128), fmt.Sprintf("c%05d", i/16))
	}
	return nodes
}

// loopback runs the service on a loopback socket and gives a connection to it.
func loopback(b *testing.B, nodes []object) *grpc.ClientConn {
	b.Helper()
	s, err := New(configFor(b, nodes), Options{})
	if err != nil {
		b.Fatal(err)
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1) // the service's end
	go func() { done <- s.Serve(ctx, at) }()
	conn, err := grpc.NewClient(at.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = conn.Close() // the service ends next
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	return conn
}

// BenchmarkPlaceGang places 64 pods, eight GPUs each, at 10,000 nodes, one caller,
// over loopback; released in between. Beside it, in the same run and in turn,
// stand a unary RPC that does nothing and one that reads a placement that is not
// there.
func BenchmarkPlaceGang(b *testing.B) {
	conn := loopback(b, manyNodes(10_000))
	client := hopwisev1.NewPlacementServiceClient(conn)
	health := grpc_health_v1.NewHealthClient(conn)
	ctx := context.Background()
	var place, empty, missing []time.Duration
	timed := func(list *[]time.Duration, call func() error) error {
		begin := time.Now()
		err := call()
		*list = append(*list, time.Since(begin))
		return err
	}
	i := 0
	for b.Loop() {
		i++
		req := ask(fmt.Sprintf("g%d", i), 64, preferred(layer3))
		err := timed(&place, func() error {
			resp, err := client.PlaceGang(ctx, req)
			if err == nil && resp.GetPlacement() == nil {
				err = fmt.Errorf("refused: %v", resp.GetRefusal())
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		if err := timed(&empty, func() error {
			_, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
			return err
		}); err != nil {
			b.Fatal(err)
		}
		_ = timed(&missing, func() error {
			_, err := client.GetPlacement(ctx, &hopwisev1.GetPlacementRequest{Gang: gangNamed("nobody")})
			return err
		})
		if _, err := client.ReleasePlacement(ctx, &hopwisev1.ReleasePlacementRequest{Gang: req.GetGang()}); err != nil {
			b.Fatal(err)
		}
	}
	report(b, "place", place)
	report(b, "empty", empty)
	report(b, "missing", missing)
}

func report(b *testing.B, name string, took []time.Duration) {
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[min(len(took)-1, int(share*float64(len(took))))].Nanoseconds()) / 1e3
	}
	b.ReportMetric(at(0.50), name+"-p50-µs")
	b.ReportMetric(at(0.99), name+"-p99-µs")
}

// BenchmarkPlaceGangRate has 64 callers place and release gangs of 8 pods as fast
// as they can, and then as many empty RPCs, over one connection. Placing and
// releasing count as an RPC each.
func BenchmarkPlaceGangRate(b *testing.B) {
	const callers = 64
	conn := loopback(b, manyNodes(10_000))
	client := hopwisev1.NewPlacementServiceClient(conn)
	health := grpc_health_v1.NewHealthClient(conn)
	ctx := context.Background()
	var next atomic.Int64
	place := func() error {
		req := ask(fmt.Sprintf("g%d", next.Add(1)), 8, preferred(layer3))
		resp, err := client.PlaceGang(ctx, req)
		if err == nil && resp.GetPlacement() == nil {
			err = fmt.Errorf("refused: %v", resp.GetRefusal())
		}
		if err == nil {
			_, err = client.ReleasePlacement(ctx, &hopwisev1.ReleasePlacementRequest{Gang: req.GetGang()})
		}
		return err
	}
	empty := func() error {
		_, err := health.Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		return err
	}
	rate := func(call func() error) float64 {
		begin := time.Now()
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				for i := c; i < b.N; i += callers {
					if err := call(); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		return float64(b.N) / time.Since(begin).Seconds()
	}
	b.ResetTimer()
	b.ReportMetric(2*rate(place), "place-rpc/s")
	b.ReportMetric(rate(empty), "empty-rpc/s")
}
