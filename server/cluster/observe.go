package cluster

import (
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// Observer hears what the writer did, for metrics. It is called on the writer's
// goroutine: it must be quick and may not call back.
type Observer interface {
	// Decided is called for each decision, dry runs included.
	Decided(Decided)
	// Committed is called for each commit to the store.
	Committed(Committed)
}

// Decided is one decision.
type Decided struct {
	// Outcome is "placed", "existing", or a refusal's reason.
	Outcome string
	DryRun  bool
	// Queued is the wait for the writer; Decide the engine's search; Explain the
	// explanation of a refusal; Hold taking the seats.
	Queued, Decide, Explain, Hold time.Duration
	Steps                         int64
	// Quality is set for a new placement.
	Quality *ledger.Quality
}

// Committed is one commit.
type Committed struct {
	Records int
	Took    time.Duration
	Err     error
}

// Gauges is the state as metrics show it.
type Gauges struct {
	Revision   ledger.Revision
	Nodes      int
	Unhealthy  int
	Layers     []LayerFree // in whole, empty nodes
	Placements map[ledger.State]int
	Gangs      []GangGauge // live gangs by key, at most Config.GangGauges
	GangsCut   int         // live gangs beyond that
	Sources    []SourceStatus
	Queue      int // operations that wait
}

// GangGauge is one live gang's quality.
type GangGauge struct {
	Key           ledger.Key
	State         ledger.State
	Score         float64 // -1 = not worked out
	Crossings     int
	Aligned       string // layer; empty where only the whole cluster holds it
	PreferenceMet bool   // true where none was asked for
}
