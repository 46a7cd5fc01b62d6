package file

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hopwise/hopwise/server/cluster"
)

// state is what all files together say.
type state struct {
	nodes    map[string]cluster.Node
	pods     map[string]cluster.Pod // by "namespace/name"
	scheme   []string               // of a tree; nil where labels tell
	nodeWord string                 // empty for Kubernetes' host name
	warnings []string
}

// joiner builds a state of files.
type joiner struct {
	state
	source    map[string]string   // which file a node or pod is from
	instances map[string]instance // EC2's, by id
	order     []string            // their ids as read
	trees     []*model
	treeFile  string
	cut       string // the file of EC2's last answer, if that says that more follow
}

// join makes one state of all files. Files of one kind go together by name, the
// later one winning; EC2's answers meet Kubernetes nodes by the instance id inside
// the provider id; a topograph model meets them by name. inForce is the state that
// the source started with, nil at the start: its scheme is fixed.
func join(files []*content, inForce *state) (*state, error) {
	j := &joiner{
		state:     state{nodes: make(map[string]cluster.Node), pods: make(map[string]cluster.Pod)},
		source:    make(map[string]string),
		instances: make(map[string]instance),
	}
	for _, f := range files {
		j.collect(f)
	}
	if j.cut != "" {
		j.warn("%s: NextToken is set on the last EC2 answer: incomplete, more pages follow that no file has", safe(j.cut))
	}
	if len(j.trees) > 0 && len(j.instances) > 0 {
		return nil, fmt.Errorf("%s is a topograph model, and an EC2 answer is given too: both tell the network's layers; give one of them", safe(j.treeFile))
	}
	hadNodes := len(j.nodes) > 0
	if err := j.joinTrees(inForce); err != nil {
		return nil, err
	}
	j.joinInstances(hadNodes)
	j.checkPods()
	if len(j.nodes) == 0 {
		return nil, errors.New("no nodes: " + clip(namesOf(files)) + " hold none; expected at least one")
	}
	if inForce != nil && (!slices.Equal(j.scheme, inForce.scheme) || j.nodeWord != inForce.nodeWord) {
		return nil, errors.New("the files are of another kind now than at the start, which would change the scheme in force; restart to take them")
	}
	return &j.state, nil
}

func namesOf(files []*content) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.name
	}
	return names
}

func (j *joiner) warn(format string, args ...any) {
	j.warnings = append(j.warnings, fmt.Sprintf(format, args...))
}

func (j *joiner) collect(f *content) {
	j.warnings = append(j.warnings, f.warnings...)
	for _, n := range f.nodes {
		if have, twice := j.nodes[n.Name]; twice && !sameNode(have, n) {
			j.warn("node %q is in %s and, differently, in %s: the latter counts", n.Name, safe(j.source[n.Name]), safe(f.name))
		}
		j.nodes[n.Name], j.source[n.Name] = n, f.name
	}
	for _, p := range f.pods {
		j.pods[podKey(p)] = p
	}
	for _, in := range f.instances {
		if have, twice := j.instances[in.id]; !twice {
			j.order = append(j.order, in.id)
		} else if !maps.Equal(have.labels, in.labels) {
			j.warn("instance %q has two different answers; the one in %s counts", in.id, safe(f.name))
		}
		j.instances[in.id] = in
	}
	if f.answers > 0 {
		j.cut = ""
		if f.more {
			j.cut = f.name
		}
	}
	if len(f.trees) > 0 {
		j.trees, j.treeFile = append(j.trees, f.trees...), f.name
	}
}

// joinTrees gives nodes the layers of the topograph models; without Kubernetes
// nodes the models' own nodes are the cluster's.
func (j *joiner) joinTrees(inForce *state) error {
	if len(j.trees) == 0 {
		return nil
	}
	depth := 0
	if inForce != nil {
		depth = len(inForce.scheme)
	}
	nodes, layers, warnings, err := build(j.trees, depth)
	if err != nil {
		return inFile(j.treeFile, 0, err)
	}
	j.scheme, j.warnings = layers, append(j.warnings, warnings...)
	if len(j.nodes) == 0 {
		j.nodeWord = "node"
		for _, n := range nodes {
			j.nodes[n.Name] = n
		}
		return nil
	}
	var unknown []string
	inTree := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		have, ok := j.nodes[n.Name]
		if !ok {
			unknown = append(unknown, n.Name)
			continue
		}
		inTree[n.Name] = true
		have.Labels = combine(n.Labels, have.Labels, layers)
		j.nodes[n.Name] = have
	}
	j.tellUnjoined(unknown, "topograph model's nodes", inTree)
	return nil
}

// combine is a Kubernetes node's labels with the model's: the node's own win, but
// for the layers, which are the model's alone.
func combine(tree, own map[string]string, layers []string) map[string]string {
	all := maps.Clone(tree)
	for key, value := range own {
		if !slices.Contains(layers, key) {
			all[key] = value
		}
	}
	return all
}

func (j *joiner) tellUnjoined(unknown []string, whose string, joined map[string]bool) {
	if len(unknown) > 0 {
		j.warn("%d of the %s are no Kubernetes nodes here and were left out: %s", len(unknown), whose, clip(unknown))
	}
	var lone []string
	for _, name := range slices.Sorted(maps.Keys(j.nodes)) {
		if !joined[name] {
			lone = append(lone, name)
		}
	}
	if len(lone) > 0 {
		j.warn("%d nodes are not among the %s: %s", len(lone), whose, clip(lone))
	}
}

// joinInstances fills nodes' missing network labels from EC2's answers, or takes the
// instances for nodes where no other file told of nodes.
func (j *joiner) joinInstances(hadNodes bool) {
	if len(j.instances) == 0 {
		return
	}
	if !hadNodes {
		j.nodeWord = instanceWord
		for id, in := range j.instances {
			j.nodes[id] = in.node()
		}
		return
	}
	joined := make(map[string]bool, len(j.nodes))
	used := make(map[string]bool, len(j.nodes))
	for _, name := range slices.Sorted(maps.Keys(j.nodes)) {
		n := j.nodes[name]
		in, ok := j.instances[instanceOf(n.ProviderID)]
		if !ok {
			continue
		}
		joined[name], used[in.id] = true, true
		j.nodes[name] = j.fill(n, in)
	}
	unknown := slices.DeleteFunc(slices.Clone(j.order), func(id string) bool { return used[id] })
	j.tellUnjoined(unknown, "EC2 answer's instances", joined)
}

// fill adds what the node's labels lack. Where they contradict EC2 the node keeps its
// own: they are what the scheduler goes by, and half of each would be no place at all.
func (j *joiner) fill(n cluster.Node, in instance) cluster.Node {
	for key, value := range in.labels {
		if have := n.Labels[key]; have != "" && have != value && key != typeLabel {
			j.warn("node %q: label %s is %s, EC2 says %s; the label counts", n.Name, key, safe(have), safe(value))
			return n
		}
	}
	labels := maps.Clone(in.labels)
	for key, value := range n.Labels {
		if value != "" || labels[key] == "" {
			labels[key] = value
		}
	}
	n.Labels = labels
	if n.InstanceType == "" {
		n.InstanceType = in.kind
	}
	return n
}

// checkPods tells of pods on nodes that no file has.
func (j *joiner) checkPods() {
	var lost []string
	for _, key := range slices.Sorted(maps.Keys(j.pods)) {
		if _, ok := j.nodes[j.pods[key].Node]; !ok {
			lost = append(lost, key)
		}
	}
	if len(lost) > 0 {
		j.warn("%d pods are bound to nodes that no file has: %s", len(lost), clip(lost))
	}
}
