package placer

// limit is how many pods of a piece the node takes: none outside the domain to
// which it is bound, and no more than max_per_node leaves.
func (f *filling) limit(i int, id NodeID, fit int64) int64 {
	p := &f.pieces[i]
	if p.node != NoNode && p.node != id || !f.e.holdsNode(p.fixed, id) {
		return 0
	}
	if most := int64(p.ps.MaxPerNode); most > 0 {
		fit = min(fit, max(0, most-f.keptOn(p.set, id)))
	}
	return fit
}

// withinLimits says whether pieces of one set keep to max_per_node together.
func (f *filling) withinLimits(id NodeID, x []int64) bool {
	for set := range f.g.PodSets {
		most := int64(f.g.PodSets[set].MaxPerNode)
		if most == 0 {
			continue
		}
		sum := f.keptOn(set, id)
		for i := range f.pieces {
			if f.pieces[i].set == set {
				sum += x[i]
			}
		}
		if sum > most {
			return false
		}
	}
	return true
}

// keptOn is how many ranks of a set stay on the node.
func (f *filling) keptOn(set int, id NodeID) int64 {
	if n := f.used[id]; n != nil {
		return n[set]
	}
	return 0
}
