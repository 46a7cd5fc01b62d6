package cluster

import (
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// show is a record as callers see it, with what the graph adds.
func (t *tx) show(rec *ledger.Record) *Placement {
	s := t.s
	p := &Placement{
		Record: rec, Etag: etagOf(rec), Durable: t.c.cfg.Store.Durable(),
		Sets: make([]PlacedSet, len(rec.Sets)), Quality: s.showQuality(&rec.Quality),
	}
	var sides sideCount
	for i := range rec.Sets {
		p.Sets[i] = s.showSet(rec, i)
		p.Pods += p.Sets[i].Pods
		p.Wanted += p.Sets[i].Wanted
		var own sideCount
		own.add(s, rec.Sets[i].Runs)
		sides.add(s, rec.Sets[i].Runs)
		p.Sets[i].Quality.SideSpread = own.list(s)
	}
	p.Quality.SideSpread = sides.list(s)
	if !rec.Decision.Proven {
		p.LowerBound = s.layerCounts(rec.Decision.LowerBound)
	}
	for _, tr := range rec.Troubles {
		shown := Trouble{Kind: tr.Kind, Detail: tr.Detail, Since: tr.Since}
		if tr.Set >= 0 {
			shown.PodSet = rec.Spec.PodSets[tr.Set].Name
		}
		shown.Ranks = s.showRuns(tr.Ranks)
		p.Troubles = append(p.Troubles, shown)
	}
	return p
}

// dry marks the answer to a dry run, which holds nothing.
func (p *Placement) dry() {
	rec := *p.Record
	rec.State, rec.Revision, rec.Version = ledger.NoState, ledger.Revision{}, 0
	p.Record, p.Etag, p.Durable, p.DryRun = &rec, "", false, true
}

func (s *state) showSet(rec *ledger.Record, i int) PlacedSet {
	set, spec := &rec.Sets[i], &rec.Spec.PodSets[i]
	out := PlacedSet{Name: spec.Name, Wanted: spec.Count, Quality: s.showQuality(&set.Quality)}
	runs := make([]ledger.RankRun, len(set.Runs))
	for k, run := range set.Runs {
		runs[k] = ledger.RankRun{First: out.Pods, Count: run.Pods, Node: run.Node}
		out.Pods += run.Pods
	}
	out.Ranks = s.showRuns(runs)
	if set.Prefers {
		met := set.PreferenceMet
		out.Preference = &met
		if !met {
			layer := rec.Spec.ConstraintOf(i).Preferred
			out.Miss = &DomainFit{Domain: DomainRef{layer, set.MissPath}, Fits: set.MissFits, Wanted: int64(spec.Count)}
		}
	}
	for _, sl := range set.Slots {
		out.Slots = append(out.Slots, Slot{Slot: sl, Node: set.NodeOf(sl.Rank)})
	}
	return out
}

// showRuns adds each node's leaf; neighbours share one reference.
func (s *state) showRuns(runs []ledger.RankRun) []RankRange {
	out := make([]RankRange, len(runs))
	last, leaf := placer.DomainID(-1), DomainRef{}
	for i, run := range runs {
		out[i] = RankRange{First: run.First, Count: run.Count, Node: run.Node}
		m := s.machines[run.Node]
		if m == nil || m.node == nil {
			continue // gone: nobody knows what it hung on
		}
		if d := s.engine.NodeDomain(m.id); d != last {
			last, leaf = d, s.domainRef(d)
		}
		out[i].Leaf = leaf
	}
	return out
}

func (s *state) domainRef(d placer.DomainID) DomainRef {
	if d <= placer.Root {
		return DomainRef{}
	}
	return DomainRef{Layer: s.layerName(s.engine.DomainLayer(d)), Path: s.engine.DomainPath(d)}
}

func (s *state) nodeRef(id placer.NodeID) DomainRef {
	return DomainRef{Layer: s.cfg.Scheme.Node, Path: s.nodePath(id)}
}

// pathRef names a stored path's layer, which is as deep as the path is long.
func (s *state) pathRef(path []string) DomainRef {
	if len(path) == 0 || len(path) > len(s.cfg.Scheme.Layers) {
		return DomainRef{}
	}
	return DomainRef{Layer: s.cfg.Scheme.Layers[len(path)-1], Path: path}
}

func (s *state) showQuality(q *ledger.Quality) Quality {
	out := Quality{
		Aligned: s.pathRef(q.AlignedPath), Spread: s.layerCounts(q.Vector), Leaves: q.Leaves, Crossings: q.Crossings,
		BestCrossings: q.BestCrossings, MeanHops: q.MeanHops, WorstHops: q.WorstHops, Score: q.Score,
	}
	if q.AlignedNode != "" {
		path := append(slices.Clone(q.AlignedPath), q.AlignedNode)
		out.Aligned = DomainRef{Layer: s.cfg.Scheme.Node, Path: path}
	}
	return out
}

// layerCounts names a vector's entries; layers that no node carries are left out.
func (s *state) layerCounts(vector []int32) []LayerCount {
	out := make([]LayerCount, 0, len(vector))
	for l, n := range vector {
		if !s.hidden(placer.Layer(l)) {
			out = append(out, LayerCount{s.layerName(placer.Layer(l)), n})
		}
	}
	return out
}

// hidden says that no node is in a domain of the layer.
func (s *state) hidden(l placer.Layer) bool {
	return int(l)+1 < len(s.sums.count) && s.sums.count[l+1] == 0
}

// spread is the deepest domain that holds all seats, the node where one does,
// and how many distinct domains and nodes they use.
func (s *state) spread(sets []placer.SetPlacement) (aligned []string, node string, vector []int32) {
	var nodes []placer.NodeID
	for _, set := range sets {
		for _, seat := range set.Seats {
			nodes = append(nodes, seat.Node)
		}
	}
	e := s.engine
	slices.SortFunc(nodes, e.CompareNodes)
	nodes = slices.Compact(nodes)
	layers := len(s.cfg.Scheme.Layers)
	vector = make([]int32, layers+1)
	if len(nodes) == 0 {
		return nil, "", vector
	}
	common := e.NodeDomain(nodes[0])
	for i, id := range nodes {
		d := e.NodeDomain(id)
		depth, shared := int(e.DomainLayer(d))+1, 0
		if i > 0 {
			with := s.common(d, e.NodeDomain(nodes[i-1]))
			shared = int(e.DomainLayer(with)) + 1
			common = s.common(common, d)
		}
		for l := range vector {
			if i == 0 || l >= shared || l >= depth {
				vector[l]++
			}
		}
	}
	if len(nodes) == 1 {
		node = e.NodeName(nodes[0])
	}
	return e.DomainPath(common), node, vector
}

// common is the deepest domain that holds both.
func (s *state) common(a, b placer.DomainID) placer.DomainID {
	e := s.engine
	for a != b {
		if e.DomainLayer(a) >= e.DomainLayer(b) {
			a = e.DomainParent(a)
		} else {
			b = e.DomainParent(b)
		}
	}
	return a
}

// sideCount counts the distinct side domains that ranks use.
type sideCount struct{ seen map[string]map[string]bool }

func (c *sideCount) add(s *state, runs []ledger.Run) {
	for _, run := range runs {
		m := s.machines[run.Node]
		if m == nil {
			continue
		}
		for _, side := range m.inSide {
			if c.seen == nil {
				c.seen = map[string]map[string]bool{}
			}
			if c.seen[side[0]] == nil {
				c.seen[side[0]] = map[string]bool{}
			}
			c.seen[side[0]][side[1]] = true
		}
	}
}

func (c *sideCount) list(s *state) []LayerCount {
	out := make([]LayerCount, 0, len(s.sides))
	for name := range s.sides {
		out = append(out, LayerCount{name, int32(len(c.seen[name]))})
	}
	slices.SortFunc(out, func(a, b LayerCount) int { return strings.Compare(a.Layer, b.Layer) })
	return out
}
