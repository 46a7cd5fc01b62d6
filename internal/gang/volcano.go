package gang

import "strconv"

// readVolcanoJob reads Volcano's Job: one pod set for each task.
func readVolcanoJob(_ *bundle, w *workload) {
	w.kind = "Job.batch.volcano.sh" // two kinds are called Job: the group decides
	spec := w.root().at("spec")
	tasks := spec.at("tasks")
	own := map[string]string{"volcano.sh/job-name": w.object.Name}
	for i, task := range tasks.items() {
		task.meant("name", "replicas", "minAvailable", "template", "partitionPolicy", "dependsOn")
		name := firstWord(task.at("name").text(), "default"+itoa(i))
		s := set{name: lower(name), countAt: task.at("replicas"), template: task.at("template").template(), own: own}
		if !s.countAt.given() { // Volcano gives it no default
			s.countAt.fail("is missing; expected how many pods, 1 or more")
		}
		s.count = s.countAt.number(1)
		if least := task.at("minAvailable").number(s.count); least < s.count {
			s.min = least
		}
		for _, d := range task.at("dependsOn", "name").items() {
			s.startsAfter(d.text(), task.at("dependsOn", "no status"), "Ready")
		}
		w.partitions(&s, task.at("partitionPolicy"))
		w.add(s)
	}
	if len(w.sets) == 0 {
		tasks.fail("make no pods; expected a list of one task or more")
	}
	w.knownSets()
	w.minMembers = spec.at("minAvailable").number(0)
	w.priority = spec.at("priorityClassName").text()
	w.tiers(spec.at("networkTopology"), w.object.Name, nil)
}

// partitions are slices in Volcano's words.
func (w *workload) partitions(s *set, c cursor) {
	if !c.given() {
		return
	}
	size := c.at("partitionSize")
	n := size.number(0)
	if n < 1 {
		size.fail("expected 1 or more")
		return
	}
	if total := c.at("totalPartitions"); total.given() && int64(total.number(0))*int64(n) != int64(s.count) {
		total.fail("%d partitions of %d are not the task's %d pods", total.number(0), n, s.count)
	}
	w.tiers(c.at("networkTopology"), "", func(required, preferred string) {
		if required != "" {
			s.slices = []Slice{{Layer: required, Size: n}}
		} else {
			w.note("pod set %s: partitions of %d would rather share %s; wishes of slices are not weighed", s.name, n, preferred)
		}
	})
}

// tiers reads Volcano's networkTopology. Tiers are numbers, or names, counted from
// the nodes up; which label each is stands in HyperNode objects of the cluster. put
// nil binds all the sets together.
func (w *workload) tiers(c cursor, group string, put func(required, preferred string)) {
	if !c.given() {
		return
	}
	tier := c.at("highestTierName").text()
	if n := c.at("highestTierAllowed"); n.given() {
		tier = strconv.Itoa(int(n.number(1)))
	}
	if tier == "" {
		if c.at("mode").text() != "soft" {
			c.fail("expected highestTierAllowed: the number of a tier")
		}
		w.note("a soft network topology without a tier asks for nothing that can be said")
		return
	}
	tier = "tier " + tier
	if put == nil {
		put = func(required, preferred string) { w.together(required, preferred, group) }
	}
	switch mode := c.at("mode").text(); mode {
	case "", "hard":
		put(tier, "")
	case "soft":
		put("", tier)
	default:
		c.at("mode").fail("%q is none of hard, soft", mode)
	}
	w.layerUnknown(tier, "a HyperNode's")
}

// layerUnknown names a layer whose node label the file does not tell.
func (w *workload) layerUnknown(layer, whose string) {
	w.unsupported = append(w.unsupported, Unsupported{Name: "topology-name", layer: layer,
		Text: "which node label " + whose + " " + strconv.Quote(layer) + " is stands in the cluster, not here; " +
			"say it on the pod template: " + ownRequired + ", " + ownPreferred + " or " + ownSlices})
}
