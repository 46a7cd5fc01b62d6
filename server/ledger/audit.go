package ledger

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Audit holds records against each other and against what nodes can take,
// independently of the engine that placed them.
type Audit struct {
	// Room is what pods may ask of a node, in the spec's units; nil where it is not
	// known. A node that it does not list is not checked.
	Room map[string]map[string]int64
	// Epoch is the last that was begun; no record is of a later one.
	Epoch uint64

	problems []string
	asked    map[string]map[string]int64 // per node, of live records
	owner    map[string]string           // node: the gang that has it to itself
	guests   map[string]map[string]bool  // node: gangs on it
	pods     map[string]string           // pod uid: its slot
	keys     map[Key]bool
}

// Add takes in a record.
func (a *Audit) Add(r *Record) {
	if a.asked == nil {
		a.asked, a.owner, a.pods = map[string]map[string]int64{}, map[string]string{}, map[string]string{}
		a.guests, a.keys = map[string]map[string]bool{}, map[Key]bool{}
	}
	key := r.Gang.Key()
	if a.keys[key] {
		a.problem("%s: it has two records", key)
	}
	a.keys[key] = true
	if got := r.Spec.Fingerprint(); got != r.Fingerprint {
		a.problem("%s: its fingerprint is %s, its spec's %s", key, r.Fingerprint, got)
	}
	if r.State < Reserved || r.State > Expired || r.State.Ended() != !r.Ended.IsZero() {
		a.problem("%s: state %d with end %s", key, r.State, r.Ended)
	}
	if r.Revision.Epoch > a.Epoch {
		a.problem("%s: it is of revision %s, later than the last start's epoch %d", key, r.Revision, a.Epoch)
	}
	if len(r.Sets) != len(r.Spec.PodSets) {
		a.problem("%s: %d pod sets are placed, %d were asked for", key, len(r.Sets), len(r.Spec.PodSets))
		return
	}
	for i := range r.Sets {
		a.set(r, i)
	}
}

func (a *Audit) problem(format string, args ...any) {
	a.problems = append(a.problems, fmt.Sprintf(format, args...))
}

func (a *Audit) set(r *Record, i int) {
	set, asked := &r.Sets[i], &r.Spec.PodSets[i]
	name := fmt.Sprintf("%s, pod set %s", r.Gang.Key(), asked.Name)
	for _, run := range set.Runs {
		if run.Pods < 1 || run.Node == "" {
			a.problem("%s: %d pods on node %q", name, run.Pods, run.Node)
			return
		}
	}
	last := int32(-1)
	for _, sl := range set.Slots {
		if sl.Rank <= last || sl.Rank >= set.Pods() {
			a.problem("%s: slot %d is not where one belongs", name, sl.Rank)
		}
		last = sl.Rank
		if sl.PodUID == "" || r.State.Ended() || sl.State == SlotEnded {
			continue
		}
		here := fmt.Sprintf("%s, rank %d", name, sl.Rank)
		if other := a.pods[sl.PodUID]; other != "" {
			a.problem("pod %s is in two slots: %s and %s", sl.PodUID, other, here)
		}
		a.pods[sl.PodUID] = here
	}
	if !r.State.Ended() {
		a.hold(r, set, asked)
	}
}

// hold adds up what the set's slots hold.
func (a *Audit) hold(r *Record, set *Set, asked *PodSet) {
	gang := r.Gang.Key().String()
	for _, run := range set.Held() {
		sum := a.asked[run.Node]
		if sum == nil {
			sum = map[string]int64{}
			a.asked[run.Node], a.guests[run.Node] = sum, map[string]bool{}
		}
		a.guests[run.Node][gang] = true
		for resource, amount := range asked.Requests {
			sum[resource] += amount * int64(run.Count)
		}
		sum["pods"] += int64(run.Count)
		if asked.Exclusive {
			a.owner[run.Node] = gang
		}
	}
}

// Problems is everything that is wrong, in order; empty where all is well.
func (a *Audit) Problems() []string {
	list := slices.Clone(a.problems)
	for _, node := range slices.Sorted(maps.Keys(a.asked)) {
		if owner := a.owner[node]; owner != "" && len(a.guests[node]) > 1 {
			list = append(list, fmt.Sprintf("node %s: %s has it to itself, and beside it are %v",
				node, owner, slices.Sorted(maps.Keys(a.guests[node]))))
		}
		room, known := a.Room[node]
		if !known {
			continue
		}
		for _, resource := range slices.SortedFunc(maps.Keys(a.asked[node]), cmp.Compare[string]) {
			most, listed := room[resource]
			if sum := a.asked[node][resource]; sum > most && (listed || resource != "pods") {
				list = append(list, fmt.Sprintf("node %s: %d of %s are held, %d are there", node, sum, resource, most))
			}
		}
	}
	return list
}
