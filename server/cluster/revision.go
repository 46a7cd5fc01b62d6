package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/hopwise/hopwise/server/ledger"
)

// gate tells readers which state is reached and lets them wait for one.
type gate struct {
	mu     sync.Mutex
	rev    ledger.Revision
	synced bool
	moved  chan struct{} // closed at the next change
}

func (g *gate) init() { g.moved = make(chan struct{}) }

func (g *gate) set(rev ledger.Revision, synced bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rev == rev && g.synced == synced {
		return
	}
	g.rev, g.synced = rev, synced
	close(g.moved)
	g.moved = make(chan struct{})
}

func (g *gate) get() (ledger.Revision, bool, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rev, g.synced, g.moved
}

func (g *gate) isSynced() bool {
	_, synced, _ := g.get()
	return synced
}

// Revision is the state that is committed.
func (c *Cluster) Revision() ledger.Revision {
	rev, _, _ := c.gate.get()
	return rev
}

// WaitRevision waits until the state is at least the one named; the empty text
// is any. An earlier epoch's is satisfied once a source was read. Errors:
// INVALID_REQUEST, REVISION_UNKNOWN for a future epoch, REVISION_NOT_REACHED
// when the context's deadline passes first, STOPPING.
func (c *Cluster) WaitRevision(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	want, err := ledger.ParseRevision(text)
	if err != nil {
		return fail(InvalidRequest, "%v", err).at("min_revision")
	}
	for {
		rev, synced, moved := c.gate.get()
		switch {
		case want.Epoch > rev.Epoch:
			return fail(RevisionUnknown, "revision %s is of a later epoch than this server's, which is at %s", want, rev).at("min_revision")
		case synced && !rev.Before(want):
			return nil
		}
		select {
		case <-moved:
		case <-c.stopped:
			return errStopping()
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fail(RevisionNotReached, "revision %s was not reached in time; the state is at %s", want, rev)
			}
			return ctx.Err()
		}
	}
}
