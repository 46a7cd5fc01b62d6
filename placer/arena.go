package placer

// region is a domain's stretch of keys in an arena: the same for every shape,
// each of which has an array of its own.
type region struct{ off, size int32 }

// arena hands out regions. Freed ones are reused by size class, so churn of
// domains does not grow the arrays without bound.
type arena struct {
	length int32
	spare  map[int32][]int32 // size → offsets
}

// fit makes the region at least n long, keeping it where it is long enough.
// The contents of a region that moved are the caller's to rebuild.
func (a *arena) fit(r *region, n int) {
	if int(r.size) >= n {
		return
	}
	a.drop(r)
	size := int32(1)
	for int(size) < n {
		// Steps of a quarter waste little and still leave room to grow.
		size += max(size/4, 1)
	}
	if list := a.spare[size]; len(list) > 0 {
		r.off, a.spare[size] = list[len(list)-1], list[:len(list)-1]
	} else {
		r.off = a.length
		a.length += size
	}
	r.size = size
}

// drop gives a region back.
func (a *arena) drop(r *region) {
	if r.size > 0 {
		if a.spare == nil {
			a.spare = map[int32][]int32{}
		}
		a.spare[r.size] = append(a.spare[r.size], r.off)
	}
	*r = region{}
}

// reserve gives d regions for all its children and grows every live shape's
// arrays to match.
func (e *Engine) reserve(d DomainID) {
	dom := &e.doms[d]
	e.nodeArena.fit(&dom.nodeAt, len(dom.nodes))
	e.kidArena.fit(&dom.kidAt, len(dom.kids))
	for _, s := range e.slots {
		if s != nil {
			s.nodeKeys = grown(s.nodeKeys, int(e.nodeArena.length))
			s.kidKeys = grown(s.kidKeys, int(e.kidArena.length))
		}
	}
}

func grown(keys []uint64, n int) []uint64 {
	if n <= len(keys) {
		return keys
	}
	if n <= cap(keys) {
		return keys[:n]
	}
	next := make([]uint64, n, n+n/8)
	copy(next, keys)
	return next
}
