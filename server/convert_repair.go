package server

import (
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/ledger"
)

func repairIn(r *hopwisev1.RepairPlacementRequest) cluster.RepairRequest {
	in := cluster.RepairRequest{
		Gang: gangIn(r.GetGang()), Ranks: rangesIn(r.GetSlots()), Nodes: r.GetNodes(),
		DryRun: r.GetDryRun(), Explain: r.GetExplain(), Budget: r.GetStepBudget(), Etag: r.GetEtag(),
	}
	if o := r.GetOnUnrepairable(); o != hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_UNSPECIFIED {
		policy := onUnrepairableIn(o)
		in.Policy = &policy
	}
	return in
}

func rangesIn(list []*hopwisev1.SlotRange) []ledger.Ranks {
	return each(list, func(s *hopwisev1.SlotRange) ledger.Ranks {
		return ledger.Ranks{Set: s.GetPodSet(), First: s.GetFirstRank(), Count: s.GetCount()}
	})
}

func repairOut(r *cluster.RepairResult) *hopwisev1.RepairPlacementResponse {
	out := &hopwisev1.RepairPlacementResponse{
		Revision: r.Revision.String(), Moves: each(r.Moves, moveOut),
		Existing: r.Existing, Relaxed: r.Relaxed, DecidedAnew: r.Anew, Notes: r.Notes,
	}
	if r.Refusal != nil {
		out.Outcome = &hopwisev1.RepairPlacementResponse_Refusal{Refusal: refusalOut(r.Refusal)}
	} else {
		out.Outcome = &hopwisev1.RepairPlacementResponse_Placement{Placement: placementOut(r.Placement)}
	}
	return out
}

func resizeIn(r *hopwisev1.ResizePlacementRequest) cluster.ResizeRequest {
	return cluster.ResizeRequest{
		Gang: gangIn(r.GetGang()), DryRun: r.GetDryRun(), Explain: r.GetExplain(),
		Budget: r.GetStepBudget(), Etag: r.GetEtag(),
		Sets: each(r.GetPodSets(), func(s *hopwisev1.PodSetSize) cluster.SetSize {
			size := cluster.SetSize{Name: s.GetName(), Count: s.GetCount()}
			if s.MinCount != nil {
				floor := s.GetMinCount()
				size.MinCount = &floor
			}
			return size
		}),
	}
}

func resizeOut(r *cluster.ResizeResult) *hopwisev1.ResizePlacementResponse {
	out := &hopwisev1.ResizePlacementResponse{Revision: r.Revision.String(), Existing: r.Existing, Notes: r.Notes}
	if r.Refusal != nil {
		out.Outcome = &hopwisev1.ResizePlacementResponse_Refusal{Refusal: refusalOut(r.Refusal)}
	} else {
		out.Outcome = &hopwisev1.ResizePlacementResponse_Placement{Placement: placementOut(r.Placement)}
	}
	return out
}
