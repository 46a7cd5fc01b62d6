package cluster

import (
	"cmp"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

func (s *state) showDomain(d placer.DomainID) Domain {
	out := Domain{Ref: s.domainRef(d), Kids: int32(len(s.engine.Kids(d))), Maintenance: s.domainHold(d)}
	if sum := s.sums.of[d]; sum != nil {
		out.Nodes, out.Unhealthy, out.Resources = sum.nodes, sum.unhealthy, s.names.amounts(sum.row)
	}
	return out
}

func (s *state) showNode(m *machine) NodeView {
	n := m.node
	out := NodeView{
		Name: n.Name, Parent: s.domainRef(s.engine.NodeDomain(m.id)), InstanceType: n.InstanceType, ProviderID: n.ProviderID,
		Resources: s.names.amounts(m.row), Known: n.Total != nil, OtherPods: m.otherPods,
	}
	out.Health, out.HealthDetail = healthWords(n)
	for _, t := range n.Taints {
		if t.Effect != "PreferNoSchedule" {
			out.Taints = append(out.Taints, taintText(t))
		}
	}
	for _, side := range m.inSide {
		if out.Sides == nil {
			out.Sides = map[string]string{}
		}
		out.Sides[side[0]] = side[1]
	}
	for l := s.engine.DomainLayer(s.engine.NodeDomain(m.id)) + 1; int(l) < len(s.cfg.Scheme.Layers); l++ {
		if !s.hidden(l) {
			out.Missing = append(out.Missing, s.layerName(l))
		}
	}
	out.Holds, out.Maintenance = showHolds(m), s.nodeHold(m)
	return out
}

func showHolds(m *machine) []NodeHold {
	var list []NodeHold
	for _, h := range m.holds {
		rec := h.gang.rec
		list = append(list, NodeHold{
			Gang: rec.Gang, PodSet: rec.Spec.PodSets[h.set].Name, First: h.run.First, Count: h.run.Count,
			State: rec.State, Priority: rec.Priority,
		})
	}
	slices.SortFunc(list, func(a, b NodeHold) int {
		return cmp.Or(a.Gang.Key().Compare(b.Gang.Key()), cmp.Compare(a.PodSet, b.PodSet), cmp.Compare(a.First, b.First))
	})
	return list
}

func healthWords(n *Node) (NodeHealth, string) {
	switch healthOf(n) {
	case placer.NotReady:
		return HealthNotReady, "not ready"
	case placer.ProviderUnhealthy:
		return HealthProviderBad, n.Provider
	case placer.Cordoned:
		return HealthCordoned, "cordoned"
	}
	return HealthOK, ""
}

func taintText(t Taint) string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}
