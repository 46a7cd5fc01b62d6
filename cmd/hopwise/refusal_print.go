package main

import (
	"fmt"
	"slices"
	"strings"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// printRefusal says why a gang is not placed, always with the number.
func (a *app) printRefusal(n *layerNames, req *hopwisev1.PlaceGangRequest, r *hopwisev1.Refusal, wide bool) {
	a.printWhyNot(n, req, r, refusalReason(n, req, r), wide)
}

// printWhyNot shows a refusal whose first line is given.
func (a *app) printWhyNot(n *layerNames, req *hopwisev1.PlaceGangRequest, r *hopwisev1.Refusal, why string, wide bool) {
	a.print(a.style.paint(red, "refused") + "  " + gangTitle(req.GetGang()) + ": " + a.style.ascii(why) + "\n")
	t := table{gap: 2, indent: "  "}
	if r.GetExplained() {
		if len(r.GetNodeCounts()) > 0 {
			t.add(painted(dim, "nodes in "+inDomain(r.GetBest().GetDomain())+":"), c(nodeCounts(r)))
		}
		if len(r.GetHolders()) > 1 || (wide && len(r.GetHolders()) > 0) { // one alone stands in the counts
			t.add(painted(dim, "held by:"), c(a.holders(r)))
		}
	}
	if wide || len(r.GetSuggestions()) == 0 {
		if misses := missWords(n, r); misses != "" {
			t.add(painted(dim, "nearest by layer:"), c(misses))
		}
	}
	if fits := a.fitWords(n, r); fits != "" {
		t.add(painted(dim, "would fit:"), c(fits))
	}
	if try := tryWords(n, req, r); try != "" {
		t.add(painted(dim, "try:"), c(try))
	}
	if !r.GetProven() {
		t.add(painted(yellow, "not proven:"), c(fmt.Sprintf("the search ended after %d steps; --step-budget raises that", r.GetSteps())))
	} else if r.GetExplanationCut() {
		t.add(painted(dim, "cut short:"), c("the step budget ended the explanation; --step-budget raises it"))
	}
	a.print(t.format(a.style))
}

// refusalReason is the first line's reason, in the layers' short names.
func refusalReason(n *layerNames, req *hopwisev1.PlaceGangRequest, r *hopwisev1.Refusal) string {
	best := r.GetBest()
	never := ""
	switch r.GetReason() {
	case hopwisev1.RefusalReason_REFUSAL_REASON_NEVER_FITS:
		never = " (even empty, none has enough)"
	case hopwisev1.RefusalReason_REFUSAL_REASON_NO_ROOM:
	default:
		return messageOf(req, r)
	}
	if best == nil {
		return messageOf(req, r)
	}
	set := ""
	if r.GetPodSet() != "" && r.GetPodSet() != "main" {
		set = " (" + safe(r.GetPodSet()) + ")"
	}
	if len(best.GetDomain().GetPath()) == 0 && r.GetBindingLayer() == "" {
		return fmt.Sprintf("%s%s; the whole cluster has room for %d%s", count(best.GetWanted(), "pod"), set, best.GetFits(), never)
	}
	need := "need"
	if best.GetWanted() == 1 {
		need = "needs"
	}
	return fmt.Sprintf("%s%s %s one %s domain; the best, %s, has room for %d%s",
		count(best.GetWanted(), "pod"), set, need, n.layer(r.GetBindingLayer()), lastName(best.GetDomain()), best.GetFits(), never)
}

// messageOf is the refusal's own line, without the gang's name, which stands before
// it already.
func messageOf(req *hopwisev1.PlaceGangRequest, r *hopwisev1.Refusal) string {
	g := req.GetGang()
	return safe(strings.TrimPrefix(r.GetMessage(), g.GetNamespace()+"/"+g.GetName()+": "))
}

func inDomain(d *hopwisev1.DomainRef) string { return lastName(d) }

// nodeCounts is the total, then each reason with its number.
func nodeCounts(r *hopwisev1.Refusal) string {
	total := int32(0)
	var parts []string
	for _, c := range r.GetNodeCounts() {
		total += c.GetNodes()
		part := fmt.Sprintf("%d %s", c.GetNodes(), reasonWord(c))
		if c.GetReason() == hopwisev1.NodeReason_NODE_REASON_FITS { // what matters first
			parts = slices.Insert(parts, 0, part)
			continue
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("%d    %s", total, strings.Join(parts, "    "))
}

func reasonWord(c *hopwisev1.NodeCount) string {
	word := map[hopwisev1.NodeReason]string{
		hopwisev1.NodeReason_NODE_REASON_UNHEALTHY:     "unhealthy",
		hopwisev1.NodeReason_NODE_REASON_TAINT:         "taint",
		hopwisev1.NodeReason_NODE_REASON_FILTER:        "not selected",
		hopwisev1.NodeReason_NODE_REASON_LABEL_MISSING: "without label",
		hopwisev1.NodeReason_NODE_REASON_TOO_SMALL:     "too small:",
		hopwisev1.NodeReason_NODE_REASON_MAINTENANCE:   "in maintenance",
		hopwisev1.NodeReason_NODE_REASON_SCHEDULER:     "refused by the scheduler",
		hopwisev1.NodeReason_NODE_REASON_HELD:          "held",
		hopwisev1.NodeReason_NODE_REASON_USED:          "used by other pods",
		hopwisev1.NodeReason_NODE_REASON_LIMIT:         "at the limit per node or slice",
		hopwisev1.NodeReason_NODE_REASON_FITS:          "fit",
	}[c.GetReason()]
	if c.GetReason() == hopwisev1.NodeReason_NODE_REASON_UNHEALTHY && c.GetDetail() != "" {
		word = safe(c.GetDetail()) // "not ready" says more than "unhealthy"
	} else if c.GetDetail() != "" {
		word += " " + safe(c.GetDetail())
	}
	if c.GetBy() != "" {
		word += " by " + safe(c.GetBy())
	}
	if c.GetUntil() != nil {
		word += " (until " + c.GetUntil().AsTime().UTC().Format("15:04Z") + ")"
	} else if c.GetReason() == hopwisev1.NodeReason_NODE_REASON_HELD && c.GetBy() != "" {
		word += " (until released)"
	}
	return strings.TrimSuffix(word, ":")
}

func (a *app) holders(r *hopwisev1.Refusal) string {
	var parts []string
	for i, h := range r.GetHolders() {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more", len(r.GetHolders())-i))
			break
		}
		until := "until released"
		if h.GetExpireTime() != nil {
			until = "expires in " + ago(h.GetExpireTime().AsTime().Sub(a.now()))
		}
		parts = append(parts, fmt.Sprintf("%s on %s (%s)", gangTitle(h.GetGang()), count(h.GetNodes(), "node"), until))
	}
	return strings.Join(parts, "    ")
}

func missWords(n *layerNames, r *hopwisev1.Refusal) string {
	var parts []string
	for _, m := range r.GetMisses() {
		where := n.place(m.GetDomain())
		if len(m.GetDomain().GetPath()) == 0 { // no domain of that layer takes even one
			where = "no " + n.layer(m.GetDomain().GetLayer())
		}
		parts = append(parts, fmt.Sprintf("%s %d of %d", where, m.GetFits(), m.GetWanted()))
	}
	return strings.Join(parts, "    ")
}

// fitWords are the suggestions that change the request or wait.
func (a *app) fitWords(n *layerNames, r *hopwisev1.Refusal) string {
	var parts []string
	for _, s := range r.GetSuggestions() {
		pods := count(s.GetPods(), "pod")
		if s.GetPodSet() != "" && s.GetPodSet() != "main" {
			pods += " of " + safe(s.GetPodSet())
		}
		switch s.GetKind() {
		case hopwisev1.SuggestionKind_SUGGESTION_KIND_DECIDE_ANEW:
			parts = append(parts, "the whole gang in "+lastName(s.GetDomain())+" once its pods are gone")
		case hopwisev1.SuggestionKind_SUGGESTION_KIND_FEWER_PODS:
			parts = append(parts, pods+" in "+lastName(s.GetDomain()))
		case hopwisev1.SuggestionKind_SUGGESTION_KIND_WIDER_LAYER:
			part := pods + " in one " + n.layer(s.GetConstraint().GetRequiredLayer())
			if s.GetDomain() != nil {
				part += " (" + lastName(s.GetDomain()) + ")"
			}
			parts = append(parts, part)
		case hopwisev1.SuggestionKind_SUGGESTION_KIND_AFTER_GANGS:
			parts = append(parts, pods+" here once "+gangList(s.GetAfterGangs()))
		}
	}
	return strings.Join(parts, a.style.separator())
}

func gangList(gangs []*hopwisev1.GangRef) string {
	names := make([]string, len(gangs))
	for i, g := range gangs {
		names[i] = gangTitle(g)
	}
	if len(names) == 1 {
		return names[0] + " ends"
	}
	return strings.Join(names, ", ") + " end"
}

// whose is the pod set, or its whole group: a constraint is its members'
// together.
func whose(req *hopwisev1.PlaceGangRequest, set string) string {
	for _, ps := range req.GetPodSets() {
		if ps.GetName() == set && ps.GetGroup() != "" {
			return "all of group " + safe(ps.GetGroup())
		}
	}
	return safe(set)
}

// tryWords is the change of flags that places it now.
func tryWords(n *layerNames, req *hopwisev1.PlaceGangRequest, r *hopwisev1.Refusal) string {
	for _, s := range r.GetSuggestions() {
		if s.GetKind() != hopwisev1.SuggestionKind_SUGGESTION_KIND_PREFER {
			continue
		}
		layer := s.GetConstraint().GetPreferredLayer()
		if layer == "" && len(req.GetPodSets()) > 0 {
			layer = req.GetPodSets()[0].GetConstraint().GetRequiredLayer()
		}
		text := "--preferred " + safe(layer) + " places it now"
		if s.GetPodSet() != "" && len(req.GetPodSets()) > 1 {
			text = "preferred_layer: " + safe(layer) + " for " + whose(req, s.GetPodSet()) + " places it now"
		}
		if len(s.GetDomain().GetPath()) > 0 {
			text += " in " + n.place(s.GetDomain())
		}
		if s.Crossings != nil {
			text += ", " + count(s.GetCrossings(), "ring crossing")
		}
		return text
	}
	return ""
}
