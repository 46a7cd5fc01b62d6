package gang

import (
	"slices"
	"strconv"
)

// read is a gang with what it was made of.
type read struct {
	gang     Gang
	at       *Object // where it stands in the order of the input
	group    *podGroup
	children []int32   // a composite's: the floors of its groups
	w        *workload // a composite's own
}

// assembly is a bundle being read.
type assembly struct {
	*bundle
	workloads []*workload
	groups    []*podGroup
	claims    []*claimed
	why       map[*Object]string // why an object is no gang
	used      map[*Object]bool   // objects that some gang is made of
}

// gangs reads all gangs of a bundle, in the order of their first objects, and names
// what is no gang.
func (b *bundle) gangs() ([]read, []Ignored, error) {
	a := &assembly{bundle: b, why: make(map[*Object]string), used: make(map[*Object]bool)}
	for _, o := range b.objects {
		if err := a.sort(o); err != nil {
			return nil, nil, err
		}
	}
	out, err := a.owners()
	if err != nil {
		return nil, nil, err
	}
	for _, c := range a.claims {
		g, err := c.gang()
		if err != nil {
			return nil, nil, err
		}
		at := c.members[0].w.object
		if c.object != nil && a.position(c.object.object) < a.position(at) {
			at = c.object.object
		}
		out = append(out, read{gang: g, at: at, group: c.object})
	}
	slices.SortStableFunc(out, func(x, y read) int { return a.position(x.at) - a.position(y.at) })
	out, err = composites(b, out)
	if err != nil {
		return nil, nil, err
	}
	for i := range out {
		a.priority(&out[i].gang)
	}
	return out, a.ignored(out), nil
}

// owners are the gangs of owners whose pods name no group.
func (a *assembly) owners() ([]read, error) {
	var out []read
	for _, w := range a.workloads {
		rest := a.unclaimed(w)
		if len(rest) == 0 {
			continue
		}
		g := w.gang(rest)
		if w.err != nil {
			return nil, w.err
		}
		a.used[w.object] = true
		out = append(out, read{gang: g, at: w.object})
	}
	return out, nil
}

func (a *assembly) position(o *Object) int { return slices.Index(a.objects, o) }

// sort reads one object for what it is: pods, a pod group, or neither.
func (a *assembly) sort(o *Object) error {
	if owner := a.owner(o); owner != nil {
		a.why[o] = "made by " + owner.String() + ", which is read"
		return nil
	}
	if c := conventionOf(o); c != nil {
		w := newWorkload(o, c.name)
		w.bundle = a.bundle
		w.root().at("metadata").named()
		c.read(a.bundle, w)
		w.kai()
		if w.err != nil {
			return w.err
		}
		for _, u := range w.used {
			a.why[u] = "a template, used by " + o.String()
		}
		a.workloads = append(a.workloads, w)
		return nil
	}
	if f := flavourOf(o); f != nil {
		p := newPodGroup(o, f)
		a.groups = append(a.groups, p)
		return p.err
	}
	if why, ok := podless(o); ok {
		if a.why[o] == "" {
			a.why[o] = why
		}
		return nil
	}
	return refuseKind(o)
}

// owner is the object of the bundle that made this one: where both are there, as in
// what kubectl get prints, the pods count once, by their owner.
func (a *assembly) owner(o *Object) *Object {
	r := &reading{object: o}
	for _, ref := range r.root().at("metadata", "ownerReferences").items() {
		kind, name, uid := ref.at("kind").text(), ref.at("name").text(), ref.at("uid").text()
		for _, other := range a.objects {
			if other != o && other.Kind == kind && other.Name == name && in(other.Namespace) == in(o.Namespace) &&
				(uid == "" || other.UID == "" || uid == other.UID) {
				return other
			}
		}
	}
	return nil
}

// unclaimed hands a workload's sets to the groups that their pods name and gives
// back the rest, where that is a gang.
func (a *assembly) unclaimed(w *workload) []set {
	var rest []set
	for _, s := range w.sets {
		convention, name := membership(s.template)
		if name == "" {
			rest = append(rest, s)
			continue
		}
		group := a.groupOf(convention, w.object.Namespace, name)
		switch {
		case convention == byOwn || convention == byKueue:
		case group == nil:
			a.why[w.object] = "its PodGroup " + name + " is not in the file; pending"
			continue
		case group.basic:
			a.why[w.object] = "its PodGroup " + name + " is basic: no gang"
			continue
		}
		a.used[w.object] = true
		a.claim(groupKey{convention, in(w.object.Namespace), name}, group, member{w, s})
	}
	if w.onePerPod != "" {
		if a.why[w.object] == "" {
			a.why[w.object] = w.onePerPod
		}
		return nil
	}
	return rest
}

func (a *assembly) claim(key groupKey, group *podGroup, m member) {
	for _, c := range a.claims {
		if c.groupKey == key {
			c.members = append(c.members, m)
			return
		}
	}
	if group != nil {
		a.used[group.object] = true
	}
	a.claims = append(a.claims, &claimed{groupKey: key, object: group, members: []member{m}})
}

func (a *assembly) groupOf(convention, namespace, name string) *podGroup {
	for _, g := range a.groups {
		if g.convention == convention && g.object.Name == name && in(g.object.Namespace) == in(namespace) {
			return g
		}
	}
	return nil
}

// priority takes the number of a gang's class from the class, where the bundle holds
// it.
func (a *assembly) priority(g *Gang) {
	if g.PriorityClass == "" {
		return
	}
	for _, o := range a.objects {
		if (o.Kind == "WorkloadPriorityClass" || o.Kind == "PriorityClass") && o.Name == g.PriorityClass {
			r := &reading{object: o}
			g.Priority = r.root().at("value").number(0)
			return
		}
	}
	g.Origin.Notes = append(g.Origin.Notes, "priority class "+strconv.Quote(g.PriorityClass)+": its number stands in the cluster")
}

// ignored lists the objects that are part of no gang.
func (a *assembly) ignored(gangs []read) []Ignored {
	for _, g := range gangs {
		a.used[g.at] = true
	}
	for _, p := range a.groups {
		switch {
		case p.basic:
			a.why[p.object] = "basic policy: no gang"
		case !a.used[p.object]:
			a.why[p.object] = "no pods of it are in the file"
		}
	}
	var out []Ignored
	for _, o := range a.objects {
		if a.used[o] {
			continue
		}
		out = append(out, Ignored{Kind: o.Kind, Namespace: o.Namespace, Name: firstWord(o.Name, o.GenerateName), Why: a.why[o]})
	}
	return out
}
