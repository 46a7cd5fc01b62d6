package placer

import (
	"cmp"
	"math/bits"
)

// vec is a spread vector packed into 128 bits, widest layer highest, so that
// comparing two is comparing the vectors lexicographically and adding two adds
// them field by field. Below the nodes' field lies the cost of affinity.
type vec struct{ hi, lo uint64 }

var maxVec = vec{^uint64(0), ^uint64(0)}

func (a vec) add(b vec) vec {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return vec{a.hi + b.hi + carry, lo}
}

func (a vec) less(b vec) bool {
	return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo
}

func (a vec) compare(b vec) int {
	if c := cmp.Compare(a.hi, b.hi); c != 0 {
		return c
	}
	return cmp.Compare(a.lo, b.lo)
}

// times adds a to itself n times; the fields are wide enough for any gang.
func (a vec) times(n int64) vec {
	hi, lo := bits.Mul64(a.lo, uint64(n))
	return vec{a.hi*uint64(n) + hi, lo}
}

// fields places the layers' counts inside a vec for one decision.
type fields struct {
	at    []uint8 // per depth 1..layers+1: lowest bit; the last is the nodes
	width []uint8
	one   []vec // per depth: 1 in that depth's field
	node  []vec // per depth: what a node attached there adds, in all fields below
	short bool  // the fields did not all fit: the lowest are left out
}

// layout gives every field the bits that n pods on this cluster can need. cost
// is the largest affinity cost. Where 128 bits are too few, which takes
// thousands of domains in each of many layers, the lowest fields are left out.
func (f *fields) layout(e *Engine, n int64, cost uint64) {
	depths := e.layers + 2
	f.at, f.width = resized(f.at, depths), resized(f.width, depths)
	f.one, f.node = resized(f.one, depths), resized(f.node, depths)
	f.short = false
	above := 0 // nodes attached above the depth, a domain of their own each
	top := 128
	for d := 1; d <= e.layers+1; d++ {
		above += e.attached[d-1]
		count := int64(above)
		if d <= e.layers {
			count += int64(len(e.order[d]))
		}
		w := bits.Len64(uint64(min(2*n, count)))
		if top-w < 0 {
			w, f.short = 0, true
		}
		top -= w
		f.at[d], f.width[d] = uint8(top), uint8(w)
		f.one[d] = vec{}
		if w > 0 {
			f.one[d] = shifted(1, uint(top))
		}
	}
	if bits.Len64(cost) > top {
		f.short = true
	}
	sum := vec{}
	for d := e.layers + 1; d >= 1; d-- {
		sum = sum.add(f.one[d])
		f.node[d-1] = sum
	}
}

func shifted(x uint64, by uint) vec {
	if by >= 64 {
		return vec{hi: x << (by - 64)}
	}
	if by == 0 {
		return vec{lo: x}
	}
	return vec{hi: x >> (64 - by), lo: x << by}
}

// get reads the field of a depth.
func (f *fields) get(v vec, d int) int64 {
	w, at := uint(f.width[d]), uint(f.at[d])
	if w == 0 {
		return 0
	}
	x := v.lo >> at
	switch {
	case at >= 64:
		x = v.hi >> (at - 64)
	case at > 0:
		x |= v.hi << (64 - at)
	}
	return int64(x & (1<<w - 1))
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
