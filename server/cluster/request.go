package cluster

import (
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// PlaceRequest asks where a gang goes.
type PlaceRequest struct {
	Gang ledger.Gang
	// Spec is what makes the gang what it is; the rest may differ when the same
	// gang is asked for again.
	Spec     ledger.Spec
	Priority int32
	TTL      time.Duration // 0 = the configured default
	DryRun   bool          // decide in full, hold nothing
	Explain  bool          // on refusal: counts, holders, suggestions
	Budget   int64         // search steps; 0 = the configured default
}

// PlaceResult is the decision: either Placement or Refusal is set.
type PlaceResult struct {
	Placement *Placement
	Refusal   *Refusal
	Revision  ledger.Revision
	// Existing: the gang was placed before and this is that placement.
	Existing bool
	// DecidedAnew: the gang had lost its earlier, unbound placement.
	DecidedAnew bool
	Notes       []string
}

// ListRequest filters placements; filters given together all apply.
type ListRequest struct {
	Namespace     string
	States        []ledger.State // none = those that hold something
	Node          string
	Domain        *DomainRef
	Selector      string                              // the text of Match: it binds page tokens
	Match         func(labels map[string]string) bool // nil = any; must be quick and without side effect
	CreatedBefore time.Time
	PlacedBy      string
	PageSize      int    // 0 = 100, at most 1,000
	PageToken     string // NextPageToken of the answer before
}

// ListResult is one page of placements by namespace, then name. A page may be
// short, or empty, with a token: the work of one page is bounded.
type ListResult struct {
	Placements    []*Placement
	NextPageToken string
	Revision      ledger.Revision
}

// ConfirmRequest reports what became of a gang's pods and its owner.
type ConfirmRequest struct {
	Gang         ledger.Gang
	Slots        []ledger.Report
	AllAsPlanned bool // every other slot is bound where it was planned
	Owner        ledger.OwnerState
	Etag         string
}

// RenewRequest asks for more time.
type RenewRequest struct {
	Gang ledger.Gang
	TTL  time.Duration // from now; 0 = the one it was placed with
	Etag string
}

// ReleaseRequest gives a placement back, whole where Slots is empty.
type ReleaseRequest struct {
	Gang  ledger.Gang
	Slots []ledger.Ranks
	Etag  string
}

// Changed is a placement after a call that may have changed it.
type Changed struct {
	Placement *Placement
	Revision  ledger.Revision
}

// ScoreRequest names slots to judge: those of a gang's placement, or a list.
type ScoreRequest struct {
	Gang   *ledger.Gang
	Slots  []ScoreSlot
	Shapes []ScoreShape
}

// ScoreSlot is one pod of a list.
type ScoreSlot struct {
	Node, PodSet, PodName string
	Rank                  int32 // -1 = not given
}

// ScoreShape says what the pods of one pod set of a list take; PodSet empty is
// every pod set without a shape of its own.
type ScoreShape struct {
	PodSet    string
	Requests  map[string]int64
	Exclusive bool
	Filter    ledger.Filter
}

// TopologyRequest says which part of the tree to read.
type TopologyRequest struct {
	Root         *DomainRef // nil = the whole cluster
	MaxDepth     int        // layers below Root; 0 = all
	IncludeNodes bool
	PageSize     int // domains and nodes together; 0 = 500, at most 1,000
	PageToken    string
}

// FreeRequest describes a pod's shape and where to look.
type FreeRequest struct {
	Requests   map[string]int64
	Exclusive  bool
	MaxPerNode int32
	Filter     ledger.Filter
	Layers     []string   // none = every shown layer without the node's
	Root       *DomainRef // nil = the whole cluster
	PageSize   int        // domains; 0 = 500, at most 1,000
	PageToken  string
}

// SharedRequest names nodes to compare; none lists the domains of two nodes or
// more by pages.
type SharedRequest struct {
	Nodes     []string
	PageSize  int // 0 = 500, at most 1,000
	PageToken string
}
