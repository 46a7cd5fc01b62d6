package gang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func manifest(t *testing.T, name string, options Options) Gang {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "manifests", name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadFile(name, data, options)
	if err != nil || len(r.Gangs) != 1 {
		t.Fatal(r.Gangs, err)
	}
	return r.Gangs[0]
}

// TestPlaceableRefuses sees each demand without words in the contract refused by
// name, and let through where it is to be left out of account.
func TestPlaceableRefuses(t *testing.T) {
	for _, c := range []struct{ file, name string }{
		{"jobset-exclusive-one-job.yaml", "exclusive-topology"},
		{"lws-exclusive.yaml", "exclusive-topology"},
		{"volcano-job-tiers.yaml", "topology-name"},
		{"grove-two-cliques.yaml", "topology-name"},
	} {
		g := manifest(t, c.file, Options{})
		_, err := g.Placeable()
		if err == nil || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: got %v, want a refusal that says %s", c.file, err, c.name)
		}
		if _, err := g.Placeable(c.name); err != nil {
			t.Errorf("%s: %s left out of account: %v", c.file, c.name, err)
		}
	}
}

// TestPlaceableReads sees what is said in other words put into the contract's.
func TestPlaceableReads(t *testing.T) {
	g, err := manifest(t, "mpijob-clique-affinity.yaml", Options{}).Placeable()
	if err != nil {
		t.Fatal(err)
	}
	want := &Constraint{RequiredLayer: "nvidia.com/gpu.clique"}
	if diff := cmp.Diff(want, g.PodSets[1].Constraint); diff != "" {
		t.Errorf("affinity to itself (-want +got):\n%s", diff)
	}
	if g, err := manifest(t, "one-pod-a-node.yaml", Options{}).Placeable(); err != nil || g.PodSets[0].MaxPerNode != 1 {
		t.Errorf("one pod a node: %d, %v", g.PodSets[0].MaxPerNode, err)
	}
	steps, err := manifest(t, "jobset-steps.yaml", Options{}).Placeable()
	if err != nil || len(steps.PodSets[1].After) != 1 || len(steps.PodSets[2].After) != 0 {
		t.Errorf("only a set that has ended leaves its room: %+v, %v", steps.PodSets, err)
	}
}

// TestLeadFirst moves the launcher that trains to rank 0, with its lines.
func TestLeadFirst(t *testing.T) {
	read := manifest(t, "trainjob-launcher.yaml", Options{})
	g, err := read.Placeable()
	if err != nil {
		t.Fatal(err)
	}
	if g.PodSets[0].Name != "launcher" || g.PodSets[1].Name != "node" {
		t.Errorf("sets %s, %s", g.PodSets[0].Name, g.PodSets[1].Name)
	}
	if was, is := read.Origin.Line("pod_sets[0].count"), g.Origin.Line("pod_sets[1].count"); was != is || was == 0 {
		t.Errorf("the node set's count is in line %d, after the move %d", was, is)
	}
}

func TestElasticFloor(t *testing.T) {
	if g := manifest(t, "pytorchjob-elastic.yaml", Options{}); g.MinCount != 0 {
		t.Errorf("floor %d, want all replicas", g.MinCount)
	}
	if g := manifest(t, "pytorchjob-elastic.yaml", Options{ElasticFloor: true}); g.MinCount != 2 {
		t.Errorf("floor %d, want the least size", g.MinCount)
	}
}

func TestEach(t *testing.T) {
	var names []string
	for _, g := range manifest(t, "lws-one-template.yaml", Options{}).Each() {
		names = append(names, g.Ref.Name)
	}
	if diff := cmp.Diff([]string{"serve-0", "serve-1", "serve-2"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestPriorityInFile takes the number of a class that the file holds.
func TestPriorityInFile(t *testing.T) {
	if g := manifest(t, "native-podgroup-1-37.yaml", Options{}); g.Priority != 700 {
		t.Errorf("priority %d", g.Priority)
	}
}

// TestReadObjects reads objects that came from no file: the other feeder.
func TestReadObjects(t *testing.T) {
	job, err := NewObject("cluster", map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "j", "namespace": "n", "uid": "u"},
		"spec": map[string]any{"parallelism": int64(3), "template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": "c"}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	gangs, ignored, err := ReadObjects([]*Object{job}, Options{})
	if err != nil || len(gangs) != 1 || len(ignored) != 0 {
		t.Fatal(gangs, ignored, err)
	}
	if g := gangs[0]; g.Ref != (Ref{Namespace: "n", Name: "j", UID: "u"}) || g.PodSets[0].Count != 3 {
		t.Errorf("got %+v", g)
	}
}
