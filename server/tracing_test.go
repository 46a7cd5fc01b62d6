package server

import (
	"context"
	"net"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// receiver keeps the names of the spans that it is sent.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	names chan string // room for more spans than the test makes
}

func (r *receiver) Export(_ context.Context, req *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	for _, rs := range req.GetResourceSpans() {
		for _, ss := range rs.GetScopeSpans() {
			for _, span := range ss.GetSpans() {
				r.names <- span.GetName()
			}
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// TestTracing: with an endpoint configured each call is a span, flushed by the
// stop.
func TestTracing(t *testing.T) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := &receiver{names: make(chan string, 100)}
	g := grpc.NewServer()
	collector.RegisterTraceServiceServer(g, got)
	go func() { _ = g.Serve(at) }() // ends with Stop
	defer g.Stop()
	cfg := configFor(t, sevenNodes())
	cfg.Tracing.Endpoint, cfg.Tracing.Insecure = at.Addr().String(), true
	d := run(t, cfg)
	if _, err := hopwisev1.NewPlacementServiceClient(d.conn).PlaceGang(soon(t), ask("a", 1, nil)); err != nil {
		t.Fatal(err)
	}
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	close(got.names)
	seen := map[string]bool{}
	for name := range got.names {
		seen[name] = true
	}
	if !seen["hopwise.v1.PlacementService/PlaceGang"] {
		t.Errorf("spans: %v", seen)
	}
}

// TestTracingAway: a receiver that is not there keeps nothing from starting or
// stopping.
func TestTracingAway(t *testing.T) {
	cfg := configFor(t, sevenNodes())
	cfg.Tracing.Endpoint, cfg.Tracing.Insecure = "127.0.0.1:1", true
	d := run(t, cfg)
	begin := time.Now()
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 4*flushTime {
		t.Errorf("the stop took %s", took)
	}
}
