package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// maxShared is how many nodes are compared pairwise at once.
const maxShared = 256

// SharedLayer says which layers nodes share; without nodes, which domains hold
// two or more, by pages. Errors: NODE_NOT_FOUND, PAGE_TOKEN_INVALID,
// INVALID_REQUEST.
func (c *Cluster) SharedLayer(ctx context.Context, req SharedRequest) (*SharedResult, error) {
	if len(req.Nodes) > maxShared {
		return nil, fail(InvalidRequest, "%d nodes; at most %d are compared at once", len(req.Nodes), maxShared).at("nodes")
	}
	hash := hashOf("shared", req.Nodes)
	from, err := readToken(req.PageToken, hash)
	if err != nil {
		return nil, err
	}
	return call(ctx, c, reading, func(t *tx) (*SharedResult, error) {
		res := &SharedResult{Revision: t.s.rev}
		if len(req.Nodes) == 0 {
			t.s.sharedPage(res, pageSize(req.PageSize, 500), from, hash)
			return res, nil
		}
		ms := make([]*machine, 0, len(req.Nodes))
		for i, name := range req.Nodes {
			m := t.s.machines[name]
			if m == nil || m.node == nil {
				return nil, fail(NodeNotFound, "there is no node %q", name).at(fmt.Sprintf("nodes[%d]", i)).with("node", name)
			}
			ms = append(ms, m)
		}
		t.s.compare(res, ms)
		return res, nil
	})
}

// compare fills in what the machines share.
func (s *state) compare(res *SharedResult, ms []*machine) {
	slices.SortFunc(ms, func(a, b *machine) int { return s.engine.CompareNodes(a.id, b.id) })
	ms = slices.Compact(ms)
	common := s.engine.NodeDomain(ms[0].id)
	for i, m := range ms {
		d := s.engine.NodeDomain(m.id)
		common = s.common(common, d)
		res.Nodes = append(res.Nodes, m.name)
		if i > 0 && d == s.engine.NodeDomain(ms[i-1].id) {
			g := &res.Groups[len(res.Groups)-1]
			g.Nodes = append(g.Nodes, m.name)
		} else {
			res.Groups = append(res.Groups, SharedDomain{Ref: s.domainRef(d), Nodes: []string{m.name}})
		}
		for j := range i {
			res.Pairs = append(res.Pairs, NodePair{int32(j), int32(i), int32(s.engine.Hops(ms[j].id, m.id))})
		}
	}
	slices.SortFunc(res.Pairs, func(a, b NodePair) int {
		return int((a.First-b.First)*maxShared + a.Second - b.Second)
	})
	deepest := s.domainRef(common)
	if len(ms) == 1 {
		deepest = s.nodeRef(ms[0].id)
	}
	res.Deepest = &deepest
	for l := range s.cfg.Scheme.Layers {
		switch name := s.layerName(placer.Layer(l)); {
		case placer.Layer(l) <= s.engine.DomainLayer(common):
			res.Shared = append(res.Shared, name)
		case !s.hidden(placer.Layer(l)):
			res.Unshared = append(res.Unshared, name)
		}
	}
	res.SideGroups = sideGroups(ms)
}

// sideGroups are the side domains that hold two or more of the machines.
func sideGroups(ms []*machine) []SharedDomain {
	in := map[[2]string][]string{}
	for _, m := range ms {
		for _, side := range m.inSide {
			in[side] = append(in[side], m.name)
		}
	}
	var list []SharedDomain
	for side, names := range in {
		if len(names) > 1 {
			list = append(list, SharedDomain{Ref: DomainRef{Layer: side[0], Path: []string{side[1]}}, Nodes: names})
		}
	}
	slices.SortFunc(list, func(a, b SharedDomain) int {
		if c := compareText(a.Ref.Layer, b.Ref.Layer); c != 0 {
			return c
		}
		return compareText(a.Ref.Path[0], b.Ref.Path[0])
	})
	return list
}

// sharedPage lists the domains of two nodes or more, by layer, then path. Their
// nodes count as the page's work: a page ends early where they are many.
func (s *state) sharedPage(res *SharedResult, size int, from *position, hash uint64) {
	var end position
	names := 0
	for l := range s.cfg.Scheme.Layers {
		if from != nil && l < from.Layer {
			continue
		}
		s.engine.Domains(placer.Layer(l), func(d placer.DomainID) bool {
			if s.engine.DomainSize(d) < 2 || from != nil && l == from.Layer && slices.Compare(s.engine.DomainPath(d), from.Path) <= 0 {
				return true
			}
			if len(res.Groups) == size || len(res.Groups) > 0 && names > listSteps {
				res.NextPageToken = end.token()
				return false
			}
			g := SharedDomain{Ref: s.domainRef(d)}
			s.nodesBelow(d, func(m *machine) bool {
				g.Nodes = append(g.Nodes, m.name)
				return true
			})
			names += len(g.Nodes)
			res.Groups = append(res.Groups, g)
			end = position{Request: hash, Layer: l, Path: g.Ref.Path}
			return true
		})
		if res.NextPageToken != "" {
			return
		}
	}
}
