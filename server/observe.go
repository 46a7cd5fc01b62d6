package server

import (
	"context"
	"time"

	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/telemetry"
)

// observer hands what the writer did to the instruments. It runs on the writer's
// goroutine, so it only records.
type observer struct{ measure *telemetry.Decisions }

// Decided records a decision's phases and a new placement's quality.
func (o observer) Decided(d cluster.Decided) {
	ctx := context.Background() // instruments take one and wait for nothing
	o.measure.Phase(ctx, telemetry.PhaseQueue, d.Queued)
	o.measure.Phase(ctx, telemetry.PhaseDecide, d.Decide)
	if d.Explain > 0 {
		o.measure.Phase(ctx, telemetry.PhaseExplain, d.Explain)
	}
	if d.DryRun || d.Quality == nil {
		return
	}
	o.measure.Phase(ctx, telemetry.PhaseHold, d.Hold)
	o.measure.Quality(ctx, telemetry.Placed{
		Leaves: int64(d.Quality.Leaves), Crossings: int64(d.Quality.Crossings), Score: d.Quality.Score,
	})
}

// Committed records a commit; many decisions may share it.
func (o observer) Committed(c cluster.Committed) {
	o.measure.Phase(context.Background(), telemetry.PhaseCommit, c.Took)
}

// state reads the cluster for a scrape.
func (s *Server) state(ctx context.Context) (telemetry.State, error) {
	g, err := s.cluster.Gauges(ctx)
	if err != nil {
		return telemetry.State{}, err
	}
	out := telemetry.State{
		Epoch: int64(g.Revision.Epoch), Revision: int64(g.Revision.N),
		Nodes:      map[string]int64{"ok": int64(g.Nodes - g.Unhealthy), "unhealthy": int64(g.Unhealthy)},
		Placements: map[string]int64{},
		Queue:      int64(g.Queue),
		GangsCut:   int64(g.GangsCut),
	}
	for _, st := range []ledger.State{ledger.Reserved, ledger.Bound, ledger.Degraded, ledger.Released, ledger.Expired} {
		out.Placements[st.String()] = int64(g.Placements[st])
	}
	for _, l := range g.Layers {
		out.Layers = append(out.Layers, telemetry.LayerState{Layer: l.Layer, Free: l.Free, Largest: l.Largest})
	}
	status := s.source.Status()
	out.Sources = []telemetry.SourceState{{
		Source: s.cfg.Source.Kind, Age: time.Since(status.LastGood),
		Failing: status.Err != nil, Failures: int64(status.Failures),
	}}
	for _, gang := range g.Gangs {
		out.Gangs = append(out.Gangs, telemetry.GangState{
			Namespace: gang.Key.Namespace, Name: gang.Key.Name, Layer: gang.Aligned,
			Crossings: int64(gang.Crossings), Score: gang.Score, PreferenceMet: gang.PreferenceMet,
		})
	}
	return out, nil
}
