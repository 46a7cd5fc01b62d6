package gang

// KAI's annotations stand on the topmost owner (its pod-grouper reads them there)
// and bind all of its pods together; required and preferred may stand side by side.
const (
	kaiPrefix    = "kai.scheduler/"
	kaiTopology  = kaiPrefix + "topology"
	kaiRequired  = kaiPrefix + "topology-required-placement"
	kaiPreferred = kaiPrefix + "topology-preferred-placement"
	kaiBatchMin  = kaiPrefix + "batch-min-member"
)

// kai lays KAI's annotations over a workload of any kind.
func (w *workload) kai() {
	at := w.root().at("metadata", "annotations")
	a := annotations{cursor: at, words: w.object.Annotations}
	required, preferred := a.key(kaiRequired), a.key(kaiPreferred)
	for _, s := range w.sets { // a pod without an owner, or one that copies its owner's
		t := annotations{cursor: s.template.annotationsAt, words: s.template.annotations}
		required, preferred = firstWord(required, t.key(kaiRequired)), firstWord(preferred, t.key(kaiPreferred))
	}
	if least := w.object.Annotations[kaiBatchMin]; least != "" {
		w.minMembers = at.at(kaiBatchMin).count(least)
	}
	if required == "" && preferred == "" {
		if w.object.Annotations[kaiTopology] != "" {
			w.warn("%s names a topology; without %s or %s it asks for nothing", kaiTopology, kaiRequired, kaiPreferred)
		}
		return
	}
	w.convention = "kai"
	w.together(required, preferred, w.object.Name)
}
