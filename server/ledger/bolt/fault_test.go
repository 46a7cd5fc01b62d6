package bolt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

func keysOf(m map[ledger.Key]*ledger.Record) []string {
	var names []string
	for k := range m {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// TestFaults fails a commit at each of its points: the call says so, nothing of
// it is there once the disk is well again, and it heals by itself.
func TestFaults(t *testing.T) {
	for _, point := range []Point{BeforeWrite, InSync, AfterSync} {
		for _, disk := range []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS} {
			t.Run(fmt.Sprintf("%s/%v", point, disk), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testFault(t, point, disk) })
			})
		}
	}
}

func testFault(t *testing.T, point Point, disk error) {
	ctx := context.Background()
	dir, sick := t.TempDir(), false
	s, err := Open(Options{Dir: dir, Faults: func(p Point) error {
		if sick && p == point {
			return disk
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	load(t, s)
	old := gang("a", 1, 3)
	commit(t, s, put(old), put(gang("b", 1, 3)))
	sick = true
	newer := []ledger.Change{put(gang("a", 2, 5)), put(gang("c", 1, 1)), put(gang("a", 3, 9)), {Key: gang("b", 1, 1).Gang.Key()}}
	for range 3 {
		if err := s.Commit(ctx, newer); !errors.Is(err, disk) {
			t.Fatalf("want %v, got %v", disk, err)
		}
		time.Sleep(healPause + 1)
	}
	sick = false
	commit(t, s) // the heartbeat heals
	commit(t, s, put(gang("d", 1, 1)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{Dir: dir})
	got, _ := load(t, s)
	if want := []string{"a", "b", "d"}; !slices.Equal(keysOf(got), want) || !cmp.Equal(got[old.Gang.Key()], old) {
		t.Errorf("want %v, got %v", want, slices.Collect(maps.Keys(got)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.new-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSlowDisk: a commit takes as long as the disk does, and is whole.
func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, Options{Dir: t.TempDir(), Faults: func(p Point) error {
			if p == InSync {
				time.Sleep(30 * time.Second)
			}
			return nil
		}})
		load(t, s)
		began := time.Now()
		commit(t, s, put(gang("a", 1, 1)))
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("took %s", took)
		}
		_ = s.Close() // inside the bubble, before the cleanup
	})
}

// TestFileTakenAway: what goes into a removed file would be gone at the next
// start, so that nothing is promised on it.
func TestFileTakenAway(t *testing.T) {
	dir := t.TempDir()
	s := open(t, Options{Dir: dir})
	load(t, s)
	commit(t, s, put(gang("a", 1, 1)))
	if err := os.Remove(s.Path()); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(context.Background(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("heartbeat: %v", err)
	}
	time.Sleep(healPause)
	if err := s.Commit(context.Background(), nil); !errors.Is(err, ErrMissing) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the pause: %v", err)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty ledger has taken its place: %v", err)
	}
}

// TestFullDisk fills a real file system of 3 MB, sees the commit fail, makes room
// and sees it go on. It needs the right to mount one.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no right to mount a small file system: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.Background(), "umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	s := open(t, Options{Dir: filepath.Join(dir, "data")})
	load(t, s)
	commit(t, s, put(gang("first", 1, 1)))
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{"first": true}
	var full error
	for i := 0; full == nil && i < 1000; i++ {
		name := fmt.Sprintf("g%04d", i)
		if full = s.Commit(context.Background(), []ledger.Change{put(gang(name, 1, 200))}); full == nil {
			kept[name] = true
		}
	}
	if full == nil || !strings.Contains(full.Error(), "no space left") {
		t.Fatalf("the disk never filled: %v", full)
	}
	t.Logf("full after %d commits: %v", len(kept), full)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	time.Sleep(healPause)
	commit(t, s, put(gang("last", 1, 1)))
	kept["last"] = true
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, _ := load(t, open(t, Options{Dir: filepath.Join(dir, "data")}))
	if want := slices.Sorted(maps.Keys(kept)); !slices.Equal(keysOf(got), want) {
		t.Errorf("%d gangs are there, %d were acknowledged", len(got), len(want))
	}
}
