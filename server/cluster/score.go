package cluster

import (
	"context"
	"fmt"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// ScorePlacement says how near together a gang's slots, or a list, lie, and how
// near they could: on the cluster as it is with their own use freed, and on the
// healthy cluster empty. It holds nothing. Errors: PLACEMENT_NOT_FOUND,
// NODE_NOT_FOUND, UNKNOWN_RESOURCE, INVALID_REQUEST.
func (c *Cluster) ScorePlacement(ctx context.Context, req ScoreRequest) (*Score, error) {
	return call(ctx, c, reading, func(t *tx) (*Score, error) {
		if !t.s.synced {
			return nil, fail(NotSynced, "no source has been read yet")
		}
		s := &scoring{tx: t}
		var err error
		if req.Gang != nil {
			err = s.ofGang(*req.Gang)
		} else {
			err = s.ofList(req)
		}
		if err != nil {
			return nil, err
		}
		return s.judge(), nil
	})
}

// scoring is one judgement at work.
type scoring struct {
	*tx
	gang  placer.Gang
	names []string
	sets  []placer.SetPlacement
	ranks [][]int32 // per set and pod counted: its rank
	pods  int32
	said  []Assumption
}

func (s *scoring) assume(kind, message string) {
	for _, a := range s.said {
		if a.Kind == kind {
			return
		}
	}
	s.said = append(s.said, Assumption{kind, message})
}

func (s *scoring) ofGang(who ledger.Gang) error {
	g, err := s.findLive(who, "")
	if err != nil {
		return err
	}
	s.gang.Budget = g.ask.gang.Budget
	for i := range g.rec.Sets {
		ps := g.ask.gang.PodSets[i]
		var placed placer.SetPlacement
		var ranks []int32
		for _, run := range g.held[i] {
			m := s.s.machines[run.Node]
			if m == nil || m.node == nil {
				return fail(NodeNotFound, "%s has ranks on %q, which is gone", who.Key(), run.Node).with("node", run.Node)
			}
			placed.Seats = append(placed.Seats, placer.Seat{Node: m.id, Pods: run.Count})
			placed.Pods += run.Count
			for k := range run.Count {
				ranks = append(ranks, run.First+k)
			}
		}
		if placed.Pods == 0 {
			continue
		}
		ps.Count, ps.MinCount = placed.Pods, 0
		s.gang.PodSets = append(s.gang.PodSets, ps)
		s.names = append(s.names, ps.Name)
		s.sets, s.ranks = append(s.sets, placed), append(s.ranks, ranks)
		s.pods += placed.Pods
	}
	if len(g.rec.Sets) > 0 {
		s.assume("REQUESTS_FROM_GANG", "pods take what the gang was placed with")
	}
	return nil
}

// judge compares with the best answers.
func (s *scoring) judge() *Score {
	e := s.s.engine
	sc := e.Score(&s.gang, s.sets)
	out := &Score{Pods: s.pods, Assumptions: s.said, Revision: s.s.rev}
	nodes := map[placer.NodeID]bool{}
	for _, set := range s.sets {
		for _, seat := range set.Seats {
			nodes[seat.Node] = true
		}
	}
	out.Nodes = int32(len(nodes))
	list := s.s.qualityOf(s.sets)
	list.Score = sc.Now
	out.Quality = s.s.showQuality(&list)
	out.Quality.SideSpread = s.sides()
	out.Now = s.best(sc.AnswerNow, sc.Now)
	out.Empty = s.best(sc.AnswerEmpty, sc.Empty)
	if sc.Now >= 0 && sc.Now < 1 {
		out.Moves = s.moves(sc.AnswerNow)
	}
	return out
}

func (s *scoring) sides() []LayerCount {
	var c sideCount
	for _, set := range s.sets {
		for _, seat := range set.Seats {
			c.add(s.s, []ledger.Run{{Node: s.s.engine.NodeName(seat.Node)}})
		}
	}
	return c.list(s.s)
}

func (s *scoring) best(ans *placer.Answer, score float64) ScoreBest {
	if ans == nil || ans.Refusal != nil {
		return ScoreBest{Proven: ans != nil && ans.Refusal.Proven}
	}
	q := s.s.qualityOf(ans.Sets)
	return ScoreBest{Found: true, Score: score, Quality: s.s.showQuality(&q), Proven: ans.Proven}
}

// moves are the ranks that leave their node for the best answer: each node keeps
// as many of its ranks, in order, as the answer has pods there.
func (s *scoring) moves(best *placer.Answer) []Move {
	var list []Move
	for i, set := range s.sets {
		room := map[placer.NodeID]int32{}
		for _, seat := range best.Sets[i].Seats {
			room[seat.Node] += seat.Pods
		}
		var leaving []Move
		k := 0
		for _, seat := range set.Seats {
			for range seat.Pods {
				if room[seat.Node] > 0 {
					room[seat.Node]--
				} else {
					leaving = append(leaving, Move{PodSet: s.names[i], Rank: s.ranks[i][k], From: s.s.engine.NodeName(seat.Node)})
				}
				k++
			}
		}
		for _, seat := range best.Sets[i].Seats {
			for ; room[seat.Node] > 0 && len(leaving) > 0; room[seat.Node]-- {
				leaving[0].To = s.s.engine.NodeName(seat.Node)
				leaving[0].ToLeaf = s.s.domainRef(s.s.engine.NodeDomain(seat.Node))
				list, leaving = append(list, leaving[0]), leaving[1:]
			}
		}
	}
	return list
}

func (s *scoring) nodeNamed(i int, name string) (*machine, error) {
	m := s.s.machines[name]
	if m == nil || m.node == nil {
		return nil, fail(NodeNotFound, "there is no node %q", name).at(fmt.Sprintf("slots[%d].node", i)).with("node", name)
	}
	return m, nil
}
