package cluster

import (
	"maps"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// resources gives each resource that any node ever had an ordinal.
type resources struct {
	names []string
	index map[string]int
}

func (r *resources) init() { r.index = map[string]int{} }

func (r *resources) of(name string) int {
	i, ok := r.index[name]
	if !ok {
		i = len(r.names)
		r.names = append(r.names, name)
		r.index[name] = i
	}
	return i
}

func (r *resources) known(name string) bool {
	_, ok := r.index[name]
	return ok || name == placer.PodsResource
}

// sorted are the known names in order.
func (r *resources) sorted() []string { return slices.Sorted(maps.Keys(r.index)) }

// amount is how much there is of one resource.
type amount struct{ total, free, held, used int64 }

func (a amount) minus(b amount) amount {
	return amount{a.total - b.total, a.free - b.free, a.held - b.held, a.used - b.used}
}

func (a *amount) add(b amount) {
	a.total += b.total
	a.free += b.free
	a.held += b.held
	a.used += b.used
}

// amounts lists what there is, by name; resources of which there is none are
// left out.
func (r *resources) amounts(row []amount) []Amount {
	list := make([]Amount, 0, len(row))
	for i, a := range row {
		if a != (amount{}) {
			list = append(list, Amount{Name: r.names[i], Total: a.total, Free: a.free, Held: a.held, Used: a.used})
		}
	}
	slices.SortFunc(list, func(a, b Amount) int { return compareText(a.Name, b.Name) })
	return list
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sum is what is below one domain. It is kept as nodes and holds change, so that
// nobody adds up anything when asked.
type sum struct {
	domain    placer.DomainID
	parent    *sum
	depth     int
	nodes     int32
	unhealthy int32
	row       []amount // by resource ordinal
}

// sums has a sum for each domain with nodes.
type sums struct {
	of    map[placer.DomainID]*sum
	count []int32 // domains per depth; depth 0 is the cluster
}

func (s *sums) init(layers int) {
	s.of = map[placer.DomainID]*sum{placer.Root: {domain: placer.Root}}
	s.count = make([]int32, layers+1)
	s.count[0] = 1
}

// at finds or makes the sum of a domain, and those above it.
func (s *sums) at(e *placer.Engine, d placer.DomainID) *sum {
	if have := s.of[d]; have != nil {
		return have
	}
	parent := s.at(e, e.DomainParent(d))
	made := &sum{domain: d, parent: parent, depth: parent.depth + 1}
	s.of[d] = made
	s.count[made.depth]++
	return made
}

// count one node more or less, climbing; empty domains are forgotten, as the
// engine forgets them.
func (s *sums) join(at *sum, nodes, unhealthy int32) {
	for ; at != nil; at = at.parent {
		at.nodes += nodes
		at.unhealthy += unhealthy
		if at.nodes == 0 && at.parent != nil {
			delete(s.of, at.domain)
			s.count[at.depth]--
		}
	}
}

// add changes one resource of a domain and of those above it: O(layers).
func (at *sum) add(res int, change amount) {
	for ; at != nil; at = at.parent {
		for len(at.row) <= res {
			at.row = append(at.row, amount{})
		}
		at.row[res].add(change)
	}
}
