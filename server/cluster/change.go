package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// GetPlacement reads one placement, ended ones while they are kept. Errors:
// PLACEMENT_NOT_FOUND, GANG_REPLACED.
func (c *Cluster) GetPlacement(ctx context.Context, g ledger.Gang) (*Changed, error) {
	return call(ctx, c, reading, func(t *tx) (*Changed, error) {
		found, err := t.find(g, "")
		if err != nil {
			return nil, err
		}
		return &Changed{Placement: t.show(found.rec), Revision: t.s.rev}, nil
	})
}

// ConfirmPlacement takes in what became of a gang's pods and owner. A repeat
// changes nothing. Errors: PLACEMENT_NOT_FOUND, GANG_REPLACED, GANG_RELEASED,
// GANG_EXPIRED, SLOT_NOT_FOUND, SLOT_TAKEN, NODE_NOT_FOUND, ETAG_MISMATCH and
// those of every write.
func (c *Cluster) ConfirmPlacement(ctx context.Context, req ConfirmRequest) (*Changed, error) {
	said := ledger.Confirmation{
		Reports: req.Slots, AllAsPlanned: req.AllAsPlanned, Owner: req.Owner, Grace: c.cfg.Grace,
	}
	return call(ctx, c, writing, func(t *tx) (*Changed, error) {
		if g, err := t.find(req.Gang, ""); err == nil && g.rec.State.Ended() && said.Moot() {
			return &Changed{Placement: t.show(g.rec), Revision: t.s.rev}, nil
		}
		g, err := t.findLive(req.Gang, req.Etag)
		if err != nil {
			return nil, err
		}
		for i, r := range req.Slots {
			if m := t.s.machines[r.Node]; r.Node != "" && (m == nil || m.node == nil) {
				return nil, fail(NodeNotFound, "there is no node %q", r.Node).
					at(fmt.Sprintf("slots[%d].node", i)).with("node", r.Node)
			}
		}
		next, err := g.rec.Confirm(said, t.now)
		if err != nil {
			return nil, slotError(err)
		}
		return t.change(g, next.Assess(t.s.facts(g.ask), t.now)), nil
	})
}

// RenewPlacement moves a reservation's expiry; a placement that cannot lapse any
// more stays as it is. Errors: those of ConfirmPlacement but for slots and nodes.
func (c *Cluster) RenewPlacement(ctx context.Context, req RenewRequest) (*Changed, error) {
	return call(ctx, c, writing, func(t *tx) (*Changed, error) {
		g, err := t.findLive(req.Gang, req.Etag)
		if err != nil {
			return nil, err
		}
		return t.change(g, g.rec.Renew(req.TTL, t.now)), nil
	})
}

// ReleasePlacement gives a placement back, whole or by ranks. A repeat changes
// nothing. Errors: PLACEMENT_NOT_FOUND, GANG_REPLACED, SLOT_NOT_FOUND,
// ETAG_MISMATCH and those of every write.
func (c *Cluster) ReleasePlacement(ctx context.Context, req ReleaseRequest) (*Changed, error) {
	return call(ctx, c, writing, func(t *tx) (*Changed, error) {
		g, err := t.find(req.Gang, req.Etag)
		if err != nil {
			return nil, err
		}
		next, err := g.rec.Release(req.Slots, t.now)
		if err != nil {
			return nil, slotError(err)
		}
		return t.change(g, next.Assess(t.s.facts(g.ask), t.now)), nil
	})
}

// change puts the record where it is another one.
func (t *tx) change(g *gang, next *ledger.Record) *Changed {
	if next != g.rec {
		t.s.measureAgain(g, next)
		t.put(next, g.ask)
	}
	return &Changed{Placement: t.show(next), Revision: t.s.rev}
}

// find is the gang of that key and incarnation.
func (t *tx) find(want ledger.Gang, etag string) (*gang, error) {
	if !t.s.synced && t.s.gangs[want.Key()] == nil {
		return nil, fail(NotSynced, "no source has been read yet")
	}
	g := t.s.gangs[want.Key()]
	switch {
	case g == nil:
		return nil, fail(PlacementNotFound, "there is no placement for %s", want.Key())
	case want.UID != "" && slices.Contains(g.rec.Earlier, want.UID):
		return nil, replaced(g.rec, want.UID)
	case want.UID != "" && want.UID != g.rec.Gang.UID:
		return nil, fail(PlacementNotFound, "there is no placement for %s of incarnation %q", want.Key(), want.UID)
	case etag != "" && etag != etagOf(g.rec):
		return nil, fail(EtagMismatch, "%s has changed since it was read", want.Key()).with("etag", etagOf(g.rec))
	}
	return g, nil
}

// findLive is find for calls that an ended placement cannot take.
func (t *tx) findLive(want ledger.Gang, etag string) (*gang, error) {
	g, err := t.find(want, etag)
	if err != nil {
		return nil, err
	}
	switch g.rec.State {
	case ledger.Released:
		return nil, fail(GangReleased, "%s was released", want.Key())
	case ledger.Expired:
		return nil, fail(GangExpired, "the placement of %s has expired; place it again", want.Key())
	}
	return g, nil
}

// etagOf changes with every change of the record: no two share a revision.
func etagOf(rec *ledger.Record) string { return rec.Revision.String() }

func slotError(err error) error {
	var slot *ledger.SlotError
	if !errors.As(err, &slot) {
		return err
	}
	field := fmt.Sprintf("slots[%d].%s", slot.Index, slot.Field)
	if slot.TakenBy != "" {
		return fail(SlotTaken, "%s", slot.Error()).at(field).with("pod_uid", slot.TakenBy)
	}
	return fail(SlotNotFound, "%s", slot.Error()).at(field).with("field", field)
}

// measureAgain takes the quality anew where ranks have moved. next is not yet
// shared.
func (s *state) measureAgain(g *gang, next *ledger.Record) {
	moved := false
	for i := range next.Sets {
		moved = moved || !slices.Equal(next.Sets[i].Runs, g.rec.Sets[i].Runs)
	}
	if !moved {
		return
	}
	all := make([]placer.SetPlacement, len(next.Sets))
	for i := range next.Sets {
		for _, run := range next.Sets[i].Runs {
			if m := s.machines[run.Node]; m != nil && m.node != nil {
				all[i].Seats = append(all[i].Seats, placer.Seat{Node: m.id, Pods: run.Pods})
			}
		}
		next.Sets[i].Quality = s.qualityOf(all[i : i+1])
	}
	next.Quality = s.qualityOf(all)
}
