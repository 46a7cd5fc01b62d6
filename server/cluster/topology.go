package cluster

import (
	"context"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// GetTopology reads the tree in path order, by pages: each domain before those
// below it, its own nodes with it. Errors: PAGE_TOKEN_INVALID, UNKNOWN_LAYER,
// DOMAIN_NOT_FOUND.
func (c *Cluster) GetTopology(ctx context.Context, req TopologyRequest) (*Topology, error) {
	hash := hashOf("topology", req.Root, req.MaxDepth, req.IncludeNodes)
	from, err := readToken(req.PageToken, hash)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, reading, func(t *tx) (*Topology, error) {
		root, only, err := t.s.resolve(req.Root, "root")
		if err != nil {
			return nil, err
		}
		w := &walk{
			s: t.s, out: t.s.topology(), nodes: req.IncludeNodes || only != nil, only: only,
			left: pageSize(req.PageSize, 500), deepest: t.s.engine.DomainLayer(root) + placer.Layer(req.MaxDepth),
		}
		if req.MaxDepth == 0 {
			w.deepest = placer.Layer(len(c.cfg.Scheme.Layers))
		}
		w.out.Sources = c.sourceList()
		if from != nil {
			w.after(root, from)
		} else {
			w.domain(root, "", false)
		}
		if w.stopped {
			w.end.Request = hash
			w.out.NextPageToken = w.end.token()
		}
		return w.out, nil
	})
}

// topology is what is the same on each page.
func (s *state) topology() *Topology {
	t := &Topology{Scheme: s.schemeInfo(), Revision: s.rev, Warnings: slices.Clone(s.warnings)}
	for _, why := range s.badNodes {
		t.Warnings = append(t.Warnings, "left out: "+why)
	}
	slices.Sort(t.Warnings[len(s.warnings):])
	for name, domains := range s.sides {
		side := SideLayer{Name: name, Domains: int32(len(domains))}
		for _, n := range domains {
			side.Nodes += n
		}
		t.SideLayers = append(t.SideLayers, side)
	}
	slices.SortFunc(t.SideLayers, func(a, b SideLayer) int { return compareText(a.Name, b.Name) })
	return t
}

func (s *state) schemeInfo() SchemeInfo {
	sc := s.cfg.Scheme
	info := SchemeInfo{Name: sc.Name, NodeLayer: sc.Node, Guessed: s.cfg.Guessed, Disconnected: s.cfg.Disconnected}
	for i, name := range sc.Layers {
		n := s.sums.count[i+1]
		info.Layers = append(info.Layers, LayerInfo{Name: name, Short: sc.Short(i), Domains: n, Hidden: n == 0})
	}
	return info
}

// walk is one page of the tree at work. Its cost is that of the page: it goes
// to where the page before ended by the path's names.
type walk struct {
	s       *state
	out     *Topology
	nodes   bool
	only    *machine // the root is this node
	deepest placer.Layer
	left    int
	stopped bool
	end     position // what was shown last
}

// domain shows d, and what is below it, from the node after one on.
func (w *walk) domain(d placer.DomainID, after string, continued bool) {
	if !continued && !w.room() { // the head of a rest costs nothing, so that each page gets on
		return
	}
	w.out.Domains = append(w.out.Domains, w.s.showDomain(d))
	shown := len(w.out.Domains) - 1
	w.out.Domains[shown].Continued = continued
	w.end = position{Path: w.s.engine.DomainPath(d)}
	if w.nodes {
		w.direct(d, after, shown)
	}
	if !w.stopped && w.only == nil {
		w.kids(d, "")
	}
}

// direct shows the nodes of a domain itself, by name.
func (w *walk) direct(d placer.DomainID, after string, shown int) {
	ids := w.s.engine.DirectNodes(d)
	i := 0
	if after != "" {
		i, _ = slices.BinarySearchFunc(ids, after, func(id placer.NodeID, name string) int {
			if w.s.engine.NodeName(id) <= name {
				return -1
			}
			return 1
		})
	}
	for _, id := range ids[i:] {
		m := w.s.byID[id]
		if w.only != nil && m != w.only {
			continue
		}
		if !w.room() {
			return
		}
		w.out.Domains[shown].Direct = append(w.out.Domains[shown].Direct, w.s.showNode(m))
		w.end.Node = m.name
	}
}

// kids shows the domains below d whose names come after the one given.
func (w *walk) kids(d placer.DomainID, after string) {
	if w.s.engine.DomainLayer(d)+1 > w.deepest {
		return
	}
	for _, kid := range w.s.engine.Kids(d) {
		if w.stopped {
			return
		}
		if after == "" || w.s.engine.DomainName(kid) > after {
			w.domain(kid, "", false)
		}
	}
}

// room takes one from the page; false where it is full.
func (w *walk) room() bool {
	if w.left == 0 {
		w.stopped = true
		return false
	}
	w.left--
	return true
}

// after goes on behind what the page before showed last: the rest of its nodes,
// what is below it, and then, level by level, what comes after it.
func (w *walk) after(root placer.DomainID, from *position) {
	top := int(w.s.engine.DomainLayer(root)) + 1
	if d, ok := w.s.engine.DomainByPath(from.Path); ok {
		w.rest(d, from.Node)
	}
	for depth := len(from.Path); depth > top && !w.stopped; depth-- {
		if parent, ok := w.s.engine.DomainByPath(from.Path[:depth-1]); ok {
			w.kids(parent, from.Path[depth-1])
		}
	}
}

// rest shows what of d was not on the page before.
func (w *walk) rest(d placer.DomainID, after string) {
	ids := w.s.engine.DirectNodes(d)
	if w.nodes && len(ids) > 0 && w.s.engine.NodeName(ids[len(ids)-1]) > after {
		w.domain(d, after, true)
		return
	}
	if w.only == nil {
		w.kids(d, "")
	}
}
