package bolt

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

func TestExportImport(t *testing.T) {
	dir, _ := file(t, 20)
	s := open(t, Options{Dir: dir})
	want, was := load(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	if sum, err := Export(dir, &lines); err != nil || sum.Records != 20 {
		t.Fatalf("%+v, %v", sum, err)
	}
	to := filepath.Join(t.TempDir(), "new")
	if _, err := Import(to, bytes.NewReader(lines.Bytes())); err != nil {
		t.Fatal(err)
	}
	if _, problems, err := Check(to, nil); err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
	if _, err := Import(to, bytes.NewReader(lines.Bytes())); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("again: %v", err)
	}
	cut := lines.Bytes()[:lines.Len()-200]
	for name, text := range map[string][]byte{"cut": cut, "a line short": cut[:bytes.LastIndexByte(cut, '\n')+1], "nothing": nil, "else": []byte("{}\n")} {
		empty := t.TempDir()
		if _, err := Import(empty, bytes.NewReader(text)); err == nil {
			t.Errorf("%s: imported", name)
		}
		if _, err := os.Stat(filepath.Join(empty, FileName)); err == nil {
			t.Errorf("%s: half a ledger is left", name)
		}
	}
	s = open(t, Options{Dir: to})
	got, start := load(t, s)
	if d := cmp.Diff(want, got); d != "" || start.Epoch != was.Epoch+1 {
		t.Errorf("epoch %d after %d; %s", start.Epoch, was.Epoch, d)
	}
}

func TestCompact(t *testing.T) {
	dir, _ := file(t, 300)
	s := open(t, Options{Dir: dir})
	all, _ := load(t, s)
	for key := range all {
		if !strings.HasSuffix(key.Name, "7") {
			commit(t, s, ledger.Change{Key: key})
			delete(all, key)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, after, err := Compact(dir)
	if err != nil || after > before+1<<16 { // a file this small has no room to give back
		t.Errorf("%d bytes, then %d: %v", before, after, err)
	}
	if got, _ := load(t, open(t, Options{Dir: dir})); !cmp.Equal(all, got) {
		t.Errorf("%d records of %d", len(got), len(all))
	}
}

// TestCompactMendsHeader: one header damaged, the other whole.
func TestCompactMendsHeader(t *testing.T) {
	dir, whole := file(t, 5)
	whole[pageHeader+50] ^= 1
	path := filepath.Join(dir, FileName)
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, problems, err := Check(dir, nil); err != nil || len(problems) != 1 || !strings.Contains(problems[0], "compact") {
		t.Errorf("%v, %v", problems, err)
	}
	if _, _, err := Compact(dir); err != nil {
		t.Fatal(err)
	}
	if got, _ := load(t, open(t, Options{Dir: dir})); len(got) < 4 {
		t.Errorf("%d records of 5", len(got))
	}
}

// TestCompactedTwoHeaders: a file that was written in one go has two headers
// that lead to all of it, and one that leads nowhere is refused.
func TestCompactedTwoHeaders(t *testing.T) {
	for at := range 2 {
		dir, _ := file(t, 5)
		if _, _, err := Compact(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, FileName)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 37 {
			whole[at*os.Getpagesize()+10+i] ^= 0xff
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Compact(dir); err != nil {
			t.Errorf("header %d: %v", at, err)
		}
		if got, _ := load(t, open(t, Options{Dir: dir})); len(got) != 5 {
			t.Errorf("header %d: %d records of 5", at, len(got))
		}
	}
}

// TestCheckFinds plants one wrong record at a time.
func TestCheckFinds(t *testing.T) {
	room := map[string]map[string]int64{"node-a-0": {"gpu": 8}}
	for says, plant := range map[string]func(*ledger.Record){
		"fingerprint":                     func(r *ledger.Record) { r.Fingerprint = "x" },
		"later than the last start":       func(r *ledger.Record) { r.Revision.Epoch = 9 },
		"pod sets are placed":             func(r *ledger.Record) { r.Sets = nil },
		"16 of gpu are held, 8 are there": func(r *ledger.Record) { r.Sets[0].Runs = []ledger.Run{{Node: "node-a-0", Pods: 1}} },
		"slot 7 is not where one belongs": func(r *ledger.Record) { r.Sets[0].Slots = []ledger.Slot{{Rank: 7}} },
		"pod p is in two slots": func(r *ledger.Record) {
			r.Sets[0].Slots = []ledger.Slot{{Rank: 0, PodUID: "p"}, {Rank: 1, PodUID: "p"}}
		},
		"state 4 with end 0001-01-01": func(r *ledger.Record) { r.State = ledger.Released },
		`0 pods on node "node-b-0"`:   func(r *ledger.Record) { r.Sets[0].Runs[0].Pods = 0 },
	} {
		dir := t.TempDir()
		s := open(t, Options{Dir: dir})
		load(t, s)
		bad := gang("b", 1, 2)
		plant(bad)
		commit(t, s, put(gang("a", 1, 1)), put(bad))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, problems, err := Check(dir, &ledger.Audit{Room: room})
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0], says) {
			t.Errorf("%s: %q, %v", says, problems, err)
		}
	}
}

// TestBackup copies the file while commits go on.
func TestBackup(t *testing.T) {
	dir, _ := file(t, 50)
	s := open(t, Options{Dir: dir})
	want, _ := load(t, s)
	var copied bytes.Buffer
	size := int64(0)
	if err := s.Backup(func(n int64) {
		size = n
		commit(t, s, put(gang("later", 1, 3)))
	}, &copied); err != nil {
		t.Fatal(err)
	}
	if size != int64(copied.Len()) {
		t.Errorf("%d bytes announced, %d written", size, copied.Len())
	}
	commit(t, s, put(gang("after", 1, 3))) // the file is still open
	to := t.TempDir()
	if err := os.WriteFile(filepath.Join(to, FileName), copied.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := load(t, open(t, Options{Dir: to})); !cmp.Equal(want, got) {
		t.Errorf("%d records of %d", len(got), len(want))
	}
}
