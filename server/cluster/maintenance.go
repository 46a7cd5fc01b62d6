package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// mostHeldGangs bounds the gangs that an answer names.
const mostHeldGangs = 100

// HoldRequest asks to keep new pods away from a domain or a node.
type HoldRequest struct {
	Domain   DomainRef
	Note, By string
	TTL      time.Duration // from now; 0 = until it is lifted
}

// Maintenance is a hold as it is shown. Until zero: not before it is lifted.
type Maintenance struct {
	Note, By string
	Until    time.Time
}

// Held is a place, its hold and what is there now. Hold nil: none.
type Held struct {
	Domain   DomainRef
	Hold     *Maintenance
	Nodes    int32
	Gangs    []ledger.Gang // with ranks there, by key; at most 100
	Revision ledger.Revision
}

// HoldDomain keeps new pods away from a domain or node; what is there stays. A
// later call replaces the hold. Errors: DOMAIN_NOT_FOUND, UNKNOWN_LAYER,
// NOT_SYNCED and the store's.
func (c *Cluster) HoldDomain(ctx context.Context, req HoldRequest) (*Held, error) {
	return call(ctx, c, writing, func(t *tx) (*Held, error) {
		if !t.s.synced {
			return nil, fail(NotSynced, "no source has been read yet")
		}
		if _, _, err := t.s.resolve(&req.Domain, "domain"); err != nil {
			return nil, err
		}
		place, err := t.s.place(req.Domain)
		if err != nil {
			return nil, err
		}
		hold := &ledger.Hold{Place: place, Note: req.Note, By: req.By, Created: t.now}
		if req.TTL > 0 {
			hold.Until = t.now.Add(req.TTL)
		}
		old := t.s.maint.of[place.Key()]
		if old != nil {
			hold.Created = old.Created
		}
		if old == nil || !old.Same(hold) {
			t.putHold(place, hold)
		}
		return t.s.heldAt(place, hold), nil
	})
}

// UnholdDomain lifts the hold of a place, which need not be there any more. The
// answer's Hold is what was lifted. Errors: UNKNOWN_LAYER and the store's.
func (c *Cluster) UnholdDomain(ctx context.Context, ref DomainRef) (*Held, error) {
	return call(ctx, c, writing, func(t *tx) (*Held, error) {
		place, err := t.s.place(ref)
		if err != nil {
			return nil, err
		}
		old := t.s.maint.of[place.Key()]
		if old != nil {
			t.putHold(place, nil)
		}
		return t.s.heldAt(place, old), nil
	})
}

// place is what a hold is kept under.
func (s *state) place(ref DomainRef) (ledger.Place, error) {
	layer, err := s.cfg.Scheme.Resolve(ref.Layer)
	switch {
	case err != nil:
		return ledger.Place{}, unknownLayer(err, "domain.layer")
	case len(ref.Path) == 0:
		return ledger.Place{}, fail(InvalidRequest, "is empty; expected a domain or a node").at("domain.path")
	case layer == len(s.cfg.Scheme.Layers):
		return ledger.Place{Layer: s.cfg.Scheme.Node, Path: []string{last(ref.Path)}}, nil
	}
	return ledger.Place{Layer: s.cfg.Scheme.Layers[layer], Path: slices.Clone(ref.Path)}, nil
}

// heldAt is a place as the caller hears of it.
func (s *state) heldAt(place ledger.Place, hold *ledger.Hold) *Held {
	out := &Held{Domain: DomainRef{Layer: place.Layer, Path: place.Path}, Hold: shownHold(hold), Revision: s.rev}
	var gangs []ledger.Gang
	seen := map[ledger.Key]bool{}
	s.nodesOf(place, func(m *machine) {
		out.Nodes++
		for _, h := range m.holds {
			if !seen[h.gang.key] {
				seen[h.gang.key] = true
				gangs = append(gangs, h.gang.rec.Gang)
			}
		}
	})
	slices.SortFunc(gangs, func(a, b ledger.Gang) int { return a.Key().Compare(b.Key()) })
	out.Gangs = gangs[:min(len(gangs), mostHeldGangs)]
	return out
}

func shownHold(h *ledger.Hold) *Maintenance {
	if h == nil {
		return nil
	}
	return &Maintenance{Note: h.Note, By: h.By, Until: h.Until}
}

// domainHold is the hold on the very domain.
func (s *state) domainHold(d placer.DomainID) *Maintenance {
	if len(s.maint.of) == 0 || d <= placer.Root {
		return nil
	}
	return shownHold(s.maint.of[s.domainPlace(d).Key()])
}

func (s *state) nodeHold(m *machine) *Maintenance {
	return shownHold(s.maint.of[s.nodePlace(m).Key()])
}

// maintenanceCount puts words to nodes that are kept back: one row for each note and
// person, since a rack may be held node by node.
func (s *state) maintenanceCount(counts []NodeCount, c placer.ReasonCount) []NodeCount {
	row := NodeCount{Reason: nodeReasons[c.Reason], Nodes: c.Nodes}
	if h := s.maint.of[c.Detail]; h != nil {
		row.Detail, row.By, row.Until = h.Note, h.By, h.Until
	}
	for i := range counts {
		same := &counts[i]
		if same.Reason != row.Reason || same.Detail != row.Detail || same.By != row.By || same.Until.IsZero() != row.Until.IsZero() {
			continue
		}
		same.Nodes += row.Nodes
		if row.Until.After(same.Until) {
			same.Until = row.Until
		}
		return counts
	}
	return append(counts, row)
}
