package file

import (
	"maps"
	"slices"

	"github.com/hopwise/hopwise/server/cluster"
)

// whole is a state as one delta, in the order of names.
func (s *state) whole() cluster.Delta {
	d := s.since(&state{})
	d.Replace, d.Scheme, d.NodeWord, d.Warnings = true, s.scheme, s.nodeWord, s.warnings
	return d
}

// since is what changed from an older state; what is the same on both sides is not
// in it. All lists are in the order of names.
func (s *state) since(old *state) cluster.Delta {
	d := cluster.Delta{Warnings: s.warnings}
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		if have, ok := old.nodes[name]; !ok || !sameNode(have, s.nodes[name]) {
			d.Nodes = append(d.Nodes, s.nodes[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old.nodes)) {
		if _, ok := s.nodes[name]; !ok {
			d.RemovedNodes = append(d.RemovedNodes, name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.pods)) {
		if have, ok := old.pods[key]; !ok || !samePod(have, s.pods[key]) {
			d.Pods = append(d.Pods, s.pods[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(old.pods)) {
		if _, ok := s.pods[key]; !ok {
			d.RemovedPods = append(d.RemovedPods, key)
		}
	}
	return d
}

// empty says that nothing changed; warnings are compared by the caller.
func empty(d cluster.Delta) bool {
	return len(d.Nodes)+len(d.RemovedNodes)+len(d.Pods)+len(d.RemovedPods) == 0
}

func sameNode(a, b cluster.Node) bool {
	return a.Name == b.Name && a.UID == b.UID && a.ProviderID == b.ProviderID &&
		a.Ready == b.Ready && a.Unschedulable == b.Unschedulable && a.Provider == b.Provider &&
		a.InstanceType == b.InstanceType && slices.Equal(a.Taints, b.Taints) &&
		maps.Equal(a.Labels, b.Labels) &&
		(a.Total == nil) == (b.Total == nil) && maps.Equal(a.Total, b.Total)
}

func samePod(a, b cluster.Pod) bool {
	return a.Namespace == b.Namespace && a.Name == b.Name && a.UID == b.UID && a.Node == b.Node &&
		a.Static == b.Static && maps.Equal(a.Requests, b.Requests)
}
