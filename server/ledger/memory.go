package ledger

import (
	"context"
	"maps"
	"slices"
)

// Memory is a store that forgets all when the process ends, and says so.
type Memory struct {
	epoch   uint64
	records map[Key]*Record
}

// NewMemory is an empty store whose first start has this epoch. Servers give
// the time, so that revisions of an earlier process are not taken for theirs.
func NewMemory(epoch uint64) *Memory {
	return &Memory{epoch: epoch, records: map[Key]*Record{}}
}

// Load gives the records by key; each further Load is a start of its own.
func (m *Memory) Load(_ context.Context, yield func(*Record)) (uint64, error) {
	for _, key := range slices.SortedFunc(maps.Keys(m.records), Key.Compare) {
		yield(m.records[key])
	}
	epoch := m.epoch
	m.epoch++
	return epoch, nil
}

// Commit never fails.
func (m *Memory) Commit(_ context.Context, changes []Change) error {
	for _, c := range changes {
		if c.Record == nil {
			delete(m.records, c.Key)
		} else {
			m.records[c.Key] = c.Record
		}
	}
	return nil
}

// Durable is false.
func (m *Memory) Durable() bool { return false }
