package placer

import (
	"slices"
	"strconv"
	"strings"
)

// registry gives every resource name an ordinal; "pods" is always 0.
type registry struct {
	names []string
	byID  map[string]int32
	n     int // len(names)
}

func (r *registry) init() {
	r.byID = map[string]int32{PodsResource: 0}
	r.names = []string{PodsResource}
	r.n = 1
}

// amount is how much of one resource.
type amount struct {
	res int32
	qty int64
}

// uncounted stands for a resource that a node has without limit: "pods" on a
// node whose source does not count them.
const uncounted = int64(1) << 40

// resource finds or adds a name. A new one widens every row of free and held,
// which costs O(nodes); a cluster has a handful.
func (e *Engine) resource(name string) int32 {
	if id, ok := e.res.byID[name]; ok {
		return id
	}
	id := int32(len(e.res.names))
	name = strings.Clone(name)
	e.res.byID[name] = id
	e.res.names = append(e.res.names, name)
	old := e.res.n
	e.res.n++
	e.free = widened(e.free, old, e.res.n)
	e.held = widened(e.held, old, e.res.n)
	return id
}

func widened(rows []int64, old, wide int) []int64 {
	if len(rows) == 0 {
		return rows
	}
	next := make([]int64, len(rows)/old*wide)
	for i := 0; i*old < len(rows); i++ {
		copy(next[i*wide:], rows[i*old:(i+1)*old])
	}
	return next
}

// amounts turns named amounts into a list by ordinal, zeros left out.
func (e *Engine) amounts(r Resources) []amount {
	list := make([]amount, 0, len(r)+1)
	for name, qty := range r {
		if qty != 0 {
			list = append(list, amount{e.resource(name), qty})
		}
	}
	slices.SortFunc(list, func(a, b amount) int { return int(a.res - b.res) })
	return list
}

// totalTable interns what nodes can give: a cluster has few instance types.
type totalTable struct {
	byKey map[string]int32
	rows  [][]amount
}

func (t *totalTable) init() { t.byKey = map[string]int32{} }

// total interns a capacity; -1 stands for unknown.
func (e *Engine) total(r Resources) int32 {
	if r == nil {
		return -1
	}
	list := e.amounts(r)
	if _, counted := r[PodsResource]; !counted {
		list = slices.Insert(list, 0, amount{0, uncounted})
	}
	var key strings.Builder
	for _, a := range list {
		key.WriteString(strconv.FormatInt(int64(a.res), 36))
		key.WriteByte(':')
		key.WriteString(strconv.FormatInt(a.qty, 36))
		key.WriteByte(' ')
	}
	if id, ok := e.totals.byKey[key.String()]; ok {
		return id
	}
	id := int32(len(e.totals.rows))
	e.totals.byKey[key.String()] = id
	e.totals.rows = append(e.totals.rows, list)
	return id
}

// totalOf is how much of a resource a node of this capacity has.
func (e *Engine) totalOf(total, res int32) int64 {
	if total < 0 {
		return 0
	}
	for _, a := range e.totals.rows[total] {
		if a.res == res {
			return a.qty
		}
	}
	return 0
}
