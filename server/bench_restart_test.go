package server

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// onePod is a placement of a pod with one GPU.
func onePod(i int) *ledger.Record {
	spec := ledger.Spec{PodSets: []ledger.PodSet{{Count: 1, Requests: map[string]int64{gpu: 1}}}}.Normal()
	return ledger.New(ledger.Placed{
		Gang: ledger.Gang{Namespace: "team", Name: fmt.Sprintf("g%06d", i), UID: "u"}, Spec: spec, Policy: ledger.Tightest, By: "hopwise",
		Sets: []ledger.Set{{Runs: []ledger.Run{{Node: fmt.Sprintf("n%06d", i%10_000), Pods: 1}}}}, TTL: 24 * time.Hour,
	}, time.Now())
}

func fill(b *testing.B, store *bolt.Store, n, each int) {
	b.Helper()
	ctx := context.Background()
	if _, err := store.Load(ctx, func(*ledger.Record) {}); err != nil {
		b.Fatal(err)
	}
	for i := 0; i < n; i += each {
		var changes []ledger.Change
		for j := i; j < i+each; j++ {
			r := onePod(j)
			changes = append(changes, ledger.Change{Key: r.Gang.Key(), Record: r})
		}
		if err := store.Commit(ctx, changes); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRestart starts a server over 50,000 live placements on 10,000 nodes,
// until it serves.
func BenchmarkRestart(b *testing.B) {
	const placements = 50_000
	dir := b.TempDir()
	store, err := bolt.Open(bolt.Options{Dir: dir, NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	fill(b, store, placements, 500)
	size := store.Stats().Bytes
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	cfg := configFor(b, manyNodes(10_000))
	for b.Loop() {
		store, err := bolt.Open(bolt.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		e, err := Embed(context.Background(), cfg, Options{Store: store})
		if err != nil {
			b.Fatal(err)
		}
		conn, err := e.Dial(context.Background(), "")
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		runtime.GC()
		b.ReportMetric(residentMB(b), "resident-MB")
		_ = conn.Close() // nothing was asked
		if err := e.Stop(); err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(size)/1e6, "file-MB")
}

// residentMB is the process's, test and client included.
func residentMB(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kb / 1e3
}

// BenchmarkChurn is a day of one placement a second, each released after an hour
// and removed after another 23: what is kept is bounded, and so is the file.
func BenchmarkChurn(b *testing.B) {
	const perStep, steps, kept = 3600, 72, 24 // three days by hours; a day is kept
	for b.Loop() {
		store, err := bolt.Open(bolt.Options{Dir: b.TempDir(), NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		if _, err := store.Load(ctx, func(*ledger.Record) {}); err != nil {
			b.Fatal(err)
		}
		var day int64
		for step := range steps {
			for at := 0; at < perStep; at += 120 {
				var changes []ledger.Change
				for i := at; i < at+120; i++ {
					r := onePod(step*perStep + i)
					changes = append(changes, ledger.Change{Key: r.Gang.Key(), Record: r})
					if step > 0 {
						ended, err := onePod((step-1)*perStep+i).Release(nil, time.Now())
						if err != nil {
							b.Fatal(err)
						}
						changes = append(changes, ledger.Change{Key: ended.Gang.Key(), Record: ended})
					}
					if step >= kept {
						changes = append(changes, ledger.Change{Key: onePod((step-kept)*perStep + i).Gang.Key()})
					}
				}
				if err := store.Commit(ctx, changes); err != nil {
					b.Fatal(err)
				}
			}
			if step == kept {
				day = store.Stats().Bytes
			}
		}
		b.ReportMetric(float64(day)/1e6, "file-after-1-day-MB")
		b.ReportMetric(float64(store.Stats().Bytes)/1e6, "file-after-3-days-MB")
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
