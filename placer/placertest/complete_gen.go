package placertest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// maxMissing bounds the ranks that a drawn repair or resize looks for, so that
// Complete stays quick.
const maxMissing = 7

// Damage is a placement that an engine made, and what became of it.
type Damage struct {
	// Case is how things are now: the nodes that are left, the count asked for
	// now, and the ranks that still have a node.
	*Case
	// Engine went through all of it: it placed and held the gang, saw its nodes
	// go, and gave back the lost seats.
	Engine *placer.Engine
	Relax  bool
}

// GenerateFill draws a repair, a resize or both: it draws a case that can be
// placed, has an engine place it, and breaks it.
func GenerateFill(profile string, seed uint64) (*Damage, error) {
	for k := uint64(0); ; k++ {
		c := Generate(profile, seed+k<<40)
		eng, err := Load(c, nil)
		if err != nil {
			return nil, err
		}
		o, ans, err := Decide(eng, c)
		if err != nil {
			return nil, err
		}
		if o.Refused {
			continue
		}
		c.Name = fmt.Sprintf("fill %s %d", profile, seed)
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x66696c6c)), c: c}
		d := &Damage{Case: c, Engine: eng, Relax: g.one(4)}
		for s := range ans.Sets {
			eng.Hold(&c.CloneGang().PodSets[s], ans.Sets[s].Seats)
		}
		c.Ranks = namesOf(c, o)
		return d, g.damage(d)
	}
}

// namesOf lists each rank's node by name.
func namesOf(c *Case, o *Outcome) [][]string {
	ranks := make([][]string, len(o.Sets))
	for s, seats := range o.Sets {
		for _, seat := range seats {
			for range seat.Pods {
				ranks[s] = append(ranks[s], c.Nodes[seat.Node].Name)
			}
		}
	}
	return ranks
}

// damage makes nodes and ranks go, and the gang larger.
func (g *generator) damage(d *Damage) error {
	missing := 0
	for s := range d.Ranks {
		missing += g.settleCount(d.Case, s)
	}
	gone := map[string]bool{}
	for _, i := range g.Perm(len(d.Nodes)) {
		n := 0
		for s := range d.Ranks {
			for _, name := range d.Ranks[s] {
				if name == d.Nodes[i].Name {
					n++
				}
			}
		}
		if n > 0 && missing+n <= maxMissing && (len(gone) == 0 || g.one(3)) {
			gone[d.Nodes[i].Name] = true
			missing += n
		}
	}
	if g.one(8) {
		gone = map[string]bool{} // a resize alone
	}
	if err := g.change(d, gone); err != nil {
		return err
	}
	for s := range d.Ranks {
		missing += g.enlarge(d.Case, s, maxMissing-missing)
	}
	return nil
}

// settleCount deals with ranks that were never placed: either they are missing,
// or the gang asks for no more than it has. It returns how many are missing.
func (g *generator) settleCount(c *Case, s int) int {
	ps, placed := &c.Gang.PodSets[s], int32(len(c.Ranks[s]))
	if placed < ps.Count && placed > 0 && (g.one(2) || ps.Count-placed > maxMissing/2) {
		ps.Count = placed
	}
	ps.MinCount = min(ps.MinCount, ps.Count)
	n := int(ps.Count - placed)
	c.Ranks[s] = append(c.Ranks[s], make([]string, n)...)
	return n
}

// change takes the ranks from the nodes that go, and gives back what they held,
// in the engine and in the case; some other nodes change too.
func (g *generator) change(d *Damage, gone map[string]bool) error {
	// Where nothing would be left, mostly some of the ranks stay after all.
	all := !slices.ContainsFunc(d.Ranks, func(r []string) bool {
		return slices.ContainsFunc(r, func(name string) bool { return name != "" && !gone[name] })
	})
	spare := all && !g.one(6)
	for s := range d.Ranks {
		lost := map[string]int32{}
		for r, name := range d.Ranks[s] {
			if gone[name] && (!spare || !g.one(2)) {
				lost[name]++
				d.Ranks[s][r] = ""
			}
		}
		release(d, s, lost)
	}
	stays := map[string]bool{}
	for _, ranks := range d.Ranks {
		for _, name := range ranks {
			stays[name] = true
		}
	}
	for i := len(d.Nodes) - 1; i >= 0; i-- {
		if err := g.changeNode(d, i, gone, stays); err != nil {
			return err
		}
	}
	return nil
}

func release(d *Damage, s int, lost map[string]int32) {
	var seats []placer.Seat
	for _, name := range sortedNames(lost) {
		id, _ := d.Engine.NodeByName(name)
		seats = append(seats, placer.Seat{Node: id, Pods: lost[name]})
	}
	d.Engine.Release(&d.CloneGang().PodSets[s], seats)
}

// changeNode makes one node go, fall ill or fuller, or leaves it as it is.
func (g *generator) changeNode(d *Damage, i int, gone, stays map[string]bool) error {
	n := d.Nodes[i]
	id, _ := d.Engine.NodeByName(n.Name)
	switch {
	case gone[n.Name] && !stays[n.Name] && len(d.Nodes) > 1 && g.one(3):
		d.Engine.Remove(id)
		d.Nodes = slices.Delete(d.Nodes, i, i+1)
		return nil
	case gone[n.Name] && !g.one(5):
		n.Health = placer.Health(1 + g.IntN(3))
	case g.one(12):
		n.Health = placer.Cordoned
	case n.Total != nil && g.one(8):
		n.Used, n.UsedPods = placer.Resources{"gpu": int64(g.IntN(4))}, int32(g.IntN(2))
	}
	d.Nodes[i] = n
	_, err := d.Engine.Upsert(n)
	return err
}

// enlarge adds ranks at the end of a set, by whole slices where they must be
// whole, in a third of the cases.
func (g *generator) enlarge(c *Case, s, most int) int {
	ps := &c.Gang.PodSets[s]
	step := 1
	if len(ps.Slices) > 0 && !ps.PartialLastSlice {
		step = int(ps.Slices[0].Size)
	}
	n := step * (1 + g.IntN(2))
	if n > most || !g.one(3) {
		return 0
	}
	ps.Count += int32(n)
	c.Ranks[s] = append(c.Ranks[s], make([]string, n)...)
	return n
}
