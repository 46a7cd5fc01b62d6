package file

import (
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"github.com/hopwise/hopwise/server/cluster"
)

// parsePod reads a pod. counts is false for pods that hold nothing: not bound to a
// node, or ended. A terminating pod holds its room until it is gone.
func parsePod(raw json.RawMessage) (pod cluster.Pod, counts bool, err error) {
	var in corev1.Pod
	if err := json.Unmarshal(raw, &in); err != nil {
		return cluster.Pod{}, false, decodeError(err)
	}
	if err := checkName("metadata.name", in.Name); err != nil {
		return cluster.Pod{}, false, err
	}
	if in.Namespace == "" {
		in.Namespace = corev1.NamespaceDefault
	}
	if err := checkName("metadata.namespace", in.Namespace); err != nil {
		return cluster.Pod{}, false, err
	}
	if in.Spec.NodeName == "" || in.Status.Phase == corev1.PodSucceeded || in.Status.Phase == corev1.PodFailed {
		return cluster.Pod{}, false, nil
	}
	if err := checkName("spec.nodeName", in.Spec.NodeName); err != nil {
		return cluster.Pod{}, false, err
	}
	requests, err := requestsOf(&in)
	if err != nil {
		return cluster.Pod{}, false, err
	}
	return cluster.Pod{
		Namespace: in.Namespace, Name: in.Name, UID: string(in.UID), Node: in.Spec.NodeName,
		Requests: requests, Static: static(&in),
	}, true, nil
}

func podKey(p cluster.Pod) string { return p.Namespace + "/" + p.Name }

// static says that the pod belongs to its node and not to a workload: a
// DaemonSet's, or the mirror of a static pod.
func static(in *corev1.Pod) bool {
	if _, mirror := in.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	for _, owner := range in.OwnerReferences {
		if owner.Kind == "DaemonSet" || owner.Kind == "Node" {
			return true
		}
	}
	return false
}

// requestsOf is the pod's effective requests as the scheduler counts them: its
// containers, init containers and sidecars, overhead and pod-level resources.
func requestsOf(in *corev1.Pod) (map[string]int64, error) {
	for i := range in.Spec.InitContainers {
		defaultRequests(&in.Spec.InitContainers[i].Resources)
	}
	for i := range in.Spec.Containers {
		defaultRequests(&in.Spec.Containers[i].Resources)
	}
	defaultPodRequests(in)
	for _, list := range allRequests(in) { // before they are summed: a sum hides a negative
		if _, err := amounts("resources.requests", list); err != nil {
			return nil, err
		}
	}
	total := resource.PodRequests(in, resource.PodResourcesOptions{UseStatusResources: true})
	requests, err := amounts("effective requests", total)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(requests, func(name string, n int64) bool { return n == 0 || name == string(corev1.ResourcePods) })
	return requests, nil
}

func allRequests(in *corev1.Pod) []corev1.ResourceList {
	lists := []corev1.ResourceList{in.Spec.Overhead}
	for _, c := range in.Spec.InitContainers {
		lists = append(lists, c.Resources.Requests)
	}
	for _, c := range in.Spec.Containers {
		lists = append(lists, c.Resources.Requests)
	}
	if in.Spec.Resources != nil {
		lists = append(lists, in.Spec.Resources.Requests)
	}
	return lists
}

// defaultRequests does what the API server does on creation, for pods written by
// hand: a limit without a request is the request.
func defaultRequests(r *corev1.ResourceRequirements) {
	for name, limit := range r.Limits {
		if _, given := r.Requests[name]; given {
			continue
		}
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[name] = limit
	}
}

// defaultPodRequests does the same for the pod's own resources; what its containers
// ask goes before the pod's limit.
func defaultPodRequests(in *corev1.Pod) {
	r := in.Spec.Resources
	if r == nil || len(r.Limits) == 0 {
		return
	}
	asked := resource.AggregateContainerRequests(in, resource.PodResourcesOptions{})
	for name, limit := range r.Limits {
		if _, given := r.Requests[name]; given {
			continue
		}
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[name] = limit
		if sum, ok := asked[name]; ok {
			r.Requests[name] = sum
		}
	}
}
