package gang

import "slices"

// composites fold pod groups into the CompositePodGroup (v1alpha3) that is their
// parent: one gang of several groups, each in its own domain where it asks for one,
// all of them in the parent's.
func composites(b *bundle, gangs []read) ([]read, error) {
	parents := make(map[*Object]int)
	var out []read
	for _, g := range gangs {
		if g.group == nil || g.group.parent == "" {
			out = append(out, g)
			continue
		}
		o := b.find("scheduling.k8s.io", "CompositePodGroup", g.group.object.Namespace, g.group.parent)
		if o == nil {
			at := g.group.root().at("spec", "parentCompositePodGroupName")
			at.fail("CompositePodGroup %q is not in the file; it says what else has to start", g.group.parent)
			return nil, at.in.err
		}
		i, seen := parents[o]
		if !seen {
			top, err := newComposite(o)
			if err != nil {
				return nil, err
			}
			i = len(out)
			parents[o] = i
			out = append(out, top)
		}
		out[i].fold(g)
	}
	for i := range out {
		if out[i].w == nil {
			continue
		}
		if err := out[i].compositeFloor(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func newComposite(o *Object) (read, error) {
	w := newWorkload(o, "kubernetes-podgroup")
	spec := w.root().at("spec")
	if parent := spec.at("parentCompositePodGroupName"); parent.given() {
		parent.fail("a composite of composites cannot be read")
	}
	w.priority = spec.at("priorityClassName").text()
	key := spec.nativeKey(w.refuseLater)
	g := w.gang(nil)
	if key != "" {
		g.Constraint = &Constraint{RequiredLayer: key} // moved to the sets by fold
	}
	return read{gang: g, at: o, w: w}, w.err
}

// fold takes a child group's sets in. Where both ask for a domain, the child's pods
// become one slice within the parent's.
func (r *read) fold(child read) {
	for _, p := range child.gang.PodSets {
		if len(child.gang.PodSets) == 1 {
			p.Name = lower(child.gang.Ref.Name)
		} else {
			p.Name = lower(child.gang.Ref.Name) + "-" + p.Name
		}
		if top := r.gang.Constraint; top != nil {
			if c := p.Constraint; c != nil && c.RequiredLayer != "" && c.RequiredLayer != top.RequiredLayer {
				p.Slices = append([]Slice{{Layer: c.RequiredLayer, Size: p.Count}}, p.Slices...)
				if len(child.gang.PodSets) > 1 {
					r.gang.Unsupported = append(r.gang.Unsupported, Unsupported{Name: "composite",
						Text: "pod group " + child.gang.Ref.Name + ": a domain that several pod sets share within the composite's cannot be kept to"})
				}
			}
			c := *top
			p.Constraint, p.Group = &c, r.gang.Ref.Name
		}
		r.gang.PodSets = append(r.gang.PodSets, p)
	}
	r.children = append(r.children, child.gang.MinCount)
	r.gang.Unsupported = append(r.gang.Unsupported, child.gang.Unsupported...)
	r.gang.Origin.Warnings = append(r.gang.Origin.Warnings, child.gang.Origin.Warnings...)
	r.gang.Origin.Notes = append(r.gang.Origin.Notes, child.gang.Origin.Notes...)
}

// compositeFloor is the least that may start: so many groups, each at its floor.
func (r *read) compositeFloor() error {
	r.gang.Constraint = nil
	policy := r.w.root().at("spec", "schedulingPolicy")
	if policy.at("basic").given() && !policy.at("gang").given() {
		policy.fail("a basic composite holds gangs that start apart; put each PodGroup into a file without its parent")
		return r.w.err
	}
	n := int(policy.at("gang", "minGroupCount").number(int32(len(r.children)))) //nolint:gosec // few
	slices.Sort(r.children)
	for _, least := range r.children[:min(n, len(r.children))] {
		r.gang.MinCount += least
	}
	if n < len(r.children) {
		r.gang.Unsupported = append(r.gang.Unsupported, Unsupported{Name: "composite",
			Text: "a floor counted in groups (minGroupCount) cannot be kept to"})
	}
	return r.w.err
}
