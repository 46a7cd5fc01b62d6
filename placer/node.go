package placer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Errors that Upsert wraps.
var (
	ErrNoName   = errors.New("a node needs a name")
	ErrPath     = errors.New("a node's path has at most one name per layer, none of them empty")
	ErrNegative = errors.New("an amount is negative or too large")
)

// maxAmount keeps sums over a gang inside int64.
const maxAmount = int64(1) << 53

func (n Node) check(layers int) error {
	switch {
	case n.Name == "":
		return ErrNoName
	case len(n.Path) > layers || slices.Contains(n.Path, ""):
		return fmt.Errorf("node %q: %w", n.Name, ErrPath)
	}
	for _, r := range []Resources{n.Total, n.Used} {
		for _, name := range slices.Sorted(maps.Keys(r)) {
			if qty := r[name]; qty < 0 || qty > maxAmount {
				return fmt.Errorf("node %q: %s %d: %w", n.Name, name, qty, ErrNegative)
			}
		}
	}
	return nil
}

// Upsert adds a node, or changes the one of that name to be as given. What
// placements hold on it stays. A change costs O(layers × live shapes); a join
// or a move to another domain also O(siblings), once per batch.
func (e *Engine) Upsert(n Node) (NodeID, error) {
	if err := n.check(e.layers); err != nil {
		return NoNode, err
	}
	id, known := e.names[n.Name]
	dom := e.place(n.Path)
	switch {
	case !known:
		id = e.addNode(n.Name)
		e.attach(id, dom)
	case e.nodes[id].dom != dom:
		from := e.nodes[id].dom
		e.clearFits(id)
		e.detach(id)
		e.attach(id, dom)
		e.prune(from) // after attach: the new domain may be above the old
	}
	shared, own, pathSays, nameSays := e.classes.split(n)
	rec := &e.nodes[id]
	if known {
		e.classes.list[rec.class].nodes--
	}
	rec.class = e.classes.intern(shared, n.Taints)
	e.classes.list[rec.class].nodes++
	rec.own, rec.pathSays, rec.nameSays = nil, pathSays, nameSays
	if len(own) > 0 {
		rec.own = &own
	}
	rec.health, rec.usedPods = n.Health, n.UsedPods
	rec.total = e.total(n.Total)
	e.setUsed(id, n.Used)
	e.refit(id)
	return id, nil
}

func (e *Engine) addNode(name string) NodeID {
	name = strings.Clone(name)
	rec := node{name: name, live: true, total: -1}
	var id NodeID
	if n := len(e.spare); n > 0 {
		id, e.spare = e.spare[n-1], e.spare[:n-1]
		e.nodes[id] = rec
	} else {
		id = NodeID(len(e.nodes))
		e.nodes = append(e.nodes, rec)
		e.free = append(e.free, make([]int64, e.res.n)...)
		e.held = append(e.held, make([]int64, e.res.n)...)
		e.fit = append(e.fit, make([]int32, e.stride)...)
	}
	row := int(id) * e.stride
	clear(e.fit[row : row+e.stride]) // a column given to a shape meanwhile left it alone
	e.names[name] = id
	e.count++
	return id
}

func (e *Engine) attach(id NodeID, d DomainID) {
	e.nodes[id].dom = d
	e.doms[d].nodes = append(e.doms[d].nodes, id)
	e.touch(d)
	e.attached[e.doms[d].depth]++
	for ; d >= 0; d = e.doms[d].parent {
		e.doms[d].total++
	}
}

func (e *Engine) detach(id NodeID) {
	from := e.nodes[id].dom
	list := e.doms[from].nodes
	i := slices.Index(list, id)
	e.doms[from].nodes = slices.Delete(list, i, i+1)
	e.touch(from)
	e.attached[e.doms[from].depth]--
	for d := from; d >= 0; d = e.doms[d].parent {
		e.doms[d].total--
	}
}

// clearFits takes the node out of every count, before it leaves its domain.
func (e *Engine) clearFits(id NodeID) {
	e.settle()
	for _, s := range e.slots {
		if s != nil {
			e.setFit(s, id, 0)
		}
	}
}

// Remove takes a node out of the graph. What placements held on it is
// forgotten here: the ledger says what becomes of their ranks.
func (e *Engine) Remove(id NodeID) {
	from := e.nodes[id].dom
	e.clearFits(id)
	e.detach(id)
	e.prune(from)
	e.classes.list[e.nodes[id].class].nodes--
	delete(e.names, e.nodes[id].name)
	delete(e.bars, id)
	row := int(id) * e.res.n
	clear(e.free[row : row+e.res.n])
	clear(e.held[row : row+e.res.n])
	e.nodes[id] = node{total: -1}
	e.spare = append(e.spare, id)
	e.count--
}

// setUsed makes free = total - used - held.
func (e *Engine) setUsed(id NodeID, used Resources) {
	list := e.amounts(used)
	rec := &e.nodes[id]
	row := int(id) * e.res.n
	for r := range e.res.n {
		e.free[row+r] = -e.held[row+r]
	}
	if rec.total >= 0 {
		for _, a := range e.totals.rows[rec.total] {
			e.free[row+int(a.res)] += a.qty
		}
	}
	for _, a := range list {
		e.free[row+int(a.res)] -= a.qty
	}
}

// SetUsed replaces what pods outside any placement use on the node; usedPods
// counts those of them that bar an exclusive pod set.
func (e *Engine) SetUsed(id NodeID, used Resources, usedPods int32) {
	e.settle()
	e.setUsed(id, used)
	e.nodes[id].usedPods = usedPods
	e.refit(id)
}

// SetHealth changes the node's health alone.
func (e *Engine) SetHealth(id NodeID, h Health) {
	e.settle()
	e.nodes[id].health = h
	e.refit(id)
}

// SetBarred puts a maintenance hold on the node; an empty why lifts it. The why
// is Explain's detail for such nodes.
func (e *Engine) SetBarred(id NodeID, why string) {
	e.settle()
	e.nodes[id].barred = why != ""
	if why == "" {
		delete(e.bars, id)
	} else {
		e.bars[id] = why
	}
	e.refit(id)
}

// Hold takes the capacity of one pod set's seats; Release gives it back.
func (e *Engine) Hold(ps *PodSet, seats []Seat) { e.take(e.shapeNamed(ps), seats, 1) }

// Release gives back what Hold took for the same seats.
func (e *Engine) Release(ps *PodSet, seats []Seat) { e.take(e.shapeNamed(ps), seats, -1) }

func (e *Engine) take(s *Shape, seats []Seat, sign int32) {
	e.settle()
	for _, seat := range seats {
		e.charge(s, seat, sign)
		e.refit(seat.Node)
	}
}

// charge books a seat's capacity without looking at the counts.
func (e *Engine) charge(s *Shape, seat Seat, sign int32) {
	rec := &e.nodes[seat.Node]
	row := int(seat.Node) * e.res.n
	for _, a := range s.req {
		qty := a.qty * int64(sign) * int64(seat.Pods)
		e.held[row+int(a.res)] += qty
		e.free[row+int(a.res)] -= qty
	}
	if s.spec.exclusive {
		rec.exclusive += sign * seat.Pods
	} else {
		rec.heldPods += sign * seat.Pods
	}
}
