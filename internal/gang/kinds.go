package gang

import (
	"slices"
	"strings"
)

// podlessGroups are API groups whose kinds make no pods, and stand beside jobs in
// files. A group that is not here is refused: an object that makes pods and is
// passed over would be a wrong reading.
var podlessGroups = map[string][]string{ // nil is every kind
	"": {"ConfigMap", "Secret", "Service", "ServiceAccount", "Namespace", "PersistentVolumeClaim", "PersistentVolume",
		"ResourceQuota", "LimitRange", "Endpoints", "Event", "Node", "PodTemplate"},
	"rbac.authorization.k8s.io":    nil,
	"networking.k8s.io":            nil,
	"gateway.networking.k8s.io":    nil,
	"policy":                       nil,
	"storage.k8s.io":               nil,
	"snapshot.storage.k8s.io":      nil,
	"node.k8s.io":                  nil,
	"resource.k8s.io":              nil,
	"discovery.k8s.io":             nil,
	"coordination.k8s.io":          nil,
	"apiextensions.k8s.io":         nil,
	"admissionregistration.k8s.io": nil,
	"autoscaling":                  nil,
	"scheduling.k8s.io":            {"PriorityClass", "Workload", "CompositePodGroup"},
	"kueue.x-k8s.io":               nil,
	"resource.nvidia.com":          {"ComputeDomain"},
	"topology.volcano.sh":          nil,
	"scheduling.volcano.sh":        {"Queue"},
	"scheduling.run.ai":            {"Queue"},
	"kai.scheduler":                nil,
	"grove.io":                     {"ClusterTopology", "ClusterTopologyBinding"},
	"trainer.kubeflow.org":         {"ClusterTrainingRuntime", "TrainingRuntime"},
	"keda.sh":                      {"TriggerAuthentication", "ScaledObject"},
	"monitoring.coreos.com":        {"PodMonitor", "ServiceMonitor", "PrometheusRule"},
	"cert-manager.io":              nil,
	"karpenter.sh":                 nil,
	"karpenter.k8s.aws":            nil,
	"karpenter.sagemaker.aws":      nil,
	"external-secrets.io":          nil,
	"networking.istio.io":          nil,
	"security.istio.io":            nil,
	"kustomize.config.k8s.io":      nil,
}

// podless says why an object is no gang, where its kind makes no pods.
func podless(o *Object) (why string, ok bool) {
	kinds, listed := podlessGroups[o.group()]
	if !listed || kinds != nil && !slices.Contains(kinds, o.Kind) {
		return "", false
	}
	switch o.Kind {
	case "ClusterTrainingRuntime", "TrainingRuntime", "PodTemplate":
		return "a template: makes no pods by itself", true
	case "CompositePodGroup":
		return "no pod group in the file is its child", true
	}
	return "makes no pods", true
}

// readable are the kinds that can be read, for messages.
func readable() string {
	var kinds []string
	for _, c := range conventions {
		if c.name != "" {
			kinds = append(kinds, c.kinds...)
		}
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), ", ")
}

func describe(d document) string {
	o := Object{Kind: d.kind, Namespace: text(d.root, "metadata", "namespace"), Name: text(d.root, "metadata", "name"),
		GenerateName: text(d.root, "metadata", "generateName")}
	return o.String()
}

// refuseKind names a kind that has no reader, and the flags that would do.
func refuseKind(o *Object) error {
	e := &Error{File: o.file, Line: lineOf(o.node, []any{"kind"})}
	version := o.APIVersion
	if version == "" {
		version = "no apiVersion"
	}
	switch o.Kind {
	case "":
		e.Line = lineOf(o.node, nil)
		e.Msg = "has an apiVersion and no kind"
		e.Hint = "expected a manifest with both, or a gang.yaml, which has neither"
		return e
	case "Job":
		e.Msg = o.String() + " of apiVersion " + version + " cannot be read; expected batch/v1 or batch.volcano.sh"
	case "CronJob":
		e.Msg = o.String() + " makes a gang at each of its times; put its jobTemplate into a Job"
	default:
		e.Msg = o.String() + " (" + version + ") cannot be read; it may make pods. Readable: gang.yaml, Pods with their groups, " + readable()
	}
	ns, name := o.Namespace, o.Name
	if ns == "" {
		ns = "NAMESPACE"
	}
	if name == "" {
		name = "NAME"
	}
	e.Hint = "leave it out, or say it with flags: hopwise place " + ns + "/" + name + " --pods N --gpus G --required KEY (or --preferred KEY)"
	return e
}
