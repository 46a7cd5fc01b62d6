package ledger

import (
	"cmp"
	"slices"
)

// Pods is how many ranks the set has a seat for, ended ones included.
func (s *Set) Pods() int32 {
	var n int32
	for _, r := range s.Runs {
		n += r.Pods
	}
	return n
}

// NodeOf is the node of a rank, which must be below Pods.
func (s *Set) NodeOf(rank int32) string {
	for _, r := range s.Runs {
		if rank < r.Pods {
			return r.Node
		}
		rank -= r.Pods
	}
	return ""
}

// SlotAt is a rank's slot, listed or not.
func (s *Set) SlotAt(rank int32) Slot {
	i, ok := slices.BinarySearchFunc(s.Slots, rank, bySlotRank)
	if ok {
		return s.Slots[i]
	}
	return Slot{Rank: rank}
}

func bySlotRank(s Slot, rank int32) int { return cmp.Compare(s.Rank, rank) }

// Held lists the runs of ranks that hold capacity: all but the ended ones.
func (s *Set) Held() []RankRun {
	held := make([]RankRun, 0, len(s.Runs))
	first, next := int32(0), 0
	for _, r := range s.Runs {
		from := first
		for ; next < len(s.Slots) && s.Slots[next].Rank < first+r.Pods; next++ {
			if s.Slots[next].State != SlotEnded {
				continue
			}
			if rank := s.Slots[next].Rank; rank > from {
				held = append(held, RankRun{from, rank - from, r.Node})
			}
			from = s.Slots[next].Rank + 1
		}
		if from < first+r.Pods {
			held = append(held, RankRun{from, first + r.Pods - from, r.Node})
		}
		first += r.Pods
	}
	return held
}

// count is how many ranks are in a state other than reserved.
func (s *Set) count(state SlotState) int32 {
	var n int32
	for i := range s.Slots {
		if s.Slots[i].State == state {
			n++
		}
	}
	return n
}

// editor changes slots of one set and writes them back at once, so that a
// report on all of a large gang costs one pass.
type editor struct {
	set   *Set
	slots map[int32]Slot
	nodes []string // per rank; nil until one moves
}

func (s *Set) edit() *editor {
	e := &editor{set: s, slots: make(map[int32]Slot, len(s.Slots))}
	for _, sl := range s.Slots {
		e.slots[sl.Rank] = sl
	}
	return e
}

func (e *editor) at(rank int32) Slot {
	if sl, ok := e.slots[rank]; ok {
		return sl
	}
	return Slot{Rank: rank}
}

func (e *editor) node(rank int32) string {
	if e.nodes != nil {
		return e.nodes[rank]
	}
	return e.set.NodeOf(rank)
}

// move puts a rank on another node.
func (e *editor) move(rank int32, node string) {
	if e.nodes == nil {
		for _, r := range e.set.Runs {
			for range r.Pods {
				e.nodes = append(e.nodes, r.Node)
			}
		}
	}
	e.nodes[rank] = node
}

// done writes the slots, and the runs where a rank moved, to the set.
func (e *editor) done() {
	e.set.Slots = make([]Slot, 0, len(e.slots))
	for _, sl := range e.slots {
		e.set.Slots = append(e.set.Slots, sl)
	}
	slices.SortFunc(e.set.Slots, func(a, b Slot) int { return cmp.Compare(a.Rank, b.Rank) })
	if e.nodes == nil {
		return
	}
	e.set.Runs = nil
	for _, node := range e.nodes {
		if n := len(e.set.Runs); n > 0 && e.set.Runs[n-1].Node == node {
			e.set.Runs[n-1].Pods++
			continue
		}
		e.set.Runs = append(e.set.Runs, Run{node, 1})
	}
}
