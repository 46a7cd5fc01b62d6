package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/hopwise/hopwise/internal/version"
)

// lastWord is how long watchers of health get to hear that the server stops
// before their streams end.
const lastWord = 50 * time.Millisecond

// flushTime bounds what is waited for once no call is under way any more.
const flushTime = 5 * time.Second

// serve starts the parts in order, each when what it needs runs, waits for ctx's
// end or a part's failure, and stops them in the opposite order.
func (s *Server) serve(ctx context.Context, grpcAt, httpAt net.Listener) error {
	writer := s.start(ctx, s.cluster.Run)
	s.tell(s.source.Status())
	// A stop that comes this early is an orderly one too, only a quick one.
	if err := s.cluster.Apply(context.WithoutCancel(ctx), s.source.First()); err != nil {
		err = fmt.Errorf("applying the source's first state: %w", err)
		return errors.Join(err, closeAll(grpcAt, httpAt), writer.stop(), s.abandon(nil))
	}
	source := s.start(ctx, s.follow)
	heart := s.start(ctx, func(ctx context.Context) error { s.beat(ctx); return nil })
	setReads(s.health)
	s.turnWrites()
	s.announce(grpcAt, httpAt)
	failed := s.listen(grpcAt, httpAt)

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	case <-writer.done:
		err = errors.New("the live state's writer ended by itself")
	}
	s.log.Info("stopping", "reason", stopReason(ctx, err))
	s.drain()
	return errors.Join(err, heart.stop(), source.stop(), writer.stop(), s.flush())
}

// part is a goroutine of the server's own.
type part struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // after done
}

// start runs f until its part is stopped: not when ctx ends, since parts stop in
// order.
func (s *Server) start(ctx context.Context, f func(context.Context) error) *part {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &part{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = f(ctx)
	}()
	return p
}

func (p *part) stop() error {
	p.cancel()
	<-p.done
	if errors.Is(p.err, context.Canceled) {
		return nil
	}
	return p.err
}

// listen serves on both listeners; their goroutines end with drain.
func (s *Server) listen(grpcAt, httpAt net.Listener) <-chan error {
	failed := make(chan error, 2) // one for each goroutine: neither waits for a reader
	s.listeners.Go(func() {
		if err := s.grpc.Serve(grpcAt); err != nil {
			failed <- fmt.Errorf("serving gRPC: %w", err)
		}
	})
	if httpAt != nil {
		s.listeners.Go(func() {
			if err := s.http.Serve(httpAt); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serving HTTP: %w", err)
			}
		})
	}
	return failed
}

// drain says that the server stops, lets calls under way end, and cuts off what
// is left after stop_after.
func (s *Server) drain() {
	s.stopping.Store(true)
	s.health.Shutdown()
	word := time.AfterFunc(lastWord, func() { close(s.gate.stopping) })
	cut := time.AfterFunc(s.cfg.StopAfter.Std(), s.grpc.Stop)
	s.grpc.GracefulStop()
	cut.Stop()
	word.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		s.log.Warn("HTTP calls were cut off", "error", err)
		_ = s.http.Close() // nothing more can be done
	}
	s.listeners.Wait()
}

// flush sends what telemetry has left. A receiver that is away is no failure of
// the stop.
func (s *Server) flush() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := s.telemetry.Stop(ctx); err != nil {
		s.log.Warn("telemetry was not flushed", "error", err)
	}
	s.log.Info("stopped")
	return nil
}

// announce is what a person looks for at a start.
func (s *Server) announce(grpcAt, httpAt net.Listener) {
	status := s.source.Status()
	at := ""
	if httpAt != nil {
		at = httpAt.Addr().String()
	}
	s.log.Info("serving", "version", version.String(), "grpc", grpcAt.Addr().String(), "http", at,
		"source", s.cfg.Source.Kind, "files", status.Files, "nodes", status.Nodes, "pods", status.Pods,
		"scheme", s.scheme.Scheme.Name, "layers", s.scheme.Scheme.Layers, "guessed", s.scheme.Guessed,
		"durable", s.cluster.Durable(), "revision", s.cluster.Revision().String())
	if s.scheme.Note != "" {
		s.log.Info("scheme chosen", "note", s.scheme.Note)
	}
	if !s.cluster.Durable() {
		s.log.Warn("placements are held in memory: a restart forgets them")
	}
	for _, w := range status.Warnings {
		s.log.Warn("source", "warning", w)
	}
}

func stopReason(ctx context.Context, err error) string {
	if err != nil {
		return err.Error()
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause.Error()
	}
	return "asked to"
}

func closeAll(all ...net.Listener) error {
	var errs []error
	for _, l := range all {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	return errors.Join(errs...)
}
