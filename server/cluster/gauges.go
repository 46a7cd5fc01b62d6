package cluster

import (
	"context"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// Gauges is the state as metrics show it. Its cost is that of the domains, plus
// at most Config.GangGauges gangs.
func (c *Cluster) Gauges(ctx context.Context) (*Gauges, error) {
	return call(ctx, c, reading, func(t *tx) (*Gauges, error) {
		s := t.s
		g := &Gauges{
			Revision: s.rev, Nodes: s.engine.Len(), Unhealthy: int(s.sums.of[placer.Root].unhealthy),
			Placements: map[ledger.State]int{}, Sources: c.sourceList(), Queue: len(c.queue),
		}
		whole := &placer.PodSet{Name: "whole", Count: 1, Exclusive: true, Required: placer.NoLayer, Preferred: placer.NoLayer}
		for l := range s.cfg.Scheme.Layers {
			if !s.hidden(placer.Layer(l)) {
				g.Layers = append(g.Layers, s.layerFree(whole, placer.Layer(l), placer.Root))
			}
		}
		for state, n := range s.byState {
			if n > 0 {
				g.Placements[ledger.State(state)] = n
			}
		}
		s.gangGauges(g, c.cfg.GangGauges)
		return g, nil
	})
}

// gangGauges lists the first live gangs by key; ended ones are looked past, at
// most as many as a page of a list looks at.
func (s *state) gangGauges(g *Gauges, most int) {
	live := s.byState[ledger.Reserved] + s.byState[ledger.Bound] + s.byState[ledger.Degraded]
	steps := 0
	s.order.after(ledger.Key{}, func(key ledger.Key) bool {
		if len(g.Gangs) >= most || steps >= listSteps {
			return false
		}
		steps++
		if rec := s.gangs[key].rec; !rec.State.Ended() {
			met := true
			for i := range rec.Sets {
				met = met && (!rec.Sets[i].Prefers || rec.Sets[i].PreferenceMet)
			}
			q := s.showQuality(&rec.Quality)
			g.Gangs = append(g.Gangs, GangGauge{
				Key: key, State: rec.State, Score: q.Score, Crossings: q.Crossings, Aligned: q.Aligned.Layer, PreferenceMet: met,
			})
		}
		return true
	})
	g.GangsCut = live - len(g.Gangs)
}
