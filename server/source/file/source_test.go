package file_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/source/file"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// twoNodes is a list of nodes a and b, a with so many GPUs.
func twoNodes(gpus int) string {
	return fmt.Sprintf(`apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {nvidia.com/gpu: "%d"}}}
- {apiVersion: v1, kind: Node, metadata: {name: b}}
`, gpus)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// replace puts another file in a path's place, as editors do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// followed is a source being run, with what it tells.
type followed struct {
	*file.Source
	deltas chan cluster.Delta
	status chan file.Status
}

func run(t *testing.T, paths ...string) *followed {
	t.Helper()
	// Room for whatever a test makes the source say, so that Run never waits.
	f := &followed{deltas: make(chan cluster.Delta, 64), status: make(chan file.Status, 64)}
	src, err := file.Open(paths, file.Options{OnStatus: func(s file.Status) { f.status <- s }})
	if err != nil {
		t.Fatal(err)
	}
	f.Source = src
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1) // one end
	started := make(chan struct{})
	go func() {
		close(started)
		done <- src.Run(ctx, func(d cluster.Delta) { f.deltas <- d })
	}()
	<-started
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestRunDeliversOnlyWhatChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nodes.yaml")
	write(t, path, twoNodes(8))
	f := run(t, path)
	if d := f.First(); !d.Replace || len(d.Nodes) != 2 {
		t.Fatalf("first delta %+v; want both nodes, Replace", d)
	}
	replace(t, path, twoNodes(7))
	d := <-f.deltas
	if len(d.Nodes) != 1 || d.Nodes[0].Name != "a" || d.Nodes[0].Total["nvidia.com/gpu"] != 7 || d.Replace || len(d.RemovedNodes) > 0 {
		t.Errorf("delta %+v; want node a with 7 GPUs alone", d)
	}
	replace(t, path, "kind: Node\nmetadata: {name: b}\n")
	if d := <-f.deltas; !cmp.Equal(d.RemovedNodes, []string{"a"}) || len(d.Nodes) != 0 {
		t.Errorf("delta %+v; want a removed, b untouched", d)
	}
}

func TestRunKeepsTheLastGoodState(t *testing.T) {
	for name, broken := range map[string]string{
		"half written": "kind: List\nitems:\n- {kind: Node, metadata: {na",
		"empty":        "",
		"no nodes":     "kind: List\nitems: []\n",
		"another kind": "switches: {s: }\nblocks: [{switch: s, nodes: [a]}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "nodes.yaml")
			write(t, path, twoNodes(8))
			f := run(t, path)
			replace(t, path, broken)
			s := <-f.status
			if s.Err == nil || s.Nodes != 2 || s.Failures != 1 || s.LastGood.IsZero() {
				t.Errorf("status %+v; want the error, and two nodes still", s)
			}
			if name == "half written" {
				var place *file.Error
				if !errors.As(s.Err, &place) || place.File != path || place.Line == 0 {
					t.Errorf("error %v; want one with file and line", s.Err)
				}
			}
			replace(t, path, twoNodes(6))
			if d := <-f.deltas; len(d.Nodes) != 1 {
				t.Errorf("delta %+v; want what changed since the last good state", d)
			}
			if s := <-f.status; s.Err != nil {
				t.Errorf("status %v after the file was good again", s.Err)
			}
		})
	}
}

func TestRunOutlivesAVanishedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nodes.yaml")
	write(t, path, twoNodes(8))
	f := run(t, path)
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if s := <-f.status; s.Err == nil || !strings.Contains(s.Err.Error(), "cannot be read") || s.Nodes != 2 {
		t.Errorf("status %+v; want that the file cannot be read, and two nodes still", s)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if s := <-f.status; s.Err != nil {
		t.Errorf("error %v after the same file came back", s.Err)
	}
	if len(f.deltas) > 0 {
		t.Errorf("delta %+v; nothing changed", <-f.deltas)
	}
}

// A ConfigMap mount swaps a link to a folder.
func TestRunFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name, "nodes.yaml"), twoNodes(8-i))
	}
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("one", "..data")
	link("..data/nodes.yaml", "nodes.yaml")
	f := run(t, filepath.Join(dir, "nodes.yaml"))
	link("two", "..data_tmp")
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if d := <-f.deltas; len(d.Nodes) != 1 || d.Nodes[0].Total["nvidia.com/gpu"] != 7 {
		t.Errorf("delta %+v; want node a of the second folder", d)
	}
}

func TestRunSeesChangesBetweenOpenAndRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nodes.yaml")
	write(t, path, twoNodes(8))
	src, err := file.Open([]string{path}, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	replace(t, path, twoNodes(1))
	ctx, cancel := context.WithCancel(t.Context())
	var got []cluster.Delta
	if err := src.Run(ctx, func(d cluster.Delta) { got = append(got, d); cancel() }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0].Nodes) != 1 {
		t.Errorf("deltas %+v; want one with node a", got)
	}
}

func TestRunRefusesADeeperTree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.yaml")
	write(t, path, "switches: {s: {switches: [l]}}\nblocks: [{switch: l, nodes: [a]}]\n")
	f := run(t, path)
	replace(t, path, "switches: {r: {switches: [s]}, s: {switches: [l]}}\nblocks: [{switch: l, nodes: [a]}]\n")
	if s := <-f.status; s.Err == nil || !strings.Contains(s.Err.Error(), "restart") {
		t.Errorf("error %v; want that the scheme in force is shallower", s.Err)
	}
	replace(t, path, "switches: {l: }\nblocks: [{switch: l, nodes: [a]}]\n") // shallower fits
	if d := <-f.deltas; len(d.Nodes) != 1 || d.Nodes[0].Labels["root"] != "l" {
		t.Errorf("delta %+v; want the root repeated upward", d)
	}
}

func TestStdin(t *testing.T) {
	src, err := file.Open([]string{"-"}, file.Options{Stdin: strings.NewReader(twoNodes(8))})
	if err != nil {
		t.Fatal(err)
	}
	if d := src.First(); len(d.Nodes) != 2 {
		t.Errorf("%d nodes; want 2", len(d.Nodes))
	}
}
