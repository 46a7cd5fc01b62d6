package server

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/config"
)

const (
	layer1 = "topology.k8s.aws/network-node-layer-1"
	layer2 = "topology.k8s.aws/network-node-layer-2"
	layer3 = "topology.k8s.aws/network-node-layer-3"
	gpu    = "nvidia.com/gpu"
)

type object = map[string]any

// machine is one node of a list as kubectl prints it: eight GPUs.
func machine(name string, ready bool, path ...string) object {
	labels := object{"kubernetes.io/hostname": name, "node.kubernetes.io/instance-type": "ml.p5.48xlarge"}
	for i, domain := range path {
		labels[fmt.Sprintf("topology.k8s.aws/network-node-layer-%d", i+1)] = domain
	}
	state := "False"
	if ready {
		state = "True"
	}
	room := object{gpu: "8", "cpu": "192", "memory": "2Ti", "pods": "110"}
	return object{
		"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name, "labels": labels},
		"status": object{
			"allocatable": room, "capacity": room,
			"conditions": []object{{"type": "Ready", "status": state}},
		},
	}
}

// sevenNodes are two layer-2s and three layer-3s; the last node is not ready.
func sevenNodes() []object {
	return []object{
		machine("n11", true, "nn-1", "nn-21", "nn-31"), machine("n12", true, "nn-1", "nn-21", "nn-31"),
		machine("n13", true, "nn-1", "nn-21", "nn-31"),
		machine("n21", true, "nn-1", "nn-22", "nn-32"), machine("n22", true, "nn-1", "nn-22", "nn-32"),
		machine("n31", true, "nn-1", "nn-22", "nn-33"), machine("n32", false, "nn-1", "nn-22", "nn-33"),
	}
}

// writeNodes writes a node list; again at the same path replaces it at once.
func writeNodes(t testing.TB, path string, nodes []object) {
	t.Helper()
	b, err := json.Marshal(object{"apiVersion": "v1", "kind": "NodeList", "items": nodes})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// configFor is the default configuration on a file with these nodes.
func configFor(t testing.TB, nodes []object) config.Config {
	t.Helper()
	cfg := config.Default()
	path := filepath.Join(t.TempDir(), "nodes.json")
	writeNodes(t, path, nodes)
	cfg.Source.Paths = []string{path}
	return cfg
}

// service is a running service and clients of it.
type service struct {
	hopwisev1.PlacementServiceClient
	hopwisev1.TopologyServiceClient
	conn *grpc.ClientConn
}

// start runs the service in memory until the test ends.
func start(t testing.TB, cfg config.Config) *service {
	t.Helper()
	e, err := Embed(context.Background(), cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("passthrough:///memory", grpc.WithContextDialer(e.Dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &service{hopwisev1.NewPlacementServiceClient(conn), hopwisev1.NewTopologyServiceClient(conn), conn}
}

// soon bounds a call that should answer at once.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func gangNamed(name string) *hopwisev1.GangRef {
	return &hopwisev1.GangRef{Namespace: "team-a", Name: name}
}

// ask is a request for pods of eight GPUs.
func ask(name string, pods int32, c *hopwisev1.Constraint) *hopwisev1.PlaceGangRequest {
	return &hopwisev1.PlaceGangRequest{
		Gang:       gangNamed(name),
		PodSets:    []*hopwisev1.PodSet{{Count: pods, Requests: map[string]string{gpu: "8"}}},
		Constraint: c,
	}
}

func required(layer string) *hopwisev1.Constraint { return &hopwisev1.Constraint{RequiredLayer: layer} }
func preferred(layer string) *hopwisev1.Constraint {
	return &hopwisev1.Constraint{PreferredLayer: layer}
}

// place places a gang and fails the test where it is not placed.
func (s *service) place(t testing.TB, req *hopwisev1.PlaceGangRequest) *hopwisev1.Placement {
	t.Helper()
	resp, err := s.PlaceGang(soon(t), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.GetPlacement() == nil {
		t.Fatalf("refused: %v", resp.GetRefusal())
	}
	return resp.GetPlacement()
}

// reasonIn is the reason that a failed call's status carries; empty for none.
func reasonIn(err error) string {
	if info := detailOf[*errdetails.ErrorInfo](status.Convert(err)); info != nil {
		return info.GetReason()
	}
	return ""
}

func metadataIn(err error) map[string]string {
	return detailOf[*errdetails.ErrorInfo](status.Convert(err)).GetMetadata()
}

// fieldsIn are the fields that a failed call's BadRequest names.
func fieldsIn(err error) []string {
	var names []string
	for _, v := range detailOf[*errdetails.BadRequest](status.Convert(err)).GetFieldViolations() {
		names = append(names, v.GetField())
	}
	return names
}

// nodesOf lists a placement's nodes in rank order.
func nodesOf(p *hopwisev1.Placement) []string {
	var names []string
	for _, s := range p.GetPodSets() {
		for _, r := range s.GetRanks() {
			names = append(names, r.GetNode())
		}
	}
	return names
}
