package server

import (
	"fmt"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

func scoreIn(r *hopwisev1.ScorePlacementRequest) (cluster.ScoreRequest, error) {
	out := cluster.ScoreRequest{Slots: each(r.GetSlots(), scoreSlotIn)}
	if r.GetGang() != nil {
		g := gangIn(r.GetGang())
		out.Gang = &g
	}
	for i, s := range r.GetShapes() {
		path := fmt.Sprintf("shapes[%d]", i)
		requests, err := amounts(path+".requests", s.GetRequests())
		if err != nil {
			return cluster.ScoreRequest{}, err
		}
		filter, err := filterIn(path+".filter", s.GetFilter())
		if err != nil {
			return cluster.ScoreRequest{}, err
		}
		out.Shapes = append(out.Shapes, cluster.ScoreShape{
			PodSet: s.GetPodSet(), Requests: requests, Exclusive: s.GetExclusive(), Filter: filter,
		})
	}
	return out, nil
}

func scoreSlotIn(s *hopwisev1.ScoreSlot) cluster.ScoreSlot {
	out := cluster.ScoreSlot{Node: s.GetNode(), PodSet: s.GetPodSet(), PodName: s.GetPodName(), Rank: -1}
	if s.Rank != nil {
		out.Rank = s.GetRank()
	}
	return out
}

func scoreOut(s *cluster.Score) *hopwisev1.ScorePlacementResponse {
	return &hopwisev1.ScorePlacementResponse{
		Pods: s.Pods, Nodes: s.Nodes,
		Quality: qualityOut(s.Quality),
		Now:     scoreBestOut(s.Now),
		Empty:   scoreBestOut(s.Empty),
		Assumptions: each(s.Assumptions, func(a cluster.Assumption) *hopwisev1.ScoreAssumption {
			kind := hopwisev1.ScoreAssumptionKind_value["SCORE_ASSUMPTION_KIND_"+a.Kind]
			return &hopwisev1.ScoreAssumption{Kind: hopwisev1.ScoreAssumptionKind(kind), Message: a.Message}
		}),
		Moves:    each(s.Moves, moveOut),
		Revision: s.Revision.String(),
	}
}

func moveOut(m cluster.Move) *hopwisev1.ScoreMove {
	return &hopwisev1.ScoreMove{
		PodSet: m.PodSet, Rank: m.Rank, FromNode: m.From, ToNode: m.To, ToLeaf: domainOut(m.ToLeaf),
	}
}

func scoreBestOut(b cluster.ScoreBest) *hopwisev1.ScoreBest {
	if !b.Found {
		return &hopwisev1.ScoreBest{Proven: b.Proven}
	}
	score := b.Score
	return &hopwisev1.ScoreBest{
		Score: &score, MeanHops: b.Quality.MeanHops, Leaves: int32(b.Quality.Leaves),
		Crossings: int32(b.Quality.Crossings), Spread: layersOut(b.Quality.Spread),
		Aligned: domainOut(b.Quality.Aligned), Proven: b.Proven,
	}
}
