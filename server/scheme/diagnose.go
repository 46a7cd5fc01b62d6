package scheme

import (
	"slices"
	"strconv"
	"strings"
)

// Gap is a node whose labels are short of what they should be.
type Gap struct {
	Node         string
	InstanceType string
	// Has is how many layers the node's path has, Wants how many it should have.
	// Wants is 0 where nothing says so: the node has no layer and its type has none.
	Has, Wants int
	// Missing are the layers from the first missing one to the last wanted.
	Missing []string
	// Unbelieved are labels that the node carries below its first missing one.
	Unbelieved []string
}

// Gaps are the nodes short of a layer that their instance type has, or without
// any, in the given order. What a type has: AWS's table for its layers; else the
// deepest layer seen on any node of that type.
func Gaps(s Scheme, nodes []Node) []Gap {
	seen := make(map[string]int)
	for _, n := range nodes {
		seen[n.InstanceType] = max(seen[n.InstanceType], s.deepest(n.Labels))
	}
	var gaps []Gap
	for _, n := range nodes {
		has := len(s.Path(n.Labels))
		wants, listed := s.tableDepth(n.InstanceType)
		if !listed {
			wants = seen[n.InstanceType]
		}
		if has > 0 && has >= wants {
			continue
		}
		g := Gap{Node: n.Name, InstanceType: n.InstanceType, Has: has, Wants: wants}
		for i := has; i < len(s.Layers); i++ {
			if n.Labels[s.Layers[i]] != "" {
				g.Unbelieved = append(g.Unbelieved, s.Layers[i])
			} else if i < wants {
				g.Missing = append(g.Missing, s.Layers[i])
			}
		}
		gaps = append(gaps, g)
	}
	return gaps
}

// awsDepth is how many network layers EC2 names for an instance family.
var awsDepth = map[string]int{
	"p3dn": 3, "p4d": 3, "p4de": 3, "p5": 3, "p5e": 3, "p5en": 3, "p6e-gb200": 3,
	"trn1": 3, "trn1n": 3, "trn2": 3, "trn2u": 3, "g6e": 3, "g7e": 3,
	"p6-b200": 4, "p6-b300": 4,
}

// AWSDepth is how many network layers EC2 names for instances of a type, with or
// without SageMaker's "ml." before it; false for types that are not listed.
func AWSDepth(instanceType string) (depth int, listed bool) {
	family, _, _ := strings.Cut(strings.TrimPrefix(instanceType, "ml."), ".")
	if strings.HasPrefix(family, "hpc") {
		return 3, true
	}
	depth, listed = awsDepth[family]
	return depth, listed
}

// tableDepth is how many of the scheme's layers a listed type reaches.
func (s Scheme) tableDepth(instanceType string) (int, bool) {
	depth, listed := AWSDepth(instanceType)
	if !listed {
		return 0, false
	}
	reach, aws := 0, false
	for i, key := range s.Layers {
		number, ok := strings.CutPrefix(key, awsLayer)
		if !ok {
			continue
		}
		aws = true
		if n, err := strconv.Atoi(number); err == nil && n <= depth {
			reach = i + 1
		}
	}
	return reach, aws
}

// SideLayer is a second hierarchy beside the scheme, such as NVLink's.
type SideLayer struct {
	Key     string
	Domains int // distinct values
	Nodes   int // nodes that carry one
}

var sideKeys = []string{
	"topology.k8s.aws/ultraserver-id",
	"nvidia.com/gpu.clique",
	"network.topology.nvidia.com/accelerator",
	"ds.coreweave.com/nvlink.domain",
}

// IsSideKey says whether a label names a domain beside the network's tree.
// Topograph's "accelerator.…/domain" keys are known by their form, since their
// prefix is the deployment's own.
func IsSideKey(key string) bool {
	if slices.Contains(sideKeys, key) {
		return true
	}
	prefix, name, _ := strings.Cut(key, "/")
	return strings.HasPrefix(prefix, "accelerator.") && (name == "domain" || name == "sub-domain")
}

// SideLayers are the side layers that nodes carry, by key.
func SideLayers(nodes []Node) []SideLayer {
	count := make(map[string]int)
	values := make(map[string]map[string]bool)
	for _, n := range nodes {
		for key, value := range n.Labels {
			if value == "" || !IsSideKey(key) {
				continue
			}
			if values[key] == nil {
				values[key] = make(map[string]bool)
			}
			values[key][value] = true
			count[key]++
		}
	}
	layers := make([]SideLayer, 0, len(values))
	for key, set := range values {
		layers = append(layers, SideLayer{Key: key, Domains: len(set), Nodes: count[key]})
	}
	slices.SortFunc(layers, func(a, b SideLayer) int { return strings.Compare(a.Key, b.Key) })
	return layers
}
