package cluster

import (
	"context"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// writer is Run's goroutine: the one that touches state.
type writer struct {
	c     *Cluster
	s     *state
	ctx   context.Context //nolint:containedctx // Run's, without its end: a commit begun is finished
	timer *time.Timer
	retry time.Time // no timer's work before this: the store failed
	beat  time.Time // the next heartbeat
}

// batch takes o and what waits behind it, and commits it together: many
// decisions, one sync of the store. Reads see what was committed.
func (w *writer) batch(o *op) {
	var writes, reads []*op
	t := w.begin()
	flush := func() {
		w.finish(t, writes)
		for _, r := range reads {
			w.read(r)
		}
		writes, reads, t = writes[:0], reads[:0], w.begin()
	}
	for n := 1; o != nil; n++ {
		switch {
		case o.ctx.Err() != nil: // nobody waits for it
			o.fail(o.ctx.Err())
			close(o.done)
		case o.kind == reading:
			reads = append(reads, o)
		case o.kind == writing:
			t.queued = o.queued
			o.run(t)
			writes = append(writes, o)
		default:
			flush()
			w.tell(o)
			t = w.begin()
		}
		o = nil
		if n < w.c.cfg.Batch {
			select {
			case o = <-w.c.queue:
			default:
			}
		}
	}
	flush()
}

func (w *writer) begin() *tx { return &tx{c: w.c, s: w.s, start: w.s.rev, now: time.Now()} }

// read runs an operation that may try things, and takes them back.
func (w *writer) read(o *op) {
	t := w.begin()
	t.queued = o.queued
	o.run(t)
	t.rollback(0)
	close(o.done)
}

// finish commits and then answers. Where the store fails nothing stays changed,
// and each call that shared the commit is told so: what it saw may be undone.
func (w *writer) finish(t *tx, writes []*op) {
	err := w.commit(t)
	for _, o := range writes {
		if err != nil {
			o.fail(err)
		}
		close(o.done)
	}
}

// commit makes the transaction's changes last, or takes them back.
func (w *writer) commit(t *tx) error {
	if len(t.changes) > 0 {
		if err := w.write(t.changes); err != nil {
			t.rollback(0)
			return err
		}
	}
	if w.s.rev != t.start {
		w.c.gate.set(w.s.rev, w.s.synced)
	}
	return nil
}

func storeFailed(err error) *Error {
	e := fail(StoreFailed, "the ledger could not be written: %v", err)
	e.Err = err
	return e
}

func (c *Cluster) storeSays(err error) {
	c.mu.Lock()
	changed := (err == nil) != (c.storeErr == nil)
	c.storeErr = err
	c.mu.Unlock()
	switch {
	case changed && err != nil:
		c.cfg.Log.Error("the ledger cannot be written: nothing is promised until it can", "error", err)
	case changed:
		c.cfg.Log.Info("the ledger is written again")
	}
}

// tell takes in a source's delta. The graph keeps it whatever the store says;
// what follows from it for placements is tried again until it is written.
func (w *writer) tell(o *op) {
	t := w.begin()
	o.run(t)
	w.c.gate.set(w.s.rev, w.s.synced)
	close(o.done)
	w.settle()
}

// settle writes what became of placements whose nodes or pods changed.
func (w *writer) settle() {
	if !w.s.synced || len(w.s.pending) == 0 {
		return
	}
	t := w.begin()
	done := t.assess()
	if err := w.commit(t); err != nil {
		w.retry = time.Now().Add(probe)
		return
	}
	for _, key := range done {
		delete(w.s.pending, key)
	}
}

// tickSteps bounds the records that one tick ends or removes, so that calls wait
// no longer than for a batch.
const tickSteps = 128

// tick does what is due.
func (w *writer) tick() {
	w.s.loseOverdue(time.Now())
	w.settle()
	t := w.begin()
	for _, place := range w.s.maint.lapsed(t.now, tickSteps) {
		t.putHold(place, nil)
	}
	for range tickSteps {
		if !t.due() {
			break
		}
	}
	if err := w.commit(t); err != nil {
		w.retry = time.Now().Add(probe)
		return
	}
	if !w.beat.After(t.now) {
		w.alive()
	}
}

// arm sets the timer to the next deadline.
func (w *writer) arm() {
	next := w.beat
	for _, at := range []time.Time{w.s.timers.next(), w.s.maint.lapse, w.s.nextLoss()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if w.s.synced && len(w.s.pending) > 0 {
		next = time.Now()
	}
	if next.Before(w.retry) {
		next = w.retry
	}
	w.timer.Reset(max(0, time.Until(next)))
}

// drain answers what still waits: it came before the end.
func (w *writer) drain() {
	for {
		select {
		case o := <-w.c.queue:
			w.batch(o)
		default:
			return
		}
	}
}

// tx is the changes that one commit makes last. It changes the state at once and
// knows the way back.
type tx struct {
	c       *Cluster
	s       *state
	start   ledger.Revision
	now     time.Time
	queued  time.Time // when the operation at work came
	changes []ledger.Change
	undo    []func()
}

// put makes rec the record of its key. ask is its spec in the engine's words.
func (t *tx) put(rec *ledger.Record, ask *ask) {
	t.s.rev.N++
	rec.Revision = t.s.rev
	t.swap(rec.Gang.Key(), rec, ask)
}

// remove forgets a record.
func (t *tx) remove(key ledger.Key) {
	t.s.rev.N++
	t.swap(key, nil, nil)
}

func (t *tx) swap(key ledger.Key, rec *ledger.Record, a *ask) {
	oldRec, oldAsk := t.s.recordOf(key)
	rev := t.s.rev
	rev.N--
	t.s.swap(key, rec, a)
	t.changes = append(t.changes, ledger.Change{Key: key, Record: rec})
	t.undo = append(t.undo, func() {
		t.s.swap(key, oldRec, oldAsk)
		t.s.rev = rev
	})
}

// rollback takes back all but the first n changes.
func (t *tx) rollback(n int) {
	for len(t.undo) > n {
		t.undo[len(t.undo)-1]()
		t.undo = t.undo[:len(t.undo)-1]
	}
	t.changes = t.changes[:n]
}

// due ends or removes the record whose time is up; false where none is.
func (t *tx) due() bool {
	g := t.s.timers.first()
	if g == nil || g.deadline.After(t.now) {
		return false
	}
	if g.rec.State.Ended() {
		t.remove(g.key)
		return true
	}
	next := g.rec.Tick(t.now)
	if next == g.rec {
		return false // its deadline and its rule differ: never spin on it
	}
	t.put(next.Assess(t.s.facts(g.ask), t.now), g.ask)
	return true
}
