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
	in   *placer.Refusal
	r    *Refusal
	left int64 // steps
	// sets are the pod sets of which one is to change: the refused one, or, where
	// they compete, each, the last first.
	sets []int
}

// suggest looks for what would fit; in names a pod set also where several compete.
func (p *placing) suggest(in *placer.Refusal, r *Refusal) {
	budget := p.ask.gang.Budget
	if budget == 0 {
		budget = placer.DefaultBudget
	}
	g := &suggester{placing: p, in: in, r: r, left: budget, sets: []int{in.PodSet}}
	if r.PodSet == "" {
		for i := len(p.ask.gang.PodSets) - 1; i >= 0; i-- {
			if i != in.PodSet {
				g.sets = append(g.sets, i)
			}
		}
	}
	g.fewer()
	g.wider()
	g.prefer()
	g.after()
}

func (g *suggester) set(i int) *placer.PodSet { return &g.ask.gang.PodSets[i] }

// try decides the gang with one pod set (and what is grouped with it) changed;
// nil where it is refused still or the budget has ended.
func (g *suggester) try(set int, change func(i int, ps *placer.PodSet)) *placer.Answer {
	if g.left <= 0 {
		g.r.Cut = true
		return nil
	}
	gang := g.ask.gang
	gang.PodSets = slices.Clone(gang.PodSets)
	gang.Budget = g.left
	total := int64(0)
	for i := range gang.PodSets {
		ps := &gang.PodSets[i]
		if i == set || ps.Group != "" && ps.Group == g.set(set).Group {
			change(i, ps)
		}
		total += int64(ps.Count)
	}
	gang.MinCount = int32(min(int64(gang.MinCount), total))
	ans := g.s.engine.Decide(&gang)
	g.left -= max(ans.Steps, 1)
	if ans.Refusal != nil {
		return nil
	}
	return ans
}

func (g *suggester) add(set int, s Suggestion) {
	if len(g.ask.gang.PodSets) > 1 && s.Kind != AfterGangs {
		s.PodSet = g.set(set).Name
		who := s.PodSet
		if group := g.set(set).Group; group != "" && s.Constraint != nil {
			who = "group " + group // a constraint is its members' together
		}
		s.Message = who + ": " + s.Message
	}
	g.r.Suggestions = append(g.r.Suggestions, s)
}

// pods are those that a suggestion speaks of: the set's, as only it changes.
func (g *suggester) pods(ans *placer.Answer, set int) int32 { return ans.Sets[set].Pods }

// holder is the domain of a layer, or below it, that holds a pod set.
func (g *suggester) holder(ans *placer.Answer, set int, l placer.Layer) *DomainRef {
	if len(ans.Sets) == 1 {
		return g.s.holderOf(ans, l)
	}
	path, node, _ := g.s.spread(ans.Sets[set : set+1])
	if l == g.s.engine.Scheme().NodeLayer() && node != "" {
		return &DomainRef{Layer: g.s.cfg.Scheme.Node, Path: append(path, node)}
	}
	if l != placer.NoLayer {
		path = path[:min(len(path), int(l)+1)]
	}
	if len(path) == 0 {
		return nil
	}
	ref := g.s.pathRef(path)
	return &ref
}

// fewer: as many pods of one set as there is room for, in whole slices.
func (g *suggester) fewer() {
	for _, set := range g.sets {
		n := g.most(set)
		if n < 1 {
			continue
		}
		ans := g.try(set, func(i int, ps *placer.PodSet) {
			if i == set {
				ps.Count, ps.MinCount = n, 0
			}
		})
		if ans == nil {
			continue
		}
		domain := g.holder(ans, set, g.set(set).Required)
		g.add(set, Suggestion{
			Kind: FewerPods, Pods: n, Domain: domain, Crossings: -1, Message: plural(int64(n), "pod") + place(domain),
		})
		return
	}
}

// most is how many pods of a set find room; 0 for none, and where all do.
func (g *suggester) most(set int) int32 {
	ps, step := g.set(set), int32(1)
	if len(ps.Slices) > 0 {
		step = ps.Slices[0].Size
	}
	if len(g.ask.gang.PodSets) == 1 {
		n := int32(min(g.in.Fits, int64(ps.Count)-1))
		return n - n%step
	}
	if step >= ps.Count {
		return 0
	}
	ans := g.try(set, func(i int, ps *placer.PodSet) {
		if i == set {
			ps.MinCount = step
		}
	})
	if ans == nil || ans.Sets[set].Pods >= ps.Count {
		return 0
	}
	return ans.Sets[set].Pods
}

// wider: the narrowest layer above the required one that holds all.
func (g *suggester) wider() {
	for _, set := range g.sets {
		ps := g.set(set)
		for l := ps.Required - 1; ps.Required != placer.NoLayer && l >= 0; l-- {
			if g.s.hidden(l) {
				continue
			}
			ans := g.try(set, func(_ int, ps *placer.PodSet) { ps.Required = l })
			if ans == nil {
				continue
			}
			domain := g.holder(ans, set, l)
			con := ledger.Constraint{Required: g.s.layerName(l), Preferred: g.s.layerName(ps.Preferred)}
			message := fmt.Sprintf("%s in one %s", plural(int64(ps.Count), "pod"), g.s.short(l))
			if domain != nil {
				message += " (" + last(domain.Path) + ")"
			}
			q := g.s.engine.Quality(ans.Sets)
			g.add(set, Suggestion{
				Kind: WiderLayer, Pods: g.pods(ans, set), Constraint: &con, Domain: domain, Crossings: q.Crossings, Message: message,
			})
			return
		}
	}
}

// prefer: the layer preferred instead of required.
func (g *suggester) prefer() {
	for _, set := range g.sets {
		ps := g.set(set)
		l := ps.Required
		if l == placer.NoLayer {
			continue
		}
		ans := g.try(set, func(_ int, ps *placer.PodSet) {
			if ps.Preferred == placer.NoLayer {
				ps.Preferred = l
			}
			ps.Required = placer.NoLayer
		})
		if ans == nil {
			continue
		}
		con := ledger.Constraint{Preferred: g.s.layerName(l)}
		if ps.Preferred != placer.NoLayer {
			con.Preferred = g.s.layerName(ps.Preferred)
		}
		domain := g.holder(ans, set, placer.NoLayer)
		q := g.s.engine.Quality(ans.Sets)
		g.add(set, Suggestion{
			Kind: Prefer, Pods: g.pods(ans, set), Constraint: &con, Domain: domain, Crossings: q.Crossings,
			Message: g.preferText(l, q, domain),
		})
		return
	}
}

func (g *suggester) preferText(l placer.Layer, q placer.Quality, domain *DomainRef) string {
	leaves := "1 leaf"
	if q.Leaves != 1 {
		leaves = fmt.Sprintf("%d leaves", q.Leaves)
	}
	message := fmt.Sprintf("preferring %s instead places it now over %s", g.s.short(l), leaves)
	if domain != nil {
		message += " of " + last(domain.Path)
	}
	return message + fmt.Sprintf(", %s (best possible %d)", plural(int64(q.Crossings), "ring crossing"), q.BestCrossings)
}

// after: the gangs that must end, the largest holders first, without those that
// turn out not to matter.
func (g *suggester) after() {
	mark := len(g.undo)
	defer g.rollback(mark)
	var ended []ledger.Gang
	var ans *placer.Answer
	same := func(int, *placer.PodSet) {}
	for i := 0; i < len(g.r.Holders) && i < maxAfter && ans == nil; i++ {
		g.letGo(g.r.Holders[i].Gang)
		ended = append(ended, g.r.Holders[i].Gang)
		ans = g.try(g.in.PodSet, same)
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
		if got := g.try(g.in.PodSet, same); got != nil {
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
	g.add(g.in.PodSet, Suggestion{
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
