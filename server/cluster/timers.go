package cluster

import (
	"container/heap"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// timers orders gangs by deadline: a heap, so that a tick costs what is due and
// nothing is scanned.
type timers []*gang

func (t timers) Len() int { return len(t) }
func (t timers) Less(i, j int) bool {
	if !t[i].deadline.Equal(t[j].deadline) {
		return t[i].deadline.Before(t[j].deadline)
	}
	return t[i].key.Compare(t[j].key) < 0
}
func (t timers) Swap(i, j int) {
	t[i], t[j] = t[j], t[i]
	t[i].timer, t[j].timer = i, j
}

// Push is heap.Interface's.
func (t *timers) Push(x any) {
	g := x.(*gang) // set is the only caller
	g.timer = len(*t)
	*t = append(*t, g)
}

// Pop is heap.Interface's.
func (t *timers) Pop() any {
	g := (*t)[len(*t)-1]
	g.timer = -1
	*t = (*t)[:len(*t)-1]
	return g
}

// set moves the gang's deadline; zero takes it off.
func (t *timers) set(g *gang, at time.Time) {
	g.deadline = at
	switch {
	case at.IsZero() && g.timer >= 0:
		heap.Remove(t, g.timer)
	case at.IsZero():
	case g.timer >= 0:
		heap.Fix(t, g.timer)
	default:
		heap.Push(t, g)
	}
}

func (t timers) first() *gang {
	if len(t) == 0 {
		return nil
	}
	return t[0]
}

// next is the earliest deadline; zero for none.
func (t timers) next() time.Time {
	if len(t) == 0 {
		return time.Time{}
	}
	return t[0].deadline
}

// keyBlock bounds a block of keyList: an insertion moves at most so many keys.
const keyBlock = 512

// keyList is the keys in order, in blocks, so that pages are read and keys come
// and go without a sort.
type keyList struct{ blocks [][]ledger.Key }

// block is the block that key is or would be in, and its place there.
func (l *keyList) block(key ledger.Key) (b, i int, found bool) {
	lo, hi := 0, len(l.blocks)
	for lo < hi { // the first block whose last key is not below key
		mid := (lo + hi) / 2
		if last := l.blocks[mid]; last[len(last)-1].Compare(key) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(l.blocks) {
		return lo, 0, false
	}
	i, found = searchKeys(l.blocks[lo], key)
	return lo, i, found
}
