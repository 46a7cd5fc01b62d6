package server

import (
	"context"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// TestDiskFails takes the disk away under a running server and gives it back.
func TestDiskFails(t *testing.T) {
	var sick atomic.Bool
	store, err := bolt.Open(bolt.Options{Dir: t.TempDir(), Faults: func(p bolt.Point) error {
		if sick.Load() && p == bolt.InSync {
			return syscall.EIO
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Embed(context.Background(), configFor(t, sevenNodes()), Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithContextDialer(e.Dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	s := &service{hopwisev1.NewPlacementServiceClient(conn), hopwisev1.NewTopologyServiceClient(conn), conn}
	if p := s.place(t, ask("before", 2, nil)); !p.GetDurable() {
		t.Error("a placement in a file is not called durable")
	}
	sick.Store(true)
	for range 3 {
		_, err := s.PlaceGang(soon(t), ask("during", 3, nil))
		if status.Code(err) != codes.Unavailable || reasonIn(err) != "STORE_FAILED" || !strings.Contains(err.Error(), "input/output error") {
			t.Errorf("place: %v", err)
		}
	}
	if _, err := s.GetPlacement(soon(t), &hopwisev1.GetPlacementRequest{Gang: gangNamed("before")}); err != nil {
		t.Errorf("a read: %v", err)
	}
	if _, err := s.GetPlacement(soon(t), &hopwisev1.GetPlacementRequest{Gang: gangNamed("during")}); reasonIn(err) != "PLACEMENT_NOT_FOUND" {
		t.Errorf("what failed is there: %v", err)
	}
	awaitWrites(t, conn, grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	sick.Store(false)
	awaitWrites(t, conn, grpc_health_v1.HealthCheckResponse_SERVING) // nobody wrote: it heals by itself
	if p := s.place(t, ask("after", 3, nil)); p.GetPods() != 3 {
		t.Errorf("%v", p)
	}
	if stats := store.Stats(); stats.Heals == 0 || stats.Failures == 0 {
		t.Errorf("%+v", stats)
	}
}

// awaitWrites waits until the health of writes is so.
func awaitWrites(t *testing.T, conn *grpc.ClientConn, want grpc_health_v1.HealthCheckResponse_ServingStatus) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	watch, err := grpc_health_v1.NewHealthClient(conn).Watch(ctx, &grpc_health_v1.HealthCheckRequest{Service: writesName})
	if err != nil {
		t.Fatal(err)
	}
	for {
		got, err := watch.Recv()
		if err != nil {
			t.Fatalf("waiting for %s: %v", want, err)
		}
		if got.GetStatus() == want {
			return
		}
	}
}
