package placertest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// maxVector is the longest vector that Least handles: layers and the node.
const maxVector = 5

// spreadVector is a vector, widest layer first; absent says that there is none.
type spreadVector struct {
	counts [maxVector]int32
	absent bool
}

func (v spreadVector) plus(w spreadVector) spreadVector {
	for l := range v.counts {
		v.counts[l] += w.counts[l]
	}
	v.absent = v.absent || w.absent
	return v
}

func (v spreadVector) less(w spreadVector) bool {
	if v.absent || w.absent {
		return !v.absent && w.absent
	}
	return slices.Compare(v.counts[:], w.counts[:]) < 0
}

// branch is a domain in the tree that Least walks.
type branch struct {
	kids  map[string]*branch
	names []string
	nodes []int
}

// Least is the least vector of a gang of one pod set, without a short last
// slice, by dynamic programming over the tree: for every domain and every
// number of pods the least vector, each child tried with each number of pods.
// It drops nothing, so it is slow but for up to some hundred nodes and pods.
// The vector is nil where the pods do not fit.
func Least(c *Case) []int32 {
	m := &middle{facts: newFacts(c), ps: &c.Gang.PodSets[0]}
	root := &branch{}
	for i, path := range m.paths {
		b := root
		for _, name := range path {
			b = b.kid(name)
		}
		b.nodes = append(b.nodes, i)
	}
	best := spreadVector{absent: true}
	m.search(root, 0, &best)
	if best.absent {
		return nil
	}
	return best.counts[:m.layers+1]
}

func (b *branch) kid(name string) *branch {
	if b.kids == nil {
		b.kids = map[string]*branch{}
	}
	k := b.kids[name]
	if k == nil {
		k = &branch{}
		b.kids[name], b.names = k, append(b.names, name)
	}
	return k
}

type middle struct {
	*facts
	ps *placer.PodSet
}

// search tries every domain of the required layer, the root without one.
func (m *middle) search(b *branch, depth int, best *spreadVector) {
	required := int(m.ps.Required) + 1
	if depth < required {
		for _, name := range b.names {
			m.search(b.kids[name], depth+1, best)
		}
		if required > m.layers {
			for _, i := range b.nodes {
				m.better(m.ofNode(i, depth), depth, best)
			}
		}
		return
	}
	if required > m.layers {
		for _, i := range b.nodes {
			m.better(m.ofNode(i, depth), depth, best)
		}
		return
	}
	m.better(m.of(b, depth), depth, best)
}

// better compares what holds the whole set in a domain of a depth, or on a
// node of it, with the best so far: it has one domain in each layer above.
func (m *middle) better(held []spreadVector, depth int, best *spreadVector) {
	if len(held) <= int(m.ps.Count) {
		return
	}
	v := held[m.ps.Count]
	for l := range depth {
		v.counts[l]++
	}
	if v.less(*best) {
		*best = v
	}
}

// of lists, per number of pods, the least vector of a domain, counting what is
// below it.
func (m *middle) of(b *branch, depth int) []spreadVector {
	held := []spreadVector{{}}
	for _, i := range b.nodes {
		held = m.beside(held, m.ofNode(i, depth))
	}
	for _, name := range b.names {
		kid := m.of(b.kids[name], depth+1)
		for n := 1; n < len(kid); n++ {
			kid[n].counts[depth]++
		}
		held = m.beside(held, kid)
	}
	for n := range held {
		if !m.whole(depth, n) {
			held[n].absent = true
		}
	}
	return held
}

// ofNode is of for one node of a domain of the depth: itself, and a domain of
// its own in each layer that it lacks.
func (m *middle) ofNode(i, depth int) []spreadVector {
	held := make([]spreadVector, min(m.cap[0][i], int64(m.ps.Count))+1)
	for n := 1; n < len(held); n++ {
		for l := depth; l <= m.layers; l++ {
			held[n].counts[l] = 1
		}
		held[n].absent = !m.whole(m.layers+1, n)
	}
	return held
}

// whole says whether a domain of the depth may hold n pods: whole slices.
func (m *middle) whole(depth, n int) bool {
	for _, sl := range m.ps.Slices {
		if int(sl.Layer)+1 == depth && n%int(sl.Size) != 0 {
			return false
		}
	}
	return true
}

// beside combines two children in every way.
func (m *middle) beside(a, b []spreadVector) []spreadVector {
	sum := make([]spreadVector, min(len(a)+len(b)-1, int(m.ps.Count)+1))
	for n := range sum {
		sum[n].absent = true
	}
	for x := range a {
		if a[x].absent {
			continue
		}
		for y := 0; y < len(b) && x+y < len(sum); y++ {
			if v := a[x].plus(b[y]); v.less(sum[x+y]) {
				sum[x+y] = v
			}
		}
	}
	return sum
}

// GenerateMiddle draws a cluster of 60 to 400 nodes, filled in part, and a gang
// of one pod set of up to 300 pods.
func GenerateMiddle(seed uint64) *Case {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6d6964)), c: &Case{Name: fmt.Sprintf("middle %d", seed)}}
	layers := 1 + g.pick(1, 3, 4)
	for l := range layers {
		g.c.Scheme.Layers = append(g.c.Scheme.Layers, fmt.Sprintf("l%d", l))
	}
	g.c.Scheme.Node = "host"
	size, mixed := int64([]int{1, 2, 4, 8, 8}[g.IntN(5)]), g.one(4)
	var widths []int
	for range layers {
		widths = append(widths, 2+g.IntN(6))
	}
	fill := g.IntN(4)
	full := 1 + g.IntN(9)
	for i := range 60 + g.IntN(341) {
		var path []string
		for l := range layers {
			path = append(path, string(rune('a'+g.IntN(widths[l]))))
		}
		if mixed && g.one(10) {
			path = path[:g.IntN(len(path))]
		}
		n := placer.Node{Name: fmt.Sprintf("n%03d", i), Path: path, Total: placer.Resources{"gpu": size}}
		n.Used = placer.Resources{"gpu": g.use(fill, full, size)}
		g.c.Nodes = append(g.c.Nodes, n)
	}
	g.middleGang(size)
	return g.c
}

// use draws what of a node is in use: of all sizes, whole nodes, or mostly
// little, on full of ten nodes.
func (g *generator) use(fill, full int, size int64) int64 {
	switch {
	case g.IntN(10) >= full:
		return 0
	case fill == 0:
		return size
	case fill == 1:
		return g.Int64N(size + 1)
	}
	return size - min(size, int64(g.pick(4, 2, 1, 1)))
}

func (g *generator) middleGang(size int64) {
	ps := placer.PodSet{Name: "s", Requests: placer.Resources{"gpu": 1 + g.Int64N(min(size, 3))}}
	ps.Required, ps.Preferred = placer.NoLayer, placer.NoLayer
	if g.one(4) {
		ps.Required = placer.Layer(g.IntN(len(g.c.Scheme.Layers)))
	}
	ps.Count = 1 + g.Int32N([]int32{20, 60, 120, 300}[g.IntN(4)])
	if g.one(3) {
		first := int(max(ps.Required, 0))
		l := first + g.IntN(len(g.c.Scheme.Layers)+1-first)
		ps.Slices = []placer.Slice{{Layer: placer.Layer(l), Size: 2 + g.Int32N(7)}}
		if l == len(g.c.Scheme.Layers) {
			ps.Slices[0].Size = 2
		}
		ps.Count = max(ps.Count-ps.Count%ps.Slices[0].Size, ps.Slices[0].Size)
	}
	if g.one(3) {
		// Few steps, so that the search is cut and bounds what it left.
		g.c.Gang.Budget = int64(1 + g.IntN(3000))
	}
	g.c.Gang.PodSets = []placer.PodSet{ps}
}
