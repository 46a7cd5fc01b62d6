package file

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seed adds the committed inputs and a few broken ones.
func seed(f *testing.F, pattern string, more ...string) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		f.Fatalf("no seeds in %s: %v", pattern, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range more {
		f.Add([]byte(text))
	}
}

// readsTheSame reads a file twice: never a panic, always one answer, and a state
// differs from itself in nothing.
func readsTheSame(t *testing.T, data []byte) {
	states := make([]*state, 2)
	for i := range states {
		c, err := parse("fuzz", data)
		if err != nil {
			return
		}
		if states[i], err = join([]*content{c}, nil); err != nil {
			return
		}
	}
	if d := states[1].since(states[0]); !empty(d) {
		t.Errorf("two readings differ: %+v", d)
	}
	if diff := cmp.Diff(states[0].whole(), states[1].whole()); diff != "" {
		t.Errorf("two readings differ:\n%s", diff)
	}
	for name := range states[0].nodes {
		if err := checkName("node", name); err != nil {
			t.Error(err)
		}
	}
}

func FuzzNodes(f *testing.F) {
	seed(f, "testdata/nodes/*.[yj]*", "kind: PodList\nitems: [{metadata: {name: p}, spec: {nodeName: n, resources: {limits: {cpu: 1}}}}]\n",
		"kind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 1e999999999}}\n")
	f.Fuzz(readsTheSame)
}

func FuzzEC2(f *testing.F) {
	seed(f, "testdata/nodes/*ec2*", `{"Instances":[{"InstanceId":"i-1","NetworkNodes":[""]}]}`)
	f.Fuzz(readsTheSame)
}

func FuzzTopograph(f *testing.F) {
	seed(f, "testdata/topograph/*.yaml", "switches: {a: {switches: [a]}}", "blocks: [{nodes: ['x[1-2']}]")
	f.Fuzz(func(t *testing.T, data []byte) {
		readsTheSame(t, data)
		if c, err := parse("fuzz", data); err == nil {
			for _, m := range c.trees {
				checkDepths(t, m)
			}
		}
	})
}

// checkDepths holds every path to the tree's depth, with a switch's parent above it.
func checkDepths(t *testing.T, m *model) {
	tr, err := newTree(m)
	if err != nil {
		return
	}
	depth := tr.depth()
	for _, b := range m.blocks {
		if b.sw == "" || len(b.nodes) == 0 {
			continue
		}
		path := tr.path(b.sw, depth)
		if len(path) != depth || path[depth-1] != b.sw {
			t.Errorf("switch %q: path %q, depth %d", b.sw, path, depth)
		}
		for i := 1; i < depth; i++ {
			if path[i] != path[i-1] && tr.parent[path[i]] != path[i-1] {
				t.Errorf("switch %q: path %q: %q is not the parent of %q", b.sw, path, path[i-1], path[i])
			}
		}
	}
}

func FuzzHostlist(f *testing.F) {
	for _, list := range []string{"n[1-3]", "a,b[01-02]", "r[1-2]n[3,5-6]x", "[", "]", "a[,]", "a[1-", "n[99999999999999999999]", "n[0-18446744073709551615]", ""} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := expand(list, 1000)
		if err != nil {
			return
		}
		if len(names) == 0 || len(names) > 1000 {
			t.Errorf("%q: %d names", list, len(names))
		}
		for _, name := range names {
			if err := checkName("name", name); err != nil {
				t.Errorf("%q: %v", list, err)
			}
			again, err := expand(name, 1)
			if err != nil || !slices.Equal(again, []string{name}) {
				t.Errorf("%q gives %q, which gives %q, %v", list, name, again, err)
			}
		}
	})
}

func TestHostlist(t *testing.T) {
	for list, want := range map[string]string{
		"node[1101-1103]": "[node1101 node1102 node1103]",
		"srv11[08-11]":    "[srv1108 srv1109 srv1110 srv1111]",
		"I25":             "[I25]",
		"a, b[3,5-6]":     "[a b3 b5 b6]",
		"r[1-2]n[01-02]z": "[r1n01z r1n02z r2n01z r2n02z]",
		"n[098-101]":      "[n098 n099 n100 n101]",
		"n[]":             "error", "n[1": "error", "n1]": "error", "n[a-b]": "error", "": "error", "a,": "error", "n[-1]": "error", "n[[1]]": "error",
	} {
		got, err := expand(list, mostHosts)
		text := fmt.Sprint(got)
		if err != nil {
			text = "error"
		}
		if text != want {
			t.Errorf("%q: %s, %v; want %s", list, text, err, want)
		}
	}
}
