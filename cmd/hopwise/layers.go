package main

import (
	"strings"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// layerNames turns layers and domains into words for people.
type layerNames struct {
	scheme *hopwisev1.Scheme
	short  map[string]string
}

func newLayerNames(s *hopwisev1.Scheme) *layerNames {
	n := &layerNames{scheme: s, short: make(map[string]string)}
	for _, l := range s.GetLayers() {
		n.short[l.GetName()] = l.GetShortName()
	}
	n.short[s.GetNodeLayer()] = "node"
	return n
}

// layer is a layer's short name; its whole one where the scheme does not know it.
func (n *layerNames) layer(name string) string {
	if short := n.short[name]; short != "" {
		return safe(short)
	}
	return safe(name)
}

// all are the layers that a request may name, widest first, without hidden ones.
func (n *layerNames) all() []string {
	var names []string
	for _, l := range n.scheme.GetLayers() {
		if !l.GetHidden() {
			names = append(names, l.GetName())
		}
	}
	return names
}

// title is what the layers' keys have in common before the slash, else the
// scheme's name.
func (n *layerNames) title() string {
	prefix := ""
	for i, name := range n.all() {
		p, _, found := strings.Cut(name, "/")
		if !found || (i > 0 && p != prefix) {
			return safe(n.scheme.GetName())
		}
		prefix = p
	}
	if prefix == "" {
		return safe(n.scheme.GetName())
	}
	return safe(prefix)
}

// place is a domain with its layer: "layer-2 nn-21111".
func (n *layerNames) place(d *hopwisev1.DomainRef) string {
	if len(d.GetPath()) == 0 {
		return "the whole cluster"
	}
	return n.layer(d.GetLayer()) + " " + lastName(d)
}

// lastName is a domain's own name, without those above it.
func lastName(d *hopwisev1.DomainRef) string {
	if len(d.GetPath()) == 0 {
		return "the cluster"
	}
	return safe(d.GetPath()[len(d.GetPath())-1])
}

// fullName is a domain's names from the root.
func fullName(d *hopwisev1.DomainRef) string { return safe(strings.Join(d.GetPath(), "/")) }

// distinct gives domains their last names, and whole paths to those whose last name
// another domain of the same layer has too.
type distinct map[string]string

func newDistinct(domains []*hopwisev1.DomainRef) distinct {
	seen := make(distinct)
	for _, d := range domains {
		if len(d.GetPath()) == 0 {
			continue
		}
		key := d.GetLayer() + "\x00" + d.GetPath()[len(d.GetPath())-1]
		if first, known := seen[key]; known && first != fullName(d) {
			seen[key] = ""
		} else if !known {
			seen[key] = fullName(d)
		}
	}
	return seen
}

func (seen distinct) name(d *hopwisev1.DomainRef) string {
	if len(d.GetPath()) > 0 {
		if first, known := seen[d.GetLayer()+"\x00"+d.GetPath()[len(d.GetPath())-1]]; known && first == "" {
			return fullName(d)
		}
	}
	return lastName(d)
}
