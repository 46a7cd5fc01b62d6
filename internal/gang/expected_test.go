package gang

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
)

// expectedRow is one line of an expected.jsonl: what one file holds, or what about
// it is refused.
type expectedRow struct {
	File       string     `json:"file"`
	Source     string     `json:"source"`
	Gangs      []expected `json:"gangs"`
	Error      string     `json:"error"`
	ErrorAbout []string   `json:"error_about"`
	Ignored    []struct {
		Kind, Name, Why string
	} `json:"ignored"`
	Notes string `json:"notes"`
}

// expected is a gang as the file should be read.
type expected struct {
	Shown
	Outside bool   `json:"outside_conventions"` // refusing it by name would be right too
	Notes   string `json:"notes"`
}

// TestExpected reads each file of testdata/manifests and compares it with its row of
// expected.jsonl. HOPWISE_INPUTS names a directory with more of the kind, under
// manifests.
func TestExpected(t *testing.T) {
	dirs := []string{"testdata/manifests"}
	if more := os.Getenv("HOPWISE_INPUTS"); more != "" {
		dirs = append(dirs, filepath.Join(more, "manifests"))
	}
	for _, dir := range dirs {
		rows := expectedRows(t, filepath.Join(dir, "expected.jsonl"))
		named := make(map[string]bool)
		for _, row := range rows {
			named[row.File] = true
			t.Run(row.File, func(t *testing.T) { compareRow(t, dir, row) })
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			if !named[filepath.Base(file)] {
				t.Errorf("%s has no row in expected.jsonl", file)
			}
		}
	}
}

func expectedRows(t *testing.T, path string) []expectedRow {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []expectedRow
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row expectedRow
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&row); err != nil {
			t.Logf("%s: read without what is not known: %v", path, err)
			row = expectedRow{}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v: %s", path, err, lines.Text())
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func compareRow(t *testing.T, dir string, row expectedRow) {
	data, err := os.ReadFile(filepath.Join(dir, row.File))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadFile(row.File, data, Options{})
	if row.Error != "" {
		compareError(t, row, err)
		return
	}
	if err != nil && allOutside(row.Gangs) {
		t.Logf("refused, which is right too: %v", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	view := r.View()
	var want, got []Shown
	for i, g := range row.Gangs {
		want = append(want, comparable(g.Shown, g.Shown))
		if i < len(view.Gangs) && g.Warn != "" && !strings.Contains(view.Gangs[i].Warn, g.Warn) {
			t.Errorf("warn %q does not say %q", view.Gangs[i].Warn, g.Warn)
		}
	}
	for i, g := range view.Gangs {
		like := Shown{}
		if i < len(want) {
			like = want[i]
		}
		got = append(got, comparable(g, like))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("gangs (-want +got):\n%s", diff)
	}
	compareIgnored(t, row, view.Ignored)
}

// allOutside says whether the row holds gangs of conventions that need not be read.
func allOutside(gangs []expected) bool {
	return len(gangs) > 0 && !slices.ContainsFunc(gangs, func(g expected) bool { return !g.Outside })
}

func compareError(t *testing.T, row expectedRow, err error) {
	if err == nil {
		t.Fatalf("read, want refused: %s", row.Error)
	}
	for _, about := range row.ErrorAbout {
		if !strings.Contains(err.Error(), about) {
			t.Errorf("error %q does not say %q", err, about)
		}
	}
	if e, ok := err.(*Error); !ok || e.Line == 0 { //nolint:errorlint // the promise is the bare type
		t.Errorf("error %q has no line", err)
	}
}

func compareIgnored(t *testing.T, row expectedRow, got []Ignored) {
	var wantNames, gotNames []string
	for _, i := range row.Ignored {
		wantNames = append(wantNames, i.Kind+" "+i.Name)
	}
	for _, i := range got {
		gotNames = append(gotNames, i.Kind+" "+i.Name)
	}
	if diff := cmp.Diff(wantNames, gotNames); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
}

// comparable leaves out what rows do not state, and writes quantities one way.
func comparable(g, like Shown) Shown {
	g.Warn, g.Notes, g.Unsupported, g.Priority = "", nil, nil, 0
	if like.MinMembers == 0 && len(like.PodSets) > 0 {
		g.MinMembers = 0 // open, or all
	}
	g.Copies = max(g.Copies, 1)
	g.PodSets = slices.Clone(g.PodSets)
	for i := range g.PodSets {
		p := &g.PodSets[i]
		p.MaxPerNode, p.MinCount = 0, 0 // not in rows
		if i < len(like.PodSets) && like.PodSets[i].Name == "*" {
			p.Name = "*"
		}
		requests := make(map[string]string)
		for name, q := range p.Requests {
			quantity := apiresource.MustParse(q)
			requests[name] = quantity.AsDec().String()
		}
		p.Requests = requests
		for j := range p.Slices {
			p.Slices[j] = SliceView{Size: p.Slices[j].Size, Layer: p.Slices[j].Layer}
		}
	}
	return g
}
