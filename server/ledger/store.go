package ledger

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Revision names a state of graph and ledger: the epoch is raised at each
// start, N within it by each change.
type Revision struct {
	Epoch uint64 `json:"epoch"`
	N     uint64 `json:"n"`
}

// String is "epoch-n"; empty for the zero revision.
func (r Revision) String() string {
	if r == (Revision{}) {
		return ""
	}
	return strconv.FormatUint(r.Epoch, 10) + "-" + strconv.FormatUint(r.N, 10)
}

// Before says whether r is an earlier state than o.
func (r Revision) Before(o Revision) bool {
	return r.Epoch < o.Epoch || r.Epoch == o.Epoch && r.N < o.N
}

// ParseRevision reads what String wrote.
func ParseRevision(s string) (Revision, error) {
	epoch, n, ok := strings.Cut(s, "-")
	e, err1 := strconv.ParseUint(epoch, 10, 64)
	m, err2 := strconv.ParseUint(n, 10, 64)
	if !ok || err1 != nil || err2 != nil {
		return Revision{}, fmt.Errorf("revision %q is not of the form epoch-number", s)
	}
	return Revision{e, m}, nil
}

// Change is the next state of one gang's record or, where Place is not empty, of
// the maintenance hold at that place. nil removes it.
type Change struct {
	Key    Key
	Record *Record
	// Place is a Place.Key; Hold, not Record, is then the next state.
	Place string
	Hold  *Hold
}

// Start is what a store says of the start that Load begins.
type Start struct {
	// Epoch is this start's; no start before had it.
	Epoch uint64
	// Heartbeat is when the process before last committed, by the wall clock: from
	// then on the server may have been down. Zero where there was none.
	Heartbeat time.Time
	// Holds are the maintenance holds, by place.
	Holds []*Hold
}

// Store keeps records. The live state's writer is its only caller; it calls one
// method at a time.
type Store interface {
	// Load gives every record, calling yield for each.
	Load(ctx context.Context, yield func(*Record)) (Start, error)
	// Commit makes the changes last, all or none; later changes of a key come
	// after earlier ones. Many decisions share one call, so that a store which
	// syncs does so once for all of them. An empty list is a heartbeat, and tells
	// whether the store takes writes (again).
	Commit(ctx context.Context, changes []Change) error
	// Durable says whether what was committed outlives the process.
	Durable() bool
}
