package cluster

import (
	"fmt"
	"time"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// decide has the engine search, and reserves what it found.
func (p *placing) decide() (*PlaceResult, error) {
	began := time.Now()
	ans := p.s.engine.Decide(&p.ask.gang)
	p.seen.Decide, p.seen.Steps = time.Since(began), ans.Steps
	if ans.Refusal != nil {
		return p.refuse(ans), nil
	}
	if len(ans.Sets) != len(p.ask.gang.PodSets) {
		return nil, fail(Internal, "the engine placed %d of %d pod sets", len(ans.Sets), len(p.ask.gang.PodSets))
	}
	rec := p.record(ans)
	p.seen.Outcome, p.seen.Quality = "placed", &rec.Quality
	res := &PlaceResult{DecidedAnew: p.anew, Notes: p.notes}
	if p.req.DryRun {
		res.Placement = p.show(rec)
		res.Placement.dry()
		p.rollback(0)
		res.Revision = p.s.rev
		return res, nil
	}
	began = time.Now()
	p.put(rec, p.ask)
	p.seen.Hold = time.Since(began)
	res.Placement, res.Revision = p.show(rec), p.s.rev
	return res, nil
}

// record is the ledger's word for an answer.
func (p *placing) record(ans *placer.Answer) *ledger.Record {
	sets := make([]ledger.Set, len(ans.Sets))
	for i := range ans.Sets {
		sets[i] = p.s.setOf(&p.ask.gang.PodSets[i], &ans.Sets[i])
		if sets[i].Prefers && !sets[i].PreferenceMet {
			sets[i].MissPath, sets[i].MissFits = p.s.preferenceMiss(&p.ask.gang, i)
		}
	}
	quality := sets[0].Quality
	if len(sets) > 1 {
		quality = p.s.qualityOf(ans.Sets)
	}
	quality.Score = p.s.scoreAtPlacement(&p.ask.gang, &quality)
	return ledger.New(ledger.Placed{
		Gang: p.req.Gang, Earlier: p.earlier, Spec: p.req.Spec, Original: p.original, Sets: sets,
		Policy: p.c.policy(p.req.Spec.Policy), Priority: p.req.Priority, By: "hopwise", Quality: quality, TTL: p.req.TTL,
		Decision: ledger.Decision{Proven: ans.Proven, Vector: ans.Vector, LowerBound: ans.LowerBound, Steps: ans.Steps},
	}, p.now)
}

func (s *state) setOf(ps *placer.PodSet, placed *placer.SetPlacement) ledger.Set {
	set := ledger.Set{
		Runs:          make([]ledger.Run, len(placed.Seats)),
		Prefers:       ps.Preferred != placer.NoLayer,
		PreferenceMet: placed.PreferenceMet,
		Quality:       s.qualityOf([]placer.SetPlacement{*placed}),
	}
	for i, seat := range placed.Seats {
		set.Runs[i] = ledger.Run{Node: s.engine.NodeName(seat.Node), Pods: seat.Pods}
	}
	return set
}

// preferenceMiss is the domain of the preferred layer that came nearest: what
// the engine would say, were that layer required.
func (s *state) preferenceMiss(g *placer.Gang, set int) ([]string, int64) {
	alone := *g
	alone.PodSets = []placer.PodSet{g.PodSets[set]}
	ps := &alone.PodSets[0]
	ps.Required, ps.After, ps.Group = ps.Preferred, nil, ""
	ps.MinCount, alone.MinCount = 0, 0
	ans := s.engine.Decide(&alone)
	if ans.Refusal == nil || int(ps.Preferred) >= len(ans.Refusal.Misses) {
		return nil, 0
	}
	miss := ans.Refusal.Misses[ps.Preferred]
	return s.missPath(miss), miss.Pods
}

// missPath is the path of a miss; the node layer's ends in the node's name.
func (s *state) missPath(m placer.Miss) []string {
	switch {
	case m.Node != placer.NoNode:
		return s.nodePath(m.Node)
	case m.Domain > placer.Root:
		return s.engine.DomainPath(m.Domain)
	}
	return nil
}

func (s *state) nodePath(id placer.NodeID) []string {
	return append(s.engine.DomainPath(s.engine.NodeDomain(id)), s.engine.NodeName(id))
}

// scoreAtPlacement is 1 where TIGHTEST itself decided without limits of its own
// kind: no list is nearer together than its answer. Otherwise it asks.
func (s *state) scoreAtPlacement(g *placer.Gang, q *ledger.Quality) float64 {
	free := g.Policy == placer.Tightest
	ask := placer.Gang{Policy: placer.Tightest, Budget: g.Budget, SpanFabrics: true}
	for _, ps := range g.PodSets {
		free = free && len(ps.Slices) == 0 && len(g.PodSets) == 1 && ps.MinCount == 0
		ask.PodSets = append(ask.PodSets, placer.PodSet{
			Name: ps.Name, Count: ps.Count, Requests: ps.Requests, Exclusive: ps.Exclusive, MaxPerNode: ps.MaxPerNode,
			Filter: ps.Filter, Required: placer.NoLayer, Preferred: placer.NoLayer,
		})
	}
	if free {
		return 1
	}
	ans := s.engine.Decide(&ask)
	if ans.Refusal != nil {
		return -1
	}
	best := s.engine.Quality(ans.Sets)
	return min(1, (1+best.MeanHops)/(1+q.MeanHops))
}

// qualityOf measures seats in rank order.
func (s *state) qualityOf(sets []placer.SetPlacement) ledger.Quality {
	q := s.engine.Quality(sets)
	out := ledger.Quality{
		Leaves: q.Leaves, Crossings: q.Crossings, BestCrossings: q.BestCrossings,
		MeanHops: q.MeanHops, WorstHops: q.WorstHops, Score: -1,
	}
	out.AlignedPath, out.AlignedNode, out.Vector = s.spread(sets)
	return out
}

// gangNames names gangs for a message.
func gangNames(gangs []ledger.Gang) string {
	switch len(gangs) {
	case 0:
		return "nothing"
	case 1:
		return gangs[0].Key().String()
	case 2:
		return gangs[0].Key().String() + " and " + gangs[1].Key().String()
	}
	return fmt.Sprintf("%s, %s and %d more", gangs[0].Key(), gangs[1].Key(), len(gangs)-2)
}
