package placertest

import "slices"

// descend deals the pods of chosen domains down to the nodes and notes the
// profile of every outcome.
func (b *bestFit) descend(chosen []share, layer int) {
	if layer == b.layers {
		counts := make([]int32, len(b.c.Nodes))
		for _, d := range chosen {
			counts[d.nodes[0]] += int32(d.pods)
		}
		b.profiles[b.profile(counts)] = true
		return
	}
	if layer < b.sliceLayer {
		var children []share
		pods := 0
		for _, d := range chosen {
			children = append(children, b.children(d)...)
			pods += d.pods
		}
		for _, dealt := range b.deal(children, pods, b.sizes[b.sliceLayer], b.smallestFirst) {
			b.descend(dealt, layer+1)
		}
		return
	}
	b.descendEach(chosen, nil, layer)
}

// descendEach deals inside each chosen domain in turn, with all their ties.
func (b *bestFit) descendEach(chosen, done []share, layer int) {
	if len(chosen) == 0 {
		b.descend(done, layer+1)
		return
	}
	size := b.sizes[layer+1]
	for _, dealt := range b.deal(b.children(chosen[0]), chosen[0].pods, size, b.smallestInside) {
		b.descendEach(chosen[1:], slices.Concat(done, dealt), layer)
	}
}

// deal fills domains from the largest (or smallest) on until one suffices for
// the rest; then the smallest that does takes it. One result per tie's way.
func (b *bestFit) deal(list []share, pods, size int, smallestFirst bool) [][]share {
	if pods == 0 {
		return [][]share{nil}
	}
	units := b.units
	if len(list) > 0 && list[0].layer > b.sliceLayer {
		units = func(d share) int { return b.fits(d) / size }
	}
	list = slices.DeleteFunc(slices.Clone(list), func(d share) bool { return units(d) == 0 })
	if len(list) == 0 {
		return nil
	}
	extreme := units(list[0])
	for _, d := range list {
		if smallestFirst {
			extreme = min(extreme, units(d))
		} else {
			extreme = max(extreme, units(d))
		}
	}
	if extreme*size >= pods {
		var results [][]share
		for _, d := range b.smallest(list, pods/size, units) {
			d.pods = pods
			results = append(results, []share{d})
		}
		return results
	}
	return b.dealTied(list, pods, size, extreme, units, smallestFirst)
}

// dealTied fills the domains of the extreme number of units, none of which
// suffices, and deals the rest. While more pods are left than one of them
// takes, all are filled; their order says nothing, only which of them they are.
func (b *bestFit) dealTied(list []share, pods, size, extreme int, units func(share) int, smallestFirst bool) [][]share {
	var tied, rest []share
	for _, d := range list {
		if units(d) == extreme {
			d.pods = extreme * size
			tied = append(tied, d)
		} else {
			rest = append(rest, d)
		}
	}
	var results [][]share
	full := min(len(tied), (pods-1)/(extreme*size))
	for _, some := range subsets(len(tied), full) {
		var filled []share
		left := slices.Clone(rest)
		for i, d := range tied {
			if some[i] {
				filled = append(filled, d)
			} else {
				left = append(left, d)
			}
		}
		for _, more := range b.deal(left, pods-full*extreme*size, size, smallestFirst) {
			results = append(results, slices.Concat(filled, more))
		}
	}
	return results
}

// subsets lists the ways to choose k of n.
func subsets(n, k int) [][]bool {
	if n == 0 {
		return [][]bool{nil}
	}
	var list [][]bool
	if k < n {
		for _, s := range subsets(n-1, k) {
			list = append(list, append(slices.Clone(s), false))
		}
	}
	if k > 0 {
		for _, s := range subsets(n-1, k-1) {
			list = append(list, append(slices.Clone(s), true))
		}
	}
	return list
}
