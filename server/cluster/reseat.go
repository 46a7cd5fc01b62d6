package cluster

import (
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// reseating finds nodes for ranks of a placed gang that have none, beside those
// that stay: the work that repairs, resizes and growing gangs share.
type reseating struct {
	*tx
	g      *gang
	ask    *ask // what is asked from now on, with the call's budget
	budget int64
}

func (t *tx) reseating(g *gang, a *ask, budget int64) *reseating {
	if budget == 0 {
		budget = t.c.cfg.DefaultBudget
	}
	own := *a
	own.gang.Budget = budget
	return &reseating{tx: t, g: g, ask: &own, budget: budget}
}

// seatsWanted is one list of ranks per pod set: the node of each that stays, ""
// for each that needs one.
type seatsWanted [][]string

// kept are the seats of the record, cut or filled up to counts, where missing
// does not say that a rank needs another node.
func kept(rec *ledger.Record, counts []int32, missing func(set int, rank int32) bool) seatsWanted {
	want := make(seatsWanted, len(rec.Sets))
	for i := range rec.Sets {
		nodes := rec.Sets[i].Nodes()
		want[i] = make([]string, counts[i])
		for rank := range min(len(nodes), len(want[i])) {
			if missing == nil || !missing(i, int32(rank)) {
				want[i][rank] = nodes[rank]
			}
		}
	}
	return want
}

// seatsHad is how many ranks each pod set has a seat for.
func seatsHad(rec *ledger.Record) []int32 {
	counts := make([]int32, len(rec.Sets))
	for i := range rec.Sets {
		counts[i] = rec.Sets[i].Pods()
	}
	return counts
}

// none says that no rank stays.
func (w seatsWanted) none() bool {
	for _, nodes := range w {
		if slices.ContainsFunc(nodes, func(n string) bool { return n != "" }) {
			return false
		}
	}
	return true
}

// fill has the engine find the nodes. What stays holds its capacity.
func (r *reseating) fill(want seatsWanted, relax bool) *placer.Answer {
	gang := r.ask.gang
	gang.PodSets = slices.Clone(gang.PodSets)
	gang.MinCount = 0
	ranks := make([][]placer.NodeID, len(want))
	for i, nodes := range want {
		ps := &gang.PodSets[i]
		ps.Count, ps.MinCount = int32(len(nodes)), 0
		ps.PartialLastSlice = len(ps.Slices) > 0 && ps.Count%ps.Slices[0].Size != 0
		ranks[i] = r.s.anchored(nodes)
	}
	return r.s.engine.Fill(&gang, ranks, relax)
}

// anchored are the ranks' nodes in the engine's words. A rank that stays on a node
// that is gone from the graph is told as beside its neighbour in rank: it is not
// to be moved, and cannot be shown where it is.
func (s *state) anchored(nodes []string) []placer.NodeID {
	ids := make([]placer.NodeID, len(nodes))
	last, gone := placer.NoNode, 0
	for rank, name := range nodes {
		ids[rank] = placer.NoNode
		if name == "" {
			continue
		}
		m := s.machines[name]
		switch {
		case m != nil && m.node != nil:
			last, ids[rank] = m.id, m.id
		case last != placer.NoNode:
			ids[rank] = last
		default:
			gone++
		}
	}
	for rank := 0; rank < len(nodes) && gone > 0 && last != placer.NoNode; rank++ {
		if nodes[rank] != "" && ids[rank] == placer.NoNode {
			ids[rank] = last
		}
	}
	return ids
}

// afresh decides the whole gang as if it held nothing, and takes that back.
func (r *reseating) afresh() *placer.Answer {
	gang := r.ask.gang
	var ans *placer.Answer
	r.s.freed(r.g, func() { ans = r.s.engine.Decide(&gang) })
	return ans
}

// freed runs f while the engine counts what the gang holds as free.
func (s *state) freed(g *gang, f func()) {
	seats := make([][]placer.Seat, len(g.held))
	for i, runs := range g.held {
		for _, run := range runs {
			if m := s.machines[run.Node]; m != nil && m.node != nil {
				seats[i] = append(seats[i], placer.Seat{Node: m.id, Pods: run.Count})
			}
		}
		s.engine.Release(&g.ask.gang.PodSets[i], seats[i])
	}
	f()
	for i := range seats {
		s.engine.Hold(&g.ask.gang.PodSets[i], seats[i])
	}
}

// next is the record with the answer's seats. Ranks that stay keep the name of
// their node, whether the graph knows it or not.
func (r *reseating) next(spec *ledger.Spec, want seatsWanted, ans *placer.Answer, anew bool) *ledger.Record {
	to := ledger.Reseating{
		Spec: spec, Anew: anew, Nodes: make([][]string, len(ans.Sets)),
		Decision: ledger.Decision{Proven: ans.Proven, Vector: ans.Vector, LowerBound: ans.LowerBound, Steps: ans.Steps},
	}
	if !ans.Proven && len(ans.LowerBound) == 0 {
		to.Decision.LowerBound = r.s.spreadOf(want)
	}
	for i := range ans.Sets {
		for _, seat := range ans.Sets[i].Seats {
			name := r.s.engine.NodeName(seat.Node)
			for range seat.Pods {
				to.Nodes[i] = append(to.Nodes[i], name)
			}
		}
		for rank := 0; !anew && rank < min(len(to.Nodes[i]), len(want[i])); rank++ {
			if want[i][rank] != "" {
				to.Nodes[i][rank] = want[i][rank]
			}
		}
	}
	next := r.g.rec.Reseat(to, r.now).Assess(r.s.facts(r.ask), r.now)
	r.s.measureAgain(r.g, next)
	r.preferences(next, ans)
	return next
}

// spreadOf is the spread of the ranks that stay: no answer beside them is below it.
func (s *state) spreadOf(want seatsWanted) []int32 {
	var set placer.SetPlacement
	for _, nodes := range want {
		for _, name := range nodes {
			if m := s.machines[name]; name != "" && m != nil && m.node != nil {
				set.Seats = append(set.Seats, placer.Seat{Node: m.id, Pods: 1})
			}
		}
	}
	_, _, vector := s.spread([]placer.SetPlacement{set})
	return vector
}

// preferences says anew which pod sets have what they preferred.
func (r *reseating) preferences(next *ledger.Record, ans *placer.Answer) {
	for i := range next.Sets {
		set := &next.Sets[i]
		set.PreferenceMet = set.Prefers && ans.Sets[i].PreferenceMet
		set.MissPath, set.MissFits = nil, 0
		if set.Prefers && !set.PreferenceMet {
			r.s.freed(r.g, func() { set.MissPath, set.MissFits = r.s.preferenceMiss(&r.ask.gang, i) })
		}
	}
}

// movesOf are the ranks that are on another node than they were.
func (s *state) movesOf(old, next *ledger.Record) []Move {
	var list []Move
	for i := range next.Sets {
		before, after := old.Sets[i].Nodes(), next.Sets[i].Nodes()
		for rank := range min(len(before), len(after)) {
			if before[rank] == after[rank] {
				continue
			}
			move := Move{PodSet: next.Spec.PodSets[i].Name, Rank: int32(rank), From: before[rank], To: after[rank]}
			if m := s.machines[move.To]; m != nil && m.node != nil {
				move.ToLeaf = s.domainRef(s.engine.NodeDomain(m.id))
			}
			list = append(list, move)
		}
	}
	return list
}
