package placertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hopwise/hopwise/placer"
)

// world is an engine under a sequence of operations, and all that should be in
// it, kept as plain lists.
type world struct {
	*Case // the nodes as they are now; its gang is the next to be placed
	eng   *placer.Engine
	gangs []placed
	asks  []placer.Gang // gangs to place, of the case's scheme
	pool  []placer.Node // other states for nodes
	ops   []byte
}

// placed is a gang that is held, by the names of its ranks' nodes.
type placed struct {
	gang  placer.Gang
	ranks [][]string
}

// FuzzOperations: after any sequence of operations an engine decides and fills
// like a new one with the same state, to the byte.
func FuzzOperations(f *testing.F) {
	for seed := range uint64(20) {
		ops := make([]byte, 60)
		r := rand.New(rand.NewPCG(seed, 5))
		for i := range ops {
			ops[i] = byte(r.UintN(256))
		}
		f.Add(seed, ops)
	}
	f.Fuzz(func(t *testing.T, seed uint64, ops []byte) {
		w := newWorld(t, seed, ops[:min(len(ops), 120)])
		for len(w.ops) > 0 {
			w.step(t)
		}
		w.check(t)
	})
}

func newWorld(t *testing.T, seed uint64, ops []byte) *world {
	w := &world{Case: Generate(All, seed), ops: ops}
	w.asks, w.pool = []placer.Gang{w.Gang}, w.Nodes
	for k := uint64(1); len(w.asks) < 3 && k < 200; k++ {
		other := Generate(All, seed^k<<32)
		if len(other.Scheme.Layers) == len(w.Scheme.Layers) {
			w.asks, w.pool = append(w.asks, other.Gang), append(slices.Clip(w.pool), other.Nodes...)
		}
	}
	w.Nodes = slices.Clone(w.Nodes)
	eng, err := Load(w.Case, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.eng = eng
	return w
}

// draw takes the next byte as a number below n.
func (w *world) draw(n int) int {
	if len(w.ops) == 0 || n < 1 {
		return 0
	}
	b := w.ops[0]
	w.ops = w.ops[1:]
	return int(b) % n
}

func (w *world) step(t *testing.T) {
	steps := []func(*testing.T){
		w.place, w.place, w.release, w.fill, w.upsert, w.move, w.health, w.use, w.remove, w.limit,
	}
	steps[w.draw(len(steps))](t)
}

// place decides one of the gangs and holds the answer.
func (w *world) place(t *testing.T) {
	w.Gang = w.asks[w.draw(len(w.asks))]
	gang := w.CloneGang()
	ans := w.eng.Decide(gang)
	o, err := FromAnswer(w.eng, w.Case, ans)
	if err != nil {
		t.Fatal(err)
	}
	if o.Refused || len(w.gangs) == 4 {
		return
	}
	for s := range ans.Sets {
		w.eng.Hold(&gang.PodSets[s], ans.Sets[s].Seats)
	}
	w.gangs = append(w.gangs, placed{*w.CloneGang(), namesOf(w.Case, o)})
}

// hold takes or gives back the named ranks of one set.
func hold(eng *placer.Engine, gang placer.Gang, s int, ranks []string, do func(*placer.PodSet, []placer.Seat)) {
	on := map[string]int32{}
	for _, name := range ranks {
		if name != "" {
			on[name]++
		}
	}
	ps := gang.PodSets[s]
	for _, name := range sortedNames(on) {
		id, _ := eng.NodeByName(name)
		do(&ps, []placer.Seat{{Node: id, Pods: on[name]}})
	}
}

func (w *world) release(*testing.T) {
	if len(w.gangs) == 0 {
		return
	}
	i := w.draw(len(w.gangs))
	for s := range w.gangs[i].ranks {
		hold(w.eng, w.gangs[i].gang, s, w.gangs[i].ranks[s], w.eng.Release)
	}
	w.gangs = slices.Delete(w.gangs, i, i+1)
}

// fill gives back some ranks of a gang and looks for nodes for all that have
// none.
func (w *world) fill(t *testing.T) {
	if len(w.gangs) == 0 {
		return
	}
	g := &w.gangs[w.draw(len(w.gangs))]
	for s := range g.ranks {
		for r, name := range g.ranks[s] {
			if name != "" && w.draw(3) == 0 {
				hold(w.eng, g.gang, s, []string{name}, w.eng.Release)
				g.ranks[s][r] = ""
			}
		}
	}
	w.Gang, w.Ranks = asPlaced(*g), g.ranks
	if len(w.Gang.PodSets) == 0 {
		return
	}
	o, err := FromAnswer(w.eng, w.Case, fillText(w.eng, w.Case, false))
	if err != nil {
		t.Fatal(err)
	}
	if o.Refused || slices.ContainsFunc(w.Gang.PodSets, func(ps placer.PodSet) bool { return ps.MinCount > 0 }) {
		return
	}
	ranks := namesOf(w.Case, o)
	for s := range ranks {
		for r, name := range ranks[s] {
			if g.ranks[s][r] == "" {
				hold(w.eng, g.gang, s, []string{name}, w.eng.Hold)
				g.ranks[s][r] = name
			}
		}
	}
}

// asPlaced is the gang with as many pods as it has ranks; none where a set has
// no rank at all.
func asPlaced(g placed) placer.Gang {
	c := Case{Gang: g.gang}
	gang := *c.CloneGang()
	gang.MinCount = 0
	for s := range gang.PodSets {
		if len(g.ranks[s]) == 0 {
			return placer.Gang{}
		}
		gang.PodSets[s].Count, gang.PodSets[s].MinCount = int32(len(g.ranks[s])), 0
	}
	return gang
}

// put makes node i be as given, in the engine too.
func (w *world) put(t *testing.T, i int, n placer.Node) {
	w.Nodes[i] = n
	if _, err := w.eng.Upsert(n); err != nil {
		t.Fatal(err)
	}
}

func (w *world) upsert(t *testing.T) {
	n := w.pool[w.draw(len(w.pool))]
	i := slices.IndexFunc(w.Nodes, func(o placer.Node) bool { return o.Name == n.Name })
	if i < 0 {
		w.Nodes = append(w.Nodes, n)
		i = len(w.Nodes) - 1
	}
	w.put(t, i, n)
}

// move takes a node to where another is, or above.
func (w *world) move(t *testing.T) {
	i := w.draw(len(w.Nodes))
	n, path := w.Nodes[i], w.Nodes[w.draw(len(w.Nodes))].Path
	n.Path = path[:len(path)-w.draw(len(path)+1)]
	w.put(t, i, n)
}

func (w *world) health(*testing.T) {
	i, h := w.draw(len(w.Nodes)), placer.Health(w.draw(4))
	w.Nodes[i].Health = h
	id, _ := w.eng.NodeByName(w.Nodes[i].Name)
	w.eng.SetHealth(id, h)
}

func (w *world) use(*testing.T) {
	i, pods := w.draw(len(w.Nodes)), int32(w.draw(2))
	used := placer.Resources{"gpu": int64(w.draw(4))}
	w.Nodes[i].Used, w.Nodes[i].UsedPods = used, pods
	id, _ := w.eng.NodeByName(w.Nodes[i].Name)
	w.eng.SetUsed(id, used, pods)
}

// remove takes a node away; ranks on it are forgotten.
func (w *world) remove(*testing.T) {
	if len(w.Nodes) < 2 {
		return
	}
	i := w.draw(len(w.Nodes))
	name := w.Nodes[i].Name
	id, _ := w.eng.NodeByName(name)
	w.eng.Remove(id)
	w.Nodes = slices.Delete(w.Nodes, i, i+1)
	for _, g := range w.gangs {
		for _, ranks := range g.ranks {
			for r := range ranks {
				if ranks[r] == name {
					ranks[r] = ""
				}
			}
		}
	}
}

// limit changes how many shapes keep counts, so that some are counted anew. One
// decision on three sets in nested slices needs up to fifteen of them.
func (w *world) limit(*testing.T) { w.eng.LimitShapes(15 + w.draw(6)) }

// check asks the engine and a new one, loaded in another order, the same.
func (w *world) check(t *testing.T) {
	perm := rand.New(rand.NewPCG(uint64(len(w.Nodes)), uint64(len(w.gangs)))).Perm(len(w.Nodes))
	fresh, err := Load(w.Case, perm)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range w.gangs {
		for s := range g.ranks {
			hold(fresh, g.gang, s, g.ranks[s], fresh.Hold)
		}
	}
	for _, gang := range w.asks {
		w.Gang, w.Ranks = gang, nil
		w.same(t, fresh, "decide", func(eng *placer.Engine) *placer.Answer { return eng.Decide(w.CloneGang()) })
	}
	for _, g := range w.gangs {
		if w.Gang, w.Ranks = asPlaced(g), g.ranks; len(w.Gang.PodSets) > 0 {
			w.same(t, fresh, "fill", func(eng *placer.Engine) *placer.Answer { return fillText(eng, w.Case, false) })
		}
	}
}

// same compares two engines' answers as text.
func (w *world) same(t *testing.T, fresh *placer.Engine, what string, ask func(*placer.Engine) *placer.Answer) {
	t.Helper()
	have, want := decisionText(t, w.eng, w.Case, ask), decisionText(t, fresh, w.Case, ask)
	if have != want {
		t.Errorf("%s: after the operations\n%s\na new engine\n%s\nwith %v\n%s", what, have, want, w.gangs, w.Case)
	}
}

// decisionText is everything about a decision that must not depend on history.
func decisionText(t *testing.T, eng *placer.Engine, c *Case, ask func(*placer.Engine) *placer.Answer) string {
	t.Helper()
	ans := ask(eng)
	o, err := FromAnswer(eng, c, ans)
	if err != nil {
		t.Fatalf("%v\n%s", err, c)
	}
	lines := append(o.Lines(c), fmt.Sprint(ans.Proven, ans.LowerBound))
	if r := ans.Refusal; r != nil {
		node, path := "", []string(nil)
		if r.Best >= 0 { // else no node has the layer
			path = eng.DomainPath(r.Best)
		}
		if r.BestNode != placer.NoNode {
			node = eng.NodeName(r.BestNode)
		}
		lines = append(lines, fmt.Sprint(r.PodSet, r.Binding, path, node, r.Fits, r.Want))
	}
	return strings.Join(lines, "\n")
}

// TestDeterminism: for gangs of every kind the same decision, byte for byte,
// with nodes loaded in 20 orders and after other gangs, so with other counts
// and ordinals. The race detector and the number of threads change nothing.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(300) {
		c := Generate(All, 3_000_000+seed)
		if seed%5 == 0 {
			c.Gang.Budget = int64(1 + seed%40) // cut short, and still the same
		}
		ask := func(eng *placer.Engine) *placer.Answer { return eng.Decide(c.CloneGang()) }
		var first string
		for k := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, k))
			perm := r.Perm(len(c.Nodes))
			eng, err := Load(c, perm)
			if err != nil {
				t.Fatal(err)
			}
			if k%2 == 1 {
				history(t, eng, c, r)
			}
			text := decisionText(t, eng, c, ask)
			if k == 0 {
				first = text
			} else if text != first {
				t.Errorf("seed %d, order %v, history %v:\n%s\nfirst\n%s\n%s", seed, perm, k%2 == 1, text, first, c)
				break
			}
		}
	}
}

// history does and undoes things, so that counts come about in another way.
func history(t *testing.T, eng *placer.Engine, c *Case, r *rand.Rand) {
	t.Helper()
	for i := range c.Nodes {
		if r.IntN(2) == 0 {
			id, _ := eng.NodeByName(c.Nodes[i].Name)
			eng.Remove(id)
		}
	}
	other := Generate(Issue3, r.Uint64N(1000))
	for s := range other.Gang.PodSets {
		other.Gang.PodSets[s].Required, other.Gang.PodSets[s].Preferred = placer.NoLayer, placer.NoLayer
		other.Gang.PodSets[s].Slices = nil
	}
	other.Gang.Policy = placer.Tightest
	gang := other.CloneGang()
	if ans := eng.Decide(gang); ans.Refusal == nil {
		eng.Hold(&gang.PodSets[0], ans.Sets[0].Seats)
		eng.Release(&gang.PodSets[0], ans.Sets[0].Seats)
	}
	for i := range c.Nodes {
		if _, err := eng.Upsert(c.Nodes[i]); err != nil {
			t.Fatal(err)
		}
	}
}
