package gang

const (
	trainerGroup = "trainer.kubeflow.org"
	ancestorStep = "trainer.kubeflow.org/trainjob-ancestor-step"
)

// readTrainJob reads Kubeflow trainer's v2 job: how many nodes and what each takes
// stand in the job, the rest in its runtime, under the job's patches. What comes of
// it is a JobSet of the same name.
func readTrainJob(b *bundle, w *workload) {
	root := w.root()
	runtime := w.runtime(b, root.at("spec", "runtimeRef"))
	if runtime == nil {
		return
	}
	r := &reading{object: runtime}
	spec, _ := r.root().at("spec").v.(map[string]any)
	spec = w.patched(root, spec)
	// From here on the merged spec is read as if it stood in the job: faults of the
	// runtime are named by the runtime's paths.
	merged := cursor{in: w.reading, path: []any{"spec", "runtimeRef", "(" + runtime.String() + ")"}, v: any(spec)}
	mpi := merged.at("mlPolicy", "mpi")
	t := trainer{
		asNode: mpi.at("runLauncherAsNode").truth(), mpi: mpi.given(),
		nodes:     root.at("spec", "trainer", "numNodes"),
		resources: root.at("spec", "trainer", "resourcesPerNode"),
	}
	t.count = t.nodes.number(merged.at("mlPolicy", "numNodes").number(1))
	list := merged.at("template", "spec", "replicatedJobs")
	list.v = t.apply(list)
	w.replicatedJobs(list)
	for i := range w.sets {
		w.sets[i].leads = t.asNode && w.sets[i].name == "launcher"
		if w.sets[i].name == t.set {
			w.sets[i].countAt = t.nodes
		}
	}
	if t.asNode {
		w.note("the launcher trains too: rank 0 is there, though it is declared after the nodes")
	}
	if tier := merged.at("podGroupPolicy", "volcano", "networkTopology"); tier.given() {
		w.tiers(tier, "", nil)
	}
}

// runtime finds the job's runtime among the objects: without it the pods have no
// shape.
func (w *workload) runtime(b *bundle, ref cursor) *Object {
	kind, name := firstWord(ref.at("kind").text(), "ClusterTrainingRuntime"), ref.at("name").text()
	namespace := w.object.Namespace
	if kind == "ClusterTrainingRuntime" {
		namespace = "*"
	}
	runtime := b.find(trainerGroup, kind, namespace, name)
	if runtime == nil {
		ref.fail("%s %q is not in the file, and it says what the pods are; put it in: kubectl get %s %s -o yaml",
			kind, name, lower(kind), name)
		return nil
	}
	w.used = append(w.used, runtime)
	return runtime
}

// patched lays the job's patches over its runtime's spec: runtimePatches, and
// podTemplateOverrides, their older form.
func (w *workload) patched(root cursor, spec map[string]any) map[string]any {
	for _, p := range root.at("spec", "runtimePatches").items() {
		patch, _ := p.at("trainingRuntimeSpec").v.(map[string]any)
		spec, _ = merge(spec, patch).(map[string]any)
	}
	for _, o := range root.at("spec", "podTemplateOverrides").items() {
		pod := map[string]any{}
		for _, part := range []string{"metadata", "spec"} {
			if v := o.at(part); v.given() {
				pod[part] = v.v
			}
		}
		var jobs []any
		for _, target := range o.at("targetJobs").items() {
			jobs = append(jobs, map[string]any{"name": target.at("name").text(),
				"template": map[string]any{"spec": map[string]any{"template": pod}}})
		}
		patch := map[string]any{"template": map[string]any{"spec": map[string]any{"replicatedJobs": jobs}}}
		spec, _ = merge(spec, patch).(map[string]any)
	}
	return spec
}

// merge lays a patch over a value: mappings key by key, lists of named things name
// by name, anything else anew.
func merge(base, patch any) any {
	switch p := patch.(type) {
	case nil:
		return base
	case map[string]any:
		b, _ := base.(map[string]any)
		out := make(map[string]any, len(b)+len(p))
		for k, v := range b {
			out[k] = v
		}
		for k, v := range p {
			out[k] = merge(out[k], v)
		}
		return out
	case []any:
		b, _ := base.([]any)
		if !named(p) || !named(b) {
			return p
		}
		out := append([]any{}, b...)
		for _, item := range p {
			out = mergeItem(out, item)
		}
		return out
	}
	return patch
}

func mergeItem(list []any, item any) []any {
	for i, old := range list {
		if nameOf(old) == nameOf(item) {
			list[i] = merge(old, item)
			return list
		}
	}
	return append(list, item)
}

// named says whether each of a list is a mapping with a name, as containers are and
// tolerations are not.
func named(list []any) bool {
	for _, item := range list {
		if nameOf(item) == "" {
			return false
		}
	}
	return true
}

func nameOf(item any) string {
	m, _ := item.(map[string]any)
	name, _ := m["name"].(string)
	return name
}

// trainer is what a TrainJob says of its nodes.
type trainer struct {
	nodes, resources cursor
	count            int32
	mpi, asNode      bool
	set              string // the pod set that count became
}

// apply puts numbers and resources into the runtime's replicated jobs. With MPI the
// workers are the job "node" and the one labelled as trainer is the launcher;
// otherwise the labelled one is the workers, or the one called "node".
func (t *trainer) apply(list cursor) any {
	workers := "node"
	for _, rj := range list.items() {
		if !t.mpi && rj.at("template", "metadata", "labels").words()[ancestorStep] == "trainer" {
			workers = rj.at("name").text()
		}
	}
	var out []any
	for _, rj := range list.items() {
		switch name := rj.at("name").text(); {
		case name == workers:
			n := t.count
			if t.asNode {
				n = max(n-1, 1)
			}
			t.set = lower(name)
			out = append(out, t.job(rj, n))
		case t.asNode && name == "launcher":
			out = append(out, t.job(rj, 1))
		default:
			out = append(out, rj.v)
		}
	}
	return out
}

// job is a replicated job with the trainer's number of pods and its resources, which
// replace those of the container "node" whole.
func (t *trainer) job(rj cursor, n int32) any {
	patch := map[string]any{"parallelism": float64(n), "completions": float64(n)}
	out := merge(rj.v, map[string]any{"replicas": 1.0, "template": map[string]any{"spec": patch}})
	if !t.resources.given() {
		return out
	}
	list := rj.at("template", "spec", "template", "spec", "containers").items()
	var containers []any
	for _, c := range list {
		item, ok := c.v.(map[string]any)
		if ok && (nameOf(item) == "node" || len(list) == 1) {
			item = with(item, "resources", t.resources.v)
		}
		containers = append(containers, any(item))
	}
	return replaced(out, containers, "template", "spec", "template", "spec", "containers")
}

// replaced is a copy of a tree with one value of it set anew.
func replaced(tree, v any, keys ...string) any {
	if len(keys) == 0 {
		return v
	}
	m, _ := tree.(map[string]any)
	return with(m, keys[0], replaced(m[keys[0]], v, keys[1:]...))
}
