package ledger

import (
	"fmt"
	"time"
)

// PodEvent is what became of a pod.
type PodEvent uint8

// The events. PodGone keeps the slot for a successor, PodSucceeded frees it.
const (
	PodBound PodEvent = iota
	PodSucceeded
	PodGone
)

// OwnerState is what became of the job behind a gang.
type OwnerState uint8

// The owner's states. With the last three slots are freed as their pods go.
const (
	OwnerUnknown OwnerState = iota
	OwnerActive
	OwnerSuspended
	OwnerFinished
	OwnerGone
)

// ending says that pods of such an owner have no successor.
func (o OwnerState) ending() bool { return o >= OwnerSuspended }

// Report says what became of one slot's pod.
type Report struct {
	Set     string // may be empty where the gang has one only
	Rank    int32
	PodName string
	PodUID  string
	Node    string // empty = the one planned
	Event   PodEvent
}

// SlotError is a report or a range that does not apply. TakenBy is the uid of
// the pod that the slot is bound to; empty where there is no such slot.
type SlotError struct {
	Index   int    // in the request's list
	Field   string // of that entry
	TakenBy string
	message string
}

// Error says which slot, and why.
func (e *SlotError) Error() string { return e.message }

// Confirmation is what is known of a gang's pods and its owner.
type Confirmation struct {
	Reports      []Report
	AllAsPlanned bool // every slot without a report is bound where it was planned
	Owner        OwnerState
	Grace        time.Duration // how long a dead pod's slot is kept
}

// Confirm takes in what is known of pods. It gives r itself where nothing is
// new, so that a repeat changes nothing; a *SlotError where a report does not
// apply. r must not have ended.
func (r *Record) Confirm(c Confirmation, now time.Time) (*Record, error) {
	next := r.next(now)
	if c.Owner != OwnerUnknown {
		next.Owner = c.Owner
	}
	edits := make([]*editor, len(next.Sets))
	told := map[[2]int32]bool{}
	for i, rep := range c.Reports {
		set, err := r.find(i, rep.Set, rep.Rank)
		if err != nil {
			return nil, err
		}
		if edits[set] == nil {
			edits[set] = next.Sets[set].edit()
		}
		told[[2]int32{int32(set), rep.Rank}] = true
		if err := edits[set].report(i, rep, next.Owner, c.Grace, now); err != nil {
			return nil, err
		}
	}
	for set := range next.Sets {
		if edits[set] == nil {
			edits[set] = next.Sets[set].edit()
		}
		edits[set].rest(func(rank int32) bool { return told[[2]int32{int32(set), rank}] }, c.AllAsPlanned, next.Owner, now)
		edits[set].done()
	}
	next.settle(now)
	return r.unless(next), nil
}

// find resolves a set's name and checks the rank.
func (r *Record) find(index int, name string, rank int32) (int, error) {
	set := -1
	for i := range r.Spec.PodSets {
		if r.Spec.PodSets[i].Name == name || name == "" && len(r.Spec.PodSets) == 1 {
			set = i
		}
	}
	if set < 0 {
		return 0, &SlotError{Index: index, Field: "pod_set", message: fmt.Sprintf("%s has no pod set %q", r.Gang.Key(), name)}
	}
	if n := r.Sets[set].Pods(); rank < 0 || rank >= n {
		return 0, &SlotError{Index: index, Field: "rank", message: fmt.Sprintf("%s has ranks 0 to %d, no rank %d", r.Gang.Key(), n-1, rank)}
	}
	return set, nil
}

// report applies one report to its slot.
func (e *editor) report(index int, rep Report, owner OwnerState, grace time.Duration, now time.Time) error {
	sl := e.at(rep.Rank)
	another := rep.PodUID != "" && sl.PodUID != "" && rep.PodUID != sl.PodUID
	switch {
	case rep.Event == PodBound:
		return e.bound(index, rep, sl, another, now)
	case another || sl.State == SlotEnded:
		return nil // about a pod that the slot has moved on from
	case rep.Event == PodSucceeded || owner.ending():
		sl.State, sl.KeepUntil = SlotEnded, time.Time{}
	case sl.State == SlotLost && sl.Was != SlotReserved && sl.Was != SlotAwaiting:
		sl.Was = SlotAwaiting // its rank may move now
	case sl.State == SlotBound || sl.State == SlotClaimed:
		sl.State, sl.KeepUntil = SlotAwaiting, now.Add(grace)
	default:
		return nil
	}
	sl.Updated = now
	e.slots[rep.Rank] = sl
	return nil
}

func (e *editor) bound(index int, rep Report, sl Slot, another bool, now time.Time) error {
	switch {
	case sl.State == SlotBound && another:
		return &SlotError{Index: index, Field: "pod_uid", TakenBy: sl.PodUID,
			message: fmt.Sprintf("rank %d is bound to pod %s, which has not ended", sl.Rank, sl.PodUID)}
	case sl.State == SlotEnded && !another && sl.PodUID != "":
		return nil // late word of a pod that has ended since
	case sl.State == SlotEnded:
		return &SlotError{Index: index, Field: "rank", message: fmt.Sprintf("rank %d has ended and holds nothing", sl.Rank)}
	}
	was, node := sl, e.node(sl.Rank)
	if rep.PodUID != "" || rep.PodName != "" {
		sl.PodName, sl.PodUID = rep.PodName, rep.PodUID
	}
	sl.KeepUntil = time.Time{}
	if rep.Node != "" && rep.Node != node {
		e.drift(&sl, node, rep.Node)
		sl.State, sl.Was = SlotBound, SlotReserved
	} else if sl.State == SlotLost {
		sl.Was = SlotBound // bound, on a node that is lost
	} else {
		sl.State = SlotBound
	}
	if sl != was {
		sl.Updated = now
		e.slots[sl.Rank] = sl
	}
	return nil
}

// drift lets the slot follow its pod and remembers what was planned first.
func (e *editor) drift(sl *Slot, from, to string) {
	if sl.Planned == "" {
		sl.Planned = from
	}
	if sl.Planned == to {
		sl.Planned = ""
	}
	e.move(sl.Rank, to)
}

// rest settles the slots that no report spoke of.
func (e *editor) rest(told func(int32) bool, asPlanned bool, owner OwnerState, now time.Time) {
	if !asPlanned && !owner.ending() {
		return
	}
	for rank := range e.set.Pods() {
		if told(rank) {
			continue
		}
		sl := e.at(rank)
		idle := sl.State == SlotReserved || sl.State == SlotAwaiting || sl.State == SlotClaimed
		switch {
		case idle && asPlanned:
			sl.State = SlotBound
		case owner.ending() && (idle || sl.State == SlotLost && sl.Was != SlotBound):
			sl.State = SlotEnded
		default:
			continue
		}
		sl.Updated, sl.KeepUntil = now, time.Time{}
		e.slots[rank] = sl
	}
}
