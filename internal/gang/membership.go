package gang

// Where a pod says which group it is of. The order is that of trust: the first hit
// wins.
const (
	groupLabel = "kueue.x-k8s.io/pod-group-name"
	groupCount = "kueue.x-k8s.io/pod-group-total-count"
	roleHash   = "kueue.x-k8s.io/role-hash"

	coschedulingLabel = "scheduling.x-k8s.io/pod-group"
	coschedulingOld   = "pod-group.scheduling.sigs.k8s.io"
	volcanoGroup      = "scheduling.k8s.io/group-name"
	volcanoGroupNew   = "scheduling.volcano.sh/group-name"
	kaiGroup          = "pod-group-name"
)

const (
	byOwn   = "own"
	byKueue = "kueue-pod-group"
)

// membership is the group that a pod template's pods are of; both words are empty
// where it names none.
func membership(t template) (convention, name string) {
	if name := t.annotations[ownGang]; name != "" {
		return byOwn, name
	}
	if g := t.spec.SchedulingGroup; g != nil && g.PodGroupName != nil && *g.PodGroupName != "" {
		return "kubernetes-podgroup", *g.PodGroupName
	}
	if name := t.labels[groupLabel]; name != "" {
		return byKueue, name
	}
	if name := firstWord(t.labels[coschedulingLabel], t.labels[coschedulingOld]); name != "" {
		return "coscheduling", name
	}
	if name := firstWord(t.annotations[volcanoGroup], t.annotations[volcanoGroupNew]); name != "" {
		return "volcano", name
	}
	if name := t.annotations[kaiGroup]; name != "" {
		return "kai", name
	}
	return "", ""
}
