package file_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/source/file"
)

// openAll opens files of these texts, in order.
func openAll(t *testing.T, texts ...string) (cluster.Delta, error) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%d.yaml", i))
		write(t, path, text)
		paths = append(paths, path)
	}
	s, err := file.Open(paths, file.Options{})
	if err != nil {
		return cluster.Delta{}, err
	}
	return s.First(), nil
}

func mustOpen(t *testing.T, texts ...string) cluster.Delta {
	t.Helper()
	d, err := openAll(t, texts...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func warned(d cluster.Delta, words string) bool {
	return strings.Contains(strings.Join(d.Warnings, "\n"), words)
}

const layer = "topology.k8s.aws/network-node-layer-"

func TestEC2AnswersMeetNodesByProviderID(t *testing.T) {
	d := mustOpen(t, `
kind: List
items:
- {kind: Node, metadata: {name: bare}, spec: {providerID: aws:///us-west-2a/i-0a}}
- {kind: Node, metadata: {name: hyperpod-i-0b}, spec: {providerID: aws:///usw2-az1/sagemaker/cluster/hyperpod-9z-i-0b}}
- {kind: Node, metadata: {name: other, labels: {`+layer+`1: nn-x}}, spec: {providerID: aws:///us-west-2a/i-0c}}
- {kind: Node, metadata: {name: i-0d}}
`, `{"Instances": [
{"InstanceId": "i-0a", "InstanceType": "p5.48xlarge", "NetworkNodes": ["nn-1", "nn-2", "nn-3"], "CapacityBlockId": "null"},
{"InstanceId": "i-0b", "NetworkNodes": ["nn-1", "nn-2", "nn-4"]},
{"InstanceId": "i-0c", "NetworkNodes": ["nn-1", "nn-2", "nn-5"]},
{"InstanceId": "i-0d", "NetworkNodes": ["nn-1", "nn-2", "nn-5"]}], "NextToken": null}`)
	leaf := map[string]string{}
	for _, n := range d.Nodes {
		leaf[n.Name] = n.Labels[layer+"3"]
	}
	want := map[string]string{"bare": "nn-3", "hyperpod-i-0b": "nn-4", "other": "", "i-0d": ""}
	if diff := cmp.Diff(want, leaf); diff != "" {
		t.Errorf("leaves (-want +got):\n%s", diff)
	}
	if d.Nodes[0].InstanceType != "p5.48xlarge" || d.NodeWord != "" {
		t.Errorf("node %+v, node word %q; want EC2's type on a Kubernetes node", d.Nodes[0], d.NodeWord)
	}
	for _, words := range []string{`node "other"`, "1 of the EC2 answer's instances are no Kubernetes nodes", "1 nodes are not among"} {
		if !warned(d, words) {
			t.Errorf("warnings %q lack %q", d.Warnings, words)
		}
	}
}

func TestPagesInSeveralFiles(t *testing.T) {
	page := func(id, token string) string {
		return fmt.Sprintf(`{"Instances": [{"InstanceId": %q, "NetworkNodes": ["nn-1"]}], "NextToken": %q}`, id, token)
	}
	if d := mustOpen(t, page("i-1", "more"), page("i-2", "")); len(d.Nodes) != 2 || warned(d, "incomplete") {
		t.Errorf("%d nodes, warnings %q; want 2 and no word of a missing page", len(d.Nodes), d.Warnings)
	}
	if d := mustOpen(t, page("i-1", "more"), page("i-2", "yet more")); !warned(d, "incomplete") {
		t.Errorf("warnings %q; want incomplete", d.Warnings)
	}
}

func TestTopographMeetsNodesByName(t *testing.T) {
	model := "switches: {s: {switches: [l1, l2]}}\nblocks: [{switch: l1, nodes: [a]}, {switch: l2, nodes: [z]}]\n"
	d := mustOpen(t, twoNodes(8), model)
	if !cmp.Equal(d.Scheme, []string{"root", "leaf"}) || d.NodeWord != "" || len(d.Nodes) != 2 {
		t.Errorf("scheme %v, %d nodes; want root and leaf on the Kubernetes nodes", d.Scheme, len(d.Nodes))
	}
	if a := d.Nodes[0]; a.Labels["leaf"] != "l1" || a.Total["nvidia.com/gpu"] != 8 {
		t.Errorf("node %+v; want layers of the model, room of the object", a)
	}
	for _, words := range []string{"no Kubernetes nodes here and were left out: z", "not among the topograph model's nodes: b"} {
		if !warned(d, words) {
			t.Errorf("warnings %q lack %q", d.Warnings, words)
		}
	}
	if _, err := openAll(t, model, `{"Instances": [{"InstanceId": "i-1"}]}`); err == nil {
		t.Error("a model and an EC2 answer together were taken")
	}
}

func TestFilesOfOneKind(t *testing.T) {
	d := mustOpen(t, twoNodes(8), "kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {nvidia.com/gpu: 4}}\n")
	if len(d.Nodes) != 2 || d.Nodes[0].Total["nvidia.com/gpu"] != 4 || !warned(d, `node "a" is in`) {
		t.Errorf("delta %+v; want the later file's a, said so", d)
	}
}

func TestPods(t *testing.T) {
	d := mustOpen(t, twoNodes(8), `
kind: PodList
items:
- metadata: {name: train-0, namespace: team, uid: u1}
  spec:
    nodeName: a
    overhead: {memory: 1Mi}
    initContainers:
    - {name: fetch, resources: {requests: {cpu: "4"}}}
    - {name: side, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
    containers:
    - {name: main, resources: {requests: {cpu: 1500m}, limits: {cpu: "2", nvidia.com/gpu: "8"}}}
    - {name: log, resources: {requests: {memory: 1Mi}}}
- metadata: {name: whole, namespace: team, deletionTimestamp: "2026-01-01T00:00:00Z"}
  spec:
    nodeName: a
    resources: {requests: {cpu: "3"}, limits: {memory: 2Gi}}
    containers: [{name: main}]
- {metadata: {name: done, namespace: team}, spec: {nodeName: a, containers: [{name: m}]}, status: {phase: Succeeded}}
- {metadata: {name: waiting, namespace: team}, spec: {containers: [{name: m}]}}
- {metadata: {name: ds, namespace: sys, ownerReferences: [{kind: DaemonSet, name: d, apiVersion: apps/v1, uid: x}]}, spec: {nodeName: b, containers: [{name: m}]}}
- {metadata: {name: mirror, namespace: sys, annotations: {kubernetes.io/config.mirror: h}}, spec: {nodeName: gone, containers: [{name: m}]}}
`)
	want := []cluster.Pod{
		{Namespace: "sys", Name: "ds", Node: "b", Requests: map[string]int64{}, Static: true},
		{Namespace: "sys", Name: "mirror", Node: "gone", Requests: map[string]int64{}, Static: true},
		// The one-off init container asks most: 4 cores, before the sidecar runs.
		{Namespace: "team", Name: "train-0", UID: "u1", Node: "a", Requests: map[string]int64{"cpu": 4000, "memory": 2 << 20, "nvidia.com/gpu": 8}},
		{Namespace: "team", Name: "whole", Node: "a", Requests: map[string]int64{"cpu": 3000, "memory": 2 << 30}},
	}
	if diff := cmp.Diff(want, d.Pods); diff != "" {
		t.Errorf("pods (-want +got):\n%s", diff)
	}
	if !warned(d, "bound to nodes that no file has: sys/mirror") {
		t.Errorf("warnings %q", d.Warnings)
	}
}

func TestNodeFacts(t *testing.T) {
	d := mustOpen(t, `
apiVersion: v1
kind: Node
metadata: {name: a, uid: u, labels: {beta.kubernetes.io/instance-type: ml.p5.48xlarge}}
spec: {unschedulable: true, providerID: p, taints: [{key: k, value: v, effect: NoExecute}]}
status:
  capacity: {cpu: "192", nvidia.com/gpu: "8"}
  allocatable: {cpu: 191450m, memory: 1Ki, nvidia.com/gpu: "7"}
  conditions: [{type: Ready, status: "True"}]
---
kind: Node
metadata: {name: b}
status: {capacity: {cpu: "2"}}
---
kind: Node
metadata: {name: c}
`)
	want := []cluster.Node{
		{Name: "a", UID: "u", ProviderID: "p", Labels: map[string]string{"beta.kubernetes.io/instance-type": "ml.p5.48xlarge"},
			Taints: []cluster.Taint{{Key: "k", Value: "v", Effect: "NoExecute"}}, Ready: true, Unschedulable: true,
			InstanceType: "ml.p5.48xlarge", Total: map[string]int64{"cpu": 191450, "memory": 1024, "nvidia.com/gpu": 7}},
		{Name: "b", Total: map[string]int64{"cpu": 2000}},
		{Name: "c"},
	}
	if diff := cmp.Diff(want, d.Nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}
