package server

import (
	"fmt"
	"time"

	"buf.build/go/protovalidate"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc/filters"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/config"
)

const (
	// A caller behind a NAT may ping this often, with or without calls under way.
	pingsAtLeast = 10 * time.Second
	// A connection without a sign of life for so long is asked, then dropped.
	idlePing, pingTimeout = time.Minute, 20 * time.Second
	// Calls of one connection at a time; more wait at the client.
	maxStreams = 1024
)

// newGRPC is the gRPC server with every service on it. The library reads up to
// the largest request that any configuration allows; the gate holds requests to
// this server's own limit, with an error that says which.
func (s *Server) newGRPC() (*grpc.Server, error) {
	rules, err := newRules()
	if err != nil {
		return nil, err
	}
	s.gate = &gate{
		log: s.log, rules: rules, unbuilt: indexUnbuilt(unbuiltFields),
		mostBytes: s.cfg.Limits.RequestBytes, stopping: make(chan struct{}),
	}
	g := grpc.NewServer(
		grpc.UnaryInterceptor(s.gate.unary),
		grpc.StreamInterceptor(s.gate.stream),
		grpc.StatsHandler(otelgrpc.NewServerHandler(
			otelgrpc.WithMeterProvider(s.telemetry.MeterProvider()),
			otelgrpc.WithTracerProvider(s.telemetry.TracerProvider()),
			otelgrpc.WithFilter(filters.Not(filters.HealthCheck())),
		)),
		grpc.MaxRecvMsgSize(config.MaxRequestBytes),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingsAtLeast, PermitWithoutStream: true}),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: idlePing, Timeout: pingTimeout}),
	)
	hopwisev1.RegisterPlacementServiceServer(g, &placements{cluster: s.cluster, measure: s.measure})
	hopwisev1.RegisterTopologyServiceServer(g, &topologies{cluster: s.cluster})
	s.health = health.NewServer()
	grpc_health_v1.RegisterHealthServer(g, s.health)
	reflection.Register(g)
	return g, nil
}

// newRules compiles the rules of every request, so that the first call is as
// fast as the next, and a broken rule shows at the start.
func newRules() (protovalidate.Validator, error) {
	rules, err := protovalidate.New(protovalidate.WithMessages(
		&hopwisev1.PlaceGangRequest{}, &hopwisev1.GetPlacementRequest{}, &hopwisev1.ListPlacementsRequest{},
		&hopwisev1.ConfirmPlacementRequest{}, &hopwisev1.RenewPlacementRequest{},
		&hopwisev1.ReleasePlacementRequest{}, &hopwisev1.ScorePlacementRequest{},
		&hopwisev1.RepairPlacementRequest{}, &hopwisev1.ResizePlacementRequest{},
		&hopwisev1.GetTopologyRequest{}, &hopwisev1.ListFreeRequest{}, &hopwisev1.SharedLayerRequest{},
	))
	if err != nil {
		return nil, fmt.Errorf("compiling the contract's rules: %w", err)
	}
	return rules, nil
}
