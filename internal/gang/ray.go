package gang

import "math"

// readRay reads a RayCluster, and what makes one: a RayJob, a RayService. The head
// comes first, then the worker groups as declared.
func readRay(_ *bundle, w *workload) {
	root := w.root()
	switch w.object.Kind {
	case "RayCluster":
		w.rayCluster(root.at("spec"))
	case "RayService":
		w.rayCluster(root.at("spec", "rayClusterConfig"))
		w.note("an upgrade of a RayService makes a second cluster beside the first")
	case "RayJob":
		if root.at("spec", "clusterSelector").given() {
			w.onePerPod = "runs on a RayCluster that is there already"
			return
		}
		w.rayCluster(root.at("spec", "rayClusterSpec"))
		w.submitter(root.at("spec"))
	}
}

func (w *workload) rayCluster(spec cursor) {
	own := func(kind, group string) map[string]string {
		return map[string]string{"ray.io/cluster": w.object.Name, "ray.io/node-type": kind, "ray.io/group": group}
	}
	spec.meant("headGroupSpec", "workerGroupSpecs", "enableInTreeAutoscaling")
	head := spec.at("headGroupSpec")
	headTemplate := head.at("template")
	if spec.at("enableInTreeAutoscaling").truth() {
		headTemplate = w.autoscaled(headTemplate, spec.at("autoscalerOptions", "resources"))
	}
	w.add(set{name: "head", count: 1, countAt: head, template: headTemplate.template(), own: own("head", "headgroup"), leads: true})
	least, most := int32(0), int32(0)
	for _, group := range spec.at("workerGroupSpecs").items() {
		group.meant("groupName", "replicas", "minReplicas", "maxReplicas", "numOfHosts", "template")
		name := group.at("groupName").text()
		if name == "" {
			group.at("groupName").fail("is missing")
		}
		s := set{name: lower(name), countAt: group.at("replicas"), template: group.at("template").template(), own: own("worker", name)}
		low, high := group.at("minReplicas").number(0), group.at("maxReplicas").number(math.MaxInt32)
		hosts := max(group.at("numOfHosts").number(1), 1)
		// KubeRay's clamp. numOfHosts pods make one replica.
		replicas := min(max(group.at("replicas").number(low), low), high)
		if group.at("suspend").truth() {
			replicas = 0
		}
		s.count = w.product(group, replicas, hosts)
		least += min(low, math.MaxInt32/hosts-least/hosts) * hosts
		if high < math.MaxInt32/hosts-most/hosts {
			most += high * hosts
		}
		w.add(s)
	}
	w.knownSets()
	if spec.at("enableInTreeAutoscaling").truth() {
		w.elastic = &Elastic{Min: least, Max: most}
		w.note("autoscaled: the worker groups may be resized; placed at their replicas")
	}
}

// autoscaled adds the autoscaler that KubeRay puts beside the head: 500m and 512Mi
// where the cluster does not say otherwise.
func (w *workload) autoscaled(template, resources cursor) cursor {
	pod, ok := template.v.(map[string]any)
	spec, ok2 := template.at("spec").v.(map[string]any)
	if !ok || !ok2 {
		return template
	}
	containers, _ := spec["containers"].([]any)
	for _, c := range containers {
		if m, ok := c.(map[string]any); ok && m["name"] == "autoscaler" {
			return template
		}
	}
	amounts := map[string]any{"cpu": "500m", "memory": "512Mi"}
	want := any(map[string]any{"requests": amounts, "limits": amounts})
	if resources.given() {
		want = resources.v
	}
	sidecar := map[string]any{"name": "autoscaler", "resources": want}
	template.v = with(pod, "spec", with(spec, "containers", append(containers[:len(containers):len(containers)], any(sidecar))))
	w.note("the head's requests include the autoscaler that the operator adds")
	return template
}

// with is a copy of a mapping with one key set anew.
func with(m map[string]any, key string, v any) map[string]any {
	out := make(map[string]any, len(m)+1)
	for k, old := range m {
		out[k] = old
	}
	out[key] = v
	return out
}

// submitter is the pod that hands a RayJob's work in. Kueue counts it; it is made
// only once the cluster is ready.
func (w *workload) submitter(spec cursor) {
	switch mode := spec.at("submissionMode").text(); mode {
	case "", "K8sJobMode":
	case "HTTPMode", "InteractiveMode":
		return
	case "SidecarMode":
		w.note("the submitter runs beside the head; what it takes is not counted")
		return
	default:
		spec.at("submissionMode").fail("%q is none of K8sJobMode, HTTPMode, SidecarMode, InteractiveMode", mode)
	}
	t := spec.at("submitterPodTemplate")
	if !t.given() { // KubeRay's own
		t.v = map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "ray-job-submitter",
			"resources": map[string]any{"requests": map[string]any{"cpu": "500m", "memory": "200Mi"},
				"limits": map[string]any{"cpu": "1", "memory": "1Gi"}}}}}}
	}
	w.add(set{name: "submitter", count: 1, countAt: t, template: t.template()})
	w.note("the submitter is made once the cluster is ready")
}
