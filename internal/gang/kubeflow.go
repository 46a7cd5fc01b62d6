package gang

import (
	"maps"
	"slices"
	"strings"
)

// kubeflowJob says where a kind has its replica specs, and in which order their pods
// are ranked: Kueue's, a leader first.
type kubeflowJob struct {
	field string
	types []string
}

var kubeflowJobs = map[string]kubeflowJob{
	"PyTorchJob": {"pytorchReplicaSpecs", []string{"Master", "Worker"}},
	"TFJob":      {"tfReplicaSpecs", []string{"Chief", "Master", "PS", "Worker", "Evaluator"}},
	"XGBoostJob": {"xgbReplicaSpecs", []string{"Master", "Worker"}},
	"PaddleJob":  {"paddleReplicaSpecs", []string{"Master", "Worker"}},
	"JAXJob":     {"jaxReplicaSpecs", []string{"Worker"}},
	"MPIJob":     {"mpiReplicaSpecs", []string{"Launcher", "Worker"}},
}

func kubeflowKinds() []string { return slices.Sorted(maps.Keys(kubeflowJobs)) }

// readKubeflow reads the training operator's jobs and the MPI operator's.
func readKubeflow(b *bundle, w *workload) {
	job := kubeflowJobs[w.object.Kind]
	spec := w.root().at("spec")
	list := spec.at(job.field)
	if !list.given() {
		list.fail("expected replica specs: %s", strings.Join(job.types, ", "))
	}
	for _, e := range list.entries() {
		if !slices.Contains(job.types, e.key()) {
			e.fail("is no replica type of a %s; expected %s", w.object.Kind, strings.Join(job.types, ", "))
		}
	}
	for i, kind := range job.types {
		rs := list.at(kind)
		if !rs.given() {
			continue
		}
		rs.meant("replicas", "template")
		s := set{name: lower(kind), countAt: rs.at("replicas"), template: rs.at("template").template(), leads: i == 0}
		s.count = s.countAt.number(1)
		s.own = map[string]string{"training.kubeflow.org/job-name": w.object.Name, "training.kubeflow.org/replica-type": s.name}
		w.add(s)
	}
	if len(w.sets) == 0 {
		list.fail("make no pods; expected replicas: 1 or more")
	}
	w.schedulingPolicy(spec.at("runPolicy", "schedulingPolicy"))
	w.elasticPolicy(spec.at("elasticPolicy"))
	if w.elastic != nil && b.options.ElasticFloor && w.elastic.Min > 0 {
		w.minMembers = w.elastic.Min
	}
	w.launcher(spec)
}

// schedulingPolicy is what the training operator hands to a pod group.
func (w *workload) schedulingPolicy(c cursor) {
	w.minMembers = c.at("minAvailable").number(0)
	if w.object.Labels[kueuePriority] == "" {
		w.priority = c.at("priorityClass").text()
	}
}

// launcher says how an MPI job's launcher stands to its workers.
func (w *workload) launcher(spec cursor) {
	if w.object.Kind != "MPIJob" || len(w.sets) == 0 || w.sets[0].name != "launcher" {
		return
	}
	if !spec.at("runLauncherAsWorker").truth() {
		w.note("the launcher is no MPI rank")
	}
	if spec.at("launcherCreationPolicy").text() == "WaitForWorkersReady" && len(w.sets) > 1 {
		w.sets[0].after = map[string]string{"worker": "Ready"}
	}
}
