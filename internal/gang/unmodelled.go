package gang

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// hostname is the layer of the nodes themselves.
const hostname = "kubernetes.io/hostname"

// shape is what one pod takes and where it may go. What would restrict the pods'
// nodes and cannot be said in the contract is kept by name: a plan that ignored it
// could not bind.
func (w *workload) shape(g *Gang, p *PodSet, s set) {
	spec := &s.template.spec
	requests, filter, err := PodShape(spec)
	if err != nil {
		s.template.specAt.fail("%s", err)
		return
	}
	p.Requests, p.Filter, p.MaxPerNode = requests, filter, portLimit(spec)
	refuse := func(name, format string, args ...any) {
		g.Unsupported = append(g.Unsupported, Unsupported{Name: name, Text: "pod set " + s.name + ": " + fmt.Sprintf(format, args...)})
	}
	if spec.NodeName != "" {
		refuse("node-name", "nodeName: the pods are nailed to node %q; nothing is left to place", spec.NodeName)
	}
	for _, t := range spec.Tolerations {
		switch t.Operator {
		case "", corev1.TolerationOpEqual, corev1.TolerationOpExists:
		default:
			refuse("toleration-operator", "tolerations: operator %q is not known; Equal and Exists are", t.Operator)
		}
	}
	if spec.Affinity != nil {
		w.podAffinity(p, s, refuse)
		if matchesFields(spec.Affinity.NodeAffinity) {
			refuse("match-fields", "nodeAffinity: matchFields are not read; use matchExpressions on a label")
		}
	}
	w.softWishes(p, spec, refuse)
	w.claims(spec, refuse)
	w.unequal(s)
}

func (w *workload) podAffinity(p *PodSet, s set, refuse func(string, string, ...any)) {
	a := s.template.spec.Affinity
	if a.PodAffinity != nil {
		at := s.template.specAt.at("affinity", "podAffinity")
		found := w.selfTerms(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, s, at)
		p.PodAffinity = found.keys
		if found.others {
			refuse("pod-affinity", "podAffinity: affinity to pods that are not its own cannot be kept to")
		}
		if len(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
			w.note("preferred pod affinity is not weighed")
		}
	}
	if a.PodAntiAffinity == nil {
		return
	}
	at := s.template.specAt.at("affinity", "podAntiAffinity")
	found := w.selfTerms(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, s, at)
	p.PodAntiAffinity = found.keys
	for _, key := range found.keys {
		if key == hostname {
			p.MaxPerNode = 1
		} else if p.Count > 1 {
			refuse("pod-anti-affinity", "podAntiAffinity: at most one pod in each %s cannot be kept to", key)
		}
	}
	if found.others {
		refuse("pod-anti-affinity", "podAntiAffinity: keeping away from pods that are not its own cannot be kept to")
	}
	if len(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		w.note("preferred pod anti-affinity is not weighed")
	}
}

// softWishes passes over wishes that bind nothing; a spread over nodes asks for
// nothing more where each node takes one pod.
func (w *workload) softWishes(p *PodSet, spec *corev1.PodSpec, refuse func(string, string, ...any)) {
	for _, c := range spec.TopologySpreadConstraints {
		switch {
		case c.WhenUnsatisfiable != corev1.DoNotSchedule:
			w.note("spreading over %s is a wish and is not weighed", c.TopologyKey)
		case c.TopologyKey == hostname && p.MaxPerNode == 1:
		default:
			refuse("topology-spread", "topologySpreadConstraints: spreading over %s cannot be kept to; "+
				"say whenUnsatisfiable: ScheduleAnyway, or leave it out", c.TopologyKey)
		}
	}
}

// claims names device claims: what they ask of a node is not in the pod.
func (w *workload) claims(spec *corev1.PodSpec, refuse func(string, string, ...any)) {
	for _, c := range spec.ResourceClaims {
		if c.ResourceClaimTemplateName != nil && w.bundle.channel(*c.ResourceClaimTemplateName) {
			w.note("claim %s is a ComputeDomain's channel, which every node of a domain can give", c.Name)
			continue
		}
		refuse("resource-claims", "resourceClaims: what claim %q asks of a node is not known here", c.Name)
	}
}

// channel says whether a claim template is one that a ComputeDomain of the bundle
// makes.
func (b *bundle) channel(template string) bool {
	for _, o := range b.objects {
		r := &reading{object: o}
		if o.Kind == "ComputeDomain" && r.root().at("spec", "channel", "resourceClaimTemplate", "name").text() == template {
			return true
		}
	}
	return false
}

// unequal warns of a request for a device without an equal limit, which the API
// server refuses.
func (w *workload) unequal(s set) {
	for _, c := range s.template.spec.Containers {
		for name, q := range c.Resources.Requests {
			if extended(string(name)) && q.MilliValue()%1000 != 0 {
				w.warn("pod set %s, container %s: %s of %s: the API server takes whole ones only", s.name, c.Name, q.String(), name)
			}
			limit, given := c.Resources.Limits[name]
			if extended(string(name)) && !q.IsZero() && (!given || limit.Cmp(q) != 0) {
				w.warn("pod set %s, container %s: %s is requested without an equal limit: the API server refuses such a pod", s.name, c.Name, name)
			}
		}
	}
}

func matchesFields(a *corev1.NodeAffinity) bool {
	if a == nil {
		return false
	}
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for _, t := range r.NodeSelectorTerms {
			if len(t.MatchFields) > 0 {
				return true
			}
		}
	}
	for _, p := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		if len(p.Preference.MatchFields) > 0 {
			return true
		}
	}
	return false
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
