package gang

// The JobSet's annotations for exclusive placement: one domain for each child job.
const (
	jobSetExclusive    = "alpha.jobset.sigs.k8s.io/exclusive-topology"
	jobSetNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector"
)

// readJobSet reads one pod set for each replicated job: replicas times the lesser of
// parallelism and completions.
func readJobSet(_ *bundle, w *workload) {
	root := w.root()
	w.replicatedJobs(root.at("spec", "replicatedJobs"))
	if root.at("spec", "startupPolicy", "startupPolicyOrder").text() == "InOrder" {
		w.inOrder()
	}
	if len(w.sets) == 0 {
		root.at("spec", "replicatedJobs").fail("make no pods; expected one replicated job or more")
	}
}

func (w *workload) replicatedJobs(list cursor) {
	if !list.given() {
		list.fail("expected a list of replicated jobs")
	}
	for i, rj := range list.items() {
		rj.meant("name", "replicas", "template", "dependsOn")
		name := rj.at("name").text()
		if name == "" {
			rj.at("name").fail("is missing")
		}
		s := rj.at("template", "spec").jobSet(lower(name), "")
		s.own = map[string]string{"jobset.sigs.k8s.io/jobset-name": w.object.Name, "jobset.sigs.k8s.io/replicatedjob-name": name}
		perJob := s.count
		replicas := rj.at("replicas")
		s.count = w.product(replicas, replicas.number(1), perJob)
		for _, d := range rj.at("dependsOn").items() {
			s.startsAfter(d.at("name").text(), d.at("status"), "Complete", "Ready")
		}
		at := rj.at("template", "metadata", "annotations")
		key := firstWord(at.words()[jobSetExclusive], w.object.Annotations[jobSetExclusive])
		if key != "" {
			w.exclusiveJobs(&s, key, perJob)
		}
		if at.words()[jobSetNodeSelector] != "" || w.object.Annotations[jobSetNodeSelector] != "" {
			w.refuseLater("exclusive-topology", jobSetNodeSelector+": nodes are set aside by labels that the file does not tell")
		}
		w.misplacedAt(at.words(), "replicatedJobs["+itoa(i)+"] template", []set{s})
		w.add(s)
	}
	w.knownSets()
}

// exclusiveJobs reads a child job's own domain as far as it can be said: its pods
// share one; that nobody else is there is shown, and refused where it is placed.
func (w *workload) exclusiveJobs(s *set, key string, perJob int32) {
	if perJob > 0 {
		s.slices = []Slice{{Layer: key, Size: perJob}}
	}
	w.setExclusive(key, "job")
}

func (w *workload) setExclusive(key, per string) {
	if w.exclusive == nil {
		w.refuseLater("exclusive-topology", "a "+key+" for each "+per+" that nobody shares cannot be promised")
	}
	w.exclusive = &ExclusiveTopology{Key: key, Per: per}
}

// startsAfter records one dependency on another set.
func (s *set) startsAfter(name string, status cursor, allowed ...string) {
	word := status.text()
	if word == "" {
		word = allowed[0]
	}
	for _, a := range allowed {
		if word == a {
			if s.after == nil {
				s.after = make(map[string]string)
			}
			s.after[lower(name)] = word
			return
		}
	}
	status.fail("%q is none of %v", word, allowed)
}

// inOrder makes each set wait for the one before it.
func (w *workload) inOrder() {
	for i := 1; i < len(w.sets); i++ {
		if w.sets[i].after == nil {
			w.sets[i].after = map[string]string{w.sets[i-1].name: "Ready"}
		}
	}
}

// knownSets refuses a name that is given twice, and a dependency on no set.
func (w *workload) knownSets() {
	seen := make(map[string]bool)
	for _, s := range w.sets {
		if seen[s.name] {
			s.template.at.fail("a second pod set is called %q", s.name)
		}
		seen[s.name] = true
	}
	for _, s := range w.sets {
		for name := range s.after {
			if !seen[name] {
				s.template.at.fail("pod set %q starts after %q, which makes no pods", s.name, name)
			}
		}
	}
}
