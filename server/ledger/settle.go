package ledger

import (
	"fmt"
	"slices"
	"time"
)

// settle makes the record's state follow from its slots and troubles.
func (r *Record) settle(now time.Time) {
	bound := int64(0)
	for i := range r.Sets {
		bound += int64(r.Sets[i].count(SlotBound))
	}
	if bound >= r.floor() {
		r.Whole = true
	}
	if r.allEnded() {
		state := Expired
		if r.Owner == OwnerGone {
			state = Released
		}
		r.State, r.Ended, r.Expires, r.Troubles = state, now, time.Time{}, nil
		return
	}
	if r.Whole {
		r.Expires, r.Troubles = time.Time{}, r.without(Overdue)
	}
	r.drifted(now)
	switch {
	case r.has(NodeLost) || r.has(ConstraintBroken):
		r.State = Degraded
	case r.Whole:
		r.State = Bound
	default:
		r.State = Reserved
	}
}

// floor is how many bound pods make the gang whole: the spec's floor, or all that
// is left where more was given back.
func (r *Record) floor() int64 {
	var left int64
	for i := range r.Sets {
		left += int64(r.Sets[i].Pods() - r.Sets[i].count(SlotEnded))
	}
	return max(min(r.Spec.Floor(), left), 1)
}

func (r *Record) allEnded() bool {
	for i := range r.Sets {
		if r.Sets[i].count(SlotEnded) < r.Sets[i].Pods() {
			return false
		}
	}
	return true
}

func (r *Record) has(k TroubleKind) bool {
	return slices.ContainsFunc(r.Troubles, func(t Trouble) bool { return t.Kind == k })
}

// without is the troubles of other kinds, in a list of its own.
func (r *Record) without(kinds ...TroubleKind) []Trouble {
	var left []Trouble
	for _, t := range r.Troubles {
		if !slices.Contains(kinds, t.Kind) {
			left = append(left, t)
		}
	}
	return left
}

// since is when a trouble of this kind and set began, now where it is new.
func (r *Record) since(k TroubleKind, set int, now time.Time) time.Time {
	for _, t := range r.Troubles {
		if t.Kind == k && t.Set == set {
			return t.Since
		}
	}
	return now
}

// drifted lists the ranks that run elsewhere than planned.
func (r *Record) drifted(now time.Time) {
	var found []Trouble
	for i := range r.Sets {
		t := Trouble{Kind: Drift, Set: i, Since: r.since(Drift, i, now)}
		for _, sl := range r.Sets[i].Slots {
			if sl.Planned != "" && sl.State != SlotEnded {
				t.Ranks = append(t.Ranks, RankRun{sl.Rank, 1, r.Sets[i].NodeOf(sl.Rank)})
				t.Detail = fmt.Sprintf("planned on %s", sl.Planned)
			}
		}
		if len(t.Ranks) > 1 {
			t.Detail = fmt.Sprintf("%d ranks run elsewhere than planned", len(t.Ranks))
		}
		if len(t.Ranks) > 0 {
			found = append(found, t)
		}
	}
	r.Troubles = append(r.without(Drift), found...)
}

// Facts is what the graph says of a record's nodes.
type Facts struct {
	// Lost says that a node is gone for good.
	Lost func(node string) bool
	// Broken says, for a set's held runs, which constraint does not hold; empty
	// where all do.
	Broken func(set int, held []RankRun) string
	// Apart says, for the held runs of all sets, which set no longer shares the
	// domain of its group, and how; -1 for none. Nil where there are no groups.
	Apart func(held [][]RankRun) (set int, why string)
	// Grace is how long a dead pod's slot waits once its node is back.
	Grace time.Duration
}

// Assess takes in what became of the nodes: ranks whose node is lost, and
// constraints that no longer hold, make the placement DEGRADED; both mend by
// themselves when the node or the label is back. It gives r itself where
// nothing is new.
func (r *Record) Assess(f Facts, now time.Time) *Record {
	if r.State.Ended() {
		return r
	}
	next := r.next(now)
	var found []Trouble
	for i := range next.Sets {
		lost := Trouble{Kind: NodeLost, Set: i, Since: r.since(NodeLost, i, now)}
		lost.Ranks = next.Sets[i].lose(f, now)
		if n := len(lost.Ranks); n > 0 {
			lost.Detail = fmt.Sprintf("node %s is lost", lost.Ranks[0].Node)
			if n > 1 {
				lost.Detail = fmt.Sprintf("%d nodes are lost", n)
			}
			found = append(found, lost)
			continue
		}
		if why := f.Broken(i, next.Sets[i].Held()); why != "" {
			found = append(found, Trouble{Kind: ConstraintBroken, Set: i, Detail: why, Since: r.since(ConstraintBroken, i, now)})
		}
	}
	if len(found) == 0 && f.Apart != nil {
		found = next.apart(f, now)
	}
	next.Troubles = append(found, next.without(NodeLost, ConstraintBroken)...)
	next.settle(now)
	return r.unless(next)
}

// apart is the trouble of a group whose members are in several domains.
func (r *Record) apart(f Facts, now time.Time) []Trouble {
	held := make([][]RankRun, len(r.Sets))
	for i := range held {
		held[i] = r.Sets[i].Held()
	}
	set, why := f.Apart(held)
	if set < 0 {
		return nil
	}
	return []Trouble{{Kind: ConstraintBroken, Set: set, Detail: why, Since: r.since(ConstraintBroken, set, now)}}
}

// lose marks the slots of lost nodes, restores those of nodes that are back,
// and gives the lost runs.
func (s *Set) lose(f Facts, now time.Time) []RankRun {
	var runs []RankRun
	var edit *editor
	change := func(rank int32, sl Slot) {
		if edit == nil {
			edit = s.edit()
		}
		sl.Updated = now
		edit.slots[rank] = sl
	}
	for _, run := range s.Held() {
		gone := f.Lost(run.Node)
		if gone {
			runs = append(runs, run)
		}
		for rank := run.First; rank < run.First+run.Count; rank++ {
			sl := s.SlotAt(rank)
			switch {
			case gone && sl.State != SlotLost:
				sl.Was, sl.State, sl.KeepUntil = sl.State, SlotLost, time.Time{}
				change(rank, sl)
			case !gone && sl.State == SlotLost:
				sl.State, sl.Was = sl.Was, SlotReserved
				if sl.State == SlotAwaiting { // its time begins again: no successor could come
					sl.KeepUntil = now.Add(f.Grace)
				}
				change(rank, sl)
			}
		}
	}
	if edit != nil {
		edit.done()
	}
	return runs
}
