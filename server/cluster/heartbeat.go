package cluster

import (
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// heartbeat is how often the store hears that the server is alive: by so much
// may a restart lengthen what remains of a reservation.
const heartbeat = 10 * time.Second

// probe is how soon a store that failed is tried again.
const probe = time.Second

// write has the store make changes last. The first write after a start, and
// none before it, makes the moved deadlines last too: were a heartbeat written
// without them, a second restart would take the down time off what remains.
func (w *writer) write(changes []ledger.Change) error {
	all := changes
	if len(w.s.moved) > 0 {
		all = make([]ledger.Change, 0, len(w.s.moved)+len(changes))
		for _, key := range w.s.moved {
			if g := w.s.gangs[key]; g != nil {
				all = append(all, ledger.Change{Key: key, Record: g.rec})
			}
		}
		all = append(all, changes...)
	}
	began := time.Now()
	err := w.c.cfg.Store.Commit(w.ctx, all)
	if w.c.cfg.Observer != nil && (len(all) > 0 || err != nil) {
		w.c.cfg.Observer.Committed(Committed{Records: len(all), Took: time.Since(began), Err: err})
	}
	w.c.storeSays(err)
	w.beat = began.Add(heartbeat)
	if err != nil {
		w.beat = began.Add(probe)
		return storeFailed(err)
	}
	w.s.moved = nil
	return nil
}

// alive tells the store that the server is. A failure is told by Writes and
// tried again.
func (w *writer) alive() { _ = w.write(nil) }

// resume takes in the ledger at the start: records, with what remained when the
// server was last alive, and holds.
func (s *state) resume(records []*ledger.Record, start ledger.Start, now time.Time) {
	s.rev = ledger.Revision{Epoch: start.Epoch, N: 1}
	for _, h := range start.Holds {
		s.maint.set(h.Place.Key(), h)
	}
	for _, rec := range records {
		moved := rec.Resumed(start.Heartbeat, now)
		if moved != rec {
			s.moved = append(s.moved, rec.Gang.Key())
		}
		s.restore(moved)
		s.sawLost(moved)
	}
}
