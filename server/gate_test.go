package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

// TestGateRecovers: a panic and an error without a reason become INTERNAL, are
// logged once, and tell the caller an id and nothing else.
func TestGateRecovers(t *testing.T) {
	for name, handler := range map[string]grpc.UnaryHandler{
		"panic": func(context.Context, any) (any, error) { panic("secret") },
		"error": func(context.Context, any) (any, error) { return nil, errors.New("secret") },
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			rules, err := newRules()
			if err != nil {
				t.Fatal(err)
			}
			g := &gate{log: slog.New(slog.NewTextHandler(&log, nil)), rules: rules, unbuilt: indexUnbuilt(unbuiltFields), mostBytes: 1 << 20}
			req := &hopwisev1.GetPlacementRequest{Gang: gangNamed("a")}
			_, err = g.unary(context.Background(), req, &grpc.UnaryServerInfo{FullMethod: "/m"}, handler)
			if status.Code(err) != codes.Internal || reasonIn(err) != "INTERNAL" || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
			if n := strings.Count(log.String(), "internal error"); n != 1 || !strings.Contains(log.String(), metadataIn(err)["id"]) || !strings.Contains(log.String(), "secret") {
				t.Errorf("logged %d times: %s", n, log.String())
			}
		})
	}
}

// transport hears the trailer that a handler sets.
type transport struct{ trailer metadata.MD }

func (*transport) Method() string               { return "/m" }
func (*transport) SetHeader(metadata.MD) error  { return nil }
func (*transport) SendHeader(metadata.MD) error { return nil }
func (t *transport) SetTrailer(md metadata.MD) error {
	t.trailer = metadata.Join(t.trailer, md)
	return nil
}

// TestOverloaded: callers are told when to come back, in both ways.
func TestOverloaded(t *testing.T) {
	g := &gate{log: slog.New(slog.DiscardHandler)}
	heard := &transport{}
	ctx := grpc.NewContextWithServerTransportStream(context.Background(), heard)
	err := g.fail(ctx, "/m", &cluster.Error{Reason: cluster.Overloaded, Message: "too many"})
	retry := detailOf[*errdetails.RetryInfo](status.Convert(err))
	if status.Code(err) != codes.ResourceExhausted || retry.GetRetryDelay().AsDuration() != retryAfter ||
		len(heard.trailer["grpc-retry-pushback-ms"]) != 1 || heard.trailer["grpc-retry-pushback-ms"][0] != "200" {
		t.Errorf("%v, trailer %v", err, heard.trailer)
	}
}

// raw sends bytes as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error) { return v.([]byte), nil }
func (raw) Unmarshal([]byte, any) error   { return nil }
func (raw) Name() string                  { return "proto" }

// TestMalformed: what is no protobuf, or text that is no UTF-8, is refused by the
// gRPC library, in its words and with its code, before anything is looked at.
func TestMalformed(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	for name, bytes := range map[string][]byte{
		"no protobuf": {0xff, 0xff, 0xff}, "cut short": {0x0a, 0x7f, 0x01}, "no UTF-8": {0x0a, 0x03, 0x0a, 0x01, 0xff},
	} {
		err := s.conn.Invoke(soon(t), hopwisev1.PlacementService_PlaceGang_FullMethodName, bytes, nil, grpc.ForceCodec(raw{}))
		if status.Code(err) != codes.Internal || !strings.Contains(err.Error(), "unmarshal") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.place(t, ask("after", 1, nil))
}

// TestLargeRequests: above this server's limit a request is refused in its own
// words; above what the library reads at all, in the library's.
func TestLargeRequests(t *testing.T) {
	s := start(t, configFor(t, sevenNodes()))
	big := func(values int) *hopwisev1.PlaceGangRequest {
		req := ask("big", 1, nil)
		e := &hopwisev1.SelectorExpression{Key: "k", Operator: hopwisev1.SelectorOperator_SELECTOR_OPERATOR_IN}
		for range values {
			e.Values = append(e.Values, strings.Repeat("v", 1<<16))
		}
		req.PodSets[0].Filter = &hopwisev1.Filter{Terms: []*hopwisev1.SelectorTerm{{Expressions: []*hopwisev1.SelectorExpression{e}}}}
		return req
	}
	_, err := s.PlaceGang(soon(t), big(160)) // 10 MB
	if status.Code(err) != codes.InvalidArgument || reasonIn(err) != "INVALID_REQUEST" || !strings.Contains(err.Error(), "at most 8388608") {
		t.Errorf("10 MB: %v", err)
	}
	_, err = s.PlaceGang(soon(t), big(520))
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "larger than max") {
		t.Errorf("34 MB: %v", err)
	}
	s.place(t, ask("small", 1, nil)) // the connection goes on
}
