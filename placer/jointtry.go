package placer

// greedyAbove is how many steps the tables of a domain may cost before a greedy
// plan is looked at first.
const greedyAbove = 10_000

// try finds the gang's best seats in d: exactly where the budget allows, else
// by a greedy plan, which is proven where it meets the lower bound.
func (j *joint) try(d DomainID) *jointBest {
	cost := j.cost(d)
	var plan *jointBest
	proven := false
	if cost > greedyAbove || j.q.cut {
		plan, proven = j.planIn(d)
		if proven {
			return plan
		}
	}
	if !j.q.cut && j.states > 1 && cost <= j.q.budget-j.q.steps {
		price := j.table(d).price[j.full()]
		if !j.q.cut {
			if price == maxVec {
				return nil
			}
			return &jointBest{dom: d, node: NoNode, key: price.add(vec{lo: uint64(j.roomIn(d))})}
		}
		plan, proven = j.planIn(d)
	}
	if !proven {
		j.unproven = true
		if low := j.lower(d); low.less(j.q.lower) {
			j.q.lower = low
		}
	}
	return plan
}

// planIn is a greedy plan, nil where none was found; proven where its counts
// meet the lower bound and every wish is met.
func (j *joint) planIn(d DomainID) (*jointBest, bool) {
	out := j.greedy(d)
	if out == nil {
		return nil, false
	}
	room := j.roomAfter(d, out)
	b := &jointBest{dom: d, node: NoNode, key: j.priceOf(d, out).add(vec{lo: uint64(room)}), out: out, took: j.roomIn(d) - room}
	proven := !j.lower(d).less(j.countsOf(d, out))
	for _, w := range j.wishes {
		proven = proven && j.meets(w, out)
	}
	for i := range j.sets {
		proven = proven && !j.sets[i].s.weighted
	}
	return b, proven
}

func (j *joint) meets(w bond, out [][]Seat) bool {
	for i := range out {
		if w.mask&(1<<i) != 0 {
			return j.q.e.unitMeets(j.g, setsOf(out), i)
		}
	}
	return true
}

// cost guesses the steps of the tables below d.
func (j *joint) cost(d DomainID) int64 {
	return int64(j.q.e.doms[d].total) * int64(j.states) * int64(min(j.states, 16)) / 4
}

// affordable says whether the tables below d fit into what is left of the
// budget.
func (j *joint) affordable(d DomainID) bool {
	return j.states > 1 && j.cost(d) <= j.q.budget-j.q.steps
}

// roomAfter is how many pods of the first set d still takes beside the seats.
func (j *joint) roomAfter(d DomainID, out [][]Seat) int64 {
	at := map[NodeID][]int64{}
	for i := range out {
		for _, s := range out[i] {
			if at[s.Node] == nil {
				at[s.Node] = make([]int64, len(j.sets))
			}
			at[s.Node][i] += int64(s.Pods)
		}
	}
	room := j.roomIn(d)
	for id, x := range at {
		room -= j.roomBeside(id, make([]int64, len(x))) - j.roomBeside(id, x)
	}
	return max(room, 0)
}
