package cluster

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/scheme"
)

// machine is a node, or a node's name that pods or placements speak of while no
// source shows it.
type machine struct {
	name string
	node *Node // nil: not in the graph
	id   placer.NodeID

	used      map[string]int64 // by pods in no slot
	barring   int32            // of those, pods that bar an exclusive one
	otherPods int32

	holds     []hold
	held      map[string]int64 // by holds
	exclusive int32            // exclusive ranks held

	sum     *sum     // where its row counts
	row     []amount // what it adds there
	sick    bool
	heldBy  string      // the key of the maintenance hold on it; empty for none
	unready time.Time   // since when it is not ready; zero where it is
	overdue bool        // not ready for too long: lost
	uid     string      // the last that a source gave
	inSide  [][2]string // side layer, domain
}

func (s *state) machine(name string) *machine {
	m := s.machines[name]
	if m == nil {
		m = &machine{name: name, id: placer.NoNode}
		s.machines[name] = m
	}
	return m
}

// forget drops a name of which nothing is left to say.
func (s *state) forget(m *machine) {
	if m.node == nil && len(m.holds) == 0 && m.otherPods == 0 {
		delete(s.machines, m.name)
	}
}

// addHeld counts ranks of a pod set on the machine.
func (s *state) addHeld(m *machine, ps *placer.PodSet, pods int32) {
	if m.held == nil {
		m.held = map[string]int64{}
	}
	for name, qty := range ps.Requests {
		if name != placer.PodsResource {
			m.held[name] += qty * int64(pods)
		}
	}
	m.held[placer.PodsResource] += int64(pods)
	if ps.Exclusive {
		m.exclusive += pods
	}
}

// share brings what the machine adds to the sums above it up to date.
func (s *state) share(m *machine) {
	for name, total := range m.node.Total {
		res := s.names.of(name)
		for len(m.row) <= res {
			m.row = append(m.row, amount{})
		}
		next := amount{total: total, held: m.held[name], used: m.used[name]}
		if m.exclusive > 0 {
			next.held = max(next.held, total-next.used) // the whole machine is promised
		}
		if !m.sick && m.heldBy == "" {
			next.free = max(0, total-next.held-next.used)
		}
		if change := next.minus(m.row[res]); change != (amount{}) {
			m.row[res] = next
			m.sum.add(res, change)
		}
	}
}

// unshare takes the machine out of the sums.
func (s *state) unshare(m *machine) {
	if m.sum == nil {
		return
	}
	for res, a := range m.row {
		if a != (amount{}) {
			m.sum.add(res, amount{}.minus(a))
		}
	}
	s.sums.join(m.sum, -1, -count(m.sick))
	m.sum, m.row = nil, m.row[:0]
	for _, side := range m.inSide {
		s.sides[side[0]][side[1]]--
		if s.sides[side[0]][side[1]] == 0 {
			delete(s.sides[side[0]], side[1])
		}
		if len(s.sides[side[0]]) == 0 {
			delete(s.sides, side[0])
		}
	}
	m.inSide = m.inSide[:0]
}

func count(yes bool) int32 {
	if yes {
		return 1
	}
	return 0
}

// join puts the machine into the sums of the domain that it now hangs on.
func (s *state) join(m *machine) {
	m.sick = healthOf(m.node) != placer.Healthy
	m.sum = s.sums.at(s.engine, s.engine.NodeDomain(m.id))
	s.sums.join(m.sum, 1, count(m.sick))
	for key, value := range m.node.Labels {
		if value == "" || !scheme.IsSideKey(key) {
			continue
		}
		m.inSide = append(m.inSide, [2]string{key, value})
		if s.sides[key] == nil {
			s.sides[key] = map[string]int32{}
		}
		s.sides[key][value]++
	}
	slices.SortFunc(m.inSide, func(a, b [2]string) int { return compareText(a[0], b[0]) })
	s.share(m)
}

func healthOf(n *Node) placer.Health {
	switch {
	case !n.Ready:
		return placer.NotReady
	case n.Provider != "":
		return placer.ProviderUnhealthy
	case n.Unschedulable:
		return placer.Cordoned
	}
	return placer.Healthy
}

// outOfService is the taint by which an operator says that a node is dead.
const outOfService = "node.kubernetes.io/out-of-service"

// lost says that a machine is gone for good: no source shows it, an operator
// called it dead, the provider is replacing it, or it has not been ready for too
// long. One that is merely not ready may come back, and nothing moves for that.
func (s *state) lost(name string) bool {
	m := s.machines[name]
	if m == nil || m.node == nil {
		return true
	}
	return m.overdue || slices.ContainsFunc(m.node.Taints, func(t Taint) bool { return t.Key == outOfService }) ||
		strings.Contains(m.node.Provider, "PendingReplacement")
}

func sameNode(a, b *Node) bool {
	return a.Name == b.Name && a.UID == b.UID && a.ProviderID == b.ProviderID && a.Ready == b.Ready &&
		a.Unschedulable == b.Unschedulable && a.Provider == b.Provider && a.InstanceType == b.InstanceType &&
		(a.Total == nil) == (b.Total == nil) && maps.Equal(a.Total, b.Total) &&
		maps.Equal(a.Labels, b.Labels) && slices.Equal(a.Taints, b.Taints)
}

// engineNode is the machine in the engine's words.
func (s *state) engineNode(m *machine) placer.Node {
	n := placer.Node{
		Name: m.name, Path: s.cfg.Scheme.Path(m.node.Labels), Health: healthOf(m.node),
		Total: m.node.Total, Used: m.used, UsedPods: m.barring,
	}
	for key, value := range m.node.Labels {
		n.Labels = append(n.Labels, placer.Label{Key: key, Value: value})
	}
	slices.SortFunc(n.Labels, func(a, b placer.Label) int { return compareText(a.Key, b.Key) })
	for _, t := range m.node.Taints {
		n.Taints = append(n.Taints, placer.Taint{Key: t.Key, Value: t.Value, Effect: effects[t.Effect]})
	}
	return n
}

var effects = map[string]placer.Effect{
	"NoSchedule": placer.NoSchedule, "NoExecute": placer.NoExecute, "PreferNoSchedule": placer.PreferNoSchedule,
}
