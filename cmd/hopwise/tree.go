package main

import (
	"fmt"
	"strings"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// foldAbove is the number of nodes from which nodes of one leaf that look the same
// share a line.
const foldAbove = 40

// treeRows builds the table of a tree.
type treeRows struct {
	names    *layerNames
	resource string
	folds    bool
	free     string // what is said once behind the first amount
	t        table
}

// printTree draws the tree: domains with their layer, nodes with what is free and
// what runs there.
func (a *app) printTree(n *layerNames, all *hopwisev1.GetTopologyResponse, root *branch) {
	resource := mainResource(root.GetResources())
	head := fmt.Sprintf("%s  %s  %s", n.title(), count(len(n.all()), "layer"), count(root.GetNodeCount(), "node"))
	if r := amountOf(root.GetResources(), resource); r != nil {
		head += fmt.Sprintf("  %s %s  (%s free)", safe(r.GetTotal()), resourceWord(resource), safe(r.GetFree()))
	}
	a.print(a.style.paint(bold, a.style.ascii(head)) + revisionAt(head, all.GetRevision()) + "\n")
	rows := treeRows{names: n, resource: resource, folds: root.GetNodeCount() > foldAbove, free: " free", t: table{gap: 3}}
	if len(root.GetRef().GetPath()) > 0 {
		rows.domain(root, "", "")
		rows.under(root, "")
	} else {
		for _, b := range root.below {
			rows.domain(b, "", "")
			rows.under(b, "")
		}
		if len(root.GetNodes()) > 0 {
			rows.t.add(painted(yellow, "(no layer)"))
			rows.under(&branch{Domain: &hopwisev1.Domain{Nodes: root.GetNodes()}}, "")
		}
	}
	a.print(rows.t.format(a.style))
}

func resourceWord(resource string) string {
	if strings.HasSuffix(resource, "/gpu") {
		return "GPUs"
	}
	_, word, _ := strings.Cut(resource, "/")
	return word
}

func (r *treeRows) domain(b *branch, lead, branchSign string) {
	extra := ""
	if n := b.GetUnhealthyCount(); n > 0 {
		extra = fmt.Sprintf("! %d not usable", n)
	}
	if m := b.GetMaintenance(); m != nil {
		extra = strings.TrimSpace(extra + " ! " + maintenanceText(m))
	}
	amount := freeOfTotal(b.GetResources(), r.resource)
	if amount != "" {
		amount += r.free
		r.free = ""
	}
	r.t.add(painted(bold, lead+branchSign+lastName(b.GetRef())), c(""), c(""), painted(cyan, r.names.layer(b.GetRef().GetLayer())),
		number(count(b.GetNodeCount(), "node")), c(amount), painted(yellow, extra))
}

// under draws what hangs on a domain: nodes first, as in the page order.
func (r *treeRows) under(b *branch, lead string) {
	groups := r.groups(b.GetNodes())
	for i, g := range groups {
		sign, _ := signs(i == len(groups)-1 && len(b.below) == 0)
		r.node(g, lead+sign)
	}
	for i, child := range b.below {
		sign, next := signs(i == len(b.below)-1)
		r.domain(child, lead, sign)
		r.under(child, lead+next)
	}
}

func signs(last bool) (sign, next string) {
	if last {
		return "└─ ", "   "
	}
	return "├─ ", "│  "
}

// groups are runs of nodes that share a line: those that look the same, where the
// tree is large.
func (r *treeRows) groups(nodes []*hopwisev1.Node) [][]*hopwisev1.Node {
	var groups [][]*hopwisev1.Node
	for _, n := range nodes {
		if last := len(groups) - 1; r.folds && last >= 0 && r.look(groups[last][0]) == r.look(n) {
			groups[last] = append(groups[last], n)
			continue
		}
		groups = append(groups, []*hopwisev1.Node{n})
	}
	return groups
}

func (r *treeRows) look(n *hopwisev1.Node) string {
	return n.GetInstanceType() + "\x00" + freeOfTotal(n.GetResources(), r.resource) + "\x00" + nodeExtra(n)
}

func (r *treeRows) node(group []*hopwisev1.Node, lead string) {
	n := group[0]
	names := make([]string, len(group))
	for i, m := range group {
		names[i] = m.GetName()
	}
	p := plain
	if !healthy(n) {
		p = yellow
	} else if len(n.GetHolds()) > 0 {
		p = green
	}
	name := lead + foldedText(names, true)
	if len(group) > 1 {
		name += fmt.Sprintf("  (%d)", len(group))
	}
	r.t.add(c(name), painted(dim, safe(n.GetInstanceType())), c(freeOfTotal(n.GetResources(), r.resource)),
		cell{text: nodeExtra(n), paint: p, loose: true})
}

// nodeExtra is what a person should know about a node: health first, then who
// holds it.
func nodeExtra(n *hopwisev1.Node) string {
	var parts []string
	if !healthy(n) {
		word := healthWord(n.GetHealth())
		if n.GetHealthDetail() != "" {
			word = safe(n.GetHealthDetail())
		}
		parts = append(parts, "! "+word)
	}
	if m := n.GetMaintenance(); m != nil {
		parts = append(parts, "! "+maintenanceText(m))
	}
	for _, t := range n.GetTaints() {
		parts = append(parts, "taint "+safe(t))
	}
	for _, h := range n.GetHolds() {
		parts = append(parts, holdText(h))
	}
	if n.GetOtherPods() > 0 {
		parts = append(parts, count(n.GetOtherPods(), "other pod"))
	}
	if len(n.GetMissingLayers()) > 0 && len(n.GetParent().GetPath()) > 0 {
		parts = append(parts, count(len(n.GetMissingLayers()), "label")+" missing")
	}
	return strings.Join(parts, "  ")
}

func maintenanceText(m *hopwisev1.MaintenanceHold) string {
	text := "in maintenance"
	if m.GetNote() != "" {
		text += ": " + safe(m.GetNote())
	}
	if m.GetUntil() != nil {
		text += " (until " + m.GetUntil().AsTime().UTC().Format("15:04Z") + ")"
	}
	return text
}

func holdText(h *hopwisev1.NodeHold) string {
	word := " ranks "
	if h.GetCount() == 1 {
		word = " rank "
	}
	set := ""
	if h.GetPodSet() != "" && h.GetPodSet() != "main" {
		set = " " + safe(h.GetPodSet())
	}
	return gangTitle(h.GetGang()) + set + word + span(h.GetFirstRank(), h.GetCount())
}
