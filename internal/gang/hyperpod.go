package gang

// readHyperPod reads the HyperPod training operator's job: a list of replica specs.
// Spares are pods besides the replicas, so they take seats.
func readHyperPod(_ *bundle, w *workload) {
	spec := w.root().at("spec")
	list := spec.at("replicaSpecs")
	if len(list.items()) == 0 {
		list.fail("expected a list of one replica spec or more")
	}
	for _, rs := range list.items() {
		rs.meant("name", "replicas", "spares", "template")
		name := rs.at("name").text()
		if name == "" {
			rs.at("name").fail("is missing")
		}
		s := set{name: lower(name), countAt: rs.at("replicas"), spares: rs.at("spares").number(0),
			template: rs.at("template").template()}
		s.count = w.sum(rs, s.countAt.number(1), s.spares)
		if s.spares > 0 {
			w.note("pod set %s: %d of %d seats are spares; they come last by rank", s.name, s.spares, s.count)
		}
		w.add(s)
	}
	w.knownSets()
	w.elasticPolicy(spec.at("elasticPolicy"))
	if len(w.sets) == 0 {
		list.fail("make no pods; expected replicas: 1 or more")
	}
}

// elasticPolicy is the range of an elastic PyTorch job. Whether its least size is
// the gang's floor is open between schedulers: an option settles it.
func (w *workload) elasticPolicy(c cursor) {
	least, most := c.at("minReplicas").number(0), c.at("maxReplicas").number(0)
	if least == 0 && most == 0 {
		return
	}
	w.elastic = &Elastic{Min: least, Max: most}
	w.note("elastic, %d to %d: placed at its replicas", least, most)
}
