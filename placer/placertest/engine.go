package placertest

import (
	"fmt"

	"github.com/hopwise/hopwise/placer"
)

// Load fills a new engine with the case's nodes, in the order given by perm
// (nil: as they stand).
func Load(c *Case, perm []int) (*placer.Engine, error) {
	eng := placer.New(c.Scheme)
	eng.SetDisconnected(c.Disconnected)
	for k := range c.Nodes {
		i := k
		if perm != nil {
			i = perm[k]
		}
		if _, err := eng.Upsert(c.Nodes[i]); err != nil {
			return nil, fmt.Errorf("node %s: %w", c.Nodes[i].Name, err)
		}
	}
	return eng, nil
}

// Decide asks an engine for the case's gang and reads its answer.
func Decide(eng *placer.Engine, c *Case) (*Outcome, *placer.Answer, error) {
	gang := c.CloneGang()
	ans := eng.Decide(gang)
	o, err := FromAnswer(eng, c, ans)
	return o, ans, err
}

// Answer loads an engine with the case and asks it.
func Answer(c *Case) (*Outcome, error) {
	eng, err := Load(c, nil)
	if err != nil {
		return nil, err
	}
	o, _, err := Decide(eng, c)
	return o, err
}

// CloneGang copies the gang, so that what an engine notes in it stays there.
func (c *Case) CloneGang() *placer.Gang {
	g := c.Gang
	g.PodSets = append([]placer.PodSet(nil), g.PodSets...)
	return &g
}

// FromAnswer reads an engine's answer in the case's terms. An error means that
// the answer contradicts itself or names what is not there.
func FromAnswer(eng *placer.Engine, c *Case, ans *placer.Answer) (*Outcome, error) {
	if ans.Refusal != nil {
		return &Outcome{Refused: true, Claims: &Claims{Proven: ans.Refusal.Proven}}, nil
	}
	index := map[string]int{}
	for i := range c.Nodes {
		index[c.Nodes[i].Name] = i
	}
	o := &Outcome{Claims: &Claims{Vector: ans.Vector, Proven: ans.Proven}}
	for s, set := range ans.Sets {
		var seats []Seat
		for _, seat := range set.Seats {
			i, ok := index[eng.NodeName(seat.Node)]
			if !ok {
				return nil, fmt.Errorf("set %d: node %d is none of the case's", s, seat.Node)
			}
			seats = append(seats, Seat{Node: i, Pods: seat.Pods})
		}
		o.Sets = append(o.Sets, seats)
		o.Claims.Pods = append(o.Claims.Pods, set.Pods)
		o.Claims.PreferenceMet = append(o.Claims.PreferenceMet, set.PreferenceMet)
	}
	aligned, err := alignedOf(eng, c, index, ans)
	o.Claims.Aligned = aligned
	return o, err
}

// alignedOf reads the aligned place; where one node holds all, Aligned must be
// that node's own deepest domain.
func alignedOf(eng *placer.Engine, c *Case, index map[string]int, ans *placer.Answer) (Place, error) {
	var p Place
	if ans.Aligned != placer.Root {
		p.Path = eng.DomainPath(ans.Aligned)
		if l := eng.DomainLayer(ans.Aligned); int(l) != len(p.Path)-1 {
			return p, fmt.Errorf("aligned %v: layer is %d", p.Path, l)
		}
	}
	if ans.AlignedNode == placer.NoNode {
		return p, nil
	}
	p.Node = eng.NodeName(ans.AlignedNode)
	i, ok := index[p.Node]
	if !ok {
		return p, fmt.Errorf("aligned node %q is none of the case's", p.Node)
	}
	if want := newFacts(c).nodePlace(i); p.Compare(want) != 0 {
		return p, fmt.Errorf("aligned %s: the node is in %s", p, want)
	}
	return p, nil
}
