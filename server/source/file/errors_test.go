package file_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hopwise/hopwise/server/source/file"
)

// Each bad input, and words that the message must hold: place, what, expected.
func TestBadInput(t *testing.T) {
	node := func(rest string) string { return "kind: Node\nmetadata: {name: a}\n" + rest }
	tests := map[string]struct {
		text string
		want []string
	}{
		"empty":             {"", []string{"in.yaml: ", "empty"}},
		"comments only":     {"# soon\n---\n", []string{"no document"}},
		"binary":            {"kind: No\xff\xfe", []string{"in.yaml:1: ", "UTF-8"}},
		"utf-16":            {"\xff\xfek\x00", []string{"UTF-16"}},
		"yaml syntax":       {"kind: Node\nmetadata: {name: a}\n---\nkind: Node\nmetadata: [}\n", []string{"in.yaml:5: ", "not YAML"}},
		"yaml key twice":    {"kind: Node\nmetadata:\n  name: a\n  name: b\n", []string{"in.yaml:4: ", "name"}},
		"json syntax":       {"{\"kind\": \"Node\",\n \"metadata\": {,}}", []string{"in.yaml:2:15: ", "not JSON"}},
		"json cut":          {"{\"kind\": \"NodeList\",\n \"items\": [", []string{"in.yaml:2:", "ends in the middle"}},
		"list at top":       {"- a\n- b\n", []string{"a list, no object"}},
		"unknown kind":      {"apiVersion: v1\nkind: Service\n", []string{`kind "Service"`, "expected a Kubernetes Node"}},
		"other group":       {"apiVersion: karpenter.sh/v1\nkind: NodePool\n", []string{"karpenter.sh/v1"}},
		"kind in a list":    {"kind: List\nitems:\n- {kind: Node, metadata: {name: a}}\n- {kind: Secret, metadata: {name: s}}\n", []string{"in.yaml:1: ", `items[1] ("s")`, `"Secret"`, "expected Node or Pod"}},
		"pod in a NodeList": {"kind: NodeList\nitems: [{kind: Pod, metadata: {name: p}}]\n", []string{`kind "Pod" in a NodeList`}},
		"no kind":           {"kind: List\nitems: [{metadata: {name: p}}]\n", []string{"kind is missing"}},
		"items no list":     {"kind: NodeList\nitems: {a: b}\n", []string{"items is an object", "expected a list"}},
		"unknown keys":      {"nodes: []\nfoo: 1\n", []string{"keys are foo, nodes"}},
		"describe":          {`{"Reservations": []}`, []string{"describe-instance-topology"}},
		"slurm":             {"SwitchName=s0 Nodes=n[1-2]\n", []string{"Slurm"}},
		"twice":             {"kind: List\nitems: [{kind: Node, metadata: {name: a}}, {kind: Node, metadata: {name: a}}]\n", []string{`node "a" is given twice`, "1 and 2"}},
		"nameless":          {"kind: Node\n", []string{"metadata.name is empty"}},
		"escape in a name":  {"{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\\u001b[31m\"}}", []string{`"a\x1b[31m"`}},
		"escape in a label": {"kind: Node\nmetadata: {name: a, labels: {k: \"\\e]0;x\"}}\n", []string{`\x1b`}},
		"direction marks":   {"kind: Node\nmetadata: {name: \"a\\u202eb\"}\n", []string{`\u202e`}},
		"negative":          {node("status: {allocatable: {cpu: \"-1\"}}\n"), []string{"status.allocatable", "cpu is -1", "0 or more"}},
		"absurd":            {node("status: {allocatable: {memory: 9e18}}\n"), []string{"memory is 9E", "at most"}},
		"absurd cpu":        {node("status: {allocatable: {cpu: 9e18}}\n"), []string{"cpu", "at most"}},
		"no quantity":       {node("status: {allocatable: {memory: 12 gigs}}\n"), []string{"quantities must match"}},
		"effect":            {node("spec: {taints: [{key: k, effect: Never}]}\n"), []string{"spec.taints[0]", `"Never"`, "expected NoSchedule"}},
		"no nodes":          {"kind: PodList\nitems: []\n", []string{"no nodes"}},
		"ec2 empty":         {`{"Instances": []}`, []string{"no nodes"}},
		"ec2 nameless":      {`{"Instances": [{"InstanceId": ""}]}`, []string{"Instances[0]", "InstanceId is empty"}},
		"ec2 contradiction": {`{"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["a"]}, {"InstanceId": "i-1", "NetworkNodes": ["b"]}]}`, []string{`Instances[1] ("i-1")`, "different answers"}},
		"ec2 shape":         {`{"Instances": {"a": 1}}`, []string{"Instances is object"}},
		"ring":              {"switches: {a: {switches: [b]}, b: {switches: [c]}, c: {switches: [a]}}\nblocks: [{switch: a, nodes: [n]}]\n", []string{"its own ancestor", "under"}},
		"own child":         {"switches: {a: {switches: [a]}}\nblocks: [{switch: a, nodes: [n]}]\n", []string{`switch "a" is its own ancestor: a under a`}},
		"two parents":       {"switches: {a: {switches: [c]}, b: {switches: [c]}}\nblocks: [{switch: c, nodes: [n]}]\n", []string{`switch "c" has two parents, "a" and "b"`}},
		"unknown switch":    {"switches: {a: {switches: [c]}}\nblocks: [{switch: d, nodes: [n]}]\n", []string{"blocks[0]", `switch "d"`, "a, c"}},
		"unknown block":     {"switches: [{name: a, capacity_blocks: [x]}]\nblocks: [{switch: a, nodes: [n]}]\n", []string{`capacity block "x"`}},
		"unknown field":     {"switches: {a: }\nblocks: [{switch: a, node: [n]}]\n", []string{"blocks[0]", `unknown field "node"`}},
		"node in two":       {"blocks: [{switch: a, nodes: [n1]}, {switch: b, nodes: [\"n[1-2]\"]}]\n", []string{"blocks[1]", `node "n1" is given twice`}},
		"number for a name": {`{"blocks": [{"switch": "a", "nodes": [101]}]}`, []string{"blocks[0]", "101 is a number", "quotes"}},
		"no switch at all":  {"switches: {}\nblocks: []\n", []string{"no nodes"}},
		"backwards":         {"blocks: [{switch: a, nodes: [\"n[9-1]\"]}]\n", []string{"blocks[0]: nodes[0]", "runs backwards"}},
		"billions":          {"blocks: [{switch: a, nodes: [\"n[0-999999999]\"]}]\n", []string{"more than 1000000 hosts"}},
		"billions by parts": {"blocks: [{switch: a, nodes: [\"n[0-9999]x[0-9999]\"]}]\n", []string{"more than 1000000 hosts"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in.yaml")
			write(t, path, tt.text)
			_, err := file.Open([]string{path}, file.Options{})
			if err == nil {
				t.Fatal("no error")
			}
			for _, words := range append(tt.want, "in.yaml") {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("error %q does not hold %q", err, words)
				}
			}
			if strings.ContainsAny(err.Error(), "\x1b\x00\u202e") {
				t.Errorf("error %q holds characters that act on a terminal", err)
			}
		})
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "nodes.yaml")
	write(t, path, twoNodes(8))
	for name, tt := range map[string]struct {
		paths []string
		limit int64
		want  string
	}{
		"none":      {nil, 0, "no files given"},
		"missing":   {[]string{filepath.Join(dir, "none.yaml")}, 0, "none.yaml: cannot be read: no such file"},
		"directory": {[]string{dir}, 0, "is a directory"},
		"twice":     {[]string{path, path}, 0, "given twice"},
		"too large": {[]string{path}, 10, "larger than 10 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := file.Open(tt.paths, file.Options{MaxBytes: tt.limit})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v; want %q", err, tt.want)
			}
			var place *file.Error
			if len(tt.paths) > 0 && !errors.As(err, &place) {
				t.Errorf("error %T; want *file.Error", err)
			}
		})
	}
}
