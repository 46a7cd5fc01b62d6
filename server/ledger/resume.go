package ledger

import (
	"slices"
	"time"
)

// Resumed is the record after the server was down since alive, a time by the
// same wall clock as the record's: what remained then remains now. It gives r
// itself where nothing runs out. Moved so, a time is one of this process's
// monotonic clock: steps of the wall clock while the server was down neither
// lengthen nor shorten it. Nobody's change, it keeps the version.
func (r *Record) Resumed(alive, now time.Time) *Record {
	if r.State.Ended() || alive.IsZero() || now.Equal(alive) || r.Deadline(0).IsZero() {
		return r
	}
	move := func(at time.Time) time.Time {
		if at.IsZero() {
			return at
		}
		return now.Add(at.Sub(alive))
	}
	next := *r
	next.Expires = move(r.Expires)
	next.Sets = slices.Clone(r.Sets)
	for i := range next.Sets {
		next.Sets[i].Slots = slices.Clone(r.Sets[i].Slots)
		for j := range next.Sets[i].Slots {
			sl := &next.Sets[i].Slots[j]
			sl.KeepUntil = move(sl.KeepUntil)
		}
	}
	return &next
}

// Moot says that it can be no news to a record that has ended: pods
// and an owner that are gone. A caller that repeats its last word, because the
// answer was lost, is told what is, not refused.
func (c Confirmation) Moot() bool {
	if c.AllAsPlanned || c.Owner == OwnerActive {
		return false
	}
	return !slices.ContainsFunc(c.Reports, func(r Report) bool { return r.Event == PodBound })
}
