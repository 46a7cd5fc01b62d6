package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// The model is semantics 19 and 20 again, in the plainest words: one gang, a
// list of slots, and events taken one by one in the order of their time.

// mSlot is one rank. Lost is not kept but follows from the node.
type mSlot struct {
	state ledger.SlotState // reserved, bound, awaiting or ended
	node  string
	pod   string
	keep  time.Time
}

type mNode struct {
	Node
	since   time.Time // not ready since
	overdue bool
	known   string // the uid that the server has seen
}

type model struct {
	now     time.Time
	nodes   map[string]*mNode
	gone    map[string]string // removed nodes: the uid last seen
	exists  bool
	uid     string
	earlier []string
	ended   ledger.State
	endedAt time.Time
	slots   []mSlot
	whole   bool
	overdue bool
	owner   ledger.OwnerState
	expires time.Time
	ttl     time.Duration
}

func (m *model) lost(node string) bool {
	n := m.nodes[node]
	return n == nil || n.overdue || len(n.Taints) > 0 || n.Provider != ""
}

func (m *model) slotLost(i int) bool {
	return m.slots[i].state != ledger.SlotEnded && m.lost(m.slots[i].node)
}

// state is the placement's, from its slots.
func (m *model) state() ledger.State {
	switch {
	case !m.exists:
		return ledger.NoState
	case m.ended != 0:
		return m.ended
	}
	for i := range m.slots {
		if m.slotLost(i) {
			return ledger.Degraded
		}
	}
	if m.whole {
		return ledger.Bound
	}
	return ledger.Reserved
}

// running counts pods, and seats that a dead pod's successor may still take.
func (m *model) running() (n int) {
	for i, s := range m.slots {
		if s.state == ledger.SlotBound || s.state == ledger.SlotAwaiting && !m.slotLost(i) {
			n++
		}
	}
	return n
}

// settle draws the conclusions that follow every change.
func (m *model) settle() {
	if !m.exists || m.ended != 0 {
		return
	}
	bound, left := 0, 0
	for i, s := range m.slots {
		if s.state == ledger.SlotBound && !m.slotLost(i) {
			bound++
		}
		if s.state != ledger.SlotEnded {
			left++
		}
	}
	if left == 0 {
		state := ledger.Expired
		if m.owner == ledger.OwnerGone {
			state = ledger.Released
		}
		m.end(state)
		return
	}
	if bound >= left {
		m.whole = true
	}
	if m.whole {
		m.expires, m.overdue = time.Time{}, false
	}
}

func (m *model) end(s ledger.State) {
	m.ended, m.endedAt, m.expires, m.overdue = s, m.now, time.Time{}, false
}

// event is something that falls due; those of one moment go by their order.
type event struct {
	at    time.Time
	order int
	do    func()
}

// advance takes what falls due until now, one by one.
func (m *model) advance(now time.Time) {
	for {
		due := slices.DeleteFunc(m.events(), func(e event) bool { return e.at.IsZero() || e.at.After(now) })
		if len(due) == 0 {
			m.now = now
			return
		}
		first := slices.MinFunc(due, func(a, b event) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.order, b.order)) })
		if first.at.After(m.now) {
			m.now = first.at
		}
		first.do()
		m.settle()
	}
}

func (m *model) events() (list []event) {
	for _, name := range sortedKeys(m.nodes) {
		if n := m.nodes[name]; !n.Ready && !n.overdue {
			list = append(list, event{n.since.Add(5 * time.Minute), 0, func() { m.change(name, func() { n.overdue = true }) }})
		}
	}
	switch {
	case !m.exists:
	case m.ended != 0:
		list = append(list, event{m.endedAt.Add(24 * time.Hour), 3, func() { m.exists = false }})
	default:
		for i := range m.slots {
			s := &m.slots[i]
			list = append(list, event{s.keep, 1, func() { s.state, s.keep = ledger.SlotEnded, time.Time{} }})
		}
		list = append(list, event{m.expires, 2, m.lapse})
	}
	return list
}

// lapse is the end of the reservation's time: half a gang is kept.
func (m *model) lapse() {
	m.expires = time.Time{}
	if m.running() == 0 {
		m.end(ledger.Expired)
		return
	}
	m.overdue = true
}

// change changes a node and what follows for slots on it: a seat waits for a
// successor anew once its node is back.
func (m *model) change(name string, f func()) {
	was := m.lost(name)
	f()
	is := m.lost(name)
	for i := range m.slots {
		s := &m.slots[i]
		if !m.exists || m.ended != 0 || s.node != name || s.state != ledger.SlotAwaiting || was == is {
			continue
		}
		s.keep = time.Time{}
		if !is {
			s.keep = m.now.Add(10 * time.Minute)
		}
	}
	m.settle()
}

// podGone is a pod that ended without success.
func (m *model) podGone(i int) {
	s := &m.slots[i]
	switch {
	case s.state == ledger.SlotEnded:
	case m.owner >= ledger.OwnerSuspended:
		s.state, s.keep = ledger.SlotEnded, time.Time{}
	case s.state == ledger.SlotBound:
		s.state = ledger.SlotAwaiting
		if !m.slotLost(i) {
			s.keep = m.now.Add(10 * time.Minute)
		}
	}
}

// confirm takes a report, or everything as planned; the reason is the failure.
func (m *model) confirm(req ConfirmRequest) Reason {
	if r := m.endedReason(); r != "" {
		bound := req.AllAsPlanned || req.Owner == ledger.OwnerActive ||
			slices.ContainsFunc(req.Slots, func(s ledger.Report) bool { return s.Event == ledger.PodBound })
		if m.exists && !bound {
			return "<nil>"
		}
		return r
	}
	old := slices.Clone(m.slots)
	was := m.owner
	if req.Owner != ledger.OwnerUnknown {
		m.owner = req.Owner
	}
	told := map[int]bool{}
	for _, r := range req.Slots {
		told[int(r.Rank)] = true
		if why := m.report(r); why != "" {
			m.slots, m.owner = old, was
			return why
		}
	}
	for i := range m.slots {
		s := &m.slots[i]
		idle := (s.state == ledger.SlotReserved || s.state == ledger.SlotAwaiting) && !told[i]
		switch {
		case idle && req.AllAsPlanned && !m.slotLost(i):
			s.state, s.keep = ledger.SlotBound, time.Time{}
		case idle && m.owner >= ledger.OwnerSuspended:
			s.state, s.keep = ledger.SlotEnded, time.Time{}
		}
	}
	m.settle()
	return "<nil>"
}

func (m *model) report(r ledger.Report) Reason {
	s := &m.slots[r.Rank]
	another := s.pod != "" && s.pod != r.PodUID
	switch {
	case r.Event == ledger.PodBound && s.state == ledger.SlotEnded && s.pod == r.PodUID:
	case r.Event == ledger.PodBound && s.state == ledger.SlotEnded:
		return SlotNotFound
	case r.Event == ledger.PodBound && s.state == ledger.SlotBound && another && !m.slotLost(int(r.Rank)):
		return SlotTaken
	case r.Event == ledger.PodBound:
		s.state, s.pod, s.keep = ledger.SlotBound, r.PodUID, time.Time{}
		if r.Node != "" {
			s.node = r.Node
		}
	case another:
	case r.Event == ledger.PodSucceeded:
		s.state, s.keep = ledger.SlotEnded, time.Time{}
	default:
		m.podGone(int(r.Rank))
	}
	return ""
}

// endedReason is why calls about a live placement fail; empty where it lives.
func (m *model) endedReason() Reason {
	switch {
	case !m.exists:
		return PlacementNotFound
	case m.ended == ledger.Released:
		return GangReleased
	case m.ended == ledger.Expired:
		return GangExpired
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// text is all that is compared.
func (m *model) text() string {
	if !m.exists {
		return "none"
	}
	s := fmt.Sprintf("%s %s", m.state(), m.uid)
	if m.ended != 0 {
		return s
	}
	for i, sl := range m.slots {
		word := stateWords[sl.state]
		if m.slotLost(i) {
			word = "lost"
		}
		s += fmt.Sprintf(" %s:%s:%s%s", sl.node, word, sl.pod, left(sl.keep, m.now, word))
	}
	if m.overdue {
		s += " overdue"
	}
	return s + left(m.expires, m.now, "")
}

var stateWords = [...]string{"reserved", "claimed", "bound", "awaiting", "lost", "ended"}

func left(at, now time.Time, word string) string {
	if at.IsZero() || word == "lost" || word == "ended" {
		return ""
	}
	return " " + at.Sub(now).String()
}

// recordText is a record in the model's words.
func recordText(rec *ledger.Record, now time.Time) string {
	s := fmt.Sprintf("%s %s", rec.State, rec.Gang.UID)
	if rec.State.Ended() {
		return s
	}
	for rank := range rec.Sets[0].Pods() {
		sl := rec.Sets[0].SlotAt(rank)
		word := stateWords[sl.State]
		s += fmt.Sprintf(" %s:%s:%s%s", rec.Sets[0].NodeOf(rank), word, sl.PodUID, left(sl.KeepUntil, now, word))
	}
	for _, t := range rec.Troubles {
		if t.Kind == ledger.Overdue {
			s += " overdue"
		}
	}
	return s + left(rec.Expires, now, "")
}
