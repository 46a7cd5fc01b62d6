package ledger

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Memory is a store that forgets all when the process ends, and says so.
type Memory struct {
	epoch   uint64
	beat    time.Time // of the last Commit
	records map[Key]*Record
	holds   map[string]*Hold
}

// NewMemory is an empty store whose first start has this epoch. Servers give
// the time, so that revisions of an earlier process are not taken for theirs.
func NewMemory(epoch uint64) *Memory {
	return &Memory{epoch: epoch, records: map[Key]*Record{}, holds: map[string]*Hold{}}
}

// Load gives the records by key; each further Load is a start of its own.
func (m *Memory) Load(_ context.Context, yield func(*Record)) (Start, error) {
	for _, key := range slices.SortedFunc(maps.Keys(m.records), Key.Compare) {
		yield(m.records[key])
	}
	start := Start{Epoch: m.epoch, Heartbeat: m.beat, Holds: slices.Collect(maps.Values(m.holds))}
	SortHolds(start.Holds)
	m.epoch++
	return start, nil
}

// Commit never fails.
func (m *Memory) Commit(_ context.Context, changes []Change) error {
	m.beat = time.Now()
	for _, c := range changes {
		switch {
		case c.Place != "" && c.Hold == nil:
			delete(m.holds, c.Place)
		case c.Place != "":
			m.holds[c.Place] = c.Hold
		case c.Record == nil:
			delete(m.records, c.Key)
		default:
			m.records[c.Key] = c.Record
		}
	}
	return nil
}

// Durable is false.
func (m *Memory) Durable() bool { return false }
