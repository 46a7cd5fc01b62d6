package gang

// readPodCliqueSet reads Grove: one pod set for each clique, multiplied where a
// scaling group repeats it. Layers go by the names that Grove's ClusterTopology
// gives them.
func readPodCliqueSet(_ *bundle, w *workload) {
	spec := w.root().at("spec")
	w.copies = spec.at("replicas").number(1)
	w.holdCopies(spec.at("replicas"))
	template := spec.at("template")
	w.priority = template.at("priorityClassName").text()
	byName := make(map[string]int)
	least := make([]int64, 0, 4)
	for _, clique := range template.at("cliques").items() {
		s := w.clique(clique)
		if s.count > 0 {
			byName[clique.at("name").text()] = len(w.sets)
			least = append(least, int64(clique.at("spec", "minAvailable").number(s.count)))
		}
		w.add(s)
	}
	if len(w.sets) == 0 {
		template.at("cliques").fail("make no pods; expected a list of one clique or more")
		return
	}
	w.knownSets()
	for _, group := range template.at("podCliqueScalingGroups").items() {
		w.scalingGroup(group, byName, least)
	}
	total := int64(0)
	for _, n := range least {
		total += n
	}
	w.minMembers = int32(min(total, 1<<30)) //nolint:gosec // capped
	w.packAll(template.at("topologyConstraint"))
	if template.at("cliqueStartupType").text() == "CliqueStartupTypeInOrder" {
		w.inOrder()
	}
}

func (w *workload) clique(c cursor) set {
	spec := c.at("spec")
	s := set{name: lower(c.at("name").text()), countAt: spec.at("replicas"), template: spec.at("podSpec").podSpec()}
	s.template.labels, s.template.annotationsAt = c.at("labels").words(), c.at("annotations")
	s.template.annotations = s.template.annotationsAt.words()
	s.count = s.countAt.number(1)
	for _, before := range spec.at("startsAfter").items() {
		s.startsAfter(before.text(), c.at("no status"), "Ready")
	}
	s.required, s.preferred = w.pack(c.at("topologyConstraint"))
	return s
}

// scalingGroup repeats its cliques; each repetition of one clique is a slice.
func (w *workload) scalingGroup(group cursor, byName map[string]int, least []int64) {
	replicas := group.at("replicas").number(1)
	required, _ := w.pack(group.at("topologyConstraint"))
	names := group.at("cliqueNames").items()
	for _, n := range names {
		i, found := byName[n.text()]
		if !found {
			n.fail("%q is no clique of this set", n.text())
			return
		}
		s := &w.sets[i]
		perReplica := s.count
		s.count = w.product(group.at("replicas"), replicas, perReplica)
		least[i] *= int64(group.at("minAvailable").number(1))
		if required != "" {
			s.slices = []Slice{{Layer: required, Size: perReplica}}
		}
	}
	if required != "" && len(names) > 1 {
		w.refuseLater("scaling-group", "scaling group "+group.at("name").text()+
			": slices that several pod sets share cannot be kept to, only those of each set")
	}
}

// packAll binds the whole set; a clique's own constraint is inside it.
func (w *workload) packAll(c cursor) {
	required, preferred := w.pack(c)
	if required == "" && preferred == "" {
		return
	}
	for i := range w.sets {
		s := &w.sets[i]
		switch {
		case s.required != "" && required != "" && s.required != required:
			if len(s.slices) == 0 {
				s.slices = []Slice{{Layer: s.required, Size: s.count}}
			} else {
				w.refuseLater("clique-topology", "clique "+s.name+": a constraint between the set's and the scaling group's cannot be kept to")
			}
			s.required = required
		case required != "":
			s.required = required
		}
		s.preferred = firstWord(s.preferred, preferred)
		if len(w.sets) > 1 {
			s.group = w.object.Name
		}
	}
}

// pack reads a topologyConstraint, by its newer field and its older one.
func (w *workload) pack(c cursor) (required, preferred string) {
	required = firstWord(c.at("pack", "required").text(), c.at("packDomain").text())
	preferred = c.at("pack", "preferred").text()
	for _, layer := range []string{required, preferred} {
		if layer != "" {
			w.layerUnknown(layer, "Grove's")
		}
	}
	return required, preferred
}
