package cluster

import (
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// DomainRef names a domain: its layer and its names from the root down. An
// empty path is the whole cluster; at the node layer the last name is the node's.
type DomainRef struct {
	Layer string
	Path  []string
}

// DomainFit is how many pods fit in a domain, and how many had to.
type DomainFit struct {
	Domain       DomainRef
	Fits, Wanted int64
}

// LayerCount is a number of one layer's domains.
type LayerCount struct {
	Layer string
	Count int32
}

// Placement is a gang's placement as callers see it: the ledger's record and
// what the graph adds to it. It is a copy: nothing changes it afterwards.
type Placement struct {
	Record     *ledger.Record // shared and immutable; never change it
	Etag       string         // empty in a dry run's answer
	Durable    bool
	DryRun     bool // nothing is held; State, Etag and Revision are not set
	Sets       []PlacedSet
	Pods       int32 // with a seat
	Wanted     int32
	Quality    Quality
	LowerBound []LayerCount // only where not proven
	Troubles   []Trouble
}

// PlacedSet is where one pod set goes.
type PlacedSet struct {
	Name         string
	Pods, Wanted int32
	Ranks        []RankRange
	// Preference is nil where no layer was preferred; Miss is set where it is
	// false.
	Preference *bool
	Miss       *DomainFit
	Slots      []Slot // not simply reserved as planned, by rank
	Quality    Quality
}

// RankRange is a run of consecutive ranks on one node. Leaf is the domain that
// the node hangs on.
type RankRange struct {
	First, Count int32
	Node         string
	Leaf         DomainRef
}

// Slot is one rank's seat and the node that it is on.
type Slot struct {
	ledger.Slot
	Node string
}

// Trouble is one thing wrong; PodSet empty is the whole gang.
type Trouble struct {
	Kind   ledger.TroubleKind
	PodSet string
	Ranks  []RankRange
	Detail string
	Since  time.Time
}

// Quality is how tight ordered ranks lie. BestCrossings and Score are -1 where
// they were not worked out.
type Quality struct {
	Aligned       DomainRef
	Spread        []LayerCount // hidden layers left out, the node last
	SideSpread    []LayerCount
	Leaves        int
	Crossings     int
	BestCrossings int
	MeanHops      float64
	WorstHops     int
	Score         float64
}

// Refusal says why a gang is not placed.
type Refusal struct {
	Reason  RefusalReason
	Message string // one line for a person
	PodSet  string // empty where each fits alone but not all together
	Binding string // layer; empty where the whole cluster is too small
	Best    DomainFit
	Misses  []DomainFit // hidden layers left out, the node last
	Proven  bool
	Steps   int64
	// The rest only where the request said Explain; Cut says that the budget
	// ended it early.
	Explained   bool
	Cut         bool
	Counts      []NodeCount
	Holders     []Holder
	Suggestions []Suggestion
}

// RefusalReason is the contract's word for why.
type RefusalReason string

// The reasons for a refusal that this version gives.
const (
	NoRoom           RefusalReason = "NO_ROOM"
	NeverFits        RefusalReason = "NEVER_FITS"
	NoJointPlacement RefusalReason = "NO_JOINT_PLACEMENT"
	BudgetEnded      RefusalReason = "BUDGET_ENDED"
	Disconnected     RefusalReason = "DISCONNECTED"
	Unrepairable     RefusalReason = "UNREPAIRABLE"
)

// NodeCount is how many nodes fall under one reason: the contract's word, such
// as "UNHEALTHY" or "FITS".
type NodeCount struct {
	Reason string
	Detail string
	By     string
	Until  time.Time
	Nodes  int32
}

// Holder is a gang that holds nodes which the refused one could have used.
type Holder struct {
	Gang     ledger.Gang
	Nodes    int32
	Pods     int64 // of the refused gang that would fit on what it holds
	Priority int32
	Expires  time.Time // zero = not before it is released
}

// SuggestionKind is the contract's word for what would have to change.
type SuggestionKind string

// The kinds of suggestion.
const (
	FewerPods  SuggestionKind = "FEWER_PODS"
	WiderLayer SuggestionKind = "WIDER_LAYER"
	Prefer     SuggestionKind = "PREFER"
	AfterGangs SuggestionKind = "AFTER_GANGS"
	DecideAnew SuggestionKind = "DECIDE_ANEW"
)

// Suggestion is one change with which the gang was seen to fit.
type Suggestion struct {
	Kind       SuggestionKind
	Message    string
	PodSet     string             // empty where the gang has one only, or it concerns all
	Pods       int32              // of PodSet where that is given
	Constraint *ledger.Constraint // nil = as asked
	Domain     *DomainRef         // nil = several
	After      []ledger.Gang
	Crossings  int // -1 = not worked out
}

// Score says how near together slots lie, and how near they could.
type Score struct {
	Pods, Nodes int32
	Quality     Quality   // Score is that of Now
	Now, Empty  ScoreBest // Empty: the healthy cluster without usage
	Assumptions []Assumption
	Moves       []Move
	Revision    ledger.Revision
}

// ScoreBest is the answer judged against; Found false: there is none.
type ScoreBest struct {
	Found   bool
	Score   float64
	Quality Quality
	Proven  bool
}

// Assumption is something that the request left open; Kind is the contract's
// word, such as "RANK_FROM_NAME".
type Assumption struct{ Kind, Message string }

// Move is one rank that would move.
type Move struct {
	PodSet   string
	Rank     int32
	From, To string
	ToLeaf   DomainRef
}
