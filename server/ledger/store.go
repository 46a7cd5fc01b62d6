package ledger

import (
	"context"
	"fmt"
	"strconv"
	"strings"
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

// Change is one record's next state. A nil Record removes the key.
type Change struct {
	Key    Key
	Record *Record
}

// Store keeps records. The live state's writer is its only caller; it calls one
// method at a time.
type Store interface {
	// Load gives every record, calling yield for each, and the epoch of this
	// start, which no start before had.
	Load(ctx context.Context, yield func(*Record)) (epoch uint64, err error)
	// Commit makes the changes last, all or none; later changes of a key come
	// after earlier ones. Many decisions share one call, so that a store which
	// syncs does so once for all of them.
	Commit(ctx context.Context, changes []Change) error
	// Durable says whether what was committed outlives the process.
	Durable() bool
}
