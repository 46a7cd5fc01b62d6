package placertest

import (
	"cmp"
	"slices"

	"github.com/hopwise/hopwise/placer"
)

// Case is one question to the placer: a cluster and a gang.
type Case struct {
	Name   string
	Scheme placer.Scheme
	Nodes  []placer.Node
	// Disconnected says that the source calls the roots networks of their own;
	// no gang spans them then unless it asks to.
	Disconnected bool
	Gang         placer.Gang
	// Ranks is given where the gang is placed in part: per pod set, the name of
	// each rank's node, "" for a rank that has none. The nodes' usage does not
	// hold what these ranks take.
	Ranks [][]string
	// Expect holds the lines that describe the answer, in the form of
	// Outcome.Lines; empty where the file states none.
	Expect []string

	// input is the text of the case up to its answer, comments included, so
	// that a rewritten file keeps what its author wrote.
	input []string
}

// Seat is a run of consecutive ranks of one pod set on one node.
type Seat struct {
	Node int // index into Case.Nodes
	Pods int32
}

// Outcome is an answer in the case's own terms, free of engine ordinals.
type Outcome struct {
	Refused bool
	// Sets holds each pod set's seats in rank order.
	Sets [][]Seat
	// Unranked says that the order of the seats means nothing, as in a peer's
	// answer that gives counts alone.
	Unranked bool
	// Claims is what the answer says about itself; nil where it says nothing.
	Claims *Claims
}

// Claims are the parts of an answer that can be recounted from its seats.
type Claims struct {
	Vector        []int32
	Pods          []int32
	PreferenceMet []bool
	Aligned       Place
	Proven        bool
}

// Place is a domain, or a node where Node is set. The zero Place is the root.
type Place struct {
	Path []string
	Node string
}

// String writes the place as a path; "." is the root.
func (p Place) String() string {
	s := formatPath(p.Path)
	if len(p.Path) == 0 {
		s = "."
	}
	if p.Node != "" {
		s += "@" + escape(p.Node)
	}
	return s
}

// Compare orders places by path order: domain names bytewise from the root
// down, a domain's own nodes before its subdomains, nodes by name.
func (p Place) Compare(q Place) int {
	return cmp.Or(slices.Compare(p.Path, q.Path), cmp.Compare(p.Node, q.Node))
}

// Counts are the pods of every pod set on every node, [set][node].
func (o *Outcome) Counts(nodes int) [][]int32 {
	counts := make([][]int32, len(o.Sets))
	for s, seats := range o.Sets {
		counts[s] = make([]int32, nodes)
		for _, seat := range seats {
			counts[s][seat.Node] += seat.Pods
		}
	}
	return counts
}
