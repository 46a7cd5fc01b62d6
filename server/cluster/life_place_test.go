package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// place asks for the gang under one of its uids and compares what comes of it:
// semantics 18.
func (l *life) place(s step) string {
	m, uid := l.m, l.m.uid
	switch s.what {
	case "place":
		uid = ""
	case "place new":
		l.fresh++
		uid = fmt.Sprintf("u%d", l.fresh)
	case "place old":
		if len(m.earlier) == 0 {
			return ""
		}
		uid = m.earlier[s.rank%len(m.earlier)]
	}
	req := gpus("g", uid, 3, "")
	req.TTL = s.wait
	res, err := l.c.PlaceGang(context.Background(), req)
	want := l.meaning(uid)
	switch want {
	case GangReleased, GangReplaced:
		return differs(want, err)
	}
	if err != nil {
		return err.Error()
	}
	got := Reason("refused")
	switch {
	case res.Placement != nil && res.Existing:
		got = "existing"
	case res.Placement != nil:
		got = "decided"
	}
	switch {
	case want == "existing" && got == "existing":
	case want == "inherits" && got == "existing":
		m.remember()
		m.uid, m.whole, m.owner, m.overdue = uid, false, ledger.OwnerUnknown, false
		m.ttl, m.expires = s.wait, m.now.Add(s.wait)
		for i := range m.slots {
			m.slots[i].state, m.slots[i].keep = ledger.SlotReserved, time.Time{}
		}
	case want != "existing" && want != "inherits" && got == "decided":
		l.decided(uid, want, res, s.wait)
	case want == "replaces" && got == "refused":
		m.end(ledger.Released)
	case want == "anew" && got == "refused": // nothing has changed
	default:
		return fmt.Sprintf("it was %s, the model says %s", got, want)
	}
	return ""
}

// meaning is what asking under this uid means.
func (l *life) meaning(uid string) Reason {
	m := l.m
	current := uid == "" || uid == m.uid
	switch {
	case !m.exists:
		return "anew"
	case current && m.ended == ledger.Expired:
		return "anew"
	case current && m.ended == ledger.Released:
		return GangReleased
	case current && m.state() == ledger.Degraded && m.running() == 0:
		return "anew"
	case current:
		return "existing"
	case slices.Contains(m.earlier, uid):
		return GangReplaced
	case m.ended != 0:
		return "anew"
	}
	for i, s := range m.slots {
		if s.state == ledger.SlotEnded || m.slotLost(i) {
			return "replaces"
		}
	}
	return "inherits"
}

func (m *model) remember() {
	if m.uid != "" {
		m.earlier = append(m.earlier, m.uid)
	}
}

// decided takes over the nodes that the server chose; that they are good ones is
// the recount's matter.
func (l *life) decided(uid string, want Reason, res *PlaceResult, ttl time.Duration) {
	m := l.m
	if !m.exists {
		m.uid, m.earlier = uid, nil
	} else if uid != "" && uid != m.uid {
		m.remember()
		m.uid = uid
	}
	m.exists, m.ended, m.whole, m.overdue, m.owner = true, 0, false, false, ledger.OwnerUnknown
	m.ttl, m.expires, m.slots = ttl, m.now.Add(ttl), nil
	for _, r := range res.Placement.Sets[0].Ranks {
		for range r.Count {
			m.slots = append(m.slots, mSlot{node: r.Node})
		}
	}
	if want == "replaces" || want == "anew" {
		m.settle()
	}
}
