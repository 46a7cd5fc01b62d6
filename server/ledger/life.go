package ledger

import (
	"reflect"
	"slices"
	"time"
)

// maxEarlier bounds the incarnations that a record remembers.
const maxEarlier = 16

// Placed is what a decision gives to a new record.
type Placed struct {
	Gang     Gang
	Earlier  []string
	Spec     Spec  // Normal
	Original *Spec // what was asked before a resize; nil where none was made
	Sets     []Set
	Policy   Policy
	Priority int32
	By       string // who chose the nodes
	Quality  Quality
	Decision Decision
	TTL      time.Duration
}

// New is the record of a decision: RESERVED, until its TTL lapses.
func New(p Placed, now time.Time) *Record {
	r := &Record{
		Gang: p.Gang, Earlier: p.Earlier, Spec: p.Spec, Fingerprint: p.Spec.Fingerprint(),
		State: Reserved, Sets: p.Sets, Priority: p.Priority, PlacedBy: p.By, Policy: p.Policy,
		Quality: p.Quality, Decision: p.Decision, TTL: p.TTL,
		Created: now, Updated: now, Expires: now.Add(p.TTL), Version: 1,
	}
	if p.Original != nil {
		r.Original, r.OriginalFingerprint = p.Original, p.Original.Fingerprint()
	}
	return r
}

// next is a copy to be changed: the record's own fields and the list of sets,
// not what sets point to.
func (r *Record) next(now time.Time) *Record {
	n := *r
	n.Sets = slices.Clone(r.Sets)
	n.Updated = now
	n.Version++
	return &n
}

// unless gives r back where next differs in nothing but its stamp.
func (r *Record) unless(next *Record) *Record {
	same := *next
	same.Updated, same.Version = r.Updated, r.Version
	for i := range same.Sets {
		if len(same.Sets[i].Slots) == 0 && len(r.Sets[i].Slots) == 0 {
			same.Sets[i].Slots = r.Sets[i].Slots
		}
	}
	if reflect.DeepEqual(r, &same) {
		return r
	}
	return next
}

// Renew moves the expiry to ttl from now; 0 is the TTL it was placed with. It
// gives r itself where nothing can lapse. r must not have ended.
func (r *Record) Renew(ttl time.Duration, now time.Time) *Record {
	if r.Whole {
		return r
	}
	next := r.next(now)
	if ttl > 0 {
		next.TTL = ttl
	}
	next.Expires = now.Add(next.TTL)
	next.Troubles = next.without(Overdue)
	return next
}

// Ranks names consecutive ranks of a pod set.
type Ranks struct {
	Set   string // may be empty where the gang has one only
	First int32
	Count int32 // 0 = 1
}

// Release gives ranks back, all of them where none are named; the placement is
// RELEASED once nothing is left. It gives r itself where all that is done
// already, a *SlotError where ranks are not there.
func (r *Record) Release(ranks []Ranks, now time.Time) (*Record, error) {
	if r.State.Ended() {
		return r, nil
	}
	if len(ranks) == 0 {
		return r.end(Released, now), nil
	}
	next := r.next(now)
	for i, rr := range ranks {
		last := rr.First + max(rr.Count, 1) - 1
		set, err := r.find(i, rr.Set, rr.First)
		if err == nil {
			_, err = r.find(i, rr.Set, last)
		}
		if err != nil {
			return nil, err
		}
		edit := next.Sets[set].edit()
		for rank := rr.First; rank <= last; rank++ {
			if sl := edit.at(rank); sl.State != SlotEnded {
				sl.State, sl.Updated, sl.KeepUntil = SlotEnded, now, time.Time{}
				edit.slots[rank] = sl
			}
		}
		edit.done()
	}
	if next.allEnded() {
		return r.end(Released, now), nil
	}
	next.settle(now)
	return r.unless(next), nil
}

// end closes the record. Slots stay as they were, to be looked at.
func (r *Record) end(state State, now time.Time) *Record {
	next := r.next(now)
	next.State, next.Ended = state, now
	next.Expires, next.Troubles = time.Time{}, nil
	return next
}

// Deadline is when Tick has something to do; zero for never. keep is how long
// ended records are kept.
func (r *Record) Deadline(keep time.Duration) time.Time {
	if r.State.Ended() {
		return r.Ended.Add(keep)
	}
	at := r.Expires
	for _, set := range r.Sets {
		for i := range set.Slots {
			if k := set.Slots[i].KeepUntil; !k.IsZero() && (at.IsZero() || k.Before(at)) {
				at = k
			}
		}
	}
	return at
}

// Tick does what is due: slots whose successor did not come end; a reservation
// that lapsed ends where nothing is bound, else it is kept and flagged
// OVERDUE: half a gang is never dropped. It gives r itself where nothing is due.
func (r *Record) Tick(now time.Time) *Record {
	if r.State.Ended() {
		return r
	}
	next := r.next(now)
	bound := int32(0)
	for i := range next.Sets {
		edit := next.Sets[i].edit()
		for rank, sl := range edit.slots {
			if !sl.KeepUntil.IsZero() && !sl.KeepUntil.After(now) {
				sl.State, sl.Updated, sl.KeepUntil = SlotEnded, now, time.Time{}
				edit.slots[rank] = sl
			}
		}
		edit.done()
		bound += next.Sets[i].running()
	}
	if !r.Expires.IsZero() && !r.Expires.After(now) {
		if bound == 0 {
			return r.end(Expired, now)
		}
		next.Expires = time.Time{}
		next.Troubles = append(next.without(Overdue), Trouble{Kind: Overdue, Set: -1, Since: now,
			Detail: "the reservation lapsed with some pods bound; the rest is kept"})
	}
	next.settle(now)
	return r.unless(next)
}

// running is how many slots have a pod or wait for a dead one's successor.
func (s *Set) running() int32 {
	n := s.count(SlotBound) + s.count(SlotAwaiting)
	for i := range s.Slots {
		if was := s.Slots[i].Was; s.Slots[i].State == SlotLost && was != SlotReserved && was != SlotAwaiting {
			n++ // no successor can come to a lost node
		}
	}
	return n
}

// Running is how many slots have a pod, or wait for a dead one's successor.
func (r *Record) Running() int32 {
	n := int32(0)
	for i := range r.Sets {
		n += r.Sets[i].running()
	}
	return n
}

// Inherit is the record of a new incarnation that asks for the same: it keeps
// the seats, bound by nobody. Pods of the old one go on counting inside their
// slots until the new one's take them. ok is false where slots have ended, so
// that the gang must be decided anew.
func (r *Record) Inherit(uid string, priority int32, ttl time.Duration, now time.Time) (next *Record, ok bool) {
	for i := range r.Sets {
		if r.Sets[i].count(SlotEnded)+r.Sets[i].count(SlotLost) > 0 {
			return nil, false
		}
	}
	next = r.next(now)
	next.Gang.UID, next.Earlier = uid, r.Remembered()
	next.State, next.Whole, next.Owner, next.Troubles = Reserved, false, OwnerUnknown, nil
	next.Priority, next.TTL = priority, ttl
	next.Created, next.Expires = now, now.Add(ttl)
	for i := range next.Sets {
		edit := next.Sets[i].edit()
		for rank, sl := range edit.slots {
			sl.State, sl.Updated, sl.KeepUntil, sl.Planned = SlotReserved, now, time.Time{}, ""
			edit.slots[rank] = sl
		}
		edit.done()
	}
	return next, true
}

// Remembered is Earlier with the current incarnation, bounded.
func (r *Record) Remembered() []string {
	if r.Gang.UID == "" {
		return r.Earlier
	}
	list := append(slices.Clone(r.Earlier), r.Gang.UID)
	return list[max(0, len(list)-maxEarlier):]
}
