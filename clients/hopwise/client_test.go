package hopwise

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func failed(t *testing.T, code codes.Code, message string, details ...protoadapt.MessageV1) error {
	t.Helper()
	s, err := status.New(code, message).WithDetails(details...)
	if err != nil {
		t.Fatal(err)
	}
	return s.Err()
}

func reason(word string) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Domain: errorDomain, Reason: word, Metadata: map[string]string{"field": "gang.name"}}
}

// TestRetry counts tries and waits, on synthetic time.
func TestRetry(t *testing.T) {
	for _, c := range []struct {
		name       string
		err        error
		tries      int
		least, top time.Duration
	}{
		{"good", nil, 1, 0, 0},
		{"unavailable", failed(t, codes.Unavailable, "x"), 4, 175 * time.Millisecond, 350 * time.Millisecond},
		{"not synced", failed(t, codes.Unavailable, "x", reason("NOT_SYNCED")), 4, 175 * time.Millisecond, 350 * time.Millisecond},
		{"overloaded", failed(t, codes.ResourceExhausted, "x", reason("OVERLOADED"), &errdetails.RetryInfo{RetryDelay: durationpb.New(2 * time.Second)}), 4, 6 * time.Second, 6 * time.Second},
		{"slow watcher", failed(t, codes.ResourceExhausted, "x", reason("SLOW_WATCHER")), 1, 0, 0},
		{"too large", failed(t, codes.ResourceExhausted, "x"), 1, 0, 0},
		{"changed", failed(t, codes.AlreadyExists, "x", reason("GANG_CHANGED")), 1, 0, 0},
		{"foreign overload", failed(t, codes.ResourceExhausted, "x", &errdetails.ErrorInfo{Domain: "other", Reason: "OVERLOADED"}), 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries, start := 0, time.Now()
				err := retry(3)(t.Context(), "/m", nil, nil, nil, func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
					tries++
					return c.err
				})
				if !errors.Is(err, c.err) || tries != c.tries {
					t.Errorf("%d tries, error %v; want %d", tries, err, c.tries)
				}
				if took := time.Since(start); took < c.least || took > c.top {
					t.Errorf("took %s, want %s to %s", took, c.least, c.top)
				}
			})
		})
	}
}

// TestRetryEndsWithContext does not begin a wait that the deadline would cut, and
// ends one that is cancelled.
func TestRetryEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := status.Error(codes.Unavailable, "x")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return want }
		if err := retry(3)(ctx, "/m", nil, nil, nil, invoke); !errors.Is(err, want) {
			t.Errorf("got %v", err)
		}
		cancelled, cancel2 := context.WithCancel(t.Context())
		cancel2()
		if err := retry(3)(cancelled, "/m", nil, nil, nil, invoke); !errors.Is(err, want) {
			t.Errorf("got %v", err)
		}
	})
}

func TestDeadline(t *testing.T) {
	invoke := func(want time.Duration) grpc.UnaryInvoker {
		return func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			end, has := ctx.Deadline()
			if left := time.Until(end); !has || left != want {
				t.Errorf("deadline in %s (%v), want %s", left, has, want)
			}
			return nil
		}
	}
	synctest.Test(t, func(t *testing.T) {
		_ = deadline(time.Second)(t.Context(), "/m", nil, nil, nil, invoke(time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_ = deadline(time.Second)(ctx, "/m", nil, nil, nil, invoke(time.Minute))
	})
}

// TestDeadServer says what was dialled and how to start one.
func TestDeadServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	c, err := Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, err = c.GetTopology(t.Context(), &hopwisev1.GetTopologyRequest{})
	var e *Error
	if !errors.As(err, &e) || !e.Unreachable {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"no server answers at " + address + ": connection refused", "hopwised --config", "--topology"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

type stub struct {
	hopwisev1.UnimplementedTopologyServiceServer
	answer func(*hopwisev1.GetTopologyRequest) (*hopwisev1.GetTopologyResponse, error)
}

func (s stub) GetTopology(_ context.Context, r *hopwisev1.GetTopologyRequest) (*hopwisev1.GetTopologyResponse, error) {
	return s.answer(r)
}

func dialStub(t *testing.T, s stub) *Client {
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer()
	hopwisev1.RegisterTopologyServiceServer(server, s)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	c, err := Dial("passthrough:///memory", WithTimeout(5*time.Second), WithRetries(1), WithDialOptions(
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) })))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); server.Stop(); <-done })
	return c
}

func TestErrorDetails(t *testing.T) {
	want := failed(t, codes.InvalidArgument, "gang.name: too short", reason("INVALID_REQUEST"),
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: "gang.name", Description: "too short"}}})
	c := dialStub(t, stub{answer: func(*hopwisev1.GetTopologyRequest) (*hopwisev1.GetTopologyResponse, error) { return nil, want }})
	_, err := c.GetTopology(t.Context(), &hopwisev1.GetTopologyRequest{})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %T", err)
	}
	if e.Reason != "INVALID_REQUEST" || e.Metadata["field"] != "gang.name" || e.Unreachable || len(e.Violations) != 1 ||
		status.Code(err) != codes.InvalidArgument || err.Error() != "gang.name: too short" {
		t.Errorf("got %+v", e)
	}
}

func TestPages(t *testing.T) {
	c := dialStub(t, stub{answer: func(r *hopwisev1.GetTopologyRequest) (*hopwisev1.GetTopologyResponse, error) {
		next := map[string]string{"": "b", "b": "c"}[r.GetPageToken()]
		if r.GetPageToken() == "c" && r.GetMaxDepth() == 1 {
			return nil, status.Error(codes.Internal, "broken")
		}
		return &hopwisev1.GetTopologyResponse{Revision: r.GetPageToken(), NextPageToken: next}, nil
	}})
	read := func(depth int32) (revisions []string, failure error) {
		for page, err := range c.TopologyPages(t.Context(), &hopwisev1.GetTopologyRequest{MaxDepth: depth}) {
			if err != nil {
				return revisions, err
			}
			revisions = append(revisions, page.GetRevision())
		}
		return revisions, nil
	}
	if got, err := read(0); err != nil || strings.Join(got, ",") != ",b,c" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := read(1); err == nil || len(got) != 2 {
		t.Errorf("got %q, %v", got, err)
	}
}
