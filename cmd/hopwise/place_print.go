package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// placementView is how a placement is shown: the word before it and the revision
// behind it.
type placementView struct {
	word, revision string
	wide           bool
}

// printPlacement shows where a gang goes: what matters in the first line, then the
// ranks leaf by leaf.
func (a *app) printPlacement(n *layerNames, p *hopwisev1.Placement, v placementView) {
	parts := []string{gangTitle(p.GetGang()) + "  " + podsOnNodes(p)}
	if aligned := alignedWord(n, p.GetQuality()); aligned != "" {
		parts = append(parts, aligned)
	}
	if len(p.GetPodSets()) == 1 { // else each is in its block
		if word := preferenceWord(n, p.GetSpec(), 0, p.GetPodSets()[0]); word != "" {
			parts = append(parts, word)
		}
	}
	parts = append(parts, proofWord(n, p))
	head := a.style.paint(stateColour(p.GetState()), v.word) + pad(v.word, 9)
	a.print(head + a.style.ascii(strings.Join(parts, "   ")) + "\n")
	a.printSets(n, p, v.wide)
	for _, trouble := range p.GetTroubles() {
		a.print("  " + a.style.paint(yellow, "! ") + a.style.ascii(troubleText(trouble)) + "\n")
	}
	tail := "  " + strings.Join(qualityWords(p.GetQuality(), a.expiry(p)), "   ")
	a.line(tail + revisionAt(tail, v.revision))
}

// pad is the blanks after a leading word.
func pad(word string, width int) string { return strings.Repeat(" ", max(width-len(word), 2)) }

// revisionAt puts the revision at the right of an 88 column line.
func revisionAt(line, revision string) string {
	if revision == "" {
		return ""
	}
	text := "revision " + safe(revision)
	return strings.Repeat(" ", max(88-len([]rune(line))-len(text), 3)) + text
}

func gangTitle(g *hopwisev1.GangRef) string {
	if g.GetName() == "" {
		return safe(g.GetNamespace()) + "/(another team's)"
	}
	return safe(g.GetNamespace() + "/" + g.GetName())
}

func podsOnNodes(p *hopwisev1.Placement) string {
	nodes := count(len(nodesOf(p)), "node")
	if waiting := p.GetPodsWanted() - p.GetPods(); waiting > 0 {
		return fmt.Sprintf("%d of %d placed; %s   on %s", p.GetPods(), p.GetPodsWanted(), waitWord(waiting), nodes)
	}
	return count(p.GetPods(), "pod") + " on " + nodes
}

// nodesOf are a placement's nodes in rank order, each once.
func nodesOf(p *hopwisev1.Placement) []string {
	var names []string
	seen := make(map[string]bool)
	for _, ps := range p.GetPodSets() {
		for _, r := range ps.GetRanks() {
			if !seen[r.GetNode()] {
				seen[r.GetNode()] = true
				names = append(names, r.GetNode())
			}
		}
	}
	return names
}

func alignedWord(n *layerNames, q *hopwisev1.Quality) string {
	switch {
	case q == nil:
		return ""
	case len(q.GetAligned().GetPath()) == 0:
		return "no domain holds all of it"
	}
	return "aligned at " + n.place(q.GetAligned())
}

// constraintAt is the constraint that binds a pod set: its own, else the gang's.
func constraintAt(spec *hopwisev1.GangSpec, i int) *hopwisev1.Constraint {
	if i < len(spec.GetPodSets()) && spec.GetPodSets()[i].GetConstraint() != nil {
		return spec.GetPodSets()[i].GetConstraint()
	}
	return spec.GetConstraint()
}

func proofWord(n *layerNames, p *hopwisev1.Placement) string {
	policy := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(p.GetPolicy().String(), "POLICY_"), "_", " "))
	if p.GetProven() {
		if p.GetPolicy() == hopwisev1.Policy_POLICY_TIGHTEST {
			return "proven tightest"
		}
		return policy
	}
	bound := make([]string, 0, len(p.GetLowerBound()))
	for _, l := range p.GetLowerBound() {
		word := fmt.Sprintf("%d %s", l.GetCount(), n.layer(l.GetLayer()))
		if l.GetLayer() == n.scheme.GetNodeLayer() {
			word = count(l.GetCount(), "node")
		}
		bound = append(bound, word)
	}
	if len(bound) == 0 {
		return policy + ", not proven"
	}
	return policy + ", not proven (at least " + strings.Join(bound, ", ") + ")"
}

// rankRows adds one row per run of ranks under one leaf; wide, one per node.
func rankRows(t *table, n *layerNames, ps *hopwisev1.PodSetPlacement, wide bool) {
	refs := make([]*hopwisev1.DomainRef, 0, len(ps.GetRanks()))
	for _, r := range ps.GetRanks() {
		refs = append(refs, r.GetLeaf())
	}
	names := newDistinct(refs)
	for i := 0; i < len(ps.GetRanks()); {
		j := i + 1
		for !wide && j < len(ps.GetRanks()) && sameDomain(ps.GetRanks()[i].GetLeaf(), ps.GetRanks()[j].GetLeaf()) {
			j++
		}
		run := ps.GetRanks()[i:j]
		label := "ranks "
		if len(run) == 1 && run[0].GetCount() == 1 {
			label = "rank "
		}
		leaf := names.name(run[0].GetLeaf())
		if len(run[0].GetLeaf().GetPath()) == 0 {
			leaf = "no layer"
		} else if wide {
			leaf = n.layer(run[0].GetLeaf().GetLayer()) + " " + fullName(run[0].GetLeaf())
		}
		t.add(c(label+runSpan(run)), c(leaf), c(runNodes(run, wide)))
		i = j
	}
}

func sameDomain(a, b *hopwisev1.DomainRef) bool {
	return a.GetLayer() == b.GetLayer() && slices.Equal(a.GetPath(), b.GetPath())
}

func runSpan(run []*hopwisev1.RankRange) string {
	total := int32(0)
	for _, r := range run {
		total += r.GetCount()
	}
	return span(run[0].GetFirstRank(), total)
}

// runNodes folds the run's nodes, and says how many ranks are on each where they
// are several.
func runNodes(run []*hopwisev1.RankRange, wide bool) string {
	names := make([]string, len(run))
	least, most := run[0].GetCount(), run[0].GetCount()
	for i, r := range run {
		names[i] = r.GetNode()
		least, most = min(least, r.GetCount()), max(most, r.GetCount())
	}
	text := foldedText(names, wide)
	switch {
	case least != most:
		text += fmt.Sprintf("   %d to %d a node", least, most)
	case most > 1:
		text += fmt.Sprintf("   %d a node", most)
	}
	return text
}

// foldedText is names as ranges, cut after a dozen pieces unless wide.
func foldedText(names []string, wide bool) string {
	safeNames := make([]string, len(names))
	for i, name := range names {
		safeNames[i] = safe(name)
	}
	parts := fold(safeNames)
	const most = 12
	if wide || len(parts) <= most {
		return strings.Join(parts, " ")
	}
	return strings.Join(parts[:most], " ") + fmt.Sprintf(" … %d more", len(parts)-most)
}

func qualityWords(q *hopwisev1.Quality, expiry string) []string {
	if q == nil {
		return nil
	}
	crossings := fmt.Sprintf("crossings %d", q.GetCrossings())
	if q.BestCrossings != nil {
		crossings += fmt.Sprintf(" (best %d)", q.GetBestCrossings())
	}
	words := []string{crossings, fmt.Sprintf("mean hops %.1f", q.GetMeanHops())}
	if expiry != "" {
		words = append(words, expiry)
	}
	return words
}

// expiry says when a reservation lapses.
func (a *app) expiry(p *hopwisev1.Placement) string {
	if p.GetDryRun() {
		return "nothing is reserved"
	}
	if p.GetExpireTime() == nil {
		return ""
	}
	return "expires in " + ago(p.GetExpireTime().AsTime().Sub(a.now())) + " unless bound"
}

// ago is a duration as people say it.
func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 90*time.Second:
		return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

func troubleText(t *hopwisev1.Trouble) string {
	kind := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(t.GetKind().String(), "TROUBLE_KIND_"), "_", " "))
	text := kind
	if len(t.GetRanks()) > 0 {
		word := ": ranks "
		if len(t.GetRanks()) == 1 && t.GetRanks()[0].GetCount() == 1 {
			word = ": rank "
		}
		text += word + runSpan(t.GetRanks()) + " on " + runNodes(t.GetRanks(), false)
	}
	if t.GetDetail() != "" {
		text += ": " + safe(t.GetDetail())
	}
	return text
}

func stateColour(s hopwisev1.PlacementState) paint {
	switch s {
	case hopwisev1.PlacementState_PLACEMENT_STATE_DEGRADED:
		return yellow
	case hopwisev1.PlacementState_PLACEMENT_STATE_RELEASED, hopwisev1.PlacementState_PLACEMENT_STATE_EXPIRED:
		return dim
	}
	return green
}
