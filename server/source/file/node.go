package file

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hopwise/hopwise/server/cluster"
)

const (
	healthLabel    = "sagemaker.amazonaws.com/node-health-status"
	deepCheckLabel = "sagemaker.amazonaws.com/deep-health-check-status"
	oldTypeLabel   = "beta.kubernetes.io/instance-type"
)

func parseNode(raw json.RawMessage) (cluster.Node, error) {
	var in corev1.Node
	if err := json.Unmarshal(raw, &in); err != nil {
		return cluster.Node{}, decodeError(err)
	}
	if err := checkName("metadata.name", in.Name); err != nil {
		return cluster.Node{}, err
	}
	if err := checkLabels("label", in.Labels); err != nil {
		return cluster.Node{}, err
	}
	taints, err := taintsOf(in.Spec.Taints)
	if err != nil {
		return cluster.Node{}, err
	}
	total, err := totalOf(&in)
	if err != nil {
		return cluster.Node{}, err
	}
	kind := in.Labels[corev1.LabelInstanceTypeStable]
	if kind == "" {
		kind = in.Labels[oldTypeLabel]
	}
	return cluster.Node{
		Name: in.Name, UID: string(in.UID), ProviderID: in.Spec.ProviderID,
		Labels: in.Labels, Taints: taints,
		Ready: ready(&in), Unschedulable: in.Spec.Unschedulable, Provider: providerWord(in.Labels),
		InstanceType: kind, Total: total,
	}, nil
}

// ready holds only for a Ready condition of True: Unknown, or none, is not ready.
func ready(in *corev1.Node) bool {
	for _, c := range in.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// providerWord is HyperPod's word against a node. Any health but Schedulable is
// one, words to come too; a deep check that runs has the node for itself. Both
// labels are optional.
func providerWord(labels map[string]string) string {
	if h := labels[healthLabel]; h != "" && h != "Schedulable" {
		return "HyperPod node health: " + h
	}
	if labels[deepCheckLabel] == "InProgress" {
		return "HyperPod deep health check in progress"
	}
	return ""
}

func taintsOf(in []corev1.Taint) ([]cluster.Taint, error) {
	var taints []cluster.Taint
	for i, t := range in {
		if err := checkName("key", t.Key); err != nil {
			return nil, at(fmt.Sprintf("spec.taints[%d]", i), err)
		}
		if safe(t.Value) != t.Value {
			return nil, at(fmt.Sprintf("spec.taints[%d]", i), fmt.Errorf("value %q holds a control character", t.Value))
		}
		switch t.Effect {
		case corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule:
		default:
			return nil, at(fmt.Sprintf("spec.taints[%d]", i),
				fmt.Errorf("effect %q; expected NoSchedule, PreferNoSchedule or NoExecute", t.Effect))
		}
		taints = append(taints, cluster.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	return taints, nil
}

// totalOf is what pods may take; nil where the object says nothing of it.
// Allocatable is capacity where it is not set, as in the API.
func totalOf(in *corev1.Node) (map[string]int64, error) {
	list, where := in.Status.Allocatable, "status.allocatable"
	if list == nil {
		list, where = in.Status.Capacity, "status.capacity"
	}
	if list == nil {
		return nil, nil
	}
	return amounts(where, list)
}

// mostUnits is far beyond any machine (a pebibyte, or a trillion cores in
// thousandths), and low enough that thousands of nodes add up without overflow.
const mostUnits = int64(1) << 50

// amounts turns quantities into base units, cpu into thousandths of a core.
func amounts(where string, list corev1.ResourceList) (map[string]int64, error) {
	out := make(map[string]int64, len(list))
	for name, q := range list {
		if err := checkName("resource name", string(name)); err != nil {
			return nil, at(where, err)
		}
		most := resource.NewQuantity(mostUnits, resource.DecimalSI)
		if name == corev1.ResourceCPU {
			most = resource.NewMilliQuantity(mostUnits, resource.DecimalSI)
		}
		if q.Sign() < 0 {
			return nil, at(where, fmt.Errorf("%s is %s; expected 0 or more", name, q.String()))
		}
		if q.Cmp(*most) > 0 {
			return nil, at(where, fmt.Errorf("%s is %s; expected at most %s", name, q.String(), most.String()))
		}
		if name == corev1.ResourceCPU {
			out[string(name)] = q.MilliValue()
		} else {
			out[string(name)] = q.Value()
		}
	}
	return out, nil
}
