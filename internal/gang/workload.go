package gang

import (
	"maps"
	"slices"
	"strconv"
)

// workload is what a convention reads out of one object: pods by sets, before it is
// known whether a pod group claims them.
type workload struct {
	*reading
	bundle     *bundle // what else there is to look at; nil for a pod group
	convention string
	kind       string // as shown; the object's where empty
	// onePerPod says why the pods are no gang by themselves, as a Deployment's; a pod
	// group may still claim them.
	onePerPod string

	sets        []set
	copies      int32
	minMembers  int32
	elastic     *Elastic
	exclusive   *ExclusiveTopology
	priority    string
	unsupported []Unsupported
	// used are objects that were read along with this one, such as a runtime.
	used []*Object
}

// set is a pod set as its owner describes it.
type set struct {
	name          string
	count, spares int32
	min           int32 // its own floor; 0 is none
	countAt       cursor
	template      template
	after         map[string]string
	leads         bool
	// own are labels that the controller adds to each pod: selectors use them.
	own map[string]string

	// What the owner's fields ask for, by names that annotations may override.
	required, preferred string
	slices              []Slice
	group               string
}

func newWorkload(o *Object, convention string) *workload {
	return &workload{reading: &reading{object: o}, convention: convention}
}

func (w *workload) add(s set) {
	if s.count > 0 {
		w.sets = append(w.sets, s)
	}
}

// together binds all sets into one domain of a layer; several need a group to say
// so, since each pod set alone could have a domain of its own.
func (w *workload) together(required, preferred, group string) {
	for i := range w.sets {
		w.sets[i].required, w.sets[i].preferred = required, preferred
		if len(w.sets) > 1 {
			w.sets[i].group = group
		}
	}
}

func (w *workload) refuseLater(name, text string) {
	w.unsupported = append(w.unsupported, Unsupported{Name: name, Text: text})
}

// gang is the workload's own gang, of the sets that no pod group claimed.
func (w *workload) gang(sets []set) Gang {
	o := w.object
	g := Gang{
		Ref: Ref{Namespace: o.Namespace, Name: o.Name, UID: o.UID},
		Origin: Origin{File: o.file, Convention: w.convention, Kind: w.kind, lines: map[string]int{
			"":               w.root().line(),
			"gang":           w.root().at("metadata").line(),
			"gang.namespace": w.root().at("metadata", "namespace").line(),
			"gang.name":      w.root().at("metadata", "name").line(),
			"pod_sets":       w.root().at("spec").line(),
		}},
		Copies: w.copies, MinCount: w.minMembers, Elastic: w.elastic, ExclusiveTopology: w.exclusive,
		Unsupported: w.unsupported,
	}
	if g.Origin.Kind == "" {
		g.Origin.Kind = o.Kind
	}
	if o.Name == "" {
		g.Origin.GenerateName = o.GenerateName
	}
	for _, s := range sets {
		w.addTo(&g, s)
	}
	g.PriorityClass = firstWord(w.priority, w.priorityOf(sets))
	w.misplaced(sets)
	w.across(&g, sets)
	g.Origin.Warnings = append(g.Origin.Warnings, w.warnings...)
	g.Origin.Notes = append(g.Origin.Notes, w.notes...)
	return g
}

// addTo works out a set's shape and constraint, and where the file says them.
func (w *workload) addTo(g *Gang, s set) {
	p := PodSet{Name: s.name, Count: s.count, Spares: s.spares, MinCount: s.min, LeadsRanks: s.leads}
	w.shape(g, &p, s)
	w.asked(g, &p, s)
	for _, name := range slices.Sorted(maps.Keys(s.after)) {
		if p.StartsAfter == nil {
			p.StartsAfter = make(map[string]string)
		}
		p.StartsAfter[name] = s.after[name]
		if s.after[name] == "Complete" {
			p.After = append(p.After, name)
		}
	}
	w.linesOf(g.Origin.lines, "pod_sets["+strconv.Itoa(len(g.PodSets))+"]", s)
	g.PodSets = append(g.PodSets, p)
}

// linesOf says where the object says what the contract's fields say, so that an
// error about a field finds its line.
func (w *workload) linesOf(lines map[string]int, path string, s set) {
	t := s.template
	lines[path] = t.at.line()
	lines[path+".count"] = s.countAt.line()
	lines[path+".filter"] = t.specAt.line()
	lines[path+".filter.tolerations"] = t.specAt.at("tolerations").line()
	lines[path+".filter.labels"] = t.specAt.at("nodeSelector").line()
	lines[path+".filter.terms"] = t.specAt.at("affinity").line()
	lines[path+".filter.preferred"] = t.specAt.at("affinity").line()
	lines[path+".requests"] = t.specAt.at("containers").line()
	for _, f := range []struct {
		field string
		keys  []string
	}{
		{path + ".constraint.required_layer", []string{ownRequired, kueueRequired}},
		{path + ".constraint.preferred_layer", []string{ownPreferred, kueuePreferred}},
		{path + ".constraint.unconstrained", []string{kueueUnconstrained}},
		{path + ".slices", []string{ownSlices, kueueSliceRequired, kueueSliceConstraints, kueueSliceSize}},
		{path + ".group", []string{kueueGroup}},
		{"policy", []string{ownPolicy}},
	} {
		for _, key := range f.keys {
			if _, given := t.annotations[key]; given {
				lines[f.field] = t.annotationsAt.at(key).line()
				break
			}
		}
	}
}

// priorityOf is the class by semantics 32, as far as a file tells: Kueue's label
// goes before the pods' own class.
func (w *workload) priorityOf(sets []set) string {
	if class := w.object.Labels[kueuePriority]; class != "" {
		return class
	}
	classes := make(map[string]bool)
	for _, s := range sets {
		classes[firstWord(s.template.labels[kueuePriority], s.template.spec.PriorityClassName)] = true
	}
	if len(classes) > 1 {
		w.warn("the pod sets have different priority classes; the gang's is the lowest, which the file does not tell")
		return ""
	}
	for class := range classes {
		return class
	}
	return ""
}

func firstWord(words ...string) string {
	for _, word := range words {
		if word != "" {
			return word
		}
	}
	return ""
}
