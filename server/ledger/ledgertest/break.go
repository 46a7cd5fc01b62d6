//go:build failpoint

package ledgertest

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// failpoint kills the process when a point is reached for the n-th time:
// HOPWISE_FAILPOINT=point:n. "in-write" is a moment while bbolt writes.
var failpoint, failAt = func() (string, int) {
	name, n, _ := strings.Cut(os.Getenv("HOPWISE_FAILPOINT"), ":")
	at, _ := strconv.Atoi(n) // 0: never
	return name, at
}()

// plant is what the store does wrong: HOPWISE_PLANT=skip-sync, early-ack,
// lose-release or double-slot. "honest" does nothing wrong, but is restarted from
// what was synced, as after a power cut.
var plant = os.Getenv("HOPWISE_PLANT")

// powerCuts says that the harness restarts from SyncedName.
var powerCuts = plant == "honest" || plant == "skip-sync"

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

func hit(name string) {
	if name != failpoint || failAt == 0 {
		return
	}
	if failAt--; failAt == 0 {
		die()
	}
}

// Break puts failpoints into a store.
func Break(o bolt.Options) bolt.Options {
	o.NoSync = plant == "skip-sync"
	dir := o.Dir
	commits := 0
	o.Faults = func(p bolt.Point) error {
		if p == bolt.BeforeWrite && failpoint == "in-write" && failAt > 0 {
			if failAt--; failAt == 0 {
				time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, die)
			}
		}
		if p == bolt.AfterSync && powerCuts {
			// What is synced is what a power cut leaves. A store that skips its syncs has
			// the system write some of it, now and then.
			if commits++; !o.NoSync || commits%8 == 1 {
				keepSynced(dir)
			}
		}
		hit(string(p))
		return nil
	}
	return o
}

// SyncedName is the copy that is made at each sync.
const SyncedName = bolt.FileName + ".synced"

func keepSynced(dir string) {
	b, err := os.ReadFile(filepath.Join(dir, bolt.FileName))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, SyncedName+".part"), b, 0o600)
	}
	if err == nil {
		err = os.Rename(filepath.Join(dir, SyncedName+".part"), filepath.Join(dir, SyncedName))
	}
	if err != nil {
		panic(err)
	}
}

// Wrap plants the faults that lie above the file.
func Wrap(s *bolt.Store) ledger.Store { return &broken{Store: s} }

type broken struct {
	*bolt.Store
	late []ledger.Change // acknowledged, not written
}

// Load copies what the start itself wrote, too.
func (b *broken) Load(ctx context.Context, yield func(*ledger.Record)) (ledger.Start, error) {
	start, err := b.Store.Load(ctx, yield)
	if powerCuts {
		keepSynced(filepath.Dir(b.Path()))
	}
	return start, err
}

// Commit does wrong what is planted.
func (b *broken) Commit(ctx context.Context, changes []ledger.Change) error {
	switch plant {
	case "early-ack": // written with the next commit, acknowledged now
		changes, b.late = b.late, changes
	case "lose-release":
		changes = withoutReleases(changes)
	case "double-slot":
		changes = doubled(changes)
	}
	err := b.Store.Commit(ctx, changes)
	hit("before-reply")
	return err
}

func withoutReleases(changes []ledger.Change) []ledger.Change {
	var kept []ledger.Change
	for _, c := range changes {
		if c.Record == nil || c.Record.State != ledger.Released {
			kept = append(kept, c)
		}
	}
	return kept
}

// lastNode is where the record before went.
var lastNode string

// doubled writes every tenth new record onto the node of the one before.
func doubled(changes []ledger.Change) []ledger.Change {
	out := append([]ledger.Change(nil), changes...)
	for i, c := range out {
		if c.Record == nil || c.Record.State != ledger.Reserved || c.Record.Version != 1 || len(c.Record.Sets[0].Runs) == 0 {
			continue
		}
		if lastNode != "" && rand.IntN(10) == 0 {
			r := *c.Record
			r.Sets = append([]ledger.Set(nil), r.Sets...)
			r.Sets[0].Runs = append([]ledger.Run(nil), r.Sets[0].Runs...)
			r.Sets[0].Runs[0].Node = lastNode
			out[i].Record = &r
		}
		lastNode = c.Record.Sets[0].Runs[0].Node
	}
	return out
}
