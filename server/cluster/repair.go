package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// RepairRequest names the ranks of a placement that need another node: by rank,
// by node, or, where neither is given, all whose node is unusable.
type RepairRequest struct {
	Gang   ledger.Gang
	Ranks  []ledger.Ranks
	Nodes  []string
	Policy *ledger.OnUnrepairable // nil = what the gang was placed with
	DryRun bool
	// Explain adds counts and holders to a refusal.
	Explain bool
	Budget  int64 // 0 = the configured default
	Etag    string
}

// RepairResult is the repair: either Placement or Refusal is set.
type RepairResult struct {
	Placement *Placement
	Refusal   *Refusal
	Revision  ledger.Revision
	Moves     []Move
	Existing  bool // there was nothing to move any more
	Relaxed   bool // ranks went outside the constraint
	Anew      bool // the whole gang was decided again
	Notes     []string
}

// RepairPlacement moves the ranks named, whose nodes must be unusable now, and no
// others. A repeat moves nothing. Errors: PLACEMENT_NOT_FOUND, GANG_REPLACED,
// GANG_RELEASED, GANG_EXPIRED, SLOT_NOT_FOUND, NODE_NOT_FOUND, NODE_USABLE,
// ETAG_MISMATCH and those of every write.
func (c *Cluster) RepairPlacement(ctx context.Context, req RepairRequest) (*RepairResult, error) {
	return call(ctx, c, kindOf(req.DryRun), func(t *tx) (*RepairResult, error) {
		g, err := t.findLive(req.Gang, req.Etag)
		if err != nil {
			return nil, err
		}
		if err := t.admits(req.DryRun); err != nil {
			return nil, err
		}
		r := &repairing{reseating: t.reseating(g, g.ask, req.Budget), req: req, moving: map[rankRef]bool{}}
		if err := r.named(); err != nil {
			return nil, err
		}
		if len(r.moving) == 0 {
			return &RepairResult{Placement: t.show(g.rec), Revision: t.s.rev, Existing: true}, nil
		}
		return r.repair(), nil
	})
}

// kindOf has dry runs run as reads, whose changes are taken back.
func kindOf(dryRun bool) kind {
	if dryRun {
		return reading
	}
	return writing
}

// admits says whether a decision may be made at all.
func (t *tx) admits(dryRun bool) error {
	if !t.s.synced {
		return fail(NotSynced, "no source has been read yet")
	}
	if dryRun {
		return nil
	}
	return t.c.ready()
}

// rankRef is a rank of a pod set.
type rankRef struct {
	set  int
	rank int32
}

// repairing is one RepairPlacement at work.
type repairing struct {
	*reseating
	req    RepairRequest
	moving map[rankRef]bool
}

func (r *repairing) repair() *RepairResult {
	want := kept(r.g.rec, seatsHad(r.g.rec), func(set int, rank int32) bool { return r.moving[rankRef{set, rank}] })
	if want.none() { // nothing is left that would bind the rest
		if ans := r.afresh(); ans.Refusal == nil {
			return r.accept(want, ans, &RepairResult{})
		}
	}
	ans := r.fill(want, false)
	if ans.Refusal == nil {
		return r.accept(want, ans, &RepairResult{})
	}
	policy := r.g.rec.Spec.OnUnrepairable
	if r.req.Policy != nil {
		policy = *r.req.Policy
	}
	switch policy {
	case ledger.Relax:
		if relaxed := r.fill(want, true); relaxed.Refusal == nil {
			return r.accept(want, relaxed, &RepairResult{Relaxed: true})
		}
	case ledger.Replace:
		if bound := r.bound(); bound > 0 {
			res := r.refuse(ans)
			res.Refusal.Message += fmt.Sprintf("; the whole gang is decided anew only once its pods are gone, and %s still bound",
				areIs(bound, "rank"))
			return res
		}
		if anew := r.afresh(); anew.Refusal == nil {
			return r.accept(want, anew, &RepairResult{Anew: true})
		}
	}
	return r.refuse(ans)
}

func areIs(n int64, word string) string {
	if n == 1 {
		return "1 " + word + " is"
	}
	return plural(n, word) + " are"
}

// bound counts the ranks that stay and have a pod.
func (r *repairing) bound() int64 {
	n := int64(0)
	for i := range r.g.rec.Sets {
		for k := range r.g.rec.Sets[i].Slots {
			sl := &r.g.rec.Sets[i].Slots[k]
			if (sl.State == ledger.SlotBound || sl.State == ledger.SlotClaimed) && !r.moving[rankRef{i, sl.Rank}] {
				n++
			}
		}
	}
	return n
}

func (r *repairing) accept(want seatsWanted, ans *placer.Answer, res *RepairResult) *RepairResult {
	next := r.next(nil, want, ans, res.Anew)
	res.Moves = r.s.movesOf(r.g.rec, next)
	if r.req.DryRun {
		res.Placement = r.show(next)
		res.Placement.dry()
	} else {
		r.put(next, r.g.ask)
		res.Placement = r.show(next)
	}
	res.Revision = r.s.rev
	return res
}

// refuse says where the ranks would have to go, and where the whole gang would
// fit, were it decided anew.
func (r *repairing) refuse(ans *placer.Answer) *RepairResult {
	ref := r.lacking(ans, fmt.Sprintf("%s to move", plural(int64(len(r.moving)), "rank")))
	ref.Reason = Unrepairable
	if r.req.Explain {
		r.explain(ans, ref)
	}
	whole := r.afresh()
	if whole.Refusal == nil {
		domain := r.s.alignedRef(whole)
		where := " over several domains"
		if domain != nil {
			where = place(domain)
		}
		ref.Message += "; the whole gang would fit" + where
		ref.Suggestions = append(ref.Suggestions, Suggestion{
			Kind: DecideAnew, Pods: pods(whole), Domain: domain, Crossings: r.s.engine.Quality(whole.Sets).Crossings,
			Message: "the whole gang" + where + " once its pods are gone (on_unrepairable REPLACE)",
		})
	}
	return &RepairResult{Refusal: ref, Revision: r.s.rev}
}

// explain counts the nodes of the domain that has no room, and who else holds them.
func (r *reseating) explain(ans *placer.Answer, ref *Refusal) {
	r.s.explainCounts(r.ask, ans.Refusal, ref)
	ref.Holders = slices.DeleteFunc(ref.Holders, func(h Holder) bool { return h.Gang.Key() == r.g.key })
}

// lacking is the refusal of ranks that have to go beside others.
func (r *reseating) lacking(ans *placer.Answer, what string) *Refusal {
	in := ans.Refusal
	ref := r.s.refusal(r.ask, ans)
	where := "in the cluster"
	if len(ref.Best.Domain.Path) > 0 {
		where = fmt.Sprintf("in %s (%s)", last(ref.Best.Domain.Path), r.s.short(in.Binding))
	}
	of := ""
	if in.PodSet >= 0 && len(r.ask.gang.PodSets) > 1 {
		of = " of " + r.ask.gang.PodSets[in.PodSet].Name
	}
	ref.Message = fmt.Sprintf("%s: %s: %s%s %s room %s beside the rest of the gang, which has room for %d",
		r.g.key, what, plural(in.Want, "pod"), of, need(in.Want), where, in.Fits)
	if in.PodSet < 0 || in.Fits >= in.Want {
		ref.Message = fmt.Sprintf("%s: %s: no room for all of them beside the rest of the gang", r.g.key, what)
	}
	if !in.Proven {
		ref.Message += "; the step budget ended before every possibility was tried"
	}
	return ref
}
