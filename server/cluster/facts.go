package cluster

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// facts is what the graph says of a gang's nodes.
func (s *state) facts(a *ask) ledger.Facts {
	return ledger.Facts{
		Apart: s.apart(a),
		Lost:  s.lost, Grace: s.cfg.Grace,
		Broken: func(set int, held []ledger.RankRun) string {
			ps := &a.gang.PodSets[set]
			if l := ps.Required; l != placer.NoLayer && !s.together(held, l) {
				return fmt.Sprintf("its pods are no longer in one domain of %s", s.layerName(l))
			}
			for _, sl := range ps.Slices {
				if first := s.brokenSlice(held, sl); first >= 0 {
					return fmt.Sprintf("the slice of ranks %d to %d is no longer in one domain of %s",
						first, first+sl.Size-1, s.layerName(sl.Layer))
				}
			}
			return ""
		},
	}
}

// apart finds the set that is not in the required domain of its group, where the
// gang has groups.
func (s *state) apart(a *ask) func([][]ledger.RankRun) (int, string) {
	sets := a.gang.PodSets
	if len(sets) < 2 || !slices.ContainsFunc(sets, func(ps placer.PodSet) bool { return ps.Group != "" }) {
		return nil
	}
	return func(held [][]ledger.RankRun) (int, string) {
		first := map[string]ledger.RankRun{}
		for i, ps := range sets {
			if ps.Group == "" || ps.Required == placer.NoLayer || len(held[i]) == 0 {
				continue
			}
			with, seen := first[ps.Group]
			if !seen {
				first[ps.Group] = held[i][0]
			} else if !s.sameDomain(with.Node, held[i][0].Node, ps.Required) {
				return i, fmt.Sprintf("group %s is no longer in one domain of %s", ps.Group, s.layerName(ps.Required))
			}
		}
		return -1, ""
	}
}

// together says whether all runs are in one domain of the layer.
func (s *state) together(runs []ledger.RankRun, l placer.Layer) bool {
	for _, run := range runs {
		if !s.sameDomain(runs[0].Node, run.Node, l) {
			return false
		}
	}
	return true
}

// sameDomain says whether two nodes share a domain of the layer.
func (s *state) sameDomain(a, b string, l placer.Layer) bool {
	if l == s.engine.Scheme().NodeLayer() {
		return a == b
	}
	da, ok := s.domainOf(a, l)
	db, ok2 := s.domainOf(b, l)
	return ok && ok2 && da == db
}

// domainOf is the domain of a layer that a node is in; false where it lacks it.
func (s *state) domainOf(name string, l placer.Layer) (placer.DomainID, bool) {
	m := s.machines[name]
	if m == nil || m.node == nil {
		return 0, false
	}
	d := s.engine.NodeDomain(m.id)
	for s.engine.DomainLayer(d) > l {
		d = s.engine.DomainParent(d)
	}
	return d, s.engine.DomainLayer(d) == l
}

// brokenSlice is the first rank of the first slice that spans domains; -1 for
// none. Ranks that have ended leave gaps and belong to no run.
func (s *state) brokenSlice(runs []ledger.RankRun, sl placer.Slice) int32 {
	current, node := int32(-1), ""
	for _, run := range runs {
		for first := run.First / sl.Size; first <= (run.First+run.Count-1)/sl.Size; first++ {
			if first == current && !s.sameDomain(node, run.Node, sl.Layer) {
				return first * sl.Size
			}
			current, node = first, run.Node
		}
	}
	return -1
}

func (s *state) layerName(l placer.Layer) string { return s.engine.Scheme().Name(l) }
