package cluster

import (
	"fmt"
	"time"

	"github.com/hopwise/hopwise/placer"
)

// refuse says why the gang is not placed.
func (p *placing) refuse(ans *placer.Answer) *PlaceResult {
	r := p.s.refusal(p.ask, ans)
	r.Steps = ans.Steps
	r.Message = fmt.Sprintf("%s: %s", p.req.Gang.Key(), p.s.refusalText(p.ask, ans.Refusal, r))
	if p.req.Explain {
		began := time.Now()
		p.explain(ans, r)
		p.seen.Explain = time.Since(began)
	}
	p.seen.Outcome = string(r.Reason)
	return &PlaceResult{Refusal: r, Revision: p.s.rev, Notes: p.notes}
}

// refusal is what the search found anyway.
func (s *state) refusal(a *ask, ans *placer.Answer) *Refusal {
	in := ans.Refusal
	apart := s.onlyAcross(a, in)
	r := &Refusal{
		Reason: NoRoom, Proven: in.Proven, Steps: ans.Steps, Binding: s.layerName(in.Binding),
		Best: DomainFit{Domain: s.bestRef(in), Fits: in.Fits, Wanted: in.Want},
	}
	switch {
	case !in.Proven:
		r.Reason = BudgetEnded
	case apart:
		r.Reason = Disconnected
	case in.PodSet < 0:
		r.Reason = NoJointPlacement
	}
	if in.PodSet >= 0 {
		r.PodSet = a.gang.PodSets[in.PodSet].Name
	}
	for _, m := range in.Misses {
		if s.hidden(m.Layer) {
			continue
		}
		ref := DomainRef{Layer: s.layerName(m.Layer), Path: s.missPath(m)}
		r.Misses = append(r.Misses, DomainFit{Domain: ref, Fits: m.Pods, Wanted: in.Want})
	}
	return r
}

// onlyAcross says that the gang would fit if it spanned networks that are not
// connected. The best domain is then the network with most room.
func (s *state) onlyAcross(a *ask, in *placer.Refusal) bool {
	if !s.cfg.Disconnected || a.gang.SpanFabrics || !in.Proven || len(in.Misses) == 0 {
		return false
	}
	gang := a.gang
	gang.SpanFabrics = true
	if s.engine.Decide(&gang).Refusal != nil {
		return false
	}
	m := in.Misses[0]
	if in.PodSet >= 0 && m.Domain > placer.Root {
		in.Best, in.BestNode, in.Fits = m.Domain, placer.NoNode, m.Pods
	}
	return in.PodSet < 0 || m.Domain > placer.Root
}

func (s *state) bestRef(in *placer.Refusal) DomainRef {
	switch {
	case in.BestNode != placer.NoNode:
		return s.nodeRef(in.BestNode)
	case in.Best > placer.Root:
		return s.domainRef(in.Best)
	}
	return DomainRef{Layer: s.layerName(in.Binding)}
}

// refusalText is the refusal in one line: what was needed, and what there is.
func (s *state) refusalText(a *ask, in *placer.Refusal, r *Refusal) string {
	switch {
	case r.Reason == Disconnected && in.PodSet < 0:
		return "the pod sets fit only across networks that are not connected"
	case in.PodSet < 0 && r.Reason == BudgetEnded:
		return "each pod set fits alone; the step budget ended before a place for all of them was found or ruled out"
	case in.PodSet < 0:
		return "each pod set fits alone, but not all of them together"
	}
	what := plural(in.Want, "pod")
	if len(a.gang.PodSets) > 1 {
		what += " of " + a.gang.PodSets[in.PodSet].Name
	}
	cut := ""
	if r.Reason == BudgetEnded {
		cut = "; the step budget ended before every possibility was tried"
	}
	switch {
	case r.Reason == Disconnected:
		return fmt.Sprintf("%s fit only across networks that are not connected; the best, %s, has room for %d",
			what, last(r.Best.Domain.Path), in.Fits)
	case in.Binding == placer.NoLayer:
		return fmt.Sprintf("%s wanted; the whole cluster has room for %d%s", what, in.Fits, cut)
	case len(r.Best.Domain.Path) == 0:
		return fmt.Sprintf("%s %s one %s domain; no node has that label%s", what, need(in.Want), s.short(in.Binding), cut)
	case in.Binding == s.engine.Scheme().NodeLayer():
		return fmt.Sprintf("%s %s one node; the best, %s, has room for %d%s", what, need(in.Want), last(r.Best.Domain.Path), in.Fits, cut)
	}
	return fmt.Sprintf("%s %s one %s domain; the best, %s, has room for %d%s",
		what, need(in.Want), s.short(in.Binding), last(r.Best.Domain.Path), in.Fits, cut)
}

func need(n int64) string {
	if n == 1 {
		return "needs"
	}
	return "need"
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func last(path []string) string { return path[len(path)-1] }

// short is a layer's name for people.
func (s *state) short(l placer.Layer) string {
	if l == placer.NoLayer {
		return ""
	}
	return s.cfg.Scheme.Short(int(l))
}
