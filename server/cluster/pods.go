package cluster

import (
	"maps"

	"github.com/hopwise/hopwise/server/ledger"
)

// pod is a bound pod as a source shows it.
type pod struct {
	Pod
	counted bool // among its node's usage: it is in no slot
}

func podKey(p *Pod) string { return p.Namespace + "/" + p.Name }

// slotRef is a slot that a pod fills.
type slotRef struct {
	gang ledger.Key
	set  int
	rank int32
}

// slotOf finds the slot that a pod fills: by uid, else by the name of a slot
// whose pod has no uid or the same.
func (s *state) slotOf(p *Pod) (slotRef, bool) {
	if ref, ok := s.slotUIDs[p.UID]; ok && p.UID != "" {
		return ref, true
	}
	ref, ok := s.slotPods[podKey(p)]
	return ref, ok
}

// upsertPod adds or changes a pod; false where it is as it was.
func (s *state) upsertPod(in *Pod) bool {
	key := podKey(in)
	old := s.pods[key]
	if old != nil && samePod(&old.Pod, in) {
		return false
	}
	if old != nil {
		s.uncount(old)
		delete(s.podByUID, old.UID)
		if old.UID != in.UID {
			s.reportGone(&old.Pod)
		}
	}
	p := &pod{Pod: *in}
	s.pods[key] = p
	if p.UID != "" {
		s.podByUID[p.UID] = p
	}
	s.recount(p)
	if ref, ok := s.slotOf(in); ok {
		s.follow(ref, in)
	}
	return true
}

func (s *state) removePod(key string) bool {
	p := s.pods[key]
	if p == nil {
		return false
	}
	s.uncount(p)
	delete(s.pods, key)
	delete(s.podByUID, p.UID)
	s.reportGone(&p.Pod)
	return true
}

func samePod(a, b *Pod) bool {
	return a.Namespace == b.Namespace && a.Name == b.Name && a.UID == b.UID && a.Node == b.Node &&
		a.Static == b.Static && maps.Equal(a.Requests, b.Requests)
}

// reportGone tells the slot that the pod filled.
func (s *state) reportGone(p *Pod) {
	if ref, ok := s.slotOf(p); ok {
		set := s.gangs[ref.gang].rec.Spec.PodSets[ref.set].Name
		s.mark(ref.gang, ledger.Report{Set: set, Rank: ref.rank, PodUID: p.UID, Event: ledger.PodGone})
	}
}

// follow tells the slot where its pod is, where that is news.
func (s *state) follow(ref slotRef, p *Pod) {
	rec := s.gangs[ref.gang].rec
	set := &rec.Sets[ref.set]
	sl := set.SlotAt(ref.rank)
	moved := set.NodeOf(ref.rank) != p.Node
	if sl.State == ledger.SlotReserved || !moved && sl.State == ledger.SlotBound && (sl.PodUID == p.UID || sl.PodUID == "") {
		return
	}
	s.mark(ref.gang, ledger.Report{
		Set: rec.Spec.PodSets[ref.set].Name, Rank: ref.rank,
		PodName: p.Name, PodUID: p.UID, Node: p.Node, Event: ledger.PodBound,
	})
}

// recount counts the pod among its node's usage unless it fills a slot, whose
// capacity is held already.
func (s *state) recount(p *pod) {
	_, inSlot := s.slotOf(&p.Pod)
	if p.counted == !inSlot {
		return
	}
	if inSlot {
		s.uncount(p)
		return
	}
	p.counted = true
	s.use(p, 1)
}

func (s *state) uncount(p *pod) {
	if p.counted {
		p.counted = false
		s.use(p, -1)
	}
}

func (s *state) use(p *pod, sign int64) {
	m := s.machine(p.Node)
	if m.used == nil {
		m.used = map[string]int64{}
	}
	for name, qty := range p.Requests {
		m.used[name] += sign * qty
	}
	m.used["pods"] += sign
	m.otherPods += int32(sign)
	if !p.Static {
		m.barring += int32(sign)
	}
	if m.node != nil {
		s.engine.SetUsed(m.id, m.used, m.barring)
		s.share(m)
	}
	s.forget(m)
}

// reslot moves the index of slots' pods from one record to the next, and counts
// the pods concerned again.
func (s *state) reslot(old, rec *ledger.Record) {
	oldRefs, refs := podRefs(old), podRefs(rec)
	for k, ref := range oldRefs {
		if refs[k] != ref || !hasRef(refs, k) {
			s.unref(k, ref)
		}
	}
	for k, ref := range refs {
		if oldRefs[k] != ref || !hasRef(oldRefs, k) {
			s.ref(k, ref)
		}
	}
}

func hasRef(refs map[podRef]slotRef, k podRef) bool {
	_, ok := refs[k]
	return ok
}

// podRef names a pod by uid, or by "namespace/name".
type podRef struct{ uid, name string }

// podRefs are the pods that fill slots of a record, bound or inherited.
func podRefs(rec *ledger.Record) map[podRef]slotRef {
	if rec == nil || rec.State.Ended() {
		return nil
	}
	var refs map[podRef]slotRef
	for i := range rec.Sets {
		for _, sl := range rec.Sets[i].Slots {
			if sl.State == ledger.SlotEnded || sl.PodName == "" && sl.PodUID == "" {
				continue
			}
			if refs == nil {
				refs = map[podRef]slotRef{}
			}
			ref := slotRef{rec.Gang.Key(), i, sl.Rank}
			if sl.PodUID != "" {
				refs[podRef{uid: sl.PodUID}] = ref
			}
			if sl.PodName != "" {
				refs[podRef{name: rec.Gang.Namespace + "/" + sl.PodName}] = ref
			}
		}
	}
	return refs
}

func (s *state) ref(k podRef, ref slotRef) {
	if k.uid != "" {
		s.slotUIDs[k.uid] = ref
	} else {
		s.slotPods[k.name] = ref
	}
	s.recountRef(k)
}

func (s *state) unref(k podRef, ref slotRef) {
	switch {
	case k.uid != "" && s.slotUIDs[k.uid] == ref:
		delete(s.slotUIDs, k.uid)
	case k.uid == "" && s.slotPods[k.name] == ref: // else another slot claims it since
		delete(s.slotPods, k.name)
	}
	s.recountRef(k)
}

func (s *state) recountRef(k podRef) {
	if p := s.podByUID[k.uid]; p != nil && k.uid != "" {
		s.recount(p)
	} else if p := s.pods[k.name]; p != nil && k.uid == "" {
		s.recount(p)
	}
}
