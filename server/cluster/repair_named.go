package cluster

import (
	"fmt"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// named works out which ranks the request means, and refuses those that are where
// they can stay: a rank moves only off a node that is unusable now.
func (r *repairing) named() error {
	for i, ranks := range r.req.Ranks {
		if err := r.namedRanks(i, ranks); err != nil {
			return err
		}
	}
	for i, name := range r.req.Nodes {
		if err := r.namedNode(i, name); err != nil {
			return err
		}
	}
	if len(r.req.Ranks)+len(r.req.Nodes) > 0 {
		return nil
	}
	r.each(func(ref rankRef, node string, sl ledger.Slot) {
		if r.s.unusable(node, sl.Occupied()) {
			r.moving[ref] = true
		}
	})
	return nil
}

// each yields the ranks that hold a seat.
func (r *repairing) each(yield func(ref rankRef, node string, sl ledger.Slot)) {
	for set := range r.g.rec.Sets {
		for rank, node := range r.g.rec.Sets[set].Nodes() {
			if sl := r.g.rec.Sets[set].SlotAt(int32(rank)); sl.State != ledger.SlotEnded {
				yield(rankRef{set, int32(rank)}, node, sl)
			}
		}
	}
}

func (r *repairing) namedRanks(i int, ranks ledger.Ranks) error {
	set, first, last, err := r.g.rec.Locate(i, ranks)
	if err != nil {
		return slotError(err)
	}
	nodes := r.g.rec.Sets[set].Nodes()
	for rank := first; rank <= last; rank++ {
		sl := r.g.rec.Sets[set].SlotAt(rank)
		switch {
		case sl.State == ledger.SlotEnded:
		case r.s.unusable(nodes[rank], sl.Occupied()):
			r.moving[rankRef{set, rank}] = true
		case sl.From != "" && r.s.unusable(sl.From, false): // moved by an earlier call
		default:
			field := fmt.Sprintf("slots[%d]", i)
			return fail(NodeUsable, "rank %d of %s is on %s, which is usable: only ranks on lost nodes are moved",
				rank, r.g.rec.Spec.PodSets[set].Name, nodes[rank]).at(field).with("node", nodes[rank], "field", field)
		}
	}
	return nil
}

func (r *repairing) namedNode(i int, name string) error {
	field, here, before := fmt.Sprintf("nodes[%d]", i), false, false
	var bad *Error
	r.each(func(ref rankRef, node string, sl ledger.Slot) {
		before = before || sl.From == name
		if node != name {
			return
		}
		here = true
		if r.s.unusable(name, sl.Occupied()) {
			r.moving[ref] = true
		} else if bad == nil {
			bad = fail(NodeUsable, "%s is usable: only ranks on lost nodes are moved", name).at(field).with("node", name, "field", field)
		}
	})
	switch m := r.s.machines[name]; {
	case bad != nil:
		return bad
	case here || before:
		return nil
	case m == nil:
		return fail(NodeNotFound, "there is no node %q, and %s has no rank on it", name, r.g.key).at(field).with("node", name)
	case !r.s.unusable(name, true):
		return fail(NodeUsable, "%s is usable, and %s has no rank on it", name, r.g.key).at(field).with("node", name, "field", field)
	}
	return nil
}

// unusable says that a rank on the node needs another: the node is gone, not
// ready, or the provider's word is against it. A cordon or a maintenance hold
// keeps pods that run where they are, and others away.
func (s *state) unusable(name string, occupied bool) bool {
	if s.lost(name) {
		return true
	}
	m := s.machines[name]
	switch healthOf(m.node) {
	case placer.NotReady, placer.ProviderUnhealthy:
		return true
	case placer.Cordoned:
		return !occupied
	}
	return m.heldBy != "" && !occupied
}
