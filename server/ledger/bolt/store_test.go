package bolt

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/hopwise/hopwise/server/ledger"
)

func TestMain(m *testing.M) {
	// Each case syncs some thirty times; rapid.checks on the command line wins.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func open(t testing.TB, opts Options) *Store {
	t.Helper()
	s, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // most tests close it themselves
	return s
}

func load(t testing.TB, s *Store) (map[ledger.Key]*ledger.Record, ledger.Start) {
	t.Helper()
	got := map[ledger.Key]*ledger.Record{}
	start, err := s.Load(context.Background(), func(r *ledger.Record) { got[r.Gang.Key()] = r })
	if err != nil {
		t.Fatal(err)
	}
	return got, start
}

// gang is a record of so many pods, one to a node.
func gang(name string, version uint64, pods int32) *ledger.Record {
	spec := ledger.Spec{PodSets: []ledger.PodSet{{Count: pods, Requests: map[string]int64{"gpu": 8}}}}.Normal()
	r := ledger.New(ledger.Placed{
		Gang: ledger.Gang{Namespace: "team", Name: name, UID: "u"}, Spec: spec, Policy: ledger.Tightest, By: "hopwise", TTL: time.Hour,
	}, time.Unix(1_700_000_000, 0).UTC())
	r.Version = version
	set := ledger.Set{}
	for i := range pods {
		set.Runs = append(set.Runs, ledger.Run{Node: fmt.Sprintf("node-%s-%d", name, i), Pods: 1})
	}
	r.Sets = []ledger.Set{set}
	return r
}

func put(r *ledger.Record) ledger.Change { return ledger.Change{Key: r.Gang.Key(), Record: r} }

func commit(t testing.TB, s *Store, changes ...ledger.Change) {
	t.Helper()
	if err := s.Commit(context.Background(), changes); err != nil {
		t.Fatal(err)
	}
}

// TestAgainstMemory holds the store to the one that is simple: any commits, with
// starts between them.
func TestAgainstMemory(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "l")
		if err != nil {
			rt.Fatal(err)
		}
		memory, epoch := ledger.NewMemory(1), uint64(0)
		s, err := Open(Options{Dir: dir})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = s.Close() }() // the check below has ended by then
		key := rapid.SampledFrom([]string{"a", "b", "c", "ab", "é"})
		rt.Repeat(map[string]func(*rapid.T){
			"commit": func(rt *rapid.T) {
				var changes []ledger.Change
				for range rapid.IntRange(0, 6).Draw(rt, "changes") {
					r := gang(key.Draw(rt, "key"), rapid.Uint64Range(1, 9).Draw(rt, "version"), rapid.Int32Range(1, 300).Draw(rt, "pods"))
					c := put(r)
					if rapid.Bool().Draw(rt, "remove") {
						c.Record = nil
					}
					changes = append(changes, c)
				}
				if err := errors.Join(s.Commit(ctx, changes), memory.Commit(ctx, changes)); err != nil {
					rt.Fatal(err)
				}
			},
			"restart": func(rt *rapid.T) {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				if s, err = Open(Options{Dir: dir}); err != nil {
					rt.Fatal(err)
				}
				var got, want []*ledger.Record
				start, err := s.Load(ctx, func(r *ledger.Record) { got = append(got, r) })
				if err != nil {
					rt.Fatal(err)
				}
				_, _ = memory.Load(ctx, func(r *ledger.Record) { want = append(want, r) }) // never fails
				if d := cmp.Diff(want, got); d != "" {
					rt.Fatal(d)
				}
				if epoch++; start.Epoch != epoch {
					rt.Fatalf("epoch %d, want %d", start.Epoch, epoch)
				}
			},
		})
	})
}

func TestHeartbeat(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	if _, start := load(t, s); start.Epoch != 1 || !start.Heartbeat.IsZero() {
		t.Errorf("first start: %+v", start)
	}
	before := time.Now()
	commit(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, start := load(t, open(t, Options{Dir: dir})); start.Epoch != 2 || start.Heartbeat.Before(before) {
		t.Errorf("second start: %+v", start)
	}
}

func TestOneProcess(t *testing.T) {
	dir := t.TempDir()
	open(t, Options{Dir: dir})
	if _, err := Open(Options{Dir: dir}); !errors.Is(err, ErrHeld) || !strings.Contains(err.Error(), filepath.Join(dir, FileName)) {
		t.Errorf("%v", err)
	}
	if _, _, err := Check(dir, nil); !errors.Is(err, ErrHeld) {
		t.Errorf("check: %v", err)
	}
}

// file is a closed ledger of n gangs and its bytes.
func file(t testing.TB, n int) (dir string, bytes []byte) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, Options{Dir: dir})
	load(t, s)
	for i := range n {
		commit(t, s, put(gang(fmt.Sprintf("g%03d", i), 1, 4)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return dir, bytes
}

// TestRefuses opens files that are not as they were written: each refused with
// what is wrong, and left as it is.
func TestRefuses(t *testing.T) {
	dir, whole := file(t, 40)
	path := filepath.Join(dir, FileName)
	edit := func(f func([]byte) []byte) []byte { return f(bytes.Clone(whole)) }
	for name, c := range map[string]struct {
		bytes []byte
		is    error
		says  string
	}{
		"empty":    {nil, ErrDamaged, "the file is empty"},
		"cut":      {whole[:5*os.Getpagesize()], ErrDamaged, "cut short"},
		"tiny":     {whole[:100], ErrDamaged, ""},
		"a text":   {bytes.Repeat([]byte("hello\n"), 4000), ErrForeign, "not a bbolt file"},
		"header":   {edit(func(b []byte) []byte { b[pageHeader+50] ^= 1; return b }), ErrDamaged, "two headers"},
		"zeros":    {make([]byte, len(whole)), ErrForeign, ""},
		"newer":    {edit(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(formatText()), []byte(formatName+" 7")) }), ErrNewer, "format 7"},
		"other's":  {edit(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(formatText()), []byte("somebody else's!")) }), ErrForeign, "somebody"},
		"a record": {edit(func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("node-g007-2"), []byte("node-g007-3")) }), ErrDamaged, "checksum of record team/g007"},
	} {
		if err := os.WriteFile(path, c.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(Options{Dir: dir})
		if err == nil {
			_ = s.Close() // the test has failed
			t.Errorf("%s: opened", name)
			continue
		}
		if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, ErrDamaged) && !strings.Contains(err.Error(), "docs/ledger.md") {
			t.Errorf("%s: no word on what to do: %v", name, err)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, c.bytes) {
			t.Errorf("%s: the file has changed, %v", name, err)
		}
	}
}

// TestFlips flips bytes all over the file: the file is refused, or reads
// as it was written (what is free, or padding, may be anything).
func TestFlips(t *testing.T) {
	dir, whole := file(t, 12)
	h, _, err := readHeaders(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	whole = whole[:h.end*uint64(h.pageSize)]
	s := open(t, Options{Dir: dir})
	want, _ := load(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	step := 61 // a prime: the flips fall on all parts of pages and records
	if raceOn {
		step = 997
	}
	refused := 0
	for i := 0; i < len(whole); i += step {
		b := bytes.Clone(whole)
		b[i] ^= 0x55
		_, found, err := survey(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			refused++
			continue
		}
		got := map[ledger.Key]*ledger.Record{}
		h, _, _ := readHeaders(bytes.NewReader(b), int64(len(b))) // survey has read them
		err = walk(bytes.NewReader(b), h, func(bucket string, key, value []byte) error {
			if bucket != string(recordBucket) {
				return nil
			}
			r, err := unseal(key, value)
			if err == nil {
				got[r.Gang.Key()] = r
			}
			return err
		})
		if err != nil || found.count != uint64(len(want)) || !cmp.Equal(want, got) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	t.Logf("%d bytes, %d flips refused", len(whole), refused)
}
