package gang

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRead reads each file of testdata and compares what is read, or the error,
// with the golden file beside it.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, file+".golden", shown(t, filepath.Base(file), data))
		})
	}
}

func shown(t *testing.T, name string, data []byte) string {
	r, err := ReadFile(name, data, Options{})
	if err != nil {
		if _, ok := err.(*Error); !ok { //nolint:errorlint // the promise is the bare type
			t.Errorf("error of type %T, want *Error: %v", err, err)
		}
		return "error: " + err.Error() + "\n"
	}
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestLine finds the line of a field of the contract, or of what is around it.
func TestLine(t *testing.T) {
	read := func(name string) Gang {
		data, err := os.ReadFile(filepath.Join("testdata", "read", name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadFile(name, data, Options{})
		if err != nil || len(r.Gangs) != 1 {
			t.Fatal(r, err)
		}
		return r.Gangs[0]
	}
	for _, c := range []struct {
		file, path string
		want       int
	}{
		{"gang-full.yaml", "constraint.required_layer", 4},
		{"gang-full.yaml", "pod_sets[1].slices[0].layer", 31},
		{"gang-full.yaml", `pod_sets[1].requests["nvidia.com/gpu"]`, 23},
		{"gang-full.yaml", "pod_sets[1].filter.nothing.such", 34},
		{"job-required.yaml", "pod_sets[0].constraint.required_layer", 19},
		{"job-required.yaml", "pod_sets[0].constraint.preferred_layer", 20},
		{"job-required.yaml", "pod_sets[0].count", 14},
		{"job-required.yaml", "nothing.such", 6},
	} {
		if got := read(c.file).Origin.Line(c.path); got != c.want {
			t.Errorf("%s: %s is line %d, want %d", c.file, c.path, got, c.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	_, err := ReadFile("big.yaml", make([]byte, MaxBytes+1), Options{})
	if err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("got %v", err)
	}
}

func TestNearest(t *testing.T) {
	layers := []string{"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-3"}
	for _, c := range []struct{ word, want string }{
		{"network-node-layer-3", layers[1]},
		{"topology.k8s.aws/network-node-layer3", layers[1]},
		{"Topology.k8s.aws/network-node-layer-1", layers[0]},
		{"rack", ""},
		{"", ""},
	} {
		if got := Nearest(c.word, layers); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}

// FuzzRead holds that no input brings the reader down, that a refusal is always an
// *Error, and that what is read has pods.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("pod_sets: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadFile("fuzz.yaml", data, Options{})
		if err != nil {
			if _, ok := err.(*Error); !ok { //nolint:errorlint // the promise is the bare type
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		if _, err := json.Marshal(r.View()); err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Gangs {
			holdsGang(t, g)
		}
	})
}

func holdsGang(t *testing.T, g Gang) {
	if len(g.PodSets) == 0 {
		t.Fatal("a gang without pod sets")
	}
	for _, p := range g.PodSets {
		for name, q := range p.Requests {
			if err := CheckQuantity(q); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	if g, err := g.Placeable(); err == nil && len(g.PodSets) == 0 {
		t.Fatal("placeable without pod sets")
	}
}
