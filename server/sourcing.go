package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/source/file"
)

// pulse is how often what only time changes is looked at: a source's age, and
// whether writes are still served on its word.
const pulse = time.Second

// openSource reads the files. What it hears of later looks is told to the
// cluster; said is the last trouble logged, so that a broken file is one line.
func (s *Server) openSource(opts Options) error {
	said := "" // belongs to the goroutine of the source's Run
	source, err := file.Open(s.cfg.Source.Paths, file.Options{
		MaxBytes: s.cfg.Source.MaxBytes, Poll: s.cfg.Source.Poll.Std(), Stdin: opts.Stdin,
		OnStatus: func(st file.Status) {
			s.tell(st)
			now := ""
			if st.Err != nil {
				now = st.Err.Error()
			}
			switch {
			case now == said:
			case now != "":
				s.log.Warn("source cannot be read; the last good state stays", "source", detail(st), "error", now)
			default:
				s.log.Info("source is read again", "source", detail(st), "nodes", st.Nodes, "pods", st.Pods)
			}
			said = now
		},
	})
	if err != nil {
		return fmt.Errorf("reading the topology: %w", err)
	}
	s.source = source
	return nil
}

func detail(st file.Status) string { return strings.Join(st.Files, ", ") }

// tell hands a source's status to the cluster and turns the writes' health.
func (s *Server) tell(st file.Status) {
	status := cluster.SourceStatus{Kind: s.cfg.Source.Kind, Detail: detail(st), Updated: st.LastGood}
	if st.Err != nil {
		status.Stale, status.Error = true, st.Err.Error()
	}
	s.cluster.SetSource(status)
	s.turnWrites()
}

func (s *Server) turnWrites() {
	if !s.stopping.Load() {
		setWrites(s.health, s.cluster.Writes() == nil)
	}
}

// follow runs the source until ctx ends.
func (s *Server) follow(ctx context.Context) error {
	err := s.source.Run(ctx, func(d cluster.Delta) {
		if err := s.cluster.Apply(ctx, d); err != nil && ctx.Err() == nil {
			s.log.Error("a change of the source was not applied", "error", err)
		}
	})
	if err != nil {
		return fmt.Errorf("following the source: %w", err)
	}
	return nil
}

// beat tells the source's age until ctx ends.
func (s *Server) beat(ctx context.Context) {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.tell(s.source.Status())
		}
	}
}
