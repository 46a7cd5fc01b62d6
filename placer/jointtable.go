package placer

import (
	"encoding/binary"
	"slices"
)

func (a vec) minus(b vec) vec {
	lo := a.lo - b.lo
	hi := a.hi - b.hi
	if a.lo < b.lo {
		hi--
	}
	return vec{hi, lo}
}

// offers lists the states that a node can take, with their prices below the
// depth of its domain. Nodes alike share a list.
func (j *joint) offers(id NodeID) []offer {
	limit := make([]int64, len(j.sets))
	any := false
	for i := range j.sets {
		limit[i] = min(j.fitsWith(i, id), j.sets[i].n)
		any = any || limit[i] > 0
	}
	if !any {
		return nil
	}
	key := j.likeness(id, limit)
	if list, ok := j.memo[key]; ok {
		return list
	}
	var list []offer
	x := make([]int64, len(j.sets))
	before := j.roomBeside(id, x)
	j.eachState(id, x, limit, 0, func() {
		list = append(list, offer{int32(j.stateOf(x)), j.nodePrice(id, x, before)})
	})
	j.memo[key] = list
	j.q.spend(int64(len(list)))
	return list
}

// likeness is a key that two nodes share only if they offer the same.
func (j *joint) likeness(id NodeID, limit []int64) string {
	e := j.q.e
	n := &e.nodes[id]
	key := []byte{byte(e.doms[n.dom].depth)}
	if j.filling != nil && (j.filling.used[id] != nil || len(j.sets) > 1) {
		key = binary.AppendVarint(key, int64(id)) // bound and limited by itself
	}
	for i := range limit {
		key = binary.AppendVarint(key, j.fitsWith(i, id))
		if j.sets[i].s.weighted {
			key = binary.AppendVarint(key, j.weight(i, id))
		}
	}
	key = binary.AppendVarint(key, int64(n.total))
	if n.total >= 0 {
		for r := range e.res.n {
			key = binary.AppendVarint(key, j.freeOf(id, r))
		}
	}
	return string(key)
}

func (j *joint) weight(i int, id NodeID) int64 {
	return j.sets[i].s.spec.filter.weight(func(key string) (string, bool) { return j.q.e.label(id, key) })
}

// eachState yields, in x, every way but none at all to put pods on the node.
func (j *joint) eachState(id NodeID, x, limit []int64, i int, yield func()) {
	if i == len(x) {
		if slices.Max(x) > 0 && j.holdsTogether(id, x) {
			yield()
		}
		return
	}
	for x[i] = 0; x[i] <= limit[i]; x[i]++ {
		if j.wholeAt(i, int8(j.q.e.layers)+1, x[i]) {
			j.eachState(id, x, limit, i+1, yield)
		}
	}
	x[i] = 0
}

func (j *joint) stateOf(x []int64) int {
	st := 0
	for i := range x {
		st += int(x[i]) * j.sets[i].stride
	}
	return st
}

// nodePrice is the price of these pods on the node: a domain of its own in
// every layer that it lacks, itself, affinity, and the room that goes.
func (j *joint) nodePrice(id NodeID, x []int64, before int64) vec {
	e := j.q.e
	v := j.q.f.node[e.doms[e.nodes[id].dom].depth]
	if j.filling != nil && j.filling.used[id] != nil {
		v = j.paid() // the ranks that stay have paid for it
	}
	cost := int64(0)
	for i := range x {
		if x[i] > 0 && j.sets[i].s.weighted {
			cost += x[i] * (j.sets[i].maxCost - j.weight(i, id))
		}
	}
	v = v.add(vec{lo: uint64(cost) * uint64(j.space)})
	v = v.minus(vec{lo: uint64(before - j.roomBeside(id, x))})
	return v.minus(j.credit(int8(e.layers)+1, j.stateOf(x)))
}

// paid is the price of a node that is in use already: no count. Room is a credit
// below everything else, and a whole step of the field above it keeps sums from
// going below zero; that field has room for a step per pod.
func (j *joint) paid() vec { return vec{lo: uint64(j.space)} }

// credit is what a state earns by having all pods of a wish in one domain of
// the wish's depth: one for each set that wishes.
func (j *joint) credit(depth int8, state int) vec {
	c := vec{}
	for _, w := range j.wishes {
		if w.depth != depth || !j.complete(w.mask, state) {
			continue
		}
		for i := range j.sets {
			if w.mask&(1<<i) != 0 {
				c = c.add(j.met)
			}
		}
	}
	return c
}

func (j *joint) complete(mask uint32, state int) bool {
	if j.present[j.full()]&mask == 0 {
		return false // nothing of it is placed: met everywhere alike
	}
	for i := range j.sets {
		if mask&(1<<i) != 0 && int64(j.digits[state*len(j.sets)+i]) != j.sets[i].n {
			return false
		}
	}
	return true
}

// wholeAt says whether a domain of this depth may hold c pods of set i: whole
// slices of the layer, but for the one that may be short.
func (j *joint) wholeAt(i int, depth int8, c int64) bool {
	size := int64(j.sets[i].sliceAt[depth])
	if size <= 1 || c%size == 0 {
		return true
	}
	return j.sets[i].partial && c%size == j.sets[i].n%size
}

// joins says whether two children of a domain of this depth may hold these
// states beside each other.
func (j *joint) joins(depth int8, a, b int) bool {
	for _, bd := range j.bonds {
		if bd.depth > depth && j.present[a]&bd.mask != 0 && j.present[b]&bd.mask != 0 {
			return false
		}
	}
	for i := range j.sets {
		set := &j.sets[i]
		x, y := int64(j.digits[a*len(j.sets)+i]), int64(j.digits[b*len(j.sets)+i])
		if x+y > set.n {
			return false
		}
		if unit := int64(set.unit[depth+1]); set.partial && unit > 1 && x%unit != 0 && y%unit != 0 {
			return false // only one slice may be short
		}
	}
	return true
}

// table computes what d can hold, once.
func (j *joint) table(d DomainID) *table {
	if t, ok := j.tables[d]; ok {
		return t
	}
	e := j.q.e
	dom := &e.doms[d]
	t := &table{dom: d, price: make([]vec, j.states)}
	for st := range t.price {
		t.price[st] = maxVec
	}
	t.price[0] = vec{}
	for _, id := range dom.nodes {
		if list := j.offers(id); len(list) > 0 {
			j.mix(t, jointItem{dom: -1, node: id}, list, dom.depth)
		}
	}
	for _, kid := range dom.kids {
		if list := j.fromTable(kid); len(list) > 0 {
			j.mix(t, jointItem{dom: kid, node: NoNode}, list, dom.depth)
		}
	}
	for st := range t.price {
		if t.price[st] == maxVec {
			continue
		}
		for i := range j.sets {
			if !j.wholeAt(i, dom.depth, int64(j.digits[st*len(j.sets)+i])) {
				t.price[st] = maxVec
			}
		}
		if t.price[st] != maxVec && st > 0 {
			t.price[st] = t.price[st].minus(j.credit(dom.depth, st))
		}
	}
	j.tables[d] = t
	return t
}

// fromTable lists what a kid can hold as offers to its parent.
func (j *joint) fromTable(kid DomainID) []offer {
	e := j.q.e
	any := false
	for i := range j.sets {
		any = any || e.pods[int(kid)*e.stride+int(j.sets[i].s.slot)] > 0
	}
	if !any || j.q.cut {
		return nil
	}
	t := j.table(kid)
	var list []offer
	for st := 1; st < j.states; st++ {
		if t.price[st] != maxVec {
			v := t.price[st]
			if j.filling == nil || !j.filling.paid[kid] {
				v = v.add(j.q.f.one[e.doms[kid].depth])
			}
			list = append(list, offer{int32(st), v})
		}
	}
	return list
}

// mix lets one more child take part in every state so far.
func (j *joint) mix(t *table, it jointItem, list []offer, depth int8) {
	finite := int64(0)
	for _, v := range t.price {
		if v != maxVec {
			finite++
		}
	}
	if j.q.spend(finite * int64(len(list))) {
		return
	}
	before := slices.Clone(t.price)
	it.took = make([]int32, j.states)
	for st := range it.took {
		it.took[st] = -1
	}
	for st, v := range before {
		if v == maxVec {
			continue
		}
		for _, o := range list {
			if st+int(o.state) >= j.states || !j.joins(depth, st, int(o.state)) {
				continue
			}
			next := st + int(o.state)
			if sum := v.add(o.v); sum.compare(t.price[next]) < 0 {
				t.price[next] = sum
				it.took[next] = o.state
			}
		}
	}
	t.items = append(t.items, it)
}

// seats follows the picks back and appends each set's seats below d.
func (j *joint) seats(d DomainID, st int, out [][]Seat) {
	t := j.tables[d]
	for k := len(t.items) - 1; k >= 0 && st > 0; k-- {
		it := &t.items[k]
		took := int(it.took[st])
		if took < 0 {
			continue
		}
		if it.dom < 0 {
			j.seatNode(it.node, took, out)
		} else {
			j.seats(it.dom, took, out)
		}
		st -= took
	}
}

func (j *joint) seatNode(id NodeID, st int, out [][]Seat) {
	for i := range j.sets {
		if pods := j.digits[st*len(j.sets)+i]; pods > 0 {
			out[i] = append(out[i], Seat{id, pods})
		}
	}
}
