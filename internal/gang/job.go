package gang

import (
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
)

// readJob reads a batch/v1 Job as one gang of one pod set, "main", Kueue's name for
// it. Its size is the lesser of parallelism and completions, as in Kueue
// (pkg/controller/jobs/job).
func readJob(_ *bundle, w *workload) {
	root := w.root()
	s := root.at("spec").jobSet("main", w.object.Name)
	if s.count < 1 && w.err == nil {
		s.countAt.fail("0 makes no gang; expected 1 or more")
	}
	if p, c := root.at("spec", "parallelism"), root.at("spec", "completions"); c.given() && c.number(1) < p.number(1) {
		w.note("parallelism %d is capped by completions %d", p.number(1), c.number(1))
	}
	if least := w.object.Annotations["kueue.x-k8s.io/job-min-parallelism"]; least != "" {
		w.minMembers = root.at("metadata", "annotations", "kueue.x-k8s.io/job-min-parallelism").count(least)
	}
	w.add(s)
	w.nativeScheduling(root.at("spec", "scheduling"))
}

// nativeScheduling is 1.37's Job.spec.scheduling.
func (w *workload) nativeScheduling(c cursor) {
	if !c.given() {
		return
	}
	policy := c.at("schedulingPolicy")
	if !policy.at("gang").given() {
		w.onePerPod = "basic policy: no gang"
	}
	w.minMembers = policy.at("gang", "minCount").number(w.minMembers)
	if key := c.nativeKey(w.refuseLater); key != "" {
		w.together(key, "", "")
	}
	if c.at("resourceClaims").given() {
		w.refuseLater("resource-claims", "scheduling.resourceClaims: what a shared claim asks of nodes is not known here")
	}
}

// nativeKey is the one topology key of schedulingConstraints; empty where none is.
func (c cursor) nativeKey(refuse func(name, text string)) string {
	constraints := c.at("schedulingConstraints", "topology").items()
	if len(constraints) == 0 {
		return ""
	}
	if len(constraints) > 1 {
		refuse("topology", "schedulingConstraints.topology: more than one constraint cannot be kept to")
	}
	key := constraints[0].at("key")
	if !key.given() {
		key.fail("expected a node's label key")
	}
	return key.labelKey()
}

// jobSet is the pods of a Job's spec; in a JobSet it stands under a template.
func (c cursor) jobSet(name, job string) set {
	s := set{name: name, countAt: c.at("parallelism"), template: c.at("template").template(),
		own: map[string]string{"job-name": job, "batch.kubernetes.io/job-name": job}}
	// Strict, as kubectl is: a misspelt parallelism would be a gang of one.
	if raw, err := json.Marshal(c.v); err == nil && c.in.err == nil {
		c.decode(raw, &batchv1.JobSpec{})
	}
	s.count = s.countAt.number(1)
	if completions := c.at("completions"); completions.given() && completions.number(1) < s.count {
		s.count, s.countAt = completions.number(1), completions
	}
	return s
}
