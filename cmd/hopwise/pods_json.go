package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/hopwise/hopwise/internal/gang"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// rankKeys are labels (or annotations) that say a pod's rank inside its pod set.
var rankKeys = []string{
	"hopwise.dev/rank", "batch.kubernetes.io/job-completion-index", "training.kubeflow.org/replica-index",
	"leaderworkerset.sigs.k8s.io/worker-index", "kueue.x-k8s.io/pod-group-pod-index", "apps.kubernetes.io/pod-index",
}

// setKeys are labels that say a pod's pod set.
var setKeys = []string{
	"training.kubeflow.org/replica-type", "jobset.sigs.k8s.io/replicatedjob-name", "ray.io/group",
}

// podsFromJSON reads `kubectl get pods -o json`: ranks, requests and filters are
// the pods' own.
func podsFromJSON(data []byte) (*judged, error) {
	pods, err := decodePods(data)
	if err != nil {
		return nil, err
	}
	j := &judged{req: &hopwisev1.ScorePlacementRequest{}}
	var names []string
	left := 0
	for i := range pods {
		p := &pods[i]
		if p.Spec.NodeName == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			left++
			continue
		}
		names = append(names, p.Name)
		slot := &hopwisev1.ScoreSlot{Node: p.Spec.NodeName, PodName: p.Name, PodSet: firstOf(p, setKeys), Rank: rankOf(p)}
		j.req.Slots = append(j.req.Slots, slot)
		if err := j.shape(p, slot.GetPodSet()); err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("standard input: no pod that runs on a node (of %d)", len(pods))
	}
	if left > 0 {
		j.taken = append(j.taken, count(left, "pod")+" that ended or have no node left out")
	}
	j.title = commonTitle(names)
	return j, nil
}

func decodePods(data []byte) ([]corev1.Pod, error) {
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("standard input: not JSON: %w", err)
	}
	raw := list.Items
	if list.Kind == "Pod" {
		raw = []json.RawMessage{data}
	} else if list.Items == nil {
		return nil, fmt.Errorf("standard input: is a %q; expected a Pod or a List of them", list.Kind)
	}
	pods := make([]corev1.Pod, 0, len(raw))
	for i, r := range raw {
		var p corev1.Pod
		if err := json.Unmarshal(r, &p); err != nil {
			return nil, fmt.Errorf("standard input: items[%d]: %w", i, err)
		}
		if p.Kind != "" && p.Kind != "Pod" {
			return nil, fmt.Errorf("standard input: items[%d]: is a %q; expected a Pod", i, p.Kind)
		}
		pods = append(pods, p)
	}
	return pods, nil
}

// shape gives each pod set its first pod's shape; a pod that takes something else
// is refused rather than judged by another's.
func (j *judged) shape(p *corev1.Pod, set string) error {
	requests, filter, err := gang.PodShape(&p.Spec)
	if err != nil {
		return fmt.Errorf("standard input: pod %s: %w", p.Name, err)
	}
	for _, s := range j.req.GetShapes() {
		if s.GetPodSet() != set {
			continue
		}
		if !sameRequests(s.GetRequests(), requests) {
			return fmt.Errorf("standard input: pod %s takes something else than the pods before it; score one gang at a time", p.Name)
		}
		return nil
	}
	j.req.Shapes = append(j.req.Shapes, &hopwisev1.ScoreShape{PodSet: set, Requests: requests, Filter: filterOf(schedulable(filter))})
	return nil
}

func sameRequests(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, q := range a {
		if b[name] != q {
			return false
		}
	}
	return true
}

// schedulable drops the two tolerations that the API server adds to every pod:
// they are for running pods and bar or open no node to a new one.
func schedulable(f *gang.Filter) *gang.Filter {
	if f == nil {
		return nil
	}
	f.Tolerations = slices.DeleteFunc(f.Tolerations, func(t gang.Toleration) bool {
		return t.Effect == "NoExecute" && (t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable)
	})
	return f
}

func firstOf(p *corev1.Pod, keys []string) string {
	for _, key := range keys {
		if v := p.Labels[key]; v != "" {
			return v
		}
		if v := p.Annotations[key]; v != "" {
			return v
		}
	}
	return ""
}

func rankOf(p *corev1.Pod) *int32 {
	n, err := strconv.ParseInt(firstOf(p, rankKeys), 10, 32)
	if err != nil || n < 0 {
		return nil
	}
	rank := int32(n)
	return &rank
}
