package server

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/config"
)

// journal is a log that a test may read while it is written.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// daemon is a service on real loopback listeners.
type daemon struct {
	conn *grpc.ClientConn
	http string
	log  *journal
	stop func() error
}

func run(t *testing.T, cfg config.Config) *daemon {
	t.Helper()
	d := &daemon{log: &journal{}}
	s, err := New(cfg, Options{Log: slog.New(slog.NewTextHandler(d.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	grpcAt, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	httpAt, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.http = "http://" + httpAt.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.serve(ctx, grpcAt, httpAt) }()
	d.conn, err = grpc.NewClient(grpcAt.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	d.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { _ = d.conn.Close(); _ = d.stop() })
	if _, err := hopwisev1.NewTopologyServiceClient(d.conn).GetTopology(soon(t), &hopwisev1.GetTopologyRequest{}, grpc.WaitForReady(true)); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *daemon) get(t *testing.T, path string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(d.http + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func (d *daemon) serving(t *testing.T, name string) grpc_health_v1.HealthCheckResponse_ServingStatus {
	t.Helper()
	resp, err := grpc_health_v1.NewHealthClient(d.conn).Check(soon(t), &grpc_health_v1.HealthCheckRequest{Service: name})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetStatus()
}

func TestListeners(t *testing.T) {
	d := run(t, configFor(t, sevenNodes()))
	for _, name := range append([]string{writesName}, healthNames...) {
		if got := d.serving(t, name); got != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("health of %q: %v", name, got)
		}
	}
	_, err := grpc_health_v1.NewHealthClient(d.conn).Check(soon(t), &grpc_health_v1.HealthCheckRequest{Service: "x"})
	if status.Code(err) != codes.NotFound {
		t.Errorf("health of an unknown name: %v", err)
	}
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "writes: served"} {
		if code, text := d.get(t, path); code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d %q", path, code, text)
		}
	}
	for _, want := range []string{"msg=serving", "nodes=7", "scheme=aws", "guessed=false", "durable=false", "held in memory"} {
		if !strings.Contains(d.log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, d.log)
		}
	}
}

// TestGracefulStop: a watcher of health hears that the server stops and does not
// hold it up; a second stop finds nothing left.
func TestGracefulStop(t *testing.T) {
	d := run(t, configFor(t, sevenNodes()))
	watch, err := grpc_health_v1.NewHealthClient(d.conn).Watch(context.Background(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if first, err := watch.Recv(); err != nil || first.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Fatalf("%v, %v", first, err)
	}
	begin := time.Now()
	stopped := make(chan error, 1)
	go func() { stopped <- d.stop() }()
	if last, err := watch.Recv(); err != nil || last.GetStatus() != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("%v, %v", last, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the watcher held the stop up for %s", took)
	}
	if !strings.Contains(d.log.String(), "msg=stopped") {
		t.Errorf("%s", d.log)
	}
}

// TestStopAtOnce: a stop before the start is done is an orderly one.
func TestStopAtOnce(t *testing.T) {
	e, err := Embed(context.Background(), configFor(t, sevenNodes()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Stop(); err != nil {
		t.Error(err)
	}
	if conn, err := e.Dial(soon(t), ""); err == nil {
		_ = conn.Close()
		t.Error("dialled a service that has stopped")
	}
}

// TestReload: a changed file is followed; a broken one keeps the last good state
// and says so in log, metric and answer.
func TestReload(t *testing.T) {
	cfg := configFor(t, sevenNodes())
	cfg.Source.Poll = config.Duration(20 * time.Millisecond)
	d := run(t, cfg)
	client := hopwisev1.NewTopologyServiceClient(d.conn)
	nodes := func() (int32, *hopwisev1.Source) {
		got, err := client.GetTopology(soon(t), &hopwisev1.GetTopologyRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return got.GetDomains()[0].GetNodeCount(), got.GetSources()[0]
	}
	writeNodes(t, cfg.Source.Paths[0], append(sevenNodes(), machine("n33", true, "nn-1", "nn-22", "nn-33")))
	eventually(t, "eight nodes", func() bool { n, _ := nodes(); return n == 8 })
	if err := os.WriteFile(cfg.Source.Paths[0], []byte(`{"kind": "NodeList", "items": [{`), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a stale source", func() bool { _, s := nodes(); return s.GetStale() && s.GetError() != "" })
	if n, _ := nodes(); n != 8 {
		t.Errorf("%d nodes", n)
	}
	if !strings.Contains(d.log.String(), "the last good state stays") {
		t.Errorf("%s", d.log)
	}
	if _, text := d.get(t, "/metrics"); !strings.Contains(text, `hopwise_source_failing{source="file"} 1`) {
		t.Error("the metric does not say so")
	}
	writeNodes(t, cfg.Source.Paths[0], sevenNodes())
	eventually(t, "seven nodes", func() bool { n, s := nodes(); return n == 7 && !s.GetStale() })
}

// TestStale: once the source has been unreadable for too long, writes are refused
// and reads go on; each says so.
func TestStale(t *testing.T) {
	cfg := configFor(t, sevenNodes())
	cfg.Source.Poll = config.Duration(20 * time.Millisecond)
	cfg.Source.MaxStale = config.Duration(time.Second)
	d := run(t, cfg)
	if err := os.WriteFile(cfg.Source.Paths[0], []byte("kind: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "end of writes", func() bool {
		return d.serving(t, writesName) == grpc_health_v1.HealthCheckResponse_NOT_SERVING
	})
	client := hopwisev1.NewPlacementServiceClient(d.conn)
	if _, err := client.PlaceGang(soon(t), ask("a", 1, nil)); reasonIn(err) != "SOURCE_STALE" || status.Code(err) != codes.Unavailable {
		t.Errorf("%v", err)
	}
	if _, err := client.ListPlacements(soon(t), &hopwisev1.ListPlacementsRequest{}); err != nil {
		t.Errorf("%v", err)
	}
	if code, text := d.get(t, "/readyz"); code != http.StatusOK || !strings.Contains(text, "writes: not served") {
		t.Errorf("%d %q", code, text)
	}
	if got := d.serving(t, healthNames[1]); got != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("reads: %v", got)
	}
	writeNodes(t, cfg.Source.Paths[0], sevenNodes())
	eventually(t, "writes", func() bool {
		_, err := client.PlaceGang(soon(t), ask("a", 1, nil))
		return err == nil && d.serving(t, writesName) == grpc_health_v1.HealthCheckResponse_SERVING
	})
}

// eventually waits for what another goroutine brings about. Files cannot be
// watched in a synctest bubble, so this polls.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("no %s", what)
}

func TestMetrics(t *testing.T) {
	d := run(t, configFor(t, sevenNodes()))
	client := hopwisev1.NewPlacementServiceClient(d.conn)
	for _, req := range []*hopwisev1.PlaceGangRequest{
		ask("llama", 3, required(layer3)), ask("huge", 7, nil), ask("bad", 1, required("x")),
	} {
		if _, err := client.PlaceGang(soon(t), req); err != nil && reasonIn(err) != "UNKNOWN_LAYER" {
			t.Fatal(err)
		}
	}
	_, text := d.get(t, "/metrics")
	doc, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`hopwise_decisions_total{outcome="placed",reason=""} 1`,
		`hopwise_decisions_total{outcome="error",reason="UNKNOWN_LAYER"} 1`,
		`hopwise_decision_duration_seconds_count{phase="decide"}`,
		`hopwise_decision_duration_seconds_count{phase="commit"}`,
		`hopwise_placement_leaves_sum 1`, `hopwise_placement_crossings_count 1`, `hopwise_placement_score_count`,
		`hopwise_nodes{health="unhealthy"} 1`, `hopwise_placements{state="RESERVED"} 1`,
		`hopwise_layer_free_nodes{layer="` + layer3 + `"} 3`, `hopwise_layer_largest_gang{layer="` + layer3 + `"} 2`,
		`hopwise_source_age_seconds{source="file"}`, `hopwise_source_failing{source="file"} 0`,
		`hopwise_gang_crossings{gang="llama",namespace="team-a"} 0`,
		`hopwise_gang_aligned{gang="llama",layer="` + layer3 + `",namespace="team-a"} 1`,
		`hopwise_gang_preference_met{gang="llama",namespace="team-a"} 1`,
		`rpc_server_call_duration_seconds_count`, "hopwise_revision", "hopwise_epoch", "hopwise_queue",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(line, "# HELP ")
		if name, _, _ = strings.Cut(name, " "); ok && strings.HasPrefix(name, "hopwise_") && !bytes.Contains(doc, []byte("`"+name)) {
			t.Errorf("%s is not in docs/metrics.md", name)
		}
	}
}

// TestStartFails: what cannot start says why and leaves nothing behind.
func TestStartFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for want, change := range map[string]func(*config.Config){
		"no-such-file":          func(c *config.Config) { c.Source.Paths = []string{"no-such-file"} },
		"source.paths":          func(c *config.Config) { c.Source.Paths = nil },
		"insecure: true":        func(c *config.Config) { c.GRPCAddress = "0.0.0.0:0" },
		"listening for gRPC":    func(c *config.Config) { c.GRPCAddress = taken.Addr().String() },
		"listening for HTTP":    func(c *config.Config) { c.GRPCAddress, c.HTTPAddress = "127.0.0.1:0", taken.Addr().String() },
		"placement.step_budget": func(c *config.Config) { c.Placement.StepBudget = -1 },
	} {
		cfg := configFor(t, sevenNodes())
		change(&cfg)
		s, err := New(cfg, Options{})
		if err == nil {
			err = s.Run(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestEmptyCluster: no node at all is served: everything is refused, nothing
// breaks.
func TestEmptyCluster(t *testing.T) {
	cfg := configFor(t, nil)
	s, err := New(cfg, Options{})
	if err != nil {
		t.Logf("an empty file is refused at the start: %v", err)
		return
	}
	if err := s.abandon(nil); err != nil {
		t.Fatal(err)
	}
	running := start(t, cfg)
	resp, err := running.PlaceGang(soon(t), &hopwisev1.PlaceGangRequest{
		Gang: gangNamed("a"), PodSets: []*hopwisev1.PodSet{{Count: 1, Exclusive: true}},
	})
	if err != nil || resp.GetRefusal() == nil {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestDeadline: a call whose time is over gets that for an answer, not an
// internal error.
func TestDeadline(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	got, err := s.GetTopology(soon(t), &hopwisev1.GetTopologyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	epoch, _, _ := strings.Cut(got.GetRevision(), "-")
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = s.GetPlacement(ctx, &hopwisev1.GetPlacementRequest{Gang: gangNamed("a"), MinRevision: epoch + "-999999"})
	if status.Code(err) != codes.DeadlineExceeded {
		t.Errorf("%v", err)
	}
	if _, err := s.GetPlacement(soon(t), &hopwisev1.GetPlacementRequest{Gang: gangNamed("a"), MinRevision: got.GetRevision()}); reasonIn(err) != "PLACEMENT_NOT_FOUND" {
		t.Errorf("%v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if _, err := s.PlaceGang(ctx, ask("a", 1, nil)); status.Code(err) != codes.Canceled {
		t.Errorf("%v", err)
	}
}
