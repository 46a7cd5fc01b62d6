package scheme

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	awsLayer     = "topology.k8s.aws/network-node-layer-"
	topographKey = "fabric.topograph.run/tier-"
)

// presets in the documented order, which also breaks ties in Detect.
var presets = []Scheme{
	{Name: "aws", Layers: []string{awsLayer + "1", awsLayer + "2", awsLayer + "3", awsLayer + "4"}},
	{Name: "gke", Layers: []string{
		"cloud.google.com/gce-topology-block",
		"cloud.google.com/gce-topology-subblock",
		"cloud.google.com/gce-topology-host",
	}},
	{Name: "oci", Layers: []string{
		"oci.oraclecloud.com/rdma.hpc_island_id",
		"oci.oraclecloud.com/rdma.network_block_id",
		"oci.oraclecloud.com/rdma.local_block_id",
	}},
	{Name: "oci-host", Layers: []string{ // before the rdma.* labels
		"oci.oraclecloud.com/host.network_block_id",
		"oci.oraclecloud.com/host.rack_id",
	}},
	// tier-0 is the leaf; how many tiers there are is read off the labels.
	{Name: "topograph", Layers: []string{topographKey + "2", topographKey + "1", topographKey + "0"}},
	{Name: "topograph-older", Layers: []string{
		"network.topology.nvidia.com/core",
		"network.topology.nvidia.com/spine",
		"network.topology.nvidia.com/leaf",
	}},
	{Name: "coreweave-ib", Layers: []string{
		"ib.coreweave.cloud/fabric", "ib.coreweave.cloud/superpod", "ib.coreweave.cloud/leafgroup",
	}},
	{Name: "coreweave", Layers: []string{ // InfiniBand and RoCE alike
		"backend.coreweave.cloud/fabric", "backend.coreweave.cloud/superpod", "backend.coreweave.cloud/leafgroup",
	}},
}

// Presets are the known schemes in their documented order.
func Presets() []Scheme {
	all := make([]Scheme, len(presets))
	for i, p := range presets {
		all[i] = p.clone()
	}
	return all
}

// Preset is the preset of that name. The error lists the known ones.
func Preset(name string) (Scheme, error) {
	names := make([]string, len(presets))
	for i, p := range presets {
		if p.Name == name {
			return p.clone(), nil
		}
		names[i] = p.Name
	}
	return Scheme{}, fmt.Errorf("scheme: %q is no preset; presets: %s%s",
		name, strings.Join(names, ", "), didYouMean(nearest(name, names)))
}

func (s Scheme) clone() Scheme {
	return Scheme{Name: s.Name, Layers: append([]string(nil), s.Layers...), Node: Hostname}
}

// Detection is a scheme and why it was taken.
type Detection struct {
	Scheme   Scheme
	Carriers int    // nodes that carry a key of it
	Nodes    int    // nodes looked at
	Note     string // one line for a log; says so where nothing was labelled
}

// Detect is the preset whose keys most nodes carry (one non-empty label of it is
// enough), ties in the documented order, fitted to the nodes as Fit does. With
// no node labelled it is the first preset, and Note says so.
func Detect(nodes []Node) Detection {
	best, most := 0, 0
	for i, p := range presets {
		if n := p.extend(nodes).carriers(nodes); n > most {
			best, most = i, n
		}
	}
	d := Detection{Carriers: most, Nodes: len(nodes)}
	if most == 0 {
		d.Scheme = presets[0].clone()
		d.Note = fmt.Sprintf("none of %d nodes carries a topology label of a known scheme: taking %q", len(nodes), d.Scheme.Name)
		return d
	}
	var skipped []string
	d.Scheme, skipped = Fit(presets[best].clone(), nodes)
	d.Note = fmt.Sprintf("scheme %q: %d of %d nodes carry its labels", d.Scheme.Name, most, len(nodes))
	if len(skipped) > 0 {
		d.Note += fmt.Sprintf("; left out, since no node carries them: %s", strings.Join(skipped, ", "))
	}
	return d
}

func (s Scheme) carriers(nodes []Node) int {
	count := 0
	for _, n := range nodes {
		if s.deepest(n.Labels) > 0 {
			count++
		}
	}
	return count
}

// Fit is a preset as these nodes have it. The tiers of topograph are as many as
// the labels show (its numbers start at the leaf, so the root's is not known
// beforehand). A layer that no node carries while some carry a deeper one is
// left out and returned: were it kept, no path could pass it and every node of
// the cluster would count as unlabelled. Layers below the deepest carried one
// stay, so that a first deeper node joins without a change. Only for the start:
// a scheme in force is fixed.
func Fit(s Scheme, nodes []Node) (fitted Scheme, skipped []string) {
	s = s.extend(nodes)
	hidden := s.Hidden(nodes)
	deepest := len(hidden)
	for deepest > 0 && hidden[deepest-1] {
		deepest--
	}
	fitted = Scheme{Name: s.Name, Node: s.Node}
	for i, key := range s.Layers {
		if i < deepest && hidden[i] {
			skipped = append(skipped, key)
			continue
		}
		fitted.Layers = append(fitted.Layers, key)
	}
	return fitted, skipped
}

// extend gives the topograph preset the tiers that the labels show: one per tier up
// to the highest seen, and its three where none is.
func (s Scheme) extend(nodes []Node) Scheme {
	if s.Name != "topograph" {
		return s
	}
	top := -1
	for _, n := range nodes {
		for key, value := range n.Labels {
			number, ok := strings.CutPrefix(key, topographKey)
			if !ok || value == "" {
				continue
			}
			if t, err := strconv.Atoi(number); err == nil && t >= 0 && t < MaxLayers {
				top = max(top, t)
			}
		}
	}
	if top < 0 {
		return s
	}
	s.Layers = make([]string, 0, top+1)
	for t := top; t >= 0; t-- {
		s.Layers = append(s.Layers, topographKey+strconv.Itoa(t))
	}
	return s
}
