package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// ListFree says, per layer and domain, how many pods of a shape fit. The sums
// per layer cost O(domains); the page's counts of nodes walk the nodes of its
// own domains. Errors: PAGE_TOKEN_INVALID, UNKNOWN_LAYER, UNKNOWN_RESOURCE,
// DOMAIN_NOT_FOUND, INVALID_REQUEST.
func (c *Cluster) ListFree(ctx context.Context, req FreeRequest) (*FreeResult, error) {
	hash := hashOf("free", req.Requests, req.Exclusive, req.MaxPerNode, req.Filter, req.Layers, req.Root)
	from, err := readToken(req.PageToken, hash)
	if err != nil {
		return nil, err
	}
	a, err := c.askFor(ledger.Spec{PodSets: []ledger.PodSet{{
		Name: ledger.OnlyPodSet, Count: 1, Requests: req.Requests, Exclusive: req.Exclusive, MaxPerNode: req.MaxPerNode, Filter: req.Filter,
	}}}, 0)
	if err != nil {
		return nil, err
	}
	layers, err := c.layersOf(req.Layers)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, reading, func(t *tx) (*FreeResult, error) {
		if err := t.s.checkResources(req.Requests, ""); err != nil {
			return nil, err
		}
		root, only, err := t.s.resolve(req.Root, "root")
		if err != nil {
			return nil, err
		}
		f := &freeing{s: t.s, ps: &a.gang.PodSets[0], root: root, only: only, left: pageSize(req.PageSize, 500)}
		if len(layers) == 0 {
			layers = t.s.shownLayers()
		}
		return f.page(layers, from, hash), nil
	})
}

func (c *Cluster) layersOf(names []string) ([]placer.Layer, error) {
	var layers []placer.Layer
	for i, name := range names {
		l, err := c.cfg.Scheme.Resolve(name)
		if err != nil {
			return nil, unknownLayer(err, fmt.Sprintf("layers[%d]", i))
		}
		layers = append(layers, placer.Layer(l))
	}
	slices.Sort(layers)
	return layers, nil
}

func (s *state) shownLayers() []placer.Layer {
	var layers []placer.Layer
	for l := range s.cfg.Scheme.Layers {
		if !s.hidden(placer.Layer(l)) {
			layers = append(layers, placer.Layer(l))
		}
	}
	return layers
}

// freeing is one page of free room at work.
type freeing struct {
	s    *state
	ps   *placer.PodSet
	root placer.DomainID
	only *machine
	left int
}

func (f *freeing) page(layers []placer.Layer, from *position, hash uint64) *FreeResult {
	res := &FreeResult{Revision: f.s.rev}
	var end position
	full := false
	for _, l := range layers {
		sum := f.sum(l)
		res.Layers = append(res.Layers, sum)
		if full || from != nil && int(l) < from.Layer {
			continue
		}
		f.s.places(l, f.root, f.only, func(p spot) bool {
			free := f.fits(p)
			if free == 0 || from != nil && int(l) == from.Layer && !p.behind(f.s, from.Path) {
				return true
			}
			if f.left == 0 {
				full = true
				return false
			}
			f.left--
			res.Domains = append(res.Domains, DomainFree{Ref: p.ref(f.s), Free: free, Total: f.empty(p), Nodes: f.nodes(p)})
			end = position{Request: hash, Layer: int(l), Path: p.path(f.s)}
			return true
		})
	}
	if full {
		res.NextPageToken = end.token()
	}
	return res
}

// spot is a domain, or a node where the layer is the node's.
type spot struct {
	domain placer.DomainID
	m      *machine
}

func (p spot) path(s *state) []string {
	if p.m != nil {
		return s.nodePath(p.m.id)
	}
	return s.engine.DomainPath(p.domain)
}

// behind says whether the spot comes after the path of another in path order: a
// domain's own nodes before those of the domains inside it.
func (p spot) behind(s *state, other []string) bool {
	path := p.path(s)
	if p.m == nil || len(other) == 0 {
		return slices.Compare(path, other) > 0
	}
	n, k := len(path)-1, len(other)-1
	c := slices.Compare(path[:n], other[:k])
	return c > 0 || c == 0 && path[n] > other[k]
}

func (p spot) ref(s *state) DomainRef {
	if p.m != nil {
		return s.nodeRef(p.m.id)
	}
	return s.domainRef(p.domain)
}

// places yields the domains of a layer at or below root in path order, or the
// nodes below it at the node layer.
func (s *state) places(l placer.Layer, root placer.DomainID, only *machine, yield func(spot) bool) {
	switch {
	case only != nil && int(l) == len(s.cfg.Scheme.Layers):
		yield(spot{m: only})
	case only != nil:
	case int(l) == len(s.cfg.Scheme.Layers):
		s.nodesBelow(root, func(m *machine) bool { return yield(spot{m: m}) })
	case root == placer.Root:
		s.engine.Domains(l, func(d placer.DomainID) bool { return yield(spot{domain: d}) })
	default:
		s.domainsBelow(root, l, func(d placer.DomainID) bool { return yield(spot{domain: d}) })
	}
}

func (s *state) domainsBelow(d placer.DomainID, l placer.Layer, yield func(placer.DomainID) bool) bool {
	if at := s.engine.DomainLayer(d); at >= l {
		return at > l || yield(d)
	}
	for _, kid := range s.engine.Kids(d) {
		if !s.domainsBelow(kid, l, yield) {
			return false
		}
	}
	return true
}

func (s *state) nodesBelow(d placer.DomainID, yield func(*machine) bool) bool {
	for _, id := range s.engine.DirectNodes(d) {
		if !yield(s.byID[id]) {
			return false
		}
	}
	for _, kid := range s.engine.Kids(d) {
		if !s.nodesBelow(kid, yield) {
			return false
		}
	}
	return true
}

func (f *freeing) fits(p spot) int64 {
	if p.m != nil {
		return f.s.engine.FitsNode(f.ps, p.m.id)
	}
	return f.s.engine.Fits(f.ps, p.domain)
}

// empty is the room if the healthy nodes were empty. A single node's is read off
// its capacity, since the engine counts empty room by domain.
func (f *freeing) empty(p spot) int64 {
	if p.m == nil {
		return f.s.engine.FitsEmpty(f.ps, p.domain)
	}
	return max(f.fits(p), f.s.emptyNode(f.ps, p.m))
}

func (s *state) emptyNode(ps *placer.PodSet, m *machine) int64 {
	switch {
	case m.sick:
		return 0
	case ps.Exclusive:
		return 1
	}
	room := int64(1) << 31
	for name, qty := range ps.Requests {
		if qty > 0 {
			room = min(room, m.node.Total[name]/qty)
		}
	}
	if total, counted := m.node.Total[placer.PodsResource]; counted {
		room = min(room, total)
	}
	if ps.MaxPerNode > 0 {
		room = min(room, int64(ps.MaxPerNode))
	}
	return room
}

func (f *freeing) nodes(p spot) int32 {
	if p.m != nil {
		return 1
	}
	n := int32(0)
	f.s.nodesBelow(p.domain, func(m *machine) bool {
		n += count(f.s.engine.FitsNode(f.ps, m.id) > 0)
		return true
	})
	return n
}

func (f *freeing) sum(l placer.Layer) LayerFree {
	if int(l) < len(f.s.cfg.Scheme.Layers) && f.only == nil {
		return f.s.layerFree(f.ps, l, f.root)
	}
	sum := LayerFree{Layer: f.s.layerName(l)}
	f.s.places(l, f.root, f.only, func(p spot) bool {
		sum.add(f.fits(p))
		return true
	})
	return sum.done()
}

// layerFree sums a layer up over the domains at or below root.
func (s *state) layerFree(ps *placer.PodSet, l placer.Layer, root placer.DomainID) LayerFree {
	sum := LayerFree{Layer: s.layerName(l)}
	s.places(l, root, nil, func(p spot) bool {
		sum.add(s.engine.Fits(ps, p.domain))
		return true
	})
	return sum.done()
}

func (f *LayerFree) add(free int64) {
	f.Domains++
	f.Free += free
	f.Largest = max(f.Largest, free)
	f.WithRoom += count(free > 0)
}

func (f *LayerFree) done() LayerFree {
	if f.Free > 0 {
		f.Fragmentation = 1 - float64(f.Largest)/float64(f.Free)
	}
	return *f
}
