package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Reseating is what a repair or a resize gives to a record.
type Reseating struct {
	Spec  *Spec      // what is asked from now on, Normal; nil = as before
	Nodes [][]string // per pod set, the node of every rank from 0
	// Anew says that the whole gang was decided again: nothing of it is bound.
	Anew     bool
	Decision Decision
}

// Reseat gives each rank the node named for it. A rank that stays keeps its slot
// as it is; one that moves waits for a new pod, and remembers where it came from;
// ranks beyond the lists are gone. Qualities are the caller's to measure. r must
// not have ended.
func (r *Record) Reseat(to Reseating, now time.Time) *Record {
	next := r.next(now)
	next.Decision = to.Decision
	if to.Spec != nil {
		next.respec(*to.Spec)
	}
	for i := range next.Sets {
		next.Sets[i].reseat(to.Nodes[i], to.Anew, now)
	}
	if to.Anew {
		next.Whole, next.Troubles = false, nil
		next.Created, next.Expires = now, now.Add(next.TTL)
	}
	next.settle(now)
	return next
}

// respec changes what is asked and keeps what was asked first beside it.
func (r *Record) respec(spec Spec) {
	print := spec.Fingerprint()
	switch {
	case print == r.Fingerprint:
		return
	case r.Original == nil:
		first := r.Spec
		r.Original, r.OriginalFingerprint = &first, r.Fingerprint
	case print == r.OriginalFingerprint:
		r.Original, r.OriginalFingerprint = nil, ""
	}
	r.Spec, r.Fingerprint = spec, print
}

// Matches says whether a request with this fingerprint asks for what the record
// holds: as it is, or as it was before it was resized.
func (r *Record) Matches(fingerprint string) bool {
	return fingerprint == r.Fingerprint || r.Original != nil && fingerprint == r.OriginalFingerprint
}

func (s *Set) reseat(nodes []string, anew bool, now time.Time) {
	was, before := *s, s.Nodes()
	s.Runs, s.Slots = nil, nil
	for _, sl := range was.Slots {
		if int(sl.Rank) < len(nodes) && !anew && before[sl.Rank] == nodes[sl.Rank] {
			s.Slots = append(s.Slots, sl)
		}
	}
	for rank, node := range nodes {
		if n := len(s.Runs); n > 0 && s.Runs[n-1].Node == node {
			s.Runs[n-1].Pods++
		} else {
			s.Runs = append(s.Runs, Run{node, 1})
		}
		if rank < len(before) && before[rank] != node {
			s.Slots = append(s.Slots, moved(was.SlotAt(int32(rank)), before[rank], now))
		}
	}
	slices.SortFunc(s.Slots, func(a, b Slot) int { return int(a.Rank) - int(b.Rank) })
}

// Nodes lists the node of each rank.
func (s *Set) Nodes() []string {
	nodes := make([]string, 0, s.Pods())
	for _, r := range s.Runs {
		for range r.Pods {
			nodes = append(nodes, r.Node)
		}
	}
	return nodes
}

// moved is a rank's slot on its new node: a rank that has ended stays so.
func moved(was Slot, from string, now time.Time) Slot {
	sl := Slot{Rank: was.Rank, From: from, Updated: now}
	if was.State == SlotEnded {
		sl.State = SlotEnded
	}
	return sl
}

// LastBound is the last rank of a set that a pod runs in, is promised to, or is
// awaited in on a node that is there; -1 for none.
func (r *Record) LastBound(set int) int32 {
	for i := len(r.Sets[set].Slots) - 1; i >= 0; i-- {
		if sl := &r.Sets[set].Slots[i]; sl.Occupied() {
			return sl.Rank
		}
	}
	return -1
}

// Occupied says that a pod runs in the slot, is promised it, or is awaited there.
func (s *Slot) Occupied() bool {
	return s.State == SlotClaimed || s.State == SlotBound || s.State == SlotAwaiting
}

// Locate resolves ranks named in a request: the set's index, the first rank and
// the last. index is their place in the request, for the *SlotError.
func (r *Record) Locate(index int, ranks Ranks) (set int, first, last int32, err error) {
	first, last = ranks.First, ranks.First+max(ranks.Count, 1)-1
	if set, err = r.find(index, ranks.Set, first); err != nil {
		return 0, 0, 0, err
	}
	if _, err = r.find(index, ranks.Set, last); err != nil {
		return 0, 0, 0, err
	}
	return set, first, last, nil
}

// SetNamed is the index of a pod set; the empty name is the only one's.
func (r *Record) SetNamed(name string) (int, error) {
	for i := range r.Spec.PodSets {
		if r.Spec.PodSets[i].Name == name || name == "" && len(r.Spec.PodSets) == 1 {
			return i, nil
		}
	}
	names := make([]string, len(r.Spec.PodSets))
	for i := range names {
		names[i] = r.Spec.PodSets[i].Name
	}
	if name == "" {
		return 0, fmt.Errorf("%s has several pod sets; name one of %s", r.Gang.Key(), strings.Join(names, ", "))
	}
	return 0, fmt.Errorf("%s has no pod set %q; it has %s", r.Gang.Key(), name, strings.Join(names, ", "))
}
