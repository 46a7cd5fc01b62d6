package placertest

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/hopwise/hopwise/placer"
)

// caseCounts is what the runner's last lines print.
type caseCounts struct {
	cases, equal, better, worse, invalid, weRefuse, peerRefuses, peerInvalid, unsupported int

	bestFit, sameCounts, otherCounts, referenceDiffers int
}

// TestCases answers recorded cases and compares with the peer's answers.
//
//	HOPWISE_CASES=FILE go test ./placer/placertest -run Cases -v
//
// Without HOPWISE_CASES it runs the project's own few. Under TIGHTEST an answer
// must not be worse than a valid one of the peer.
func TestCases(t *testing.T) {
	file := os.Getenv("HOPWISE_CASES")
	if file == "" {
		file = "testdata/cases.jsonl"
	}
	list, err := ReadRecorded(file)
	if err != nil {
		t.Fatal(err)
	}
	var n caseCounts
	for _, r := range list {
		n.cases++
		n.run(t, r)
	}
	if n.unsupported > 0 {
		t.Errorf("%d cases are not supported yet", n.unsupported)
	}
	fmt.Printf("best_fit: cases=%d same_counts=%d other_counts=%d reference_differs=%d\n",
		n.bestFit, n.sameCounts, n.otherCounts, n.referenceDiffers)
	fmt.Printf("cases=%d equal=%d better=%d worse=%d invalid=%d we_refuse_peer_places=%d peer_refuses_we_place=%d peer_invalid=%d unsupported=%d\n",
		n.cases, n.equal, n.better, n.worse, n.invalid, n.weRefuse, n.peerRefuses, n.peerInvalid, n.unsupported)
}

func (n *caseCounts) run(t *testing.T, r *Recorded) {
	peerValid := true
	if err := Validate(r.Case, r.Peer); err != nil {
		t.Logf("%s: the peer's answer is invalid: %v", r.ID, err)
		n.peerInvalid++
		peerValid = false
	}
	n.checkReference(t, r, peerValid)
	switch r.Kind {
	case "place":
	case "repair":
		if ours, ok := n.repair(t, r); ok && peerValid {
			n.compare(t, r, ours)
		}
		return
	default:
		n.unsupported++
		return
	}
	policy := r.Gang.Policy
	ours, ok := n.answer(t, r, placer.Tightest)
	if ok && peerValid {
		n.compare(t, r, ours)
	}
	if policy == placer.Tightest {
		return
	}
	if ours, ok = n.answer(t, r, policy); ok && policy == placer.BestFit && !ours.Refused && !r.Peer.Refused && peerValid {
		n.compareCounts(t, r, ours)
	}
}

// answer asks the engine under a policy and validates what it says.
func (n *caseCounts) answer(t *testing.T, r *Recorded, policy placer.Policy) (*Outcome, bool) {
	c := *r.Case
	c.Gang.Policy = policy
	o, err := Answer(&c)
	if err == nil {
		err = Validate(&c, o)
	}
	if err != nil {
		n.invalid++
		t.Errorf("%s under %s: %v\n%s", r.ID, keyOf(policies, policy), err, &c)
	}
	return o, err == nil
}

// repair asks the engine to fill the ranks that were lost. Ranks that stay may
// be against path order then, so they are checked one by one instead.
func (n *caseCounts) repair(t *testing.T, r *Recorded) (*Outcome, bool) {
	eng, err := loadHeld(r.Case)
	if err != nil {
		t.Fatal(err)
	}
	o, err := FromAnswer(eng, r.Case, fillText(eng, r.Case, false))
	if err == nil && !o.Refused {
		err = validFill(r.Case, o, false)
	}
	if err == nil && !o.Refused {
		counts := &Outcome{Sets: Rank(r.Case, o.Counts(len(r.Nodes))), Unranked: true}
		err = Validate(r.Case, counts)
	}
	if err != nil {
		n.invalid++
		t.Errorf("%s, repaired: %v\n%s", r.ID, err, r.Case)
	}
	return o, err == nil
}

func (n *caseCounts) compare(t *testing.T, r *Recorded, ours *Outcome) {
	switch {
	case ours.Refused && r.Peer.Refused:
		n.equal++
		return
	case ours.Refused:
		n.weRefuse++
		t.Errorf("%s: refused, the peer places\n%s", r.ID, r.Case)
		return
	case r.Peer.Refused:
		n.peerRefuses++
		return
	}
	have, peer := vectorOf(r.Case, ours), vectorOf(r.Case, r.Peer)
	switch slices.Compare(have, peer) {
	case 0:
		n.equal++
	case -1:
		n.better++
	default:
		n.worse++
		t.Errorf("%s: vector %v, the peer's %v\n%s", r.ID, have, peer, r.Case)
	}
}

// vectorOf recounts the joint vector.
func vectorOf(c *Case, o *Outcome) []int32 {
	v := &validation{facts: newFacts(c), o: o}
	return v.recount()
}

// profilesOf is the multiset of counts per layer of each pod set.
func profilesOf(c *Case, o *Outcome) []string {
	var list []string
	for _, counts := range o.Counts(len(c.Nodes)) {
		list = append(list, Profile(c, counts))
	}
	return list
}

func (n *caseCounts) compareCounts(t *testing.T, r *Recorded, ours *Outcome) {
	n.bestFit++
	have, peer := profilesOf(r.Case, ours), profilesOf(r.Case, r.Peer)
	if slices.Equal(have, peer) {
		n.sameCounts++
		return
	}
	n.otherCounts++
	t.Logf("%s: best fit has %v, the peer %v", r.ID, have, peer)
}

// checkReference holds the BEST_FIT reference itself to the peer's answers.
func (n *caseCounts) checkReference(t *testing.T, r *Recorded, peerValid bool) {
	if r.Gang.Policy != placer.BestFit || len(r.Gang.PodSets) != 1 || len(r.Gang.PodSets[0].Filter.Preferred) > 0 || r.Peer.Refused || !peerValid || r.Kind != "place" {
		return
	}
	peer := profilesOf(r.Case, r.Peer)[0]
	if want := BestFitProfiles(r.Case); !want[peer] {
		n.referenceDiffers++
		t.Logf("%s: the peer has %s, the reference %v", r.ID, peer, sortedKeys(want))
	}
}
