package main

import (
	"fmt"
	"strings"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// mermaidNodes is the most nodes that a diagram shows one by one: beyond that a
// browser draws for minutes and nobody reads it.
const mermaidNodes = 200

// diagram numbers boxes in the order they are drawn.
type diagram struct {
	b        strings.Builder
	names    *layerNames
	resource string
	leaves   bool // leaves open to their nodes
	next     int
}

// mermaid is a flow chart of the tree. Above 200 nodes leaves are counts.
func mermaid(n *layerNames, root *branch, under bool) string {
	d := diagram{names: n, resource: mainResource(root.GetResources()), leaves: int(root.GetNodeCount()) <= mermaidNodes}
	d.b.WriteString("graph TD\n")
	if !d.leaves {
		hint := "--under DOMAIN opens one"
		if under {
			hint = "--under a smaller DOMAIN opens one"
		}
		fmt.Fprintf(&d.b, "  %%%% %d nodes: leaves are counts; %s\n", root.GetNodeCount(), hint)
	}
	d.b.WriteString("  classDef held fill:#cfe8cf,stroke:#2e7d32\n  classDef down fill:#f5c6cb,stroke:#b71c1c\n")
	for _, top := range tops(root) {
		d.mermaidDomain(top, "")
	}
	return d.b.String()
}

// tops are the boxes without a parent: the cluster itself is none.
func tops(root *branch) []*branch {
	if len(root.GetRef().GetPath()) > 0 {
		return []*branch{root}
	}
	all := root.below
	if len(root.GetNodes()) > 0 {
		all = append(all[:len(all):len(all)], &branch{Domain: &hopwisev1.Domain{
			Nodes: root.GetNodes(), NodeCount: int32(len(root.GetNodes()))}})
	}
	return all
}

func (d *diagram) id() string {
	d.next++
	return fmt.Sprintf("b%d", d.next)
}

func (d *diagram) domainLabel(b *branch) []string {
	if len(b.GetRef().GetPath()) == 0 {
		return []string{"no layer", count(b.GetNodeCount(), "node")}
	}
	label := []string{lastName(b.GetRef()), d.names.layer(b.GetRef().GetLayer()) + ", " + count(b.GetNodeCount(), "node")}
	if amount := freeOfTotal(b.GetResources(), d.resource); amount != "" {
		label[1] += ", " + amount + " free"
	}
	if b.GetUnhealthyCount() > 0 {
		label[1] += fmt.Sprintf(", %d not usable", b.GetUnhealthyCount())
	}
	return label
}

func (d *diagram) nodeLabel(n *hopwisev1.Node) []string {
	label := []string{safe(n.GetName())}
	if amount := freeOfTotal(n.GetResources(), d.resource); amount != "" {
		label = append(label, amount+" free")
	}
	if extra := nodeExtra(n); extra != "" {
		label = append(label, extra)
	}
	return label
}

func (d *diagram) mermaidDomain(b *branch, parent string) {
	id := d.id()
	d.mermaidBox(id, parent, d.domainLabel(b), "")
	if d.leaves {
		for _, n := range b.GetNodes() {
			class := ""
			switch {
			case !healthy(n):
				class = ":::down"
			case len(n.GetHolds()) > 0:
				class = ":::held"
			}
			d.mermaidBox(d.id(), id, d.nodeLabel(n), class)
		}
	}
	for _, child := range b.below {
		d.mermaidDomain(child, id)
	}
}

func (d *diagram) mermaidBox(id, parent string, label []string, class string) {
	for i := range label {
		label[i] = mermaidText.Replace(asciiOnly(label[i]))
	}
	fmt.Fprintf(&d.b, "  %s[\"%s\"]%s\n", id, strings.Join(label, "<br/>"), class)
	if parent != "" {
		fmt.Fprintf(&d.b, "  %s --> %s\n", parent, id)
	}
}

// mermaidText writes what would end or begin something in a label as entities.
var mermaidText = strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;", "`", "#96;", "&", "#amp;")

// asciiOnly is for files that other programs draw: the same on every terminal.
func asciiOnly(text string) string { return style{}.ascii(text) }

// dot is the tree for Graphviz.
func dot(n *layerNames, root *branch) string {
	d := diagram{names: n, resource: mainResource(root.GetResources()), leaves: true}
	d.b.WriteString("digraph topology {\n  rankdir=TB\n  node [shape=box, fontname=\"sans-serif\"]\n")
	for _, top := range tops(root) {
		d.dotDomain(top, "")
	}
	d.b.WriteString("}\n")
	return d.b.String()
}

func (d *diagram) dotDomain(b *branch, parent string) {
	id := d.id()
	d.dotBox(id, parent, d.domainLabel(b), "")
	for _, n := range b.GetNodes() {
		colour := ""
		switch {
		case !healthy(n):
			colour = ", style=filled, fillcolor=\"#f5c6cb\""
		case len(n.GetHolds()) > 0:
			colour = ", style=filled, fillcolor=\"#cfe8cf\""
		}
		d.dotBox(d.id(), id, d.nodeLabel(n), colour)
	}
	for _, child := range b.below {
		d.dotDomain(child, id)
	}
}

func (d *diagram) dotBox(id, parent string, label []string, more string) {
	for i := range label {
		label[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(asciiOnly(label[i]))
	}
	fmt.Fprintf(&d.b, "  %s [label=\"%s\"%s]\n", id, strings.Join(label, `\n`), more)
	if parent != "" {
		fmt.Fprintf(&d.b, "  %s -> %s\n", parent, id)
	}
}
