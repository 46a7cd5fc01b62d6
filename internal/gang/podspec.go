package gang

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"
)

// PodShape is what one pod of a spec takes, and where it may go. Requests are
// effective, as the scheduler counts them: containers, init containers, sidecars,
// overhead and the pod's own resources, each request defaulting to its limit as the
// API server does it. Zeros are left out.
func PodShape(spec *corev1.PodSpec) (requests map[string]string, filter *Filter, err error) {
	spec = spec.DeepCopy() // defaulting writes into it
	requests, err = effective(spec)
	if err != nil {
		return nil, nil, err
	}
	return requests, filterOf(spec), nil
}

func effective(spec *corev1.PodSpec) (map[string]string, error) {
	for i := range spec.InitContainers {
		defaultRequests(&spec.InitContainers[i].Resources)
	}
	for i := range spec.Containers {
		defaultRequests(&spec.Containers[i].Resources)
	}
	pod := &corev1.Pod{Spec: *spec}
	defaultPodRequests(pod)
	if err := noNegatives(pod); err != nil {
		return nil, err
	}
	requests := make(map[string]string)
	for name, q := range resource.PodRequests(pod, resource.PodResourcesOptions{}) {
		if !q.IsZero() && name != corev1.ResourcePods {
			requests[string(name)] = q.String()
		}
	}
	return requests, nil
}

// noNegatives looks before amounts are summed: a sum hides a negative.
func noNegatives(pod *corev1.Pod) error {
	lists := map[string]corev1.ResourceList{"overhead": pod.Spec.Overhead}
	for i, c := range pod.Spec.InitContainers {
		lists[fmt.Sprintf("initContainers[%d].resources.requests", i)] = c.Resources.Requests
	}
	for i, c := range pod.Spec.Containers {
		lists[fmt.Sprintf("containers[%d].resources.requests", i)] = c.Resources.Requests
	}
	if pod.Spec.Resources != nil {
		lists["resources.requests"] = pod.Spec.Resources.Requests
	}
	for _, where := range slices.Sorted(maps.Keys(lists)) {
		for _, name := range slices.Sorted(maps.Keys(lists[where])) {
			if q := lists[where][name]; q.Sign() < 0 {
				return fmt.Errorf("%s: %s is negative (%s)", where, name, q.String())
			}
		}
	}
	return nil
}

func defaultRequests(r *corev1.ResourceRequirements) {
	for name, limit := range r.Limits {
		if _, given := r.Requests[name]; !given {
			setRequest(r, name, limit)
		}
	}
}

// defaultPodRequests defaults the pod's own requests: what its containers ask goes
// before the pod's limit.
func defaultPodRequests(pod *corev1.Pod) {
	r := pod.Spec.Resources
	if r == nil || len(r.Limits) == 0 {
		return
	}
	asked := resource.AggregateContainerRequests(pod, resource.PodResourcesOptions{})
	for name, limit := range r.Limits {
		if _, given := r.Requests[name]; given {
			continue
		}
		if sum, ok := asked[name]; ok {
			limit = sum
		}
		setRequest(r, name, limit)
	}
}

func setRequest(r *corev1.ResourceRequirements, name corev1.ResourceName, q apiresource.Quantity) {
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	r.Requests[name] = q
}

// filterOf is nil where the spec restricts nothing.
func filterOf(spec *corev1.PodSpec) *Filter {
	f := Filter{}
	if len(spec.NodeSelector) > 0 {
		f.Labels = spec.NodeSelector
	}
	for _, t := range spec.Tolerations {
		f.Tolerations = append(f.Tolerations, Toleration{
			Key: t.Key, Operator: TolerationOperator(t.Operator), Value: t.Value, Effect: Effect(t.Effect),
		})
	}
	if a := spec.Affinity; a != nil && a.NodeAffinity != nil {
		if required := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
			for _, t := range required.NodeSelectorTerms {
				f.Terms = append(f.Terms, term(t))
			}
		}
		for _, p := range a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
			f.Preferred = append(f.Preferred, Preferred{Weight: p.Weight, Term: term(p.Preference)})
		}
	}
	if f.Labels == nil && f.Terms == nil && f.Tolerations == nil && f.Preferred == nil {
		return nil
	}
	return &f
}

func term(in corev1.NodeSelectorTerm) Term {
	var out Term
	for _, e := range in.MatchExpressions {
		out.Expressions = append(out.Expressions, Expression{Key: e.Key, Operator: Operator(e.Operator), Values: e.Values})
	}
	return out
}

// extended tells devices from what every node has: their names have a domain that
// is not Kubernetes' own.
func extended(resource string) bool {
	return strings.Contains(resource, "/") && !strings.HasPrefix(resource, "requests.") && !strings.Contains(resource, "kubernetes.io/")
}
