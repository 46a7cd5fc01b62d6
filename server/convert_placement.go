package server

import (
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/scheme"
)

// domainIn takes the layer from the path's length where it is unset; a path
// longer than any is looked for among the nodes, and not found there.
func domainIn(d *hopwisev1.DomainRef, in scheme.Scheme) *cluster.DomainRef {
	if d == nil {
		return nil
	}
	out := &cluster.DomainRef{Layer: d.GetLayer(), Path: d.GetPath()}
	switch depth := len(out.Path); {
	case out.Layer != "" || depth == 0:
	case depth <= len(in.Layers):
		out.Layer = in.Layers[depth-1]
	default:
		out.Layer = in.Node
	}
	return out
}

// domainOut shares the path: answers are written to the wire and never changed.
func domainOut(d cluster.DomainRef) *hopwisev1.DomainRef {
	return &hopwisev1.DomainRef{Layer: d.Layer, Path: d.Path}
}

func domainPointerOut(d *cluster.DomainRef) *hopwisev1.DomainRef {
	if d == nil {
		return nil
	}
	return domainOut(*d)
}

func fitOut(f cluster.DomainFit) *hopwisev1.DomainFit {
	return &hopwisev1.DomainFit{Domain: domainOut(f.Domain), Fits: f.Fits, Wanted: f.Wanted}
}

func layersOut(counts []cluster.LayerCount) []*hopwisev1.LayerCount {
	return each(counts, func(c cluster.LayerCount) *hopwisev1.LayerCount {
		return &hopwisev1.LayerCount{Layer: c.Layer, Count: c.Count}
	})
}

// each converts a list; an empty one stays nil, as protobuf has it.
func each[A, B any](list []A, convert func(A) B) []B {
	if len(list) == 0 {
		return nil
	}
	out := make([]B, len(list))
	for i := range list {
		out[i] = convert(list[i])
	}
	return out
}

// timeOut leaves the zero time unset.
func timeOut(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func placementOut(p *cluster.Placement) *hopwisev1.Placement {
	r := p.Record
	out := &hopwisev1.Placement{
		Gang:       gangOut(r.Gang),
		Spec:       specOut(r.Spec),
		PodSets:    each(p.Sets, placedSetOut),
		Pods:       p.Pods,
		PodsWanted: p.Wanted,
		Quality:    qualityOut(p.Quality),
		Proven:     r.Decision.Proven,
		LowerBound: layersOut(p.LowerBound),
		Steps:      r.Decision.Steps,
		Policy:     hopwisev1.Policy(r.Policy),
		Priority:   r.Priority,
		CreateTime: timeOut(r.Created),
		UpdateTime: timeOut(r.Updated),
		ExpireTime: timeOut(r.Expires),
		EndTime:    timeOut(r.Ended),
		PlacedBy:   r.PlacedBy,
		Troubles:   each(p.Troubles, troubleOut),
		DryRun:     p.DryRun,
	}
	if r.Original != nil {
		out.OriginalSpec = specOut(*r.Original)
	}
	if !p.DryRun {
		out.State, out.Etag = hopwisev1.PlacementState(r.State), p.Etag
		out.Durable, out.Revision = p.Durable, r.Revision.String()
	}
	return out
}

func placedSetOut(s cluster.PlacedSet) *hopwisev1.PodSetPlacement {
	out := &hopwisev1.PodSetPlacement{
		Name:       s.Name,
		Pods:       s.Pods,
		PodsWanted: s.Wanted,
		Ranks:      rankListOut(s.Ranks),
		Slots:      each(s.Slots, slotOut),
		Quality:    qualityOut(s.Quality),
	}
	if s.Preference != nil {
		met := *s.Preference
		out.PreferenceMet = &met
	}
	if s.Miss != nil {
		out.PreferenceMiss = fitOut(*s.Miss)
	}
	return out
}

// rankListOut lets neighbours under one leaf share its name: most of them do, and
// the list is most of an answer.
func rankListOut(list []cluster.RankRange) []*hopwisev1.RankRange {
	if len(list) == 0 {
		return nil
	}
	ranges := make([]hopwisev1.RankRange, len(list))
	out := make([]*hopwisev1.RankRange, len(list))
	for i, r := range list {
		out[i] = &ranges[i]
		out[i].FirstRank, out[i].Count, out[i].Node = r.First, r.Count, r.Node
		if i > 0 && r.Leaf.Layer == list[i-1].Leaf.Layer && slices.Equal(r.Leaf.Path, list[i-1].Leaf.Path) {
			out[i].Leaf = out[i-1].Leaf
			continue
		}
		out[i].Leaf = domainOut(r.Leaf)
	}
	return out
}

func slotOut(s cluster.Slot) *hopwisev1.Slot {
	return &hopwisev1.Slot{
		Rank: s.Rank, State: hopwisev1.SlotState(s.State + 1), Node: s.Node, PlannedNode: s.Planned,
		PodName: s.PodName, PodUid: s.PodUID, UpdateTime: timeOut(s.Updated), KeepUntil: timeOut(s.KeepUntil), MovedFrom: s.From,
	}
}

func troubleOut(t cluster.Trouble) *hopwisev1.Trouble {
	return &hopwisev1.Trouble{
		Kind: hopwisev1.TroubleKind(t.Kind), PodSet: t.PodSet, Ranks: rankListOut(t.Ranks),
		Detail: t.Detail, Since: timeOut(t.Since),
	}
}

func qualityOut(q cluster.Quality) *hopwisev1.Quality {
	out := &hopwisev1.Quality{
		Aligned:    domainOut(q.Aligned),
		Spread:     layersOut(q.Spread),
		SideSpread: layersOut(q.SideSpread),
		Leaves:     int32(q.Leaves),
		Crossings:  int32(q.Crossings),
		MeanHops:   q.MeanHops,
		WorstHops:  int32(q.WorstHops),
	}
	if q.BestCrossings >= 0 {
		best := int32(q.BestCrossings)
		out.BestCrossings = &best
	}
	if q.Score >= 0 {
		score := q.Score
		out.Score = &score
	}
	return out
}

func confirmIn(r *hopwisev1.ConfirmPlacementRequest) cluster.ConfirmRequest {
	return cluster.ConfirmRequest{
		Gang: gangIn(r.GetGang()), AllAsPlanned: r.GetAllAsPlanned(),
		Owner: ledger.OwnerState(r.GetOwnerState()), Etag: r.GetEtag(),
		Slots: each(r.GetSlots(), func(s *hopwisev1.SlotReport) ledger.Report {
			return ledger.Report{
				Set: s.GetPodSet(), Rank: s.GetRank(), PodName: s.GetPodName(), PodUID: s.GetPodUid(),
				Node: s.GetNode(), Event: podEventIn(s.GetEvent()),
			}
		}),
	}
}

// podEventIn reads unset as bound.
func podEventIn(e hopwisev1.PodEvent) ledger.PodEvent {
	switch e {
	case hopwisev1.PodEvent_POD_EVENT_SUCCEEDED:
		return ledger.PodSucceeded
	case hopwisev1.PodEvent_POD_EVENT_GONE:
		return ledger.PodGone
	}
	return ledger.PodBound
}

func releaseIn(r *hopwisev1.ReleasePlacementRequest) cluster.ReleaseRequest {
	return cluster.ReleaseRequest{
		Gang: gangIn(r.GetGang()), Etag: r.GetEtag(),
		Slots: rangesIn(r.GetSlots()),
	}
}
