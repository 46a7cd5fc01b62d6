package placer

import (
	"cmp"
	"math/bits"
	"slices"
)

// Where all nodes below a candidate that fit at all fit alike, flat is that fit:
// the number of nodes is then settled by the number of pods, fronts count
// domains alone, and a domain above leaves takes the largest of them first.

// flatIn is that fit; 0 where nodes differ, or something else than counts
// decides.
func (q *search) flatIn(d DomainID) int64 {
	if q.asked != d {
		q.asked, q.alike = d, q.findFlat(d)
	}
	return q.alike
}

func (q *search) findFlat(d DomainID) int64 {
	have := q.e.have[int(d)*q.e.stride+int(q.s.slot)]
	if q.weighted || q.s.base != q.s || bits.OnesCount64(have) != 1 || have>>topBucket != 0 || q.evenDepth(d) < 0 {
		return 0
	}
	return int64(bits.TrailingZeros64(have))
}

func (e *Engine) aboveLeaves(d DomainID) bool {
	kids := e.doms[d].kids
	return len(kids) > 0 && e.isLeaf(kids[0])
}

// leavesFront is the front of a domain above leaves, the largest first.
func (q *search) leavesFront(d DomainID) []entry {
	run := q.e.kidRun(q.s, d)
	price := q.f.one[q.e.doms[d].depth+1]
	list := q.ents.take(len(run))[:0]
	sum, v := int64(0), vec{}
	for i := len(run) - 1; i >= 0 && sum < q.n && keyCount(run[i]) > 0; i-- {
		sum += keyCount(run[i])
		v = v.add(price)
		list = append(list, entry{v, int32(min(sum, q.n))})
	}
	q.steps += int64(len(list))
	return list
}

// quickFlat is quick for a candidate two layers above its leaves where nodes
// are alike: what is open is the number of leaves. For any t, m leaves inside k
// children hold at most m*t and what the leaves of those children have above t;
// the children with most above t bound m from below, and give a plan.
func (q *search) quickFlat(d DomainID, fewest int64, low vec) (plan, vec, bool) {
	e := q.e
	kids := e.doms[d].kids
	over := q.longs.take(len(kids))
	for i, kid := range kids {
		over[i] = e.usable(q.s, kid)
	}
	chosen := q.mostOver(d, over, fewest)
	most, t := q.leavesNeeded(kids, chosen)
	best, least := slices.Clone(chosen), fewest
	for _, at := range [...]int64{t, t - 1, t + 1, t + 2} {
		if at < 1 || least == most {
			continue
		}
		for i, kid := range kids {
			over[i] = q.leavesOver(kid, at)
		}
		chosen = q.mostOver(d, over, fewest)
		rest := q.n
		for _, k := range chosen {
			rest -= over[k]
		}
		if rest > 0 {
			least = max(least, ceilDiv(rest, at))
		}
		if m, _ := q.leavesNeeded(kids, chosen); m < most {
			most, best = m, slices.Clone(chosen)
		}
	}
	leaf := int(e.doms[d].depth) + 2
	price := func(leaves int64) vec {
		v := q.f.one[leaf-1].times(fewest).add(q.f.one[leaf].times(leaves))
		return v.add(q.f.node[leaf].times(max(leaves, ceilDiv(q.n, q.flatIn(d)))))
	}
	if v := price(max(least, fewest)); low.less(v) {
		low = v
	}
	p := plan{dom: d, v: price(most), leaves: q.largestLeaves(kids, best, most)}
	return p, low, p.v == low
}

// leavesOver is the sum of max(0, pods-t) over the leaves of a domain.
func (q *search) leavesOver(d DomainID, t int64) int64 {
	run := q.e.kidRun(q.s, d)
	sum := int64(0)
	for i := len(run) - 1; i >= 0 && keyCount(run[i]) > t; i-- {
		sum += keyCount(run[i]) - t
	}
	return sum
}

// leavesNeeded is how many leaves of the chosen children hold n pods, the
// largest first, and what the last of them holds; more than there are where
// they do not.
func (q *search) leavesNeeded(kids []DomainID, chosen []int) (count, last int64) {
	vals := q.scratch[:0]
	for _, k := range chosen {
		for _, key := range q.e.kidRun(q.s, kids[k]) {
			vals = append(vals, -keyCount(key))
		}
	}
	slices.Sort(vals)
	q.scratch = vals
	q.steps += int64(len(vals))
	rest := q.n
	for i, v := range vals {
		if rest += v; rest <= 0 {
			return int64(i + 1), -v
		}
	}
	return int64(len(vals)) + 1, 1
}

// largestLeaves lists so many leaves of the chosen children, the largest first.
func (q *search) largestLeaves(kids []DomainID, chosen []int, count int64) []DomainID {
	var list []share
	for _, k := range chosen {
		dom := &q.e.doms[kids[k]]
		for _, key := range q.e.kidRun(q.s, kids[k]) {
			list = append(list, share{dom.kids[keyPos(key)], NoNode, keyCount(key)})
		}
	}
	slices.SortFunc(list, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), q.e.compareDomains(a.dom, b.dom))
	})
	leaves := make([]DomainID, 0, count)
	for _, sh := range list[:min(count, int64(len(list)))] {
		leaves = append(leaves, sh.dom)
	}
	return leaves
}
