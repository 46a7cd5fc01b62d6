package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"

	"buf.build/go/protovalidate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// gate stands before every handler: it refuses what breaks the contract, and
// turns what a handler returns, or panics with, into a status.
type gate struct {
	log       *slog.Logger
	rules     protovalidate.Validator
	unbuilt   *unbuiltIndex
	mostBytes int
	stopping  chan struct{} // closed when streams are to end
}

// unary is the one interceptor; its parts run in this order so that nothing is
// looked at before its size is known.
func (g *gate) unary(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (resp any, err error) {
	defer func() {
		if p := recover(); p != nil {
			resp, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			err = g.fail(ctx, info.FullMethod, err)
		}
	}()
	if m, ok := req.(proto.Message); ok {
		if err := g.check(m); err != nil {
			return nil, err
		}
	}
	return handle(ctx, req)
}

// stream guards what streams: reflection and health, whose statuses are their
// own. A watch of health never ends by itself: it is ended with the server, which
// could not be drained otherwise.
func (g *gate) stream(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = g.fail(s.Context(), info.FullMethod, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	go func() { // ends with the stream
		select {
		case <-g.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	return handle(srv, &endingStream{ServerStream: s, ctx: ctx})
}

// endingStream is a stream whose context also ends with the server.
type endingStream struct {
	grpc.ServerStream
	ctx context.Context
}

// Context is the stream's.
func (s *endingStream) Context() context.Context { return s.ctx }

func (g *gate) check(m proto.Message) error {
	if size := proto.Size(m); size > g.mostBytes {
		return invalid("", fmt.Sprintf("the request is %d bytes; at most %d are taken (limits.request_bytes)", size, g.mostBytes))
	}
	if err := checkRules(g.rules, m); err != nil {
		return err
	}
	return g.unbuilt.refuse(m)
}

// fail makes the status, and logs, once, what is hopwise's own fault.
func (g *gate) fail(ctx context.Context, method string, err error) error {
	if s, ok := status.FromError(err); ok { // the health service's own
		return s.Err()
	}
	id := errorID()
	s := statusOf(err, id)
	switch s.Code() {
	case codes.Internal:
		g.log.Error("internal error", "id", id, "method", method, "error", err)
	case codes.ResourceExhausted:
		// gRPC clients obey this trailer whatever their retry policy says.
		pushback := metadata.Pairs("grpc-retry-pushback-ms", strconv.FormatInt(retryAfter.Milliseconds(), 10))
		if err := grpc.SetTrailer(ctx, pushback); err != nil {
			g.log.Debug("no trailer set", "method", method, "error", err)
		}
	}
	return s.Err()
}

// errorID joins what a caller is told with what the log says.
func errorID() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// reasonOf is the reason that an error carries, empty where none; for metrics.
func reasonOf(err error) string {
	if f, ok := failureOf(err); ok {
		return reasonName(f.reason)
	}
	return reasonName(hopwisev1.ErrorReason_ERROR_REASON_INTERNAL)
}
