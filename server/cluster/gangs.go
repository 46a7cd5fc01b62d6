package cluster

import (
	"slices"
	"time"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// ask is a spec in the engine's words.
type ask struct {
	gang placer.Gang
}

// gang is a record in force and what the state keeps beside it.
type gang struct {
	key      ledger.Key
	rec      *ledger.Record
	ask      *ask
	held     [][]ledger.RankRun // per pod set, what holds capacity
	deadline time.Time          // zero = none
	timer    int                // place among the timers; -1 = none
}

func (s *state) recordOf(key ledger.Key) (*ledger.Record, *ask) {
	if g := s.gangs[key]; g != nil {
		return g.rec, g.ask
	}
	return nil, nil
}

// swap makes rec the record of key, nil for none, and brings all that hangs on
// it along: holds, pods in slots, timers, order, counts. It is its own inverse.
func (s *state) swap(key ledger.Key, rec *ledger.Record, a *ask) {
	g := s.gangs[key]
	if g == nil {
		g = &gang{key: key, timer: -1}
		s.gangs[key] = g
		s.order.insert(key)
	} else {
		s.byState[g.rec.State]--
	}
	old, oldAsk := g.rec, g.ask
	g.rec, g.ask = rec, a
	s.rehold(g, oldAsk)
	s.reslot(old, rec)
	if rec == nil {
		delete(s.gangs, key)
		s.order.remove(key)
		s.timers.set(g, time.Time{})
		return
	}
	s.byState[rec.State]++
	s.timers.set(g, rec.Deadline(s.cfg.KeepEnded))
}

// rehold moves the capacity that the gang holds to where its record now says.
func (s *state) rehold(g *gang, oldAsk *ask) {
	var held [][]ledger.RankRun
	if g.rec != nil && !g.rec.State.Ended() {
		held = make([][]ledger.RankRun, len(g.rec.Sets))
		for i := range g.rec.Sets {
			held[i] = g.rec.Sets[i].Held()
		}
	}
	if g.ask == oldAsk && slices.EqualFunc(held, g.held, slices.Equal[[]ledger.RankRun]) {
		return
	}
	for i, runs := range g.held {
		s.drop(g, &oldAsk.gang.PodSets[i], i, runs)
	}
	for i, runs := range held {
		s.take(g, &g.ask.gang.PodSets[i], i, runs)
	}
	g.held = held
}

// hold is a run of ranks on a machine.
type hold struct {
	gang *gang
	set  int
	run  ledger.RankRun
}

func (s *state) take(g *gang, ps *placer.PodSet, set int, runs []ledger.RankRun) {
	seats := s.seats[:0]
	for _, run := range runs {
		m := s.machine(run.Node)
		m.holds = append(m.holds, hold{g, set, run})
		s.addHeld(m, ps, run.Count)
		if m.node != nil {
			seats = append(seats, placer.Seat{Node: m.id, Pods: run.Count})
			s.share(m)
		}
	}
	s.engine.Hold(ps, seats)
	s.seats = seats
}

func (s *state) drop(g *gang, ps *placer.PodSet, set int, runs []ledger.RankRun) {
	seats := s.seats[:0]
	for _, run := range runs {
		m := s.machine(run.Node)
		i := slices.Index(m.holds, hold{g, set, run})
		m.holds = slices.Delete(m.holds, i, i+1)
		s.addHeld(m, ps, -run.Count)
		if m.node != nil {
			seats = append(seats, placer.Seat{Node: m.id, Pods: run.Count})
			s.share(m)
		}
		s.forget(m)
	}
	s.engine.Release(ps, seats)
	s.seats = seats
}

// restore takes in a record of the ledger at the start. A constraint on a layer
// that the scheme does not have any more holds capacity all the same.
func (s *state) restore(rec *ledger.Record) {
	s.swap(rec.Gang.Key(), rec, s.askOf(rec.Spec))
	s.pending[rec.Gang.Key()] = nil
}
