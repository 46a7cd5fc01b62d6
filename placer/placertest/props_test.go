package placertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hopwise/hopwise/placer"
)

// drawn is a case of a random seed; rapid shrinks the seed, Generate the case.
func drawn(t *rapid.T) *Case { return Generate(Issue3, rapid.Uint64().Draw(t, "seed")) }

// lines are what an engine answers, as text.
func lines(t *rapid.T, eng *placer.Engine, c *Case) string {
	o, _, err := Decide(eng, c)
	if err != nil {
		t.Fatalf("%v\n%s", err, c)
	}
	return strings.Join(o.Lines(c), "\n")
}

func load(t *rapid.T, c *Case, perm []int) *placer.Engine {
	eng, err := Load(c, perm)
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

// TestOrderOfNodes: the order in which nodes come in changes nothing.
func TestOrderOfNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		perm := rapid.Permutation(identity(len(c.Nodes))).Draw(t, "order")
		if diff := cmp.Diff(lines(t, load(t, c, nil), c), lines(t, load(t, c, perm), c)); diff != "" {
			t.Fatalf("with order %v:\n%s\n%s", perm, diff, c)
		}
	})
}

func identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// TestReleaseRestores: holding an answer and giving it back changes nothing.
func TestReleaseRestores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		eng := load(t, c, nil)
		before := lines(t, eng, c)
		gang := c.CloneGang()
		ans := eng.Decide(gang)
		if ans.Refusal != nil {
			return
		}
		for s := range ans.Sets {
			eng.Hold(&gang.PodSets[s], ans.Sets[s].Seats)
		}
		_ = lines(t, eng, c)
		for s := range ans.Sets {
			eng.Release(&gang.PodSets[s], ans.Sets[s].Seats)
		}
		if diff := cmp.Diff(before, lines(t, eng, c)); diff != "" {
			t.Fatalf("after hold and release:\n%s\n%s", diff, c)
		}
	})
}

// TestRightOrRefused: an answer is valid and best, and a refusal is right.
func TestRightOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		if _, err := ask(c); err != nil {
			t.Fatalf("%v\n%s", err, c)
		}
	})
}

// model is an engine under a sequence of changes, and what should be in it.
type model struct {
	c     *Case // the nodes that are in now, and the gang that is asked about
	eng   *placer.Engine
	other *Case // a second gang, so that two shapes live
	held  []holding
	pool  []placer.Node // nodes in other states
}

// holding is one pod set's seats by node name; Remove forgets those of a node.
type holding struct {
	set   placer.PodSet
	seats map[string]int32
	order []string
}

// TestIncremental: after any sequence of joins, changes, moves, losses, holds
// and releases an engine answers like a new one with the same state. Rapid's
// hundred sequences a round are too few: most of them are short.
func TestIncremental(t *testing.T) {
	for round := range 20 {
		t.Run(fmt.Sprint(round), func(t *testing.T) { rapid.Check(t, checkIncremental) })
	}
}

func checkIncremental(t *rapid.T) {
	m := newModel(t)
	steps := rapid.IntRange(1, 25).Draw(t, "steps")
	for range steps {
		m.step(t)
	}
	fresh := load(t, m.c, nil)
	for _, h := range m.held {
		h.apply(fresh, fresh.Hold)
	}
	for _, c := range []*Case{m.c, m.other} {
		c.Nodes = m.c.Nodes
		if diff := cmp.Diff(lines(t, fresh, c), lines(t, m.eng, c)); diff != "" {
			t.Fatalf("fresh against changed engine:\n%s\nheld %v\n%s", diff, m.held, c)
		}
	}
}

func newModel(t *rapid.T) *model {
	seed := rapid.Uint64().Draw(t, "seed")
	m := &model{c: Generate(Issue3, seed)}
	// The second gang must have the same scheme: its layers are the first's.
	for k := uint64(1); ; k++ {
		other := Generate(Issue3, seed^k<<32)
		if slices.Equal(other.Scheme.Layers, m.c.Scheme.Layers) {
			m.other, m.pool = other, append(other.Nodes, m.c.Nodes...)
			break
		}
	}
	m.eng = load(t, m.c, nil)
	return m
}

func (m *model) step(t *rapid.T) {
	kinds := []func(*rapid.T){m.upsert, m.upsert, m.remove, m.hold, m.hold, m.release, m.decide}
	kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")](t)
}

// upsert adds or changes the node of a name to another state of the pool.
func (m *model) upsert(t *rapid.T) {
	n := m.pool[rapid.IntRange(0, len(m.pool)-1).Draw(t, "node")]
	if _, err := m.eng.Upsert(n); err != nil {
		t.Fatal(err)
	}
	if i := m.index(n.Name); i >= 0 {
		m.c.Nodes[i] = n
	} else {
		m.c.Nodes = append(slices.Clip(m.c.Nodes), n)
	}
}

func (m *model) index(name string) int {
	return slices.IndexFunc(m.c.Nodes, func(n placer.Node) bool { return n.Name == name })
}

func (m *model) remove(t *rapid.T) {
	if len(m.c.Nodes) < 2 {
		return
	}
	i := rapid.IntRange(0, len(m.c.Nodes)-1).Draw(t, "node")
	name := m.c.Nodes[i].Name
	id, ok := m.eng.NodeByName(name)
	if !ok {
		t.Fatalf("node %s is not known", name)
	}
	m.eng.Remove(id)
	m.c.Nodes = slices.Delete(slices.Clone(m.c.Nodes), i, i+1)
	for _, h := range m.held {
		delete(h.seats, name)
	}
}

func (m *model) decide(t *rapid.T) {
	m.other.Nodes = m.c.Nodes
	_ = lines(t, m.eng, m.other)
	_ = lines(t, m.eng, m.c)
}

// hold asks about one of the gangs and takes the answer.
func (m *model) hold(t *rapid.T) {
	c := m.c
	if rapid.Bool().Draw(t, "other") {
		m.other.Nodes = m.c.Nodes
		c = m.other
	}
	gang := c.CloneGang()
	ans := m.eng.Decide(gang)
	if ans.Refusal != nil {
		return
	}
	h := holding{set: gang.PodSets[0], seats: map[string]int32{}}
	for _, seat := range ans.Sets[0].Seats {
		name := m.eng.NodeName(seat.Node)
		h.seats[name] = seat.Pods
		h.order = append(h.order, name)
	}
	h.apply(m.eng, m.eng.Hold)
	m.held = append(m.held, h)
}

func (m *model) release(t *rapid.T) {
	if len(m.held) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.held)-1).Draw(t, "holding")
	m.held[i].apply(m.eng, m.eng.Release)
	m.held = slices.Delete(m.held, i, i+1)
}

// apply holds or releases the seats on nodes that are still there.
func (h holding) apply(eng *placer.Engine, do func(*placer.PodSet, []placer.Seat)) {
	// Shapes belong to an engine, so the set is resolved anew.
	gang := &placer.Gang{PodSets: []placer.PodSet{{
		Name: h.set.Name, Count: h.set.Count, Requests: h.set.Requests, Exclusive: h.set.Exclusive,
		MaxPerNode: h.set.MaxPerNode, Filter: h.set.Filter, Required: h.set.Required, Preferred: h.set.Preferred,
		Slices: h.set.Slices,
	}}}
	eng.Prepare(gang)
	var seats []placer.Seat
	for _, name := range h.order {
		if pods, ok := h.seats[name]; ok {
			id, known := eng.NodeByName(name)
			if !known {
				panic(fmt.Sprintf("node %s is held and not known", name))
			}
			seats = append(seats, placer.Seat{Node: id, Pods: pods})
		}
	}
	do(&gang.PodSets[0], seats)
}

// TestNodeMoves: a node that moves between domains, more than once, and back.
func TestNodeMoves(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := Generate(Issue3, 2_000_000+seed)
		eng, err := Load(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			i, j := r.IntN(len(c.Nodes)), r.IntN(len(c.Nodes))
			c.Nodes[i].Path = c.Nodes[j].Path[:r.IntN(len(c.Nodes[j].Path)+1)]
			if _, err := eng.Upsert(c.Nodes[i]); err != nil {
				t.Fatal(err)
			}
		}
		o, _, err := Decide(eng, c)
		if err != nil {
			t.Fatal(err)
		}
		if kind, err := Compare(c, o); kind != Same {
			t.Fatalf("seed %d: %v\n%s", 2_000_000+seed, err, c)
		}
	}
}

// TestBytes: the answer is the same, byte for byte, with nodes loaded in 20
// orders.
func TestBytes(t *testing.T) {
	for seed := range uint64(200) {
		c := Generate(Issue3, 1_000_000+seed)
		var first string
		for k := range uint64(20) {
			perm := rand.New(rand.NewPCG(seed, k)).Perm(len(c.Nodes))
			eng, err := Load(c, perm)
			if err != nil {
				t.Fatal(err)
			}
			o, ans, err := Decide(eng, c)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintln(o.Lines(c), ans.Vector, ans.Proven)
			if k == 0 {
				first = text
			} else if text != first {
				t.Fatalf("seed %d, order %v:\n%s\n%s\n%s", 1_000_000+seed, perm, text, first, c)
			}
		}
	}
}
