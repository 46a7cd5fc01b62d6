package cluster

import (
	"context"
	"slices"
	"time"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// Apply takes in what changed in a source and returns once calls see it. What is
// as it was costs a comparison and raises no revision. A node that cannot be
// taken in is left out and told among the warnings. Errors: STOPPING, the
// context's.
func (c *Cluster) Apply(ctx context.Context, d Delta) error {
	_, err := call(ctx, c, telling, func(t *tx) (struct{}, error) {
		t.s.apply(d)
		return struct{}{}, nil
	})
	return err
}

func (s *state) apply(d Delta) {
	changed := !s.synced
	s.synced = true
	s.warnings = slices.Clone(d.Warnings)
	if d.Replace {
		changed = s.removeOthers(d) || changed
	}
	for _, name := range d.RemovedNodes {
		changed = s.removeNode(name) || changed
	}
	for i := range d.Nodes {
		changed = s.upsertNode(&d.Nodes[i]) || changed
	}
	for _, key := range d.RemovedPods {
		changed = s.removePod(key) || changed
	}
	for i := range d.Pods {
		changed = s.upsertPod(&d.Pods[i]) || changed
	}
	if changed {
		s.rev.N++
	}
}

// removeOthers removes what a whole state lacks.
func (s *state) removeOthers(d Delta) bool {
	nodes := make(map[string]bool, len(d.Nodes))
	for i := range d.Nodes {
		nodes[d.Nodes[i].Name] = true
	}
	pods := make(map[string]bool, len(d.Pods))
	for i := range d.Pods {
		pods[podKey(&d.Pods[i])] = true
	}
	var goneNodes, gonePods []string
	for name, m := range s.machines {
		if m.node != nil && !nodes[name] {
			goneNodes = append(goneNodes, name)
		}
	}
	for key := range s.pods {
		if !pods[key] {
			gonePods = append(gonePods, key)
		}
	}
	changed := false
	slices.Sort(goneNodes) // the order decides nothing but is the same each time
	for _, name := range goneNodes {
		changed = s.removeNode(name) || changed
	}
	slices.Sort(gonePods)
	for _, key := range gonePods {
		changed = s.removePod(key) || changed
	}
	return changed
}

// upsertNode adds or changes a node; false where it is as it was.
func (s *state) upsertNode(n *Node) bool {
	m := s.machine(n.Name)
	if m.node != nil && sameNode(m.node, n) {
		return false
	}
	was, wasLost, before := m.node, s.lost(n.Name), m.sum
	kept := *n
	m.node = &kept
	s.unshare(m)
	id, err := s.engine.Upsert(s.engineNode(m))
	if err != nil {
		return s.refuseNode(m, was, err)
	}
	delete(s.badNodes, n.Name)
	for name := range n.Total {
		s.names.of(name)
	}
	m.id = id
	for len(s.byID) <= int(id) {
		s.byID = append(s.byID, nil)
	}
	s.byID[id] = m
	if was == nil {
		s.holdAgain(m)
	}
	s.bar(m)
	s.join(m)
	s.watchReady(m, time.Now())
	s.reborn(m)
	if was == nil || m.sum != before || wasLost != s.lost(n.Name) {
		s.markHolders(m)
	}
	return true
}

// refuseNode keeps a node that the engine does not take out of the graph.
func (s *state) refuseNode(m *machine, was *Node, err error) bool {
	known := s.badNodes[m.name] == err.Error()
	s.badNodes[m.name] = err.Error()
	m.node = was
	if was != nil {
		s.join(m) // the engine still has it as it was
		s.removeNode(m.name)
		return true
	}
	s.forget(m)
	return !known
}

// holdAgain gives the engine what placements hold on a node that came back.
func (s *state) holdAgain(m *machine) {
	for _, h := range m.holds {
		seats := append(s.seats[:0], placer.Seat{Node: m.id, Pods: h.run.Count})
		s.engine.Hold(&h.gang.ask.gang.PodSets[h.set], seats)
		s.seats = seats
	}
}

func (s *state) removeNode(name string) bool {
	_, bad := s.badNodes[name]
	delete(s.badNodes, name)
	m := s.machines[name]
	if m == nil || m.node == nil {
		return bad
	}
	s.unshare(m)
	s.engine.Remove(m.id)
	s.byID[m.id] = nil
	m.node, m.id = nil, placer.NoNode
	m.heldBy, m.unready, m.overdue = "", time.Time{}, false
	s.markHolders(m)
	s.forget(m)
	return true
}

func (s *state) markHolders(m *machine) {
	for _, h := range m.holds {
		s.mark(h.gang.key)
	}
}

// assess looks at the gangs whose nodes or pods changed, and gives those it has
// looked at.
func (t *tx) assess() []ledger.Key {
	done := make([]ledger.Key, 0, len(t.s.pending))
	for key := range t.s.pending {
		done = append(done, key)
	}
	slices.SortFunc(done, ledger.Key.Compare)
	for _, key := range done {
		g := t.s.gangs[key]
		if g == nil || g.rec.State.Ended() {
			continue
		}
		rec := g.rec
		for _, report := range t.s.pending[key] {
			next, err := rec.Confirm(ledger.Confirmation{Reports: []ledger.Report{report}, Grace: t.c.cfg.Grace}, t.now)
			if err == nil { // else the slot has moved on since
				rec = next
			}
			if rec.State.Ended() {
				break
			}
		}
		rec = rec.Assess(t.s.facts(g.ask), t.now)
		if rec != g.rec {
			t.put(rec, g.ask)
		}
	}
	return done
}
