package cluster

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// maxAfter bounds the gangs that a suggestion waits for.
const maxAfter = 8

// suggester looks for changes with which the gang fits. Each is decided before
// it is told; the steps of all of them stay within the gang's budget.
type suggester struct {
	*placing
	in    *placer.Refusal
	r     *Refusal
	left  int64 // steps
	first *placer.PodSet
}

func (p *placing) suggest(ans *placer.Answer, r *Refusal) {
	if ans.Refusal.PodSet < 0 {
		return // which of several sets is to change is not a matter of one try
	}
	budget := p.ask.gang.Budget
	if budget == 0 {
		budget = placer.DefaultBudget
	}
	g := &suggester{placing: p, in: ans.Refusal, r: r, left: budget, first: &p.ask.gang.PodSets[ans.Refusal.PodSet]}
	g.fewer()
	g.wider()
	g.prefer()
	g.after()
}

// try decides the gang with the refused pod set (and what is grouped with it)
// changed; nil where it is refused still or the budget has ended.
func (g *suggester) try(change func(*placer.PodSet)) *placer.Answer {
	if g.left <= 0 {
		g.r.Cut = true
		return nil
	}
	gang := g.ask.gang
	gang.PodSets = slices.Clone(gang.PodSets)
	gang.Budget = g.left
	for i := range gang.PodSets {
		ps := &gang.PodSets[i]
		if i == g.in.PodSet || ps.Group != "" && ps.Group == g.first.Group {
			change(ps)
		}
	}
	ans := g.s.engine.Decide(&gang)
	g.left -= max(ans.Steps, 1)
	if ans.Refusal != nil {
		return nil
	}
	return ans
}

func (g *suggester) add(s Suggestion) {
	if len(g.ask.gang.PodSets) > 1 && s.Kind != AfterGangs {
		s.PodSet = g.first.Name
	}
	g.r.Suggestions = append(g.r.Suggestions, s)
}

// fewer: as many pods as the best domain holds, in whole slices.
func (g *suggester) fewer() {
	n := min(g.in.Fits, int64(g.first.Count)-1)
	if len(g.first.Slices) > 0 {
		n -= n % int64(g.first.Slices[0].Size)
	}
	if n < 1 || g.first.Group != "" {
		return
	}
	ans := g.try(func(ps *placer.PodSet) { ps.Count, ps.MinCount = int32(n), 0 })
	if ans == nil {
		return
	}
	domain := g.s.holderOf(ans, g.in.Binding)
	g.add(Suggestion{
		Kind: FewerPods, Pods: int32(n), Domain: domain, Crossings: -1,
		Message: plural(n, "pod") + place(domain),
	})
}

// wider: the narrowest layer above the binding one that holds all.
func (g *suggester) wider() {
	if g.first.Required == placer.NoLayer {
		return
	}
	for l := g.first.Required - 1; l >= 0; l-- {
		if g.s.hidden(l) {
			continue
		}
		ans := g.try(func(ps *placer.PodSet) { ps.Required = l })
		if ans == nil {
			continue
		}
		domain := g.s.holderOf(ans, l)
		con := ledger.Constraint{Required: g.s.layerName(l), Preferred: g.s.layerName(g.first.Preferred)}
		message := fmt.Sprintf("%s in one %s", plural(g.in.Want, "pod"), g.s.short(l))
		if domain != nil {
			message += " (" + last(domain.Path) + ")"
		}
		q := g.s.engine.Quality(ans.Sets)
		g.add(Suggestion{Kind: WiderLayer, Pods: pods(ans), Constraint: &con, Domain: domain, Crossings: q.Crossings, Message: message})
		return
	}
}

// prefer: the layer preferred instead of required.
func (g *suggester) prefer() {
	l := g.first.Required
	if l == placer.NoLayer {
		return
	}
	ans := g.try(func(ps *placer.PodSet) {
		if ps.Preferred == placer.NoLayer {
			ps.Preferred = l
		}
		ps.Required = placer.NoLayer
	})
	if ans == nil {
		return
	}
	con := ledger.Constraint{Preferred: g.s.layerName(l)}
	if g.first.Preferred != placer.NoLayer {
		con.Preferred = g.s.layerName(g.first.Preferred)
	}
	q := g.s.engine.Quality(ans.Sets)
	message := fmt.Sprintf("preferring %s instead places it now over %s", g.s.short(l), plural(int64(q.Leaves), "leaf"))
	if q.Leaves != 1 {
		message = fmt.Sprintf("preferring %s instead places it now over %d leaves", g.s.short(l), q.Leaves)
	}
	domain := g.s.alignedRef(ans)
	if domain != nil {
		message += " of " + last(domain.Path)
	}
	message += fmt.Sprintf(", %s (best possible %d)", plural(int64(q.Crossings), "ring crossing"), q.BestCrossings)
	g.add(Suggestion{Kind: Prefer, Pods: pods(ans), Constraint: &con, Domain: domain, Crossings: q.Crossings, Message: message})
}

// after: the gangs that must end, the largest holders first, without those that
// turn out not to matter.
func (g *suggester) after() {
	mark := len(g.undo)
	defer g.rollback(mark)
	var ended []ledger.Gang
	var ans *placer.Answer
	same := func(*placer.PodSet) {}
	for i := 0; i < len(g.r.Holders) && i < maxAfter && ans == nil; i++ {
		g.letGo(g.r.Holders[i].Gang)
		ended = append(ended, g.r.Holders[i].Gang)
		ans = g.try(same)
	}
	if ans == nil {
		return
	}
	for i := 0; len(ended) > 1 && i < len(ended)-1; {
		without := slices.Delete(slices.Clone(ended), i, i+1)
		g.rollback(mark)
		for _, gang := range without {
			g.letGo(gang)
		}
		if got := g.try(same); got != nil {
			ended, ans = without, got
			continue
		}
		i++
	}
	domain := g.s.holderOf(ans, g.in.Binding)
	verb := "end"
	if len(ended) == 1 {
		verb = "ends"
	}
	g.add(Suggestion{
		Kind: AfterGangs, Pods: pods(ans), Domain: domain, After: ended, Crossings: g.s.engine.Quality(ans.Sets).Crossings,
		Message: fmt.Sprintf("%s%s once %s %s", plural(int64(pods(ans)), "pod"), place(domain), gangNames(ended), verb),
	})
}

func (g *suggester) letGo(who ledger.Gang) {
	held := g.s.gangs[who.Key()]
	if ended, err := held.rec.Release(nil, g.now); err == nil {
		g.put(ended, held.ask)
	}
}

func place(domain *DomainRef) string {
	if domain == nil {
		return ""
	}
	return " in " + last(domain.Path)
}

func pods(ans *placer.Answer) int32 {
	n := int32(0)
	for i := range ans.Sets {
		n += ans.Sets[i].Pods
	}
	return n
}

// holderOf is the domain of a layer that holds the answer; nil where none does.
func (s *state) holderOf(ans *placer.Answer, l placer.Layer) *DomainRef {
	if l == s.engine.Scheme().NodeLayer() && ans.AlignedNode != placer.NoNode {
		ref := s.nodeRef(ans.AlignedNode)
		return &ref
	}
	d := ans.Aligned
	for l != placer.NoLayer && d > placer.Root && s.engine.DomainLayer(d) > l {
		d = s.engine.DomainParent(d)
	}
	if d <= placer.Root {
		return nil
	}
	ref := s.domainRef(d)
	return &ref
}

func (s *state) alignedRef(ans *placer.Answer) *DomainRef {
	if ans.Aligned <= placer.Root {
		return nil
	}
	ref := s.domainRef(ans.Aligned)
	return &ref
}
