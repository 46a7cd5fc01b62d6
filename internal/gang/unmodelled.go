package gang

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// unmodelled refuses, by name, what would restrict the pods' nodes and cannot be
// said in the contract: a plan that ignores it could not bind.
func (j jobDocument) unmodelled(spec *corev1.PodSpec) error {
	if spec.NodeName != "" {
		return j.fail(podSpecPath+".nodeName", "the pods are nailed to node %q; nothing is left to place", spec.NodeName)
	}
	for i, t := range spec.Tolerations {
		switch t.Operator {
		case "", corev1.TolerationOpEqual, corev1.TolerationOpExists:
		default:
			return j.fail(podSpecPath+".tolerations", "[%d]: operator %q cannot be read yet; Equal and Exists can", i, t.Operator)
		}
	}
	for i, c := range spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			return j.fail(podSpecPath+".topologySpreadConstraints", "[%d]: spreading over %s cannot be kept to yet; "+
				"leave it out, or say whenUnsatisfiable: ScheduleAnyway", i, c.TopologyKey)
		}
	}
	if spec.Affinity == nil {
		return nil
	}
	if err := j.podAffinity(spec.Affinity); err != nil {
		return err
	}
	return j.matchFields(spec.Affinity.NodeAffinity)
}

func (j jobDocument) podAffinity(a *corev1.Affinity) error {
	if p := a.PodAffinity; p != nil && len(p.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
		key := p.RequiredDuringSchedulingIgnoredDuringExecution[0].TopologyKey
		return j.fail(podSpecPath+".affinity.podAffinity", "pod affinity cannot be read yet; "+
			"to keep the pods in one domain, annotate the pod template %s: %s", kueueRequired, key)
	}
	if p := a.PodAntiAffinity; p != nil && len(p.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
		return j.fail(podSpecPath+".affinity.podAntiAffinity", "pod anti-affinity cannot be read yet; "+
			"for one pod a node use gang.yaml with exclusive: true")
	}
	return nil
}

func (j jobDocument) matchFields(a *corev1.NodeAffinity) error {
	if a == nil {
		return nil
	}
	var terms []corev1.NodeSelectorTerm
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		terms = append(terms, r.NodeSelectorTerms...)
	}
	for _, p := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		terms = append(terms, p.Preference)
	}
	for _, t := range terms {
		if len(t.MatchFields) > 0 {
			return j.fail(podSpecPath+".affinity.nodeAffinity", "matchFields cannot be read yet; use matchExpressions on a label")
		}
	}
	return nil
}

// softNotes name wishes that are passed over because they bind nothing.
func softNotes(spec *corev1.PodSpec) []string {
	var notes []string
	if a := spec.Affinity; a != nil {
		if a.PodAffinity != nil && len(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
			notes = append(notes, "preferred pod affinity is not weighed")
		}
		if a.PodAntiAffinity != nil && len(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
			notes = append(notes, "preferred pod anti-affinity is not weighed")
		}
	}
	for _, c := range spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable != corev1.DoNotSchedule {
			notes = append(notes, fmt.Sprintf("spreading over %s is a wish and is not weighed", c.TopologyKey))
		}
	}
	return notes
}

// portLimit is 1 where a pod takes a port of its node, since a second pod of the
// set would want the same one; else 0, no limit.
func portLimit(spec *corev1.PodSpec) int32 {
	for _, c := range append(append([]corev1.Container{}, spec.InitContainers...), spec.Containers...) {
		for _, p := range c.Ports {
			if p.HostPort > 0 || spec.HostNetwork {
				return 1
			}
		}
	}
	return 0
}
