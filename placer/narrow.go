package placer

import (
	"cmp"
	"slices"
)

// narrow is the exact search of a candidate whose number of children is known:
// k of them hold the pods and no k-1 do, so each has to take nearly all it can.
// What is still open is a window on the pods held after each child, often much
// narrower than their number.
type narrow struct {
	dom   DomainID
	flat  bool
	kids  []item // the most pods first
	count []int64
	unit  int64
	n     int64
	low   []int64   // per number of children used: fewest pods held
	high  []int64   // and most
	best  [][]vec   // [children used][pods held - low]
	pick  [][]int64 // [child*(k+1)+children used][pods held - low]: from<<32 | entry taken, -1 = none
	k     int
}

// narrow tries the windowed search; false where it does not apply or costs more
// than the plain one.
func (q *search) narrow(c *candidate) (vec, bool) {
	e := q.e
	dom := &e.doms[c.dom]
	if len(dom.nodes) > 0 || len(dom.kids) == 0 || q.weighted || c.kids < 2 {
		return vec{}, false
	}
	w := narrow{dom: c.dom, flat: q.flat > 0, unit: int64(q.s.unit[dom.depth+1]), k: int(c.kids)}
	w.n = q.n / w.unit
	w.kids = q.items(c.dom)
	if q.cut {
		return maxVec, true
	}
	last := func(it item) int64 { return int64(it.entries[len(it.entries)-1].pods) / w.unit }
	slices.SortStableFunc(w.kids, func(a, b item) int { return cmp.Compare(last(b), last(a)) })
	for _, it := range w.kids {
		w.count = append(w.count, last(it))
	}
	plain, narrowed := w.trim()
	if narrowed >= plain {
		return vec{}, false
	}
	if q.steps+narrowed > q.budget {
		q.cut = true
		return maxVec, true
	}
	q.steps += narrowed
	w.run(q)
	q.narrows = append(q.narrows, w)
	return w.best[w.k][w.n-w.low[w.k]], true
}

// trim drops what no choice of k children can use, and counts the steps of the
// plain search and of the windowed one.
func (w *narrow) trim() (plain, narrowed int64) {
	w.low = make([]int64, w.k+1)
	sum := int64(0)
	for j := w.k; j >= 0; j-- {
		w.low[j] = max(0, w.n-sum)
		if j > 0 {
			sum += w.count[w.k-j]
		}
	}
	w.high = make([]int64, w.k+1)
	for j := 1; j <= w.k; j++ {
		w.high[j] = min(w.n, w.high[j-1]+w.count[j-1])
	}
	width := int64(0)
	for j := range w.k {
		width += w.high[j] - w.low[j] + 1
	}
	for i := range w.kids {
		plain += w.n * int64(len(w.kids[i].entries))
		others := sum
		if i < w.k {
			others -= w.count[i]
		} else {
			others -= w.count[w.k-1]
		}
		entries := w.kids[i].entries
		at, _ := slices.BinarySearchFunc(entries, w.n-others, func(en entry, least int64) int {
			return cmp.Compare(int64(en.pods)/w.unit, least)
		})
		w.kids[i].entries = entries[at:]
		narrowed += width * int64(len(entries)-at)
	}
	return plain, narrowed
}

func (w *narrow) run(q *search) {
	w.best = make([][]vec, w.k+1)
	for j := range w.best {
		w.best[j] = q.vecs.take(int(w.high[j] - w.low[j] + 1))
		for c := range w.best[j] {
			w.best[j][c] = maxVec
		}
	}
	w.best[0][0] = vec{}
	w.pick = make([][]int64, len(w.kids)*(w.k+1))
	for i := range w.kids {
		for j := w.k - 1; j >= 0; j-- {
			pick := q.longs.take(len(w.best[j+1]))
			for c := range pick {
				pick[c] = -1
			}
			w.pick[i*(w.k+1)+j+1] = pick
			w.step(i, j, pick)
		}
	}
}

// step adds child i as number j+1 to every way to use j children before it.
func (w *narrow) step(i, j int, pick []int64) {
	from, to := w.best[j], w.best[j+1]
	low, next := w.low[j], w.low[j+1]
	for c := range from {
		if from[c] == maxVec {
			continue
		}
		for k, en := range w.kids[i].entries {
			held := min(w.n, low+int64(c)+int64(en.pods)/w.unit)
			if held < next {
				continue
			}
			if v := from[c].add(en.v); v.less(to[held-next]) {
				to[held-next] = v
				pick[held-next] = int64(c)<<32 | int64(k)
			}
		}
	}
}

// seatFound seats the pods as the exact search found best for the domain.
func (q *search) seatFound(d DomainID) {
	for i := range q.narrows {
		if q.narrows[i].dom == d && q.narrows[i].flat == (q.flat > 0) {
			q.seatNarrow(&q.narrows[i])
			return
		}
	}
	q.seat(d, q.n)
}

// seatNarrow follows the picks back: the child that last lowered a price is the
// one in it.
func (q *search) seatNarrow(w *narrow) {
	held, rest, i := w.n-w.low[w.k], q.n, len(w.kids)-1
	for j := w.k; j > 0; j-- {
		for w.pick[i*(w.k+1)+j][held] < 0 {
			i--
		}
		pick := w.pick[i*(w.k+1)+j][held]
		share := min(int64(w.kids[i].entries[int32(pick)].pods), rest)
		q.seat(w.kids[i].dom, share)
		rest -= share
		held = pick >> 32
		i--
	}
}
