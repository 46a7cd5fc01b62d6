package gang

import "slices"

// podless are kinds that stand beside jobs in files and make no pods.
var podless = []string{
	"ConfigMap", "Secret", "Service", "ServiceAccount", "Namespace", "Role", "RoleBinding", "ClusterRole",
	"ClusterRoleBinding", "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "NetworkPolicy", "Ingress",
	"PriorityClass", "ResourceQuota", "LimitRange", "PodDisruptionBudget", "RuntimeClass",
	"LocalQueue", "ClusterQueue", "ResourceFlavor", "Topology", "WorkloadPriorityClass", "Cohort",
	"ResourceClaimTemplate", "ResourceClaim", "ComputeDomain",
}

func makesNoPods(kind string) bool { return slices.Contains(podless, kind) }

func describe(d document) string {
	name := text(d.root, "metadata", "name")
	if name == "" {
		name = text(d.root, "metadata", "generateName")
	}
	if ns := text(d.root, "metadata", "namespace"); ns != "" {
		name = ns + "/" + name
	}
	if name == "" {
		return d.kind
	}
	return d.kind + " " + name
}

// refuseKind names a kind that has no reader, and the flags that would do.
func refuseKind(d document) error {
	e := &Error{File: d.file, Line: lineAt(d.root, "kind")}
	ns, name := text(d.root, "metadata", "namespace"), text(d.root, "metadata", "name")
	if ns == "" {
		ns = "NAMESPACE"
	}
	if name == "" {
		name = "NAME"
	}
	flags := "hopwise place " + ns + "/" + name + " --pods N --gpus G --required KEY (or --preferred KEY)"
	switch d.kind {
	case "":
		e.Line = d.root.Line
		e.Msg = "has an apiVersion and no kind"
		e.Hint = "expected a gang.yaml, which has neither, or a batch/v1 Job"
		return e
	case "Job":
		e.Msg = "Job of apiVersion " + quoteOrNone(d.apiVersion) + " cannot be read; expected batch/v1"
	case "CronJob":
		e.Msg = "CronJob makes a gang at each of its times; this one cannot be read yet"
	default:
		e.Msg = describe(d) + " (" + quoteOrNone(d.apiVersion) + ") cannot be read yet; a batch/v1 Job and gang.yaml can"
	}
	e.Hint = "with flags: " + flags
	return e
}

func quoteOrNone(s string) string {
	if s == "" {
		return "no apiVersion"
	}
	return s
}
