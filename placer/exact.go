package placer

import "slices"

// exactly finds the candidate's least vector: first the numbers of domains
// alone, which is cheap, and where the bound then leaves something open, the
// nodes too. Once the budget has ended it notes what could be below what is
// known.
func (q *search) exactly(c *candidate, low vec) plan {
	best := plan{v: maxVec}
	if p, floor, ok := q.domainsFirst(c); ok {
		if best = p; low.less(floor) {
			low = floor
		}
		if best.v == low {
			return best
		}
	}
	if !q.cut {
		if v := q.evaluate(c); !q.cut {
			return plan{dom: c.dom, flat: q.flat, v: v}
		}
	}
	if low.less(q.lower) {
		q.lower = low
	}
	if best.leaves != nil {
		return best
	}
	return q.dealt(c.dom)
}

// domainsFirst finds the fewest domains in each layer exactly, a plan that has
// them, and the vector that no plan is below.
func (q *search) domainsFirst(c *candidate) (plan, vec, bool) {
	e := q.e
	leaf := q.evenDepth(c.dom)
	top := e.largestFit(q.s, c.dom)
	if q.cut || leaf < 0 || e.isLeaf(c.dom) || q.weighted || q.s.base != q.s || top > maxHist {
		return plan{}, vec{}, false
	}
	kept := q.out
	q.out, q.flat = nil, 1
	v := q.countDomains(c)
	if q.cut {
		q.out = kept
		return plan{}, vec{}, false
	}
	q.seatFound(c.dom)
	p := plan{dom: c.dom, leaves: q.leavesOf(q.out)}
	q.out = kept
	q.flat = 0
	leaves := q.f.get(v, int(leaf))
	nodes := max(leaves, q.fewestNodes(q.below(c.dom, int(leaf-e.doms[c.dom].depth)), leaves, top))
	p.v = v.add(q.f.node[leaf].times(q.need(p.leaves, top)))
	return p, v.add(q.f.node[leaf].times(nodes)), true
}

// leavesOf lists the leaves that seats lie in.
func (q *search) leavesOf(seats []Seat) []DomainID {
	var list []DomainID
	for _, s := range seats {
		list = append(list, q.e.nodes[s.Node].dom)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// evaluate is the least vector of n pods in a candidate, fields below its own
// layer.
func (q *search) evaluate(c *candidate) vec {
	q.flat = q.flatIn(c.dom)
	v := q.countDomains(c)
	if q.flat > 0 && v != maxVec {
		v = v.add(q.f.node[q.evenDepth(c.dom)].times(ceilDiv(q.n, q.flat)))
	}
	return v
}

// countDomains is evaluate without the nodes where flat leaves them out.
func (q *search) countDomains(c *candidate) vec {
	if v, ok := q.narrow(c); ok {
		return v
	}
	fr := q.front(c.dom)
	for _, en := range fr.entries {
		if int64(en.pods) >= q.n {
			return en.v
		}
	}
	return maxVec
}
