package placertest

import (
	"slices"
	"sort"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// unlimited stands for "as many as you like" where nothing limits the pods.
const unlimited = int64(1) << 31

// facts is a case read once: where nodes are, who may use them, what fits.
type facts struct {
	c      *Case
	layers int        // layers of the scheme, without the node
	paths  [][]string // [node] its believed path
	key    [][]string // [node][layer] name of its domain, the node last
	has    [][]bool   // [node][layer] false where the node lacks the layer
	order  []int      // nodes in path order
	may    [][]bool   // [set][node] health, taints, filter and labels allow it
	cap    [][]int64  // [set][node] pods that fit if the set were alone
	weight [][]int64  // [set][node] preferred affinity per pod
	names  []string   // resources that any pod set asks for
	free   [][]int64  // [node][resource] what is left of it
	ask    [][]int64  // [set][resource] per pod
	beside [][]int    // sets of pod sets that may run at one time
}

func newFacts(c *Case) *facts {
	f := &facts{c: c, layers: len(c.Scheme.Layers)}
	for i := range c.Nodes {
		f.addNode(&c.Nodes[i])
	}
	f.order = make([]int, len(c.Nodes))
	for i := range f.order {
		f.order[i] = i
	}
	sort.Slice(f.order, func(a, b int) bool {
		return f.nodePlace(f.order[a]).Compare(f.nodePlace(f.order[b])) < 0
	})
	f.readResources()
	f.beside = concurrent(c.Gang.PodSets)
	for s := range c.Gang.PodSets {
		f.addSet(s)
	}
	return f
}

// addNode places a node in each layer. Its path ends at the first name that
// is missing; in each layer below, it is in a domain of its own.
func (f *facts) addNode(n *placer.Node) {
	depth := 0
	for depth < len(n.Path) && depth < f.layers && n.Path[depth] != "" {
		depth++
	}
	f.paths = append(f.paths, n.Path[:depth])
	key, has := make([]string, f.layers+1), make([]bool, f.layers+1)
	for l := range f.layers {
		has[l] = l < depth
		if has[l] {
			key[l] = strings.Join(n.Path[:l+1], "\x00")
		} else {
			key[l] = "\x01" + n.Name
		}
	}
	key[f.layers], has[f.layers] = "\x01"+n.Name, true
	f.key, f.has = append(f.key, key), append(f.has, has)
}

func (f *facts) nodePlace(i int) Place {
	return Place{Path: f.paths[i], Node: f.c.Nodes[i].Name}
}

// readResources turns requests and free amounts into rows of one order.
func (f *facts) readResources() {
	seen := map[string]bool{}
	for _, ps := range f.c.Gang.PodSets {
		for name, q := range ps.Requests {
			if q > 0 && name != placer.PodsResource {
				seen[name] = true
			}
		}
	}
	for name := range seen {
		f.names = append(f.names, name)
	}
	sort.Strings(f.names)
	for _, n := range f.c.Nodes {
		row := make([]int64, len(f.names)+1)
		for r, name := range f.names {
			row[r] = n.Total[name] - n.Used[name]
		}
		row[len(f.names)] = unlimited
		if total, counted := n.Total[placer.PodsResource]; counted {
			row[len(f.names)] = total - n.Used[placer.PodsResource]
		}
		f.free = append(f.free, row)
	}
	for _, ps := range f.c.Gang.PodSets {
		row := make([]int64, len(f.names)+1)
		for r, name := range f.names {
			row[r] = ps.Requests[name]
		}
		row[len(f.names)] = 1 // each pod takes one of "pods"
		f.ask = append(f.ask, row)
	}
}

func (f *facts) addSet(s int) {
	ps := &f.c.Gang.PodSets[s]
	may, weight := make([]bool, len(f.c.Nodes)), make([]int64, len(f.c.Nodes))
	for i := range f.c.Nodes {
		n := &f.c.Nodes[i]
		may[i] = n.Health == placer.Healthy && tolerated(n, ps.Filter.Tolerations) &&
			matches(n, &ps.Filter) && f.hasLayers(i, ps)
		for _, p := range ps.Filter.Preferred {
			if termMatches(n, p.Term) {
				weight[i] += int64(p.Weight)
			}
		}
	}
	f.may, f.weight = append(f.may, may), append(f.weight, weight)
	limits := make([]int64, len(f.c.Nodes))
	counts := make([]int32, len(f.c.Gang.PodSets))
	for i := range f.c.Nodes {
		limits[i] = f.more(i, s, counts)
	}
	f.cap = append(f.cap, limits)
}

// hasLayers says whether the node carries each layer that a constraint of the
// pod set binds: a node never satisfies a constraint on a layer that it lacks.
func (f *facts) hasLayers(i int, ps *placer.PodSet) bool {
	if ps.Required >= 0 && !f.has[i][ps.Required] {
		return false
	}
	return !slices.ContainsFunc(ps.Slices, func(sl placer.Slice) bool { return !f.has[i][sl.Layer] })
}

// more is how many more pods of set s node i takes beside counts, the pods of
// each set on it.
func (f *facts) more(i, s int, counts []int32) int64 {
	if !f.may[s][i] {
		return 0
	}
	most := unlimited
	n, ps := &f.c.Nodes[i], &f.c.Gang.PodSets[s]
	if n.Total == nil && (!ps.Exclusive || f.asksAny(s)) {
		return 0
	}
	if ps.MaxPerNode > 0 {
		most = min(most, int64(ps.MaxPerNode-counts[s]))
	}
	for _, together := range f.beside {
		if slices.Contains(together, s) {
			most = min(most, f.moreBeside(i, s, together, counts))
		}
	}
	return max(most, 0)
}

func (f *facts) asksAny(s int) bool {
	return slices.ContainsFunc(f.ask[s][:len(f.names)], func(q int64) bool { return q > 0 })
}

// moreBeside is more for one list of pod sets that run at one time.
func (f *facts) moreBeside(i, s int, together []int, counts []int32) int64 {
	most := unlimited
	var pods, exclusive int32
	for _, t := range together {
		pods += counts[t]
		if f.c.Gang.PodSets[t].Exclusive {
			exclusive += counts[t]
		}
	}
	if exclusive > 0 {
		return 0
	}
	if f.c.Gang.PodSets[s].Exclusive {
		if pods > 0 || f.c.Nodes[i].UsedPods > 0 {
			return 0
		}
		most = 1
	}
	for r, q := range f.ask[s] {
		left := f.free[i][r]
		for _, t := range together {
			left -= int64(counts[t]) * f.ask[t][r]
		}
		if q > 0 {
			most = min(most, left/q)
			if left < 0 {
				return 0
			}
		}
	}
	return most
}

// holds says whether node i carries counts, the pods of each set.
func (f *facts) holds(i int, counts []int32) bool {
	alone := make([]int32, len(counts))
	for s, n := range counts {
		// Adding set after set: each must fit beside those before it.
		if n > 0 && f.more(i, s, alone) < int64(n) {
			return false
		}
		alone[s] = n
	}
	return true
}

// concurrent lists every group of pod sets that may run at one time: no one of
// them comes after another, directly or through others.
func concurrent(sets []placer.PodSet) [][]int {
	after := make([][]bool, len(sets))
	for s := range sets {
		after[s] = make([]bool, len(sets))
		for _, t := range sets[s].After {
			after[s][t] = true
		}
	}
	for k := range sets {
		for a := range sets {
			for b := range sets {
				after[a][b] = after[a][b] || after[a][k] && after[k][b]
			}
		}
	}
	var groups [][]int
	for mask := 1; mask < 1<<len(sets); mask++ {
		var group []int
		clash := false
		for s := range sets {
			if mask>>s&1 == 1 {
				clash = clash || slices.ContainsFunc(group, func(t int) bool { return after[s][t] || after[t][s] })
				group = append(group, s)
			}
		}
		if !clash {
			groups = append(groups, group)
		}
	}
	return groups
}
