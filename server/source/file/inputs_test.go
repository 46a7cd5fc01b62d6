package file_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/scheme"
	"github.com/hopwise/hopwise/server/source/file"
)

// inputDirs are the project's own inputs and, where HOPWISE_INPUTS names a
// directory of the same shape, that too.
func inputDirs(kind string) []string {
	dirs := []string{filepath.Join("testdata", kind)}
	if more := os.Getenv("HOPWISE_INPUTS"); more != "" {
		dirs = append(dirs, filepath.Join(more, kind))
	}
	return dirs
}

// eachRow runs a test per row of the expected.jsonl of each directory.
func eachRow(t *testing.T, kind string, check func(t *testing.T, path string, row []byte)) {
	for _, dir := range inputDirs(kind) {
		data, err := os.ReadFile(filepath.Join(dir, "expected.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var head struct{ File string }
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				t.Fatalf("%s: %v", dir, err)
			}
			t.Run(filepath.Base(filepath.Dir(dir))+"/"+head.File, func(t *testing.T) {
				check(t, filepath.Join(dir, head.File), lines.Bytes())
			})
		}
	}
}

// reading is what a file's nodes come to, in the words of expected.jsonl.
type reading struct {
	Scheme        []string       `json:"scheme"`
	Nodes         int            `json:"nodes"`
	Usable        int            `json:"usable"`
	Unusable      []string       `json:"-"`
	PerLayer      map[string]int `json:"per_layer"`
	MissingLabels []string       `json:"missing_labels"`
	Shares        [][]string     `json:"shares"`
	Incomplete    bool           `json:"incomplete"`
	Tolerating    map[string]int `json:"usable_tolerating"`
	SideLayers    map[string]int `json:"side_layers"`
}

func TestNodeInputs(t *testing.T) {
	eachRow(t, "nodes", func(t *testing.T, path string, row []byte) {
		var want reading
		var why struct {
			Unusable map[string]string          `json:"unusable"`
			Other    map[string]json.RawMessage `json:"other_schemes"`
		}
		if err := json.Unmarshal(row, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(row, &why); err != nil {
			t.Logf("other_schemes is of another form: %v", err)
		}
		want.Unusable = slices.Sorted(maps.Keys(why.Unusable))
		got := read(t, path, slices.Collect(maps.Keys(want.Tolerating)))
		if want.SideLayers == nil {
			got.SideLayers = nil // not every row counts them
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: reading (-want +got):\n%s", path, diff)
		}
		for name, raw := range why.Other {
			t.Logf("other scheme %s, not compared: %s", name, raw)
		}
	})
}

func read(t *testing.T, path string, tolerate []string) reading {
	s, err := file.Open([]string{path}, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := s.First()
	nodes := labelsOf(d.Nodes)
	sch := scheme.Detect(nodes).Scheme
	if d.NodeWord != "" {
		sch.Node = d.NodeWord
	}
	got := reading{
		Scheme: sch.Shown(nodes), Nodes: len(d.Nodes), PerLayer: perLayer(sch, nodes), Shares: shares(sch, nodes),
		Tolerating: map[string]int{}, SideLayers: map[string]int{},
		Incomplete: slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "incomplete") }),
	}
	for _, n := range d.Nodes {
		if usable(n, "") {
			got.Usable++
		} else {
			got.Unusable = append(got.Unusable, n.Name)
		}
		for _, key := range tolerate {
			if usable(n, strings.TrimSuffix(key, " Exists")) {
				got.Tolerating[key]++
			}
		}
	}
	for _, g := range scheme.Gaps(sch, nodes) {
		got.MissingLabels = append(got.MissingLabels, g.Node)
	}
	for _, side := range scheme.SideLayers(nodes) {
		got.SideLayers[side.Key] = side.Domains
	}
	return got
}

func labelsOf(nodes []cluster.Node) []scheme.Node {
	out := make([]scheme.Node, len(nodes))
	for i, n := range nodes {
		out[i] = scheme.Node{Name: n.Name, InstanceType: n.InstanceType, Labels: n.Labels}
	}
	return out
}

// usable is for a pod that tolerates taints of one key, whatever its requests.
func usable(n cluster.Node, tolerated string) bool {
	for _, taint := range n.Taints {
		if taint.Effect != "PreferNoSchedule" && taint.Key != tolerated {
			return false
		}
	}
	return n.Ready && !n.Unschedulable && n.Provider == ""
}

// domains counts the nodes of each domain of a layer, by full path.
func domains(s scheme.Scheme, nodes []scheme.Node, layer int) map[string]int {
	count := make(map[string]int)
	for _, n := range nodes {
		if path := s.Path(n.Labels); len(path) > layer {
			count[strings.Join(path[:layer+1], "\x00")]++
		}
	}
	return count
}

func perLayer(s scheme.Scheme, nodes []scheme.Node) map[string]int {
	per := map[string]int{s.Node: len(nodes)}
	for i, hidden := range s.Hidden(nodes) {
		if !hidden {
			per[s.Layers[i]] = len(domains(s, nodes, i))
		}
	}
	return per
}

func shares(s scheme.Scheme, nodes []scheme.Node) [][]string {
	by := make(map[string][]string)
	for _, n := range nodes {
		if path := s.Path(n.Labels); len(path) > 0 {
			key := strings.Join(path, "\x00")
			by[key] = append(by[key], n.Name)
		}
	}
	all := slices.Collect(maps.Values(by))
	slices.SortFunc(all, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return all
}

// treeReading is what a topograph model comes to.
type treeReading struct {
	Layers    map[string]int `json:"layers"`
	Nodes     int            `json:"nodes"`
	LeafSizes []int          `json:"leaf_sizes"` // in path order
	SideLayer struct {
		Key     string `json:"key"`
		Domains int    `json:"domains"`
	} `json:"side_layer"`
	Names map[string][]string `json:"names"`
}

func TestTopographInputs(t *testing.T) {
	eachRow(t, "topograph", func(t *testing.T, path string, row []byte) {
		var want treeReading
		if err := json.Unmarshal(row, &want); err != nil {
			t.Fatal(err)
		}
		s, err := file.Open([]string{path}, file.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := s.First()
		nodes := labelsOf(d.Nodes)
		sch := scheme.Scheme{Layers: d.Scheme, Node: d.NodeWord}
		got := treeReading{Layers: map[string]int{}, Nodes: len(nodes), Names: map[string][]string{}}
		for i, layer := range sch.Layers {
			in := domains(sch, nodes, i)
			got.Layers[layer] = len(in)
			for _, p := range slices.Sorted(maps.Keys(in)) {
				if i == len(sch.Layers)-1 {
					got.LeafSizes = append(got.LeafSizes, in[p])
				}
				if want.Names[layer] != nil {
					got.Names[layer] = append(got.Names[layer], p[strings.LastIndexByte(p, 0)+1:])
				}
			}
			slices.Sort(got.Names[layer])
		}
		for _, side := range scheme.SideLayers(nodes) {
			if side.Key == want.SideLayer.Key {
				got.SideLayer.Key, got.SideLayer.Domains = side.Key, side.Domains
			}
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: reading (-want +got):\n%s\nwarnings: %q", path, diff, d.Warnings)
		}
	})
}
