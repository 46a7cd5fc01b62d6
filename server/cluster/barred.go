package cluster

import (
	"time"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// maintenance is the holds in force, by Place.Key. A hold whose place is not in
// the graph waits there for nodes that join it.
type maintenance struct {
	of    map[string]*ledger.Hold
	lapse time.Time // the earliest Until; zero for none
}

// set puts or removes (nil) a hold.
func (x *maintenance) set(key string, h *ledger.Hold) {
	old := x.of[key]
	if h == nil {
		delete(x.of, key)
	} else {
		x.of[key] = h
		if !h.Until.IsZero() && (x.lapse.IsZero() || h.Until.Before(x.lapse)) {
			x.lapse = h.Until
		}
	}
	if old == nil || old.Until.IsZero() || old.Until.After(x.lapse) {
		return // the earliest is still there
	}
	x.lapse = time.Time{}
	for _, h := range x.of {
		if !h.Until.IsZero() && (x.lapse.IsZero() || h.Until.Before(x.lapse)) {
			x.lapse = h.Until
		}
	}
}

// lapsed lists places whose hold's time is up, at most n, by key.
func (x *maintenance) lapsed(now time.Time, n int) []ledger.Place {
	if x.lapse.IsZero() || x.lapse.After(now) {
		return nil
	}
	var due []*ledger.Hold
	for _, h := range x.of {
		if h.Lapsed(now) {
			due = append(due, h)
		}
	}
	ledger.SortHolds(due)
	places := make([]ledger.Place, 0, min(n, len(due)))
	for _, h := range due[:min(n, len(due))] {
		places = append(places, h.Place)
	}
	return places
}

// putHold makes h the hold of a place, nil for none, and lets the commit make it
// last.
func (t *tx) putHold(place ledger.Place, h *ledger.Hold) {
	rev, old := t.s.rev, t.s.maint.of[place.Key()]
	t.s.rev.N++
	t.s.swapHold(place, h)
	t.changes = append(t.changes, ledger.Change{Place: place.Key(), Hold: h})
	t.undo = append(t.undo, func() {
		t.s.swapHold(place, old)
		t.s.rev = rev
	})
}

// swapHold is its own inverse.
func (s *state) swapHold(place ledger.Place, h *ledger.Hold) {
	s.maint.set(place.Key(), h)
	s.nodesOf(place, func(m *machine) {
		if s.bar(m) {
			s.share(m)
		}
	})
}

// nodesOf yields the nodes that are in a place now.
func (s *state) nodesOf(place ledger.Place, yield func(*machine)) {
	if place.Layer == s.cfg.Scheme.Node {
		if m := s.machines[last(place.Path)]; m != nil && m.node != nil {
			yield(m)
		}
		return
	}
	d, ok := s.engine.DomainByPath(place.Path)
	if !ok || s.domainPlace(d).Key() != place.Key() { // another scheme's
		return
	}
	s.nodesBelow(d, func(m *machine) bool {
		yield(m)
		return true
	})
}

// bar brings the engine's word on whether the machine is held up to date, and
// says whether that was news.
func (s *state) bar(m *machine) bool {
	why := s.heldBy(m)
	if why == m.heldBy {
		return false
	}
	m.heldBy = why
	s.engine.SetBarred(m.id, why)
	return true
}

// heldBy is the key of the hold that keeps the machine back: its own, else that
// of the deepest domain around it. Empty for none.
func (s *state) heldBy(m *machine) string {
	if len(s.maint.of) == 0 {
		return ""
	}
	if key := s.nodePlace(m).Key(); s.maint.of[key] != nil {
		return key
	}
	for d := s.engine.NodeDomain(m.id); d > placer.Root; d = s.engine.DomainParent(d) {
		if key := s.domainPlace(d).Key(); s.maint.of[key] != nil {
			return key
		}
	}
	return ""
}

func (s *state) nodePlace(m *machine) ledger.Place {
	return ledger.Place{Layer: s.cfg.Scheme.Node, Path: []string{m.name}}
}

func (s *state) domainPlace(d placer.DomainID) ledger.Place {
	return ledger.Place{Layer: s.layerName(s.engine.DomainLayer(d)), Path: s.engine.DomainPath(d)}
}
