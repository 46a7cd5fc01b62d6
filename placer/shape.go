package placer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Shape is what decides how many pods of a pod set fit on a node: requests,
// filter, exclusiveness, the limit per node, and slices. Pod sets alike in
// these share one Shape and its counts.
type Shape struct {
	owner  *Engine
	key    string
	spec   shapeSpec
	req    []amount
	slot   int32 // -1 = keeps no counts now
	used   int64 // Engine.clock when last used
	pinned int32 // uses under way: not to be dropped

	// base is the same shape without slices; the shape itself where it has none.
	// Room is counted in its pods.
	base *Shape
	// unit[depth] is the number of pods that a domain of that depth can only
	// take multiples of.
	unit []int32

	classOK  []int8 // per class: 0 not asked yet, 1 passes, -1 does not
	perNode  bool   // nodes of one class can differ
	weighted bool   // has preferred terms

	marks [numMarks]int32 // the values of t in a ceiling, ascending
	top   int64           // the largest fit that the marks were chosen for
	fine  bool            // the marks are 1, 2, 3, … up to top

	nodeKeys []uint64 // per domain region: fit<<24 | position, ascending
	kidKeys  []uint64 // per domain region: usable pods<<24 | position, ascending
}

type shapeSpec struct {
	requests   Resources
	exclusive  bool
	empty      bool // counted on the healthy cluster without any usage
	maxPerNode int32
	filter     Filter
	slices     []Slice
	deepest    int8 // nodes attached above this depth lack a layer that a slice needs
}

const posBits = 24

func keyPos(k uint64) int32   { return int32(k & (1<<posBits - 1)) }
func keyCount(k uint64) int64 { return int64(k >> posBits) }
func makeKey(count int64, pos int32) uint64 {
	return uint64(count)<<posBits | uint64(pos)
}

// shapeOf returns the pod set's shape with its counts alive.
func (e *Engine) shapeOf(ps *PodSet) *Shape {
	e.activate(e.shapeNamed(ps))
	return ps.shape
}

// shapeNamed returns the pod set's shape, whether it keeps counts or not.
func (e *Engine) shapeNamed(ps *PodSet) *Shape {
	if ps.shape == nil || ps.shape.owner != e {
		ps.shape = e.intern(e.specOf(ps, false))
	}
	return ps.shape
}

// emptyShape is the pod set's shape counted on the cluster without usage.
func (e *Engine) emptyShape(ps *PodSet) *Shape {
	s := e.intern(e.specOf(ps, true))
	e.activate(s)
	return s
}

// shapeFor is the shape that a decision on the gang counts with.
func (e *Engine) shapeFor(g *Gang, ps *PodSet) *Shape {
	if g.empty {
		return e.emptyShape(ps)
	}
	return e.shapeOf(ps)
}

func (e *Engine) specOf(ps *PodSet, empty bool) shapeSpec {
	deepest := int8(0)
	for _, sl := range ps.Slices {
		if int(sl.Layer) < e.layers {
			deepest = max(deepest, int8(sl.Layer)+1)
		}
	}
	return shapeSpec{
		deepest:  deepest,
		requests: ps.Requests, exclusive: ps.Exclusive, empty: empty,
		maxPerNode: ps.MaxPerNode, filter: ps.Filter, slices: ps.Slices,
	}
}

// Prepare resolves the pod sets' shapes, so that the decision itself hashes
// nothing. Decide does it where it was not done.
func (e *Engine) Prepare(g *Gang) {
	for i := range g.PodSets {
		e.shapeOf(&g.PodSets[i])
	}
}

func (e *Engine) intern(spec shapeSpec) *Shape {
	key := spec.key()
	if s, ok := e.shapes[key]; ok {
		return s
	}
	s := &Shape{owner: e, key: key, spec: spec, slot: -1, weighted: len(spec.filter.Preferred) > 0}
	s.req = e.amounts(spec.requests)
	if i := slices.IndexFunc(s.req, func(a amount) bool { return a.res == 0 }); i < 0 {
		s.req = slices.Insert(s.req, 0, amount{0, 1})
	} else {
		s.req[i].qty = 1 // a pod is one pod, whatever a request says
	}
	s.perNode = e.classes.perNode(&spec.filter)
	s.unit = make([]int32, e.layers+2)
	for d := range s.unit {
		s.unit[d] = 1
		for _, sl := range spec.slices {
			if int(sl.Layer)+1 >= d {
				s.unit[d] = max(s.unit[d], sl.Size)
			}
		}
	}
	s.base = s
	if len(spec.slices) > 0 {
		plain := spec
		plain.slices = nil
		s.base = e.intern(plain)
	}
	e.shapes[key] = s
	e.forget()
	return s
}

// maxShapes bounds the definitions kept; a dropped one is interned anew.
const maxShapes = 4096

// forget drops definitions that keep no counts once there are too many.
func (e *Engine) forget() {
	if len(e.shapes) <= maxShapes {
		return
	}
	for key, s := range e.shapes {
		if s.slot < 0 && s.pinned == 0 {
			delete(e.shapes, key) // which ones go decides nothing but time
		}
	}
}

func (spec *shapeSpec) key() string {
	var b strings.Builder
	names := make([]string, 0, len(spec.requests))
	for name := range spec.requests {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteString(strconv.Quote(name))
		b.WriteString(strconv.FormatInt(spec.requests[name], 36))
	}
	b.WriteByte('|')
	if spec.exclusive {
		b.WriteByte('x')
	}
	if spec.empty {
		b.WriteByte('e')
	}
	b.WriteString(strconv.Itoa(int(spec.maxPerNode)))
	b.WriteByte('d')
	b.WriteString(strconv.Itoa(int(spec.deepest)))
	for _, sl := range spec.slices {
		b.WriteByte('/')
		b.WriteString(strconv.Itoa(int(sl.Layer)))
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(int(sl.Size)))
	}
	spec.filter.key(&b)
	return b.String()
}

func (f *Filter) key(b *strings.Builder) {
	b.WriteString("|l")
	labels := slices.SortedFunc(slices.Values(f.Labels), func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	for _, l := range labels {
		b.WriteString(strconv.Quote(l.Key))
		b.WriteString(strconv.Quote(l.Value))
	}
	for _, t := range f.Terms {
		b.WriteString("|t")
		t.key(b)
	}
	for _, o := range f.Tolerations {
		b.WriteString("|o")
		b.WriteString(strconv.Quote(o.Key))
		b.WriteString(strconv.Quote(o.Value))
		for _, yes := range []bool{o.Exists, o.AnyEffect} {
			b.WriteString(strconv.FormatBool(yes))
		}
		b.WriteByte('0' + byte(o.Effect))
	}
	for _, p := range f.Preferred {
		b.WriteString("|p")
		b.WriteString(strconv.Itoa(int(p.Weight)))
		p.Term.key(b)
	}
}

func (t Term) key(b *strings.Builder) {
	for _, x := range t {
		b.WriteString(strconv.Quote(x.Key))
		b.WriteByte('0' + byte(x.Operator))
		for _, v := range x.Values {
			b.WriteString(strconv.Quote(v))
		}
	}
}

// activate makes the shape keep counts: at its first sight, and after it was
// dropped, the one step that walks all nodes.
func (e *Engine) activate(s *Shape) {
	e.clock++
	s.used = e.clock
	if s.base != s {
		e.activate(s.base)
	}
	if s.slot >= 0 {
		e.settle()
		return
	}
	e.settle()
	s.pinned++
	s.base.pinned++
	e.assignSlot(s)
	s.pinned--
	s.base.pinned--
	s.nodeKeys = make([]uint64, e.nodeArena.length)
	s.kidKeys = make([]uint64, e.kidArena.length)
	s.classOK = make([]int8, len(e.classes.list))
	e.chooseMarks(s)
	for depth := e.layers; depth >= 0; depth-- {
		for _, d := range e.order[depth] {
			e.recount(s, d)
		}
	}
}

// assignSlot finds a free column, widening the rows or dropping the shape that
// was not used for longest.
func (e *Engine) assignSlot(s *Shape) {
	i := slices.Index(e.slots, nil)
	switch {
	case i >= 0:
	case len(e.slots) < e.maxLive || e.allPinned():
		i = len(e.slots)
		e.slots = append(e.slots, nil)
		if i >= e.stride {
			e.widen(e.stride * 2)
		}
	default:
		for j, o := range e.slots {
			if o.pinned == 0 && (i < 0 || o.used < e.slots[i].used) {
				i = j
			}
		}
		e.deactivate(e.slots[i])
	}
	e.slots[i] = s
	s.slot = int32(i)
	for d := range e.doms {
		e.ceil[d*e.stride+i] = ceiling{}
	}
}

// allPinned says that no live shape may be dropped, so that the limit has to
// wait. A gang has no more shapes than DefaultLiveShapes.
func (e *Engine) allPinned() bool {
	return !slices.ContainsFunc(e.slots, func(s *Shape) bool { return s.pinned == 0 })
}

// pin keeps the shapes of a decision alive until it is made.
func (e *Engine) pin(s *Shape, by int32) {
	s.pinned += by
	s.base.pinned += by
}

func (e *Engine) deactivate(s *Shape) {
	e.slots[s.slot] = nil
	s.slot = -1
	s.nodeKeys, s.kidKeys, s.classOK = nil, nil, nil
}

func (e *Engine) widen(stride int) {
	e.fit = rewide(e.fit, e.stride, stride)
	e.pods = rewide(e.pods, e.stride, stride)
	e.have = rewide(e.have, e.stride, stride)
	e.ceil = rewide(e.ceil, e.stride, stride)
	e.stride = stride
}

func rewide[T any](rows []T, old, wide int) []T {
	next := make([]T, len(rows)/old*wide)
	for i := 0; i*old < len(rows); i++ {
		copy(next[i*wide:], rows[i*old:(i+1)*old])
	}
	return next
}
