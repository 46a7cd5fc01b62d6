package placer

import "slices"

// Quality says how far apart the ranks of a gang are.
type Quality struct {
	// Leaves is the number of distinct leaves; the leaf of a node is its deepest
	// domain. Nodes without any label have the whole cluster for one.
	Leaves int
	// Crossings counts the edges of the rank ring, last to first included, whose
	// ends lie in different leaves; BestCrossings is the least possible for so
	// many leaves.
	Crossings, BestCrossings int
	// MeanHops is over all pairs of pods; WorstHops is the largest. Two pods are
	// 0 hops apart on one node, 2 in one leaf, 4 below one parent, and so on.
	MeanHops  float64
	WorstHops int
}

// Quality measures seats in rank order, the pod sets one after another.
func (e *Engine) Quality(sets []SetPlacement) Quality {
	e.settle()
	var q Quality
	var ring []NodeID // one per run of ranks on a node
	pods := map[NodeID]int64{}
	total := int64(0)
	for _, set := range sets {
		for _, seat := range set.Seats {
			ring = append(ring, seat.Node)
			pods[seat.Node] += int64(seat.Pods)
			total += int64(seat.Pods)
		}
	}
	if len(ring) == 0 {
		return q
	}
	for i, id := range ring {
		if !e.sameLeaf(id, ring[(i+1)%len(ring)]) {
			q.Crossings++
		}
	}
	nodes := make([]NodeID, 0, len(pods))
	for id := range pods {
		nodes = append(nodes, id)
	}
	slices.SortFunc(nodes, e.compareNodes)
	for i, id := range nodes {
		if i == 0 || !e.sameLeaf(id, nodes[i-1]) {
			q.Leaves++
		}
	}
	if q.Leaves > 1 {
		q.BestCrossings = q.Leaves
	}
	q.MeanHops, q.WorstHops = e.hopSums(nodes, pods, total)
	return q
}

// hopSums takes the mean over all pairs of pods from the sizes of the domains
// that hold them: a pair is as far apart as its deepest common domain is up.
func (e *Engine) hopSums(nodes []NodeID, pods map[NodeID]int64, total int64) (mean float64, worst int) {
	if total < 2 {
		return 0, 0
	}
	below := map[DomainID]int64{} // pods below a domain
	for _, id := range nodes {
		for d := e.nodes[id].dom; d >= 0; d = e.doms[d].parent {
			below[d] += pods[id]
		}
	}
	// Hops depend on how deep the two leaves are; where leaves differ in depth
	// the deeper one counts, so pairs are summed node by node.
	var sum float64
	if e.evenLeaves(nodes) {
		sum, worst = e.evenHops(nodes, pods, below)
	} else {
		sum, worst = e.unevenHops(nodes, pods)
	}
	return sum / (float64(total) * float64(total-1) / 2), worst
}

func (e *Engine) evenLeaves(nodes []NodeID) bool {
	depth := e.doms[e.nodes[nodes[0]].dom].depth
	return !slices.ContainsFunc(nodes, func(id NodeID) bool { return e.doms[e.nodes[id].dom].depth != depth })
}

func pairs(n int64) float64 { return float64(n) * float64(n-1) / 2 }

// evenHops sums layer by layer: pairs inside a domain but in none of its
// children are 2 hops further apart than those inside one child.
func (e *Engine) evenHops(nodes []NodeID, pods map[NodeID]int64, below map[DomainID]int64) (sum float64, worst int) {
	depth := e.doms[e.nodes[nodes[0]].dom].depth
	apart := func(d int8) int { return 2 * int(depth-d+1) }
	inside := make([]float64, depth+2) // pairs within one domain of the depth
	for _, d := range sortedKeys(below) {
		inside[e.doms[d].depth] += pairs(below[d])
	}
	for _, id := range nodes {
		inside[depth+1] += pairs(pods[id])
	}
	for d := int8(0); d <= depth; d++ {
		if n := inside[d] - inside[d+1]; n > 0 {
			sum += n * float64(apart(d))
			worst = max(worst, apart(d))
		}
	}
	return sum, worst
}

func sortedKeys(m map[DomainID]int64) []DomainID {
	keys := make([]DomainID, 0, len(m))
	for d := range m {
		keys = append(keys, d)
	}
	slices.Sort(keys)
	return keys
}

func (e *Engine) unevenHops(nodes []NodeID, pods map[NodeID]int64) (sum float64, worst int) {
	for i, a := range nodes {
		for _, b := range nodes[i+1:] {
			h := e.Hops(a, b)
			sum += float64(h) * float64(pods[a]) * float64(pods[b])
			worst = max(worst, h)
		}
	}
	return sum, worst
}

// Hops is the distance of two nodes: 0 on one node, 2 in one leaf, 4 below one
// parent, and so on. Where the leaves are of different depth the deeper counts.
func (e *Engine) Hops(a, b NodeID) int {
	if a == b {
		return 0
	}
	da, db := e.nodes[a].dom, e.nodes[b].dom
	depth := max(e.doms[da].depth, e.doms[db].depth)
	return 2 * int(depth-e.doms[e.common(da, db)].depth+1)
}

// sameLeaf says whether two nodes share their deepest domain. For nodes without
// any topology label that is the cluster itself: nothing is known between them.
func (e *Engine) sameLeaf(a, b NodeID) bool { return e.nodes[a].dom == e.nodes[b].dom }

// CompareNodes orders nodes by path.
func (e *Engine) CompareNodes(a, b NodeID) int {
	e.settle()
	return e.compareNodes(a, b)
}
