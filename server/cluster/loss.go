package cluster

import (
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// unready is a node that stopped being ready, and when that was seen. All wait
// for the same time, so that the list stays in the order of their deadlines.
type unready struct {
	m     *machine
	since time.Time
}

// watchReady notes when a node stops being ready: after node_loss_after without
// a break it is lost. The source's own clock is not believed. Since a restart
// forgets when it was, a node that the ledger calls lost stays so until it is
// ready.
func (s *state) watchReady(m *machine, now time.Time) {
	switch {
	case m.node.Ready:
		m.unready, m.overdue = time.Time{}, false
		delete(s.lostBefore, m.name)
	case m.unready.IsZero():
		m.unready, m.overdue = now, s.lostBefore[m.name]
		s.waiting = append(s.waiting, unready{m, now})
	}
}

// loseOverdue calls nodes lost that have not been ready for too long.
func (s *state) loseOverdue(now time.Time) {
	for len(s.waiting) > 0 && !s.waiting[0].since.Add(s.cfg.NodeLossAfter).After(now) {
		w := s.waiting[0]
		s.waiting = s.waiting[1:]
		if w.m.node != nil && w.m.unready.Equal(w.since) && !w.m.overdue {
			w.m.overdue = true
			s.markHolders(w.m)
		}
	}
}

// nextLoss is when loseOverdue has something to look at; zero for never.
func (s *state) nextLoss() time.Time {
	if len(s.waiting) == 0 {
		return time.Time{}
	}
	return s.waiting[0].since.Add(s.cfg.NodeLossAfter)
}

// sawLost remembers which nodes a stored record calls lost.
func (s *state) sawLost(rec *ledger.Record) {
	for i := range rec.Sets {
		for _, sl := range rec.Sets[i].Slots {
			if sl.State == ledger.SlotLost {
				s.lostBefore[rec.Sets[i].NodeOf(sl.Rank)] = true
			}
		}
	}
}

// reborn tells the slots on a node that is another machine under the same name:
// what ran there is gone, unless the source still shows the pod.
func (s *state) reborn(m *machine) {
	before, uid := m.uid, m.node.UID
	if uid == "" {
		return
	}
	m.uid = uid
	if before == "" || before == uid {
		return
	}
	for _, h := range m.holds {
		set := &h.gang.rec.Sets[h.set]
		for rank := h.run.First; rank < h.run.First+h.run.Count; rank++ {
			sl := set.SlotAt(rank)
			if sl.State != ledger.SlotBound && (sl.State != ledger.SlotLost || sl.Was != ledger.SlotBound) || s.shown(h.gang.key, &sl) {
				continue
			}
			s.mark(h.gang.key, ledger.Report{
				Set: h.gang.rec.Spec.PodSets[h.set].Name, Rank: rank, PodUID: sl.PodUID, Event: ledger.PodGone,
			})
		}
	}
}

// shown says that the source shows the slot's pod.
func (s *state) shown(key ledger.Key, sl *ledger.Slot) bool {
	if sl.PodUID != "" {
		return s.podByUID[sl.PodUID] != nil
	}
	return sl.PodName != "" && s.pods[key.Namespace+"/"+sl.PodName] != nil
}
