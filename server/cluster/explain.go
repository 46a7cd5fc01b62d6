package cluster

import (
	"cmp"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// explainNodes bounds the nodes that one explanation looks at.
const explainNodes = 1 << 16

var nodeReasons = map[placer.Reason]string{
	placer.ReasonUnhealthy: "UNHEALTHY", placer.ReasonTaint: "TAINT", placer.ReasonFilter: "FILTER",
	placer.ReasonLabelMissing: "LABEL_MISSING", placer.ReasonTooSmall: "TOO_SMALL",
	placer.ReasonMaintenance: "MAINTENANCE", placer.ReasonScheduler: "SCHEDULER", placer.ReasonHeld: "HELD",
	placer.ReasonUsed: "USED", placer.ReasonLimit: "LIMIT", placer.ReasonFits: "FITS",
}

// explain adds what costs more than the search: counts, holders, suggestions.
func (p *placing) explain(ans *placer.Answer, r *Refusal) {
	in := ans.Refusal
	if in.PodSet < 0 {
		in = p.competing(in, r)
	}
	ps := &p.ask.gang.PodSets[in.PodSet]
	if r.Reason == NoRoom && p.s.neverFits(ps, in) {
		r.Reason = NeverFits
	}
	p.s.explainCounts(p.ask, in, r)
	p.suggest(in, r)
}

// explainCounts says what keeps the nodes of the best domain from taking more, and
// who holds them.
func (s *state) explainCounts(a *ask, in *placer.Refusal, r *Refusal) {
	x := s.engine.Explain(&a.gang, in, explainNodes)
	r.Explained, r.Cut = true, x.Cut
	ps := &a.gang.PodSets[max(in.PodSet, 0)]
	r.Holders = s.holders(ps, x.Blockers)
	for _, c := range x.Counts {
		if c.Reason == placer.ReasonHeld {
			r.Counts = append(r.Counts, s.heldCounts(r.Holders, x.Blockers)...)
			continue
		}
		if n := len(r.Counts); n > 0 && c.Reason == placer.ReasonFits && r.Counts[n-1].Reason == "FITS" {
			r.Counts[n-1].Nodes += c.Nodes
			continue
		}
		if c.Reason == placer.ReasonMaintenance {
			r.Counts = s.maintenanceCount(r.Counts, c)
			continue
		}
		r.Counts = append(r.Counts, NodeCount{Reason: nodeReasons[c.Reason], Detail: c.Detail, Nodes: c.Nodes})
	}
	r.Counts = mergeHeld(r.Counts)
}

// neverFits says that no domain of the binding layer would hold the pods even
// if nothing ran: no waiting helps.
func (s *state) neverFits(ps *placer.PodSet, in *placer.Refusal) bool {
	if in.Binding == placer.NoLayer {
		return s.engine.FitsEmpty(ps, placer.Root) < in.Want
	}
	if in.Binding == s.engine.Scheme().NodeLayer() {
		return false // a single node's empty room is not counted apart
	}
	never := true
	s.engine.Domains(in.Binding, func(d placer.DomainID) bool {
		never = s.engine.FitsEmpty(ps, d) < in.Want
		return never
	})
	return never
}

// holders are the gangs that hold the nodes, those with most room first.
func (s *state) holders(ps *placer.PodSet, blockers []placer.NodeID) []Holder {
	found := map[*gang]*Holder{}
	for _, id := range blockers {
		m := s.byID[id]
		seen := map[*gang]bool{}
		for _, h := range m.holds {
			if seen[h.gang] {
				continue
			}
			seen[h.gang] = true
			if found[h.gang] == nil {
				rec := h.gang.rec
				found[h.gang] = &Holder{Gang: rec.Gang, Priority: rec.Priority, Expires: rec.Expires}
			}
			found[h.gang].Nodes++
			found[h.gang].Pods += s.roomHeld(ps, m, h.gang)
		}
	}
	list := make([]Holder, 0, len(found))
	for _, h := range found {
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(b.Pods, a.Pods), cmp.Compare(b.Nodes, a.Nodes), a.Gang.Key().Compare(b.Gang.Key()))
	})
	return list
}

// roomHeld is how many pods of the pod set would fit on what the gang holds on
// the machine.
func (s *state) roomHeld(ps *placer.PodSet, m *machine, g *gang) int64 {
	if ps.Exclusive {
		return 1
	}
	room, whole := int64(1)<<31, false
	has := map[string]int64{}
	for _, h := range m.holds {
		if h.gang != g {
			continue
		}
		held := &g.ask.gang.PodSets[h.set]
		whole = whole || held.Exclusive
		for name, qty := range held.Requests {
			has[name] += qty * int64(h.run.Count)
		}
		has[placer.PodsResource] += int64(h.run.Count)
	}
	for name, qty := range ps.Requests {
		switch {
		case qty <= 0:
		case whole:
			room = min(room, m.node.Total[name]/qty)
		default:
			room = min(room, has[name]/qty)
		}
	}
	if len(ps.Requests) == 0 {
		room = has[placer.PodsResource]
	}
	if ps.MaxPerNode > 0 {
		room = min(room, int64(ps.MaxPerNode))
	}
	return room
}

// heldCounts counts each held node once, under the first of its holders.
func (s *state) heldCounts(holders []Holder, blockers []placer.NodeID) []NodeCount {
	rank := make(map[ledger.Key]int, len(holders))
	for i, h := range holders {
		rank[h.Gang.Key()] = i
	}
	nodes := make([]int32, len(holders))
	for _, id := range blockers {
		first := len(holders)
		for _, h := range s.byID[id].holds {
			first = min(first, rank[h.gang.key])
		}
		if first < len(holders) {
			nodes[first]++
		}
	}
	var list []NodeCount
	for i, n := range nodes {
		if n > 0 {
			list = append(list, NodeCount{Reason: "HELD", By: holders[i].Gang.Key().String(), Until: holders[i].Expires, Nodes: n})
		}
	}
	return list
}

// mergeHeld drops the repeats that several details of HELD have led to.
func mergeHeld(list []NodeCount) []NodeCount {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c NodeCount) bool {
		if c.Reason != "HELD" {
			return false
		}
		again := seen[c.By]
		seen[c.By] = true
		return again
	})
}
