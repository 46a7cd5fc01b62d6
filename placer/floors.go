package placer

import "slices"

// reduce finds the largest counts that the floors allow and that fit: the most
// pods, then the most of earlier sets. It looks at the whole cluster's table.
func (j *joint) reduce() []int64 {
	if !j.g.reducible() {
		return nil
	}
	if j.q.cut || !j.affordable(Root) {
		return j.reduceGreedily()
	}
	t := j.table(Root)
	if j.q.cut {
		return j.reduceGreedily()
	}
	var best []int64
	for st := range t.price {
		if t.price[st] == maxVec || st == 0 {
			continue
		}
		counts := make([]int64, len(j.sets))
		total := int64(0)
		for i := range counts {
			counts[i] = int64(j.digits[st*len(j.sets)+i])
			total += counts[i]
		}
		if j.allowed(counts, total) && (best == nil || moreOf(counts, best)) {
			best = counts
		}
	}
	return best
}

func (g *Gang) reducible() bool {
	return g.MinCount > 0 || slices.ContainsFunc(g.PodSets, func(ps PodSet) bool { return ps.MinCount > 0 })
}

// floor is the fewest pods of the set that will do. A set without a floor of
// its own may shrink where the gang has one.
func (g *Gang) floor(i int) int64 {
	ps := &g.PodSets[i]
	if ps.MinCount == 0 && g.MinCount == 0 {
		return int64(ps.Count)
	}
	return int64(ps.MinCount)
}

func (j *joint) allowed(counts []int64, total int64) bool {
	for i, c := range counts {
		ps := j.sets[i].ps
		if c < j.g.floor(i) {
			return false
		}
		if c != j.sets[i].n && len(ps.Slices) > 0 && c%int64(ps.Slices[0].Size) != 0 {
			return false
		}
	}
	return total >= int64(j.g.MinCount)
}

// reduceGreedily starts from the floors and adds to the earlier sets first, as
// far as a greedy plan finds room: what is left to a search cut by its budget.
func (j *joint) reduceGreedily() []int64 {
	j.unproven = true
	counts := make([]int64, len(j.sets))
	for i := range counts {
		counts[i] = j.whole(i, j.g.floor(i))
	}
	fits := func() bool {
		k, _ := j.q.newJoint(j.g, counts)
		defer k.done()
		return k.greedy(Root) != nil
	}
	if !fits() {
		return nil
	}
	total := int64(0)
	for i := range counts {
		least, most := counts[i], j.sets[i].n
		for least < most {
			counts[i] = j.whole(i, (least+most+1)/2)
			if counts[i] <= least {
				counts[i] = most
			}
			if fits() {
				least = counts[i]
			} else {
				most = counts[i] - 1
			}
		}
		counts[i] = j.whole(i, least)
		total += counts[i]
	}
	if !j.allowed(counts, total) {
		return nil
	}
	return counts
}

// whole rounds a reduced count down to whole slices, but not below the floor.
func (j *joint) whole(i int, c int64) int64 {
	ps := j.sets[i].ps
	if len(ps.Slices) == 0 || c == j.sets[i].n {
		return c
	}
	size := int64(ps.Slices[0].Size)
	return max(c-c%size, ceilDiv(j.g.floor(i), size)*size)
}

func moreOf(a, b []int64) bool {
	sum := int64(0)
	for i := range a {
		sum += a[i] - b[i]
	}
	if sum != 0 {
		return sum > 0
	}
	return slices.Compare(a, b) > 0
}

// countThatFits is the count, or under a floor the most pods in whole slices
// that fit; 0 where even the floor does not.
func (e *Engine) countThatFits(g *Gang, ps *PodSet, s *Shape) int64 {
	n := int64(ps.Count)
	if !g.reducible() {
		return n
	}
	most := e.mostIn(g, ps, s)
	if most >= n {
		return n
	}
	if most < max(g.floor(0), int64(g.MinCount), 1) {
		return 0
	}
	return most
}

// mostIn is the most pods of the shape that one domain of the required layer
// takes.
func (e *Engine) mostIn(g *Gang, ps *PodSet, s *Shape) int64 {
	required := max(depthOf(ps.Required), e.fabricDepth(g))
	node := int64(0)
	if required > 0 {
		node = e.mostOnNode(s)
	}
	switch {
	case int(required) > e.layers:
		return node
	case required == 0:
		return e.usable(s, Root)
	}
	_, pods := e.roomiest(s, required)
	if depthOf(ps.Required) == 0 {
		return max(pods, node) // a node without labels is a fabric of its own
	}
	return pods
}

// mostOnNode is the most pods in whole slices on one node.
func (e *Engine) mostOnNode(s *Shape) int64 {
	fit := e.largestFit(s.base, Root)
	if unit := int64(s.unit[0]); unit > 1 {
		fit -= fit % unit
	}
	return fit
}
