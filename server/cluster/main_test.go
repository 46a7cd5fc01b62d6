package cluster

import (
	"context"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/scheme"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	l1 = "topology.k8s.aws/network-node-layer-1"
	l2 = "topology.k8s.aws/network-node-layer-2"
	l3 = "topology.k8s.aws/network-node-layer-3"
)

// gpuNode is a healthy node of eight GPUs with these domains from the root down.
func gpuNode(name string, path ...string) Node {
	n := Node{
		Name: name, Ready: true, InstanceType: "ml.p5.48xlarge",
		Labels: map[string]string{"kubernetes.io/hostname": name},
		Total:  map[string]int64{"nvidia.com/gpu": 8, "cpu": 96000, "pods": 110},
	}
	for i, d := range path {
		n.Labels[[]string{l1, l2, l3}[i]] = d
	}
	return n
}

// small is two spines: a with leaves a1 (3 nodes) and a2 (2), b with leaf b1 (2).
func small() Delta {
	return Delta{Replace: true, Nodes: []Node{
		gpuNode("n1", "root", "a", "a1"), gpuNode("n2", "root", "a", "a1"), gpuNode("n3", "root", "a", "a1"),
		gpuNode("n4", "root", "a", "a2"), gpuNode("n5", "root", "a", "a2"),
		gpuNode("n6", "root", "b", "b1"), gpuNode("n7", "root", "b", "b1"),
	}}
}

func awsScheme(t testing.TB) scheme.Scheme {
	t.Helper()
	s, err := scheme.Preset("aws")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start runs a cluster until the test ends.
func start(t testing.TB, cfg Config, d Delta) *Cluster {
	t.Helper()
	cfg.Scheme = awsScheme(t)
	c, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	run(t, c)
	if err := c.Apply(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t testing.TB, c *Cluster) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1) // Run's only answer
	go func() { done <- c.Run(ctx) }()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		}
	}
	t.Cleanup(stop)
	return stop
}

// gpus asks for pods of eight GPUs each, in one domain of a layer if given.
func gpus(name, uid string, pods int32, required string) PlaceRequest {
	req := PlaceRequest{
		Gang: ledger.Gang{Namespace: "team-a", Name: name, UID: uid},
		Spec: ledger.Spec{PodSets: []ledger.PodSet{{Count: pods, Requests: map[string]int64{"nvidia.com/gpu": 8}}}},
	}
	if required != "" {
		req.Spec.Constraint = &ledger.Constraint{Required: required}
	}
	return req
}

func mustPlace(t testing.TB, c *Cluster, req PlaceRequest) *PlaceResult {
	t.Helper()
	res, err := c.PlaceGang(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if res.Placement == nil {
		t.Fatalf("refused: %s", res.Refusal.Message)
	}
	return res
}

// nodesOf lists a placement's runs as "node*pods".
func nodesOf(p *Placement) []string {
	var list []string
	for _, set := range p.Sets {
		for _, r := range set.Ranks {
			list = append(list, fmt.Sprintf("%s*%d", r.Node, r.Count))
		}
	}
	return list
}

func reasonOf(err error) Reason {
	if e, ok := err.(*Error); ok { //nolint:errorlint // calls give it bare
		return e.Reason
	}
	return Reason(fmt.Sprint(err))
}
