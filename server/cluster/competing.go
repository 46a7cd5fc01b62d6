package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// competing finds the pod set that has no room once those before it have theirs,
// and explains the refusal by it: each fits alone. It asks the engine once a set.
func (p *placing) competing(in *placer.Refusal, r *Refusal) *placer.Refusal {
	s, sets := p.s, p.ask.gang.PodSets
	set := len(sets) - 1
	for n := 2; n < len(sets); n++ {
		if s.engine.Decide(firstSets(&p.ask.gang, n)).Refusal != nil {
			set = n - 1
			break
		}
	}
	ps := &sets[set]
	out := &placer.Refusal{
		PodSet: set, Binding: ps.Required, BestNode: placer.NoNode, Want: int64(ps.Count), Proven: in.Proven,
		Misses: s.roomiest(ps, in.Misses),
	}
	out.Fits = s.engine.Fits(ps, placer.Root)
	if ps.Required != placer.NoLayer && int(ps.Required) < len(out.Misses) {
		m := out.Misses[ps.Required]
		out.Best, out.BestNode, out.Fits = max(m.Domain, placer.Root), m.Node, m.Pods
	}
	p.told(out, r)
	return out
}

// told puts what was found into the refusal's own words. The gang is refused for
// no pod set alone, so that none is named.
func (p *placing) told(in *placer.Refusal, r *Refusal) {
	s, sets := p.s, p.ask.gang.PodSets
	r.Binding = s.layerName(in.Binding)
	r.Best = DomainFit{Domain: s.bestRef(in), Fits: in.Fits, Wanted: in.Want}
	r.Misses = r.Misses[:0]
	for _, m := range in.Misses {
		if !s.hidden(m.Layer) {
			ref := DomainRef{Layer: s.layerName(m.Layer), Path: s.missPath(m)}
			r.Misses = append(r.Misses, DomainFit{Domain: ref, Fits: m.Pods, Wanted: in.Want})
		}
	}
	if r.Reason != NoJointPlacement {
		return // the message says why
	}
	var before []string
	for _, ps := range sets[:in.PodSet] {
		before = append(before, ps.Name)
	}
	if len(before) > 3 {
		before = append(before[:3], fmt.Sprintf("%d more", len(before)-3))
	}
	r.Message += fmt.Sprintf(": %s of %s find no room once %s have theirs",
		plural(in.Want, "pod"), sets[in.PodSet].Name, strings.Join(before, ", "))
}

// firstSets is the gang of the first n pod sets alone.
func firstSets(g *placer.Gang, n int) *placer.Gang {
	part := *g
	part.MinCount = 0
	part.PodSets = slices.Clone(g.PodSets[:n])
	for i := range part.PodSets {
		part.PodSets[i].After = slices.DeleteFunc(slices.Clone(part.PodSets[i].After), func(a int) bool { return a >= n })
	}
	return &part
}

// roomiest is, per layer of a refusal's misses, the domain or node with most room
// for a pod set.
func (s *state) roomiest(ps *placer.PodSet, misses []placer.Miss) []placer.Miss {
	out := slices.Clone(misses)
	for i := range out {
		if out[i].Layer == s.engine.Scheme().NodeLayer() {
			out[i].Node, out[i].Pods = s.roomiestNode(ps)
			continue
		}
		out[i].Domain, out[i].Pods = -1, 0
		s.engine.Domains(out[i].Layer, func(d placer.DomainID) bool {
			if n := s.engine.Fits(ps, d); n > out[i].Pods {
				out[i].Domain, out[i].Pods = d, n
			}
			return true
		})
	}
	return out
}

// roomiestNode is the node with most room, the first by name among equals, of the
// first explainNodes.
func (s *state) roomiestNode(ps *placer.PodSet) (best placer.NodeID, most int64) {
	best = placer.NoNode
	for _, m := range s.byID[:min(len(s.byID), explainNodes)] {
		if m == nil || m.node == nil {
			continue
		}
		n := s.engine.FitsNode(ps, m.id)
		if n > most || n == most && n > 0 && m.name < s.engine.NodeName(best) {
			best, most = m.id, n
		}
	}
	return best, most
}
