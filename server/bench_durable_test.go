package server

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// durable runs the service on a loopback socket over a ledger in a file.
func durable(b *testing.B, nodes []object) (*grpc.ClientConn, *bolt.Store) {
	b.Helper()
	store, err := bolt.Open(bolt.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(configFor(b, nodes), Options{Store: store})
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
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return conn, store
}

// durableBench is a cluster of 10,000 nodes, 60 % full of gangs of eight pods
// with a node each.
type durableBench struct {
	b      *testing.B
	client hopwisev1.PlacementServiceClient
	health grpc_health_v1.HealthClient
	oldest chan *hopwisev1.GangRef // as many as there are gangs: none is waited for
	names  atomic.Int64
	mu     sync.Mutex
	took   []time.Duration
}

// BenchmarkDurable has callers place a gang and release the oldest one, as fast
// as they can, on a ledger that is synced before each answer; and then as many
// empty RPCs. Each place and each release counts as an RPC.
func BenchmarkDurable(b *testing.B) {
	for _, callers := range []int{64, 1} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			conn, store := durable(b, manyNodes(10_000))
			d := &durableBench{
				b: b, client: hopwisev1.NewPlacementServiceClient(conn), health: grpc_health_v1.NewHealthClient(conn),
				oldest: make(chan *hopwisev1.GangRef, 2000),
			}
			d.each(64, 750, d.place)
			before := store.Stats()
			d.took = d.took[:0]
			b.ResetTimer()
			churn := 2 * d.each(callers, b.N, func() error {
				if err := d.place(); err != nil {
					return err
				}
				_, err := d.client.ReleasePlacement(context.Background(), &hopwisev1.ReleasePlacementRequest{Gang: <-d.oldest})
				return err
			})
			b.StopTimer()
			after := store.Stats()
			empty := d.each(callers, 2*b.N, func() error {
				_, err := d.health.Check(context.Background(), &grpc_health_v1.HealthCheckRequest{})
				return err
			})
			report(b, "place", d.took)
			b.ReportMetric(churn, "durable-rpc/s")
			b.ReportMetric(empty, "empty-rpc/s")
			b.ReportMetric(churn/empty, "ratio")
			b.ReportMetric(float64(after.Syncs-before.Syncs)/float64(2*b.N), "syncs/decision")
		})
	}
}

func (d *durableBench) place() error {
	req := ask(fmt.Sprintf("g%d", d.names.Add(1)), 8, preferred(layer3))
	begin := time.Now()
	resp, err := d.client.PlaceGang(context.Background(), req)
	if err == nil && resp.GetPlacement() == nil {
		err = fmt.Errorf("refused: %v", resp.GetRefusal())
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.took = append(d.took, time.Since(begin))
	d.mu.Unlock()
	d.oldest <- req.GetGang()
	return nil
}

// each has callers make n calls, and gives the rate per second.
func (d *durableBench) each(callers, n int, call func() error) float64 {
	begin := time.Now()
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := c; i < n; i += callers {
				if err := call(); err != nil {
					d.b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return float64(n) / time.Since(begin).Seconds()
}
