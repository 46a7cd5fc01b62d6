package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// PlaceGang decides where a gang goes and, unless it is a dry run, reserves it
// there, in one step of the writer. It is idempotent by gang. A gang that does
// not fit is a Refusal, not an error. Errors: INVALID_REQUEST, UNKNOWN_LAYER,
// UNKNOWN_RESOURCE, GANG_CHANGED, GANG_RELEASED, GANG_REPLACED, NOT_SYNCED,
// SOURCE_STALE, STORE_FAILED, OVERLOADED, STOPPING.
func (c *Cluster) PlaceGang(ctx context.Context, req PlaceRequest) (*PlaceResult, error) {
	req.Spec = req.Spec.Normal()
	a, err := c.askFor(req.Spec, req.Budget)
	if err != nil {
		return nil, err
	}
	if req.TTL <= 0 {
		req.TTL = c.cfg.DefaultTTL
	}
	k := writing
	if req.DryRun {
		k = reading // a read's changes are taken back
	}
	p := &placing{req: req, ask: a, fingerprint: req.Spec.Fingerprint()}
	return call(ctx, c, k, func(t *tx) (*PlaceResult, error) {
		p.tx, p.seen = t, Decided{DryRun: req.DryRun, Queued: time.Since(t.queued)}
		res, err := p.place()
		if err == nil && c.cfg.Observer != nil {
			c.cfg.Observer.Decided(p.seen)
		}
		return res, err
	})
}

// placing is one PlaceGang at work on the writer.
type placing struct {
	*tx
	req         PlaceRequest
	ask         *ask
	fingerprint string
	seen        Decided
	earlier     []string // incarnations before this one
	original    *ledger.Spec
	notes       []string
	anew        bool
}

func (p *placing) place() (*PlaceResult, error) {
	if err := p.admit(); err != nil {
		return nil, err
	}
	mark := len(p.undo)
	settled, err := p.identify()
	if settled != nil || err != nil {
		return settled, err
	}
	res, err := p.decide()
	if err == nil && res.Refusal != nil && p.anew {
		p.rollback(mark)
		res.Revision = p.s.rev
		res.Notes = []string{"the earlier placement is kept, with the node that it lost, until it lapses or is released: nothing else fits now"}
	}
	return res, err
}

// admit says whether a decision may be made at all.
func (p *placing) admit() error {
	if !p.s.synced {
		return fail(NotSynced, "no source has been read yet")
	}
	if !p.req.DryRun {
		if err := p.c.ready(); err != nil {
			return err
		}
	}
	for i := range p.req.Spec.PodSets {
		if err := p.s.checkResources(p.req.Spec.PodSets[i].Requests, fmt.Sprintf("pod_sets[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// identify says what the gang's key means: a result where the gang is placed
// already, nil where it is to be decided. An incarnation that is replaced is
// released on the way.
func (p *placing) identify() (*PlaceResult, error) {
	g := p.s.gangs[p.req.Gang.Key()]
	if g == nil {
		return nil, nil
	}
	rec, uid := g.rec, p.req.Gang.UID
	current := uid == "" || uid == rec.Gang.UID
	if current {
		p.req.Gang.UID, p.earlier = rec.Gang.UID, rec.Earlier
		return p.sameIncarnation(g)
	}
	if slices.Contains(rec.Earlier, uid) {
		return nil, replaced(rec, uid)
	}
	p.earlier = rec.Remembered()
	switch {
	case rec.State.Ended():
		return nil, nil
	case rec.Matches(p.fingerprint):
		if next, ok := rec.Inherit(uid, p.req.Priority, p.req.TTL, p.now); ok {
			next = next.Assess(p.s.facts(g.ask), p.now)
			p.put(next, g.ask)
			return p.existing(next, "takes over the seats of the incarnation before it"), nil
		}
	}
	ended, err := rec.Release(nil, p.now)
	if err != nil {
		return nil, err
	}
	p.put(ended, g.ask)
	return nil, nil
}

func (p *placing) sameIncarnation(g *gang) (*PlaceResult, error) {
	rec := g.rec
	switch {
	case rec.State == ledger.Expired:
		return nil, nil
	case rec.State == ledger.Released:
		return nil, fail(GangReleased, "%s was released; place it under a new uid", rec.Gang.Key())
	case !rec.Matches(p.fingerprint):
		fields := ledger.Diff(rec.Spec, p.req.Spec)
		return nil, fail(GangChanged, "%s is placed with another spec: %s differ", rec.Gang.Key(), strings.Join(fields, ", ")).
			with("fields", strings.Join(fields, ","))
	case rec.State == ledger.Degraded && rec.Running() == 0:
		return nil, p.abandon(g)
	}
	if more := p.later(g); more != nil {
		return p.existing(more, p.notes...), nil
	}
	return p.existing(rec), nil
}

// abandon lets go of a placement that no pod took and that lost a node, so that
// the gang is decided anew; the answer says so.
func (p *placing) abandon(g *gang) error {
	for _, t := range g.rec.Troubles {
		p.notes = append(p.notes, "the earlier placement was given up: "+t.Detail)
	}
	ended, err := g.rec.Release(nil, p.now)
	if err != nil {
		return err
	}
	p.put(ended, g.ask)
	p.anew = true
	if g.rec.Original != nil { // it keeps the size that it was given since
		budget := p.ask.gang.Budget
		p.req.Spec, p.original = g.rec.Spec, g.rec.Original
		p.ask = p.s.askOf(g.rec.Spec)
		p.ask.gang.Budget = budget
	}
	return nil
}

func (p *placing) existing(rec *ledger.Record, notes ...string) *PlaceResult {
	p.seen.Outcome = "existing"
	return &PlaceResult{Placement: p.show(rec), Revision: p.s.rev, Existing: true, Notes: notes}
}

func replaced(rec *ledger.Record, uid string) *Error {
	return fail(GangReplaced, "%s has moved on from incarnation %q to %q", rec.Gang.Key(), uid, rec.Gang.UID).with("uid", rec.Gang.UID)
}
