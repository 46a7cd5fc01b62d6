package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"

	"github.com/hopwise/hopwise/internal/version"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/config"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/source/file"
	"github.com/hopwise/hopwise/server/telemetry"
)

// Options are what a program gives that no file can. The zero value is good.
type Options struct {
	Log   *slog.Logger // nil: nothing is logged
	Stdin io.Reader    // what the source path "-" reads; nil: the process's
	Store ledger.Store // nil: in memory
}

// Server is one hopwise service: a source, the live state and the listeners.
// It runs once.
type Server struct {
	cfg       config.Config
	log       *slog.Logger
	telemetry *telemetry.Telemetry
	measure   *telemetry.Decisions
	source    *file.Source
	scheme    cluster.Choice
	cluster   *cluster.Cluster
	gate      *gate
	health    *health.Server
	grpc      *grpc.Server
	http      *http.Server
	backup    backup         // nil where the store has no copies to give
	listeners sync.WaitGroup // the goroutines that accept
	stopping  atomic.Bool
}

// New reads the source, chooses the scheme and builds the service; nothing runs
// yet. What it opened is closed again where it fails.
func New(cfg config.Config, opts Options) (*Server, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: opts.Log}
	s.backup, _ = opts.Store.(backup)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.openSource(opts); err != nil {
		return nil, err
	}
	ctx := context.Background()
	var err error
	s.telemetry, err = telemetry.New(ctx, telemetry.Options{
		Version: version.String(), Endpoint: cfg.Tracing.Endpoint,
		Insecure: cfg.Tracing.Insecure, Ratio: cfg.Tracing.Ratio,
	})
	if err != nil {
		return nil, err
	}
	if err := s.build(ctx, opts); err != nil {
		return nil, errors.Join(err, s.telemetry.Stop(ctx))
	}
	return s, nil
}

func (s *Server) build(ctx context.Context, opts Options) error {
	var err error
	if s.measure, err = telemetry.NewDecisions(s.telemetry); err != nil {
		return err
	}
	preset := s.cfg.Scheme.Preset
	if preset == config.AutoScheme {
		preset = ""
	}
	s.scheme, err = cluster.ChooseScheme(s.source.First(), preset, s.cfg.Scheme.Layers)
	if err != nil {
		return fmt.Errorf("choosing the layers: %w", err)
	}
	if s.cluster, err = cluster.New(ctx, s.clusterConfig(opts)); err != nil {
		return fmt.Errorf("opening the live state: %w", err)
	}
	if err := telemetry.Observe(s.telemetry, s.state); err != nil {
		return err
	}
	if s.grpc, err = s.newGRPC(); err != nil {
		return err
	}
	s.http = s.newHTTP()
	return nil
}

func (s *Server) clusterConfig(opts Options) cluster.Config {
	policy := ledger.Tightest
	if s.cfg.Placement.DefaultPolicy == "BEST_FIT" {
		policy = ledger.BestFit
	}
	return cluster.Config{
		Scheme: s.scheme.Scheme, Guessed: s.scheme.Guessed, Store: opts.Store,
		DefaultTTL: s.cfg.Placement.DefaultTTL.Std(), Grace: s.cfg.Placement.Grace.Std(),
		NodeLossAfter: s.cfg.Placement.NodeLossAfter.Std(),
		MaxStale:      s.cfg.Source.MaxStale.Std(), DefaultPolicy: policy, DefaultBudget: s.cfg.Placement.StepBudget,
		Queue: s.cfg.Limits.Waiting, GangGauges: s.cfg.Metrics.Gangs,
		Observer: observer{s.measure}, Log: s.log,
	}
}

// Run listens where the configuration says and serves until ctx ends, then stops
// in order. It returns an error only where something failed.
func (s *Server) Run(ctx context.Context) error {
	grpcAt, err := net.Listen("tcp", s.cfg.GRPCAddress)
	if err != nil {
		return s.abandon(fmt.Errorf("listening for gRPC: %w", err))
	}
	var httpAt net.Listener
	if s.cfg.HTTPAddress != "" {
		if httpAt, err = net.Listen("tcp", s.cfg.HTTPAddress); err != nil {
			return s.abandon(errors.Join(fmt.Errorf("listening for HTTP: %w", err), grpcAt.Close()))
		}
	}
	return s.serve(ctx, grpcAt, httpAt)
}

// Serve is Run on a listener of the caller's, without HTTP: an embedding program
// decides what can be reached. It closes the listener.
func (s *Server) Serve(ctx context.Context, at net.Listener) error { return s.serve(ctx, at, nil) }

// abandon ends a server that never ran.
func (s *Server) abandon(err error) error {
	return errors.Join(err, s.telemetry.Stop(context.Background()))
}
