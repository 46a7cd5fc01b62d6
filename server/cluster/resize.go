package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// ResizeRequest says how many pods a placed gang is to have.
type ResizeRequest struct {
	Gang    ledger.Gang
	Sets    []SetSize
	DryRun  bool
	Explain bool  // on refusal: counts, holders, what would fit
	Budget  int64 // search steps; 0 = the configured default
	Etag    string
}

// SetSize is a pod set's new size. MinCount nil keeps the floor, lowered to
// Count where it is above.
type SetSize struct {
	Name     string // may be empty where the gang has one only
	Count    int32
	MinCount *int32
}

// ResizeResult is the resize: either Placement or Refusal is set.
type ResizeResult struct {
	Placement *Placement
	Refusal   *Refusal
	Revision  ledger.Revision
	Existing  bool // the gang had these sizes already
	Notes     []string
}

// ResizePlacement grows a placed gang beside the ranks that it has, or takes
// ranks from its end. A repeat changes nothing. Errors: INVALID_REQUEST,
// SIZE_BELOW_BOUND, PLACEMENT_NOT_FOUND, GANG_REPLACED, GANG_RELEASED,
// GANG_EXPIRED, SLOT_NOT_FOUND, ETAG_MISMATCH and those of every write.
func (c *Cluster) ResizePlacement(ctx context.Context, req ResizeRequest) (*ResizeResult, error) {
	return call(ctx, c, kindOf(req.DryRun), func(t *tx) (*ResizeResult, error) {
		g, err := t.findLive(req.Gang, req.Etag)
		if err != nil {
			return nil, err
		}
		if err := t.admits(req.DryRun); err != nil {
			return nil, err
		}
		z := &resizing{tx: t, g: g, req: req}
		if err := z.respec(); err != nil {
			return nil, err
		}
		a, err := c.askFor(z.spec, req.Budget)
		if err != nil {
			return nil, z.field(err)
		}
		if err := z.aboveBound(); err != nil {
			return nil, err
		}
		return z.resize(a), nil
	})
}

// resizing is one ResizePlacement at work.
type resizing struct {
	*tx
	g     *gang
	req   ResizeRequest
	spec  ledger.Spec
	given map[int]int // pod set: place in the request
}

// respec is the spec with the sizes of the request.
func (z *resizing) respec() error {
	z.spec, z.given = z.g.rec.Spec, map[int]int{}
	z.spec.PodSets = slices.Clone(z.spec.PodSets)
	for k, size := range z.req.Sets {
		at := fmt.Sprintf("pod_sets[%d].", k)
		i, err := z.g.rec.SetNamed(size.Name)
		if err != nil {
			return fail(SlotNotFound, "%v", err).at(at+"name").with("field", at+"name")
		}
		if first, twice := z.given[i]; twice {
			return fail(InvalidRequest, "%q is resized by pod_sets[%d] too", z.spec.PodSets[i].Name, first).at(at + "name")
		}
		z.given[i] = k
		ps := &z.spec.PodSets[i]
		ps.Count, ps.MinCount = size.Count, min(ps.MinCount, size.Count)
		if size.MinCount != nil {
			ps.MinCount = *size.MinCount
		}
		if ps.MinCount > ps.Count {
			return fail(InvalidRequest, "is %d, above count; expected at most %d", ps.MinCount, ps.Count).at(at + "min_count")
		}
	}
	z.spec.MinCount = int32(min(int64(z.spec.MinCount), z.spec.Pods()))
	z.spec = z.spec.Normal()
	return nil
}

// field puts an error about the new spec into the words of this request, which
// names pod sets in an order of its own and changes sizes only.
func (z *resizing) field(err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Reason != InvalidRequest {
		return err
	}
	for i, k := range z.given {
		rest, ok := strings.CutPrefix(e.Field, fmt.Sprintf("pod_sets[%d].", i))
		switch {
		case !ok:
		case rest == "min_count":
			return fail(InvalidRequest, "%s", e.Message).at(fmt.Sprintf("pod_sets[%d].min_count", k))
		default:
			return fail(InvalidRequest, "%s: %s", rest, e.Message).at(fmt.Sprintf("pod_sets[%d].count", k))
		}
	}
	return fail(InvalidRequest, "%s", e.Error()).at("pod_sets")
}

// aboveBound refuses to take the seat of a rank that has a pod.
func (z *resizing) aboveBound() error {
	for i := range z.spec.PodSets {
		if last := z.g.rec.LastBound(i); last >= z.spec.PodSets[i].Count {
			ps, field := &z.spec.PodSets[i], fmt.Sprintf("pod_sets[%d].count", z.given[i])
			return fail(SizeBelowBound, "%s cannot shrink to %s: rank %d is bound; ranks are given up from the last",
				ps.Name, plural(int64(ps.Count), "pod"), last).
				at(field).with("pod_set", ps.Name, "rank", fmt.Sprint(last), "field", field)
		}
	}
	return nil
}

func (z *resizing) resize(a *ask) *ResizeResult {
	rec := z.g.rec
	have, want := seatsHad(rec), wantedOf(&z.spec)
	same := z.spec.Fingerprint() == rec.Fingerprint
	if same && slices.Equal(have, want) {
		return &ResizeResult{Placement: z.show(rec), Revision: z.s.rev, Existing: true}
	}
	floor := make([]int32, len(want))
	for i := range want {
		floor[i] = max(min(have[i], want[i]), z.floorOf(i))
		if same {
			floor[i] = have[i]
		}
	}
	r := z.reseating(z.g, a, z.req.Budget)
	seats, ans := r.grow(floor, want, int64(z.spec.MinCount))
	if ans.Refusal != nil && same {
		return &ResizeResult{Placement: z.show(rec), Revision: z.s.rev, Existing: true}
	}
	if ans.Refusal != nil {
		return &ResizeResult{Refusal: z.refuse(r, ans, have, want), Revision: z.s.rev}
	}
	next := r.next(&z.spec, seats, ans, false)
	res := &ResizeResult{Existing: same && slices.Equal(have, seatsHad(next))}
	switch {
	case res.Existing:
		next = rec
	case z.req.DryRun:
		res.Placement = z.show(next)
		res.Placement.dry()
		res.Revision = z.s.rev
		return res
	default:
		z.put(next, z.s.askOf(next.Spec))
	}
	res.Placement, res.Revision = z.show(next), z.s.rev
	return res
}

// floorOf is the fewest pods of a set that will do.
func (z *resizing) floorOf(i int) int32 {
	ps := &z.spec.PodSets[i]
	if ps.MinCount > 0 || z.spec.MinCount > 0 {
		return ps.MinCount
	}
	return ps.Count
}

// refuse says where the new ranks would have to go, and how far the gang could
// grow: the size that is suggested was found.
func (z *resizing) refuse(r *reseating, ans *placer.Answer, have, want []int32) *Refusal {
	more := int64(0)
	for i := range want {
		more += int64(max(want[i]-have[i], 0))
	}
	ref := r.lacking(ans, plural(more, "more pod"))
	if !z.req.Explain {
		return ref
	}
	r.explain(ans, ref)
	floor := make([]int32, len(want))
	for i := range want {
		floor[i] = min(have[i], want[i])
	}
	fewer, found := z.reseating(z.g, r.ask, z.req.Budget).grow(floor, want, 0)
	if found.Refusal != nil {
		return ref
	}
	for i := range fewer {
		n := int32(len(fewer[i]))
		if n == want[i] || n == have[i] || len(z.req.Sets) > 1 {
			continue
		}
		ref.Suggestions = append(ref.Suggestions, Suggestion{
			Kind: FewerPods, Pods: n, PodSet: z.spec.PodSets[i].Name, Domain: r.s.alignedRef(found), Crossings: -1,
			Message: fmt.Sprintf("%s: %s beside the ranks that it has", z.spec.PodSets[i].Name, plural(int64(n), "pod")),
		})
	}
	return ref
}
