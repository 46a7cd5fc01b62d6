package gang

const (
	lwsExclusive         = "leaderworkerset.sigs.k8s.io/exclusive-topology"
	lwsSubGroupExclusive = "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"
)

// readLeaderWorkerSet reads one gang for each group (copies): a leader and size - 1
// workers, or size pods of one shape where there is no leader's template, Kueue's
// "main" then.
func readLeaderWorkerSet(_ *bundle, w *workload) {
	spec := w.root().at("spec")
	w.copies = spec.at("replicas").number(1)
	lwt := spec.meant("replicas", "leaderWorkerTemplate").at("leaderWorkerTemplate")
	lwt.meant("size", "leaderTemplate", "workerTemplate")
	size := lwt.at("size")
	n := size.number(1)
	if n < 1 {
		size.fail("expected 1 or more, the leader included")
	}
	w.holdCopies(spec.at("replicas"))
	own := map[string]string{"leaderworkerset.sigs.k8s.io/name": w.object.Name}
	worker := set{name: "main", count: n, countAt: size, template: lwt.at("workerTemplate").template(), own: own}
	if leader := lwt.at("leaderTemplate"); leader.given() {
		w.add(set{name: "leader", count: 1, countAt: size, template: leader.template(), own: own, leads: true})
		worker.name, worker.count = "worker", n-1
		if spec.at("startupPolicy").text() == "LeaderReady" {
			worker.after = map[string]string{"leader": "Ready"}
		}
	}
	sub := lwt.at("subGroupPolicy", "subGroupSize")
	if key := w.object.Annotations[lwsSubGroupExclusive]; key != "" && sub.given() {
		worker.slices = []Slice{{Layer: key, Size: max(sub.number(1), 1)}}
		w.setExclusive(key, "subgroup")
	}
	w.add(worker)
	if key := w.object.Annotations[lwsExclusive]; key != "" {
		w.together(key, "", "exclusive-topology")
		w.setExclusive(key, "group")
	}
}
