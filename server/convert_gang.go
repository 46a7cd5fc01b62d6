package server

import (
	"fmt"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/ledger"
)

// Proto types stop in the convert files: what is below speaks the live state's
// and the ledger's own. Rules of single fields have been checked before.

func gangIn(g *hopwisev1.GangRef) ledger.Gang {
	return ledger.Gang{Namespace: g.GetNamespace(), Name: g.GetName(), UID: g.GetUid()}
}

func gangOut(g ledger.Gang) *hopwisev1.GangRef {
	return &hopwisev1.GangRef{Namespace: g.Namespace, Name: g.Name, Uid: g.UID}
}

func placeIn(r *hopwisev1.PlaceGangRequest) (cluster.PlaceRequest, error) {
	spec := ledger.Spec{
		PodSets:        make([]ledger.PodSet, len(r.GetPodSets())),
		Constraint:     constraintIn(r.GetConstraint()),
		Policy:         ledger.Policy(r.GetPolicy()),
		MinCount:       r.GetMinCount(),
		Labels:         r.GetLabels(),
		SpanFabrics:    r.GetSpanFabrics(),
		OnUnrepairable: onUnrepairableIn(r.GetOnUnrepairable()),
	}
	for i, p := range r.GetPodSets() {
		ps, err := podSetIn(fmt.Sprintf("pod_sets[%d]", i), p)
		if err != nil {
			return cluster.PlaceRequest{}, err
		}
		spec.PodSets[i] = ps
	}
	return cluster.PlaceRequest{
		Gang:     gangIn(r.GetGang()),
		Spec:     spec,
		Priority: r.GetPriority(),
		TTL:      r.GetTtl().AsDuration(),
		DryRun:   r.GetDryRun(),
		Explain:  r.GetExplain(),
		Budget:   r.GetStepBudget(),
	}, nil
}

func podSetIn(path string, p *hopwisev1.PodSet) (ledger.PodSet, error) {
	requests, err := amounts(path+".requests", p.GetRequests())
	if err != nil {
		return ledger.PodSet{}, err
	}
	filter, err := filterIn(path+".filter", p.GetFilter())
	if err != nil {
		return ledger.PodSet{}, err
	}
	if p.GetMinCount() > p.GetCount() {
		return ledger.PodSet{}, invalid(path+".min_count",
			fmt.Sprintf("is %d, above count; expected at most %d", p.GetMinCount(), p.GetCount()))
	}
	ps := ledger.PodSet{
		Name: p.GetName(), Count: p.GetCount(), MinCount: p.GetMinCount(),
		Requests: requests, Exclusive: p.GetExclusive(), MaxPerNode: p.GetMaxPerNode(),
		Filter: filter, Constraint: constraintIn(p.GetConstraint()),
		PartialLastSlice: p.GetPartialLastSlice(), Group: p.GetGroup(), After: p.GetAfter(),
	}
	for _, s := range p.GetSlices() {
		ps.Slices = append(ps.Slices, ledger.Slice{Layer: s.GetLayer(), Size: s.GetSize()})
	}
	return ps, nil
}

// constraintIn keeps unset apart from empty, which states that there is none.
func constraintIn(c *hopwisev1.Constraint) *ledger.Constraint {
	switch {
	case c == nil:
		return nil
	case c.GetUnconstrained():
		return &ledger.Constraint{}
	}
	return &ledger.Constraint{Required: c.GetRequiredLayer(), Preferred: c.GetPreferredLayer()}
}

func onUnrepairableIn(o hopwisev1.OnUnrepairable) ledger.OnUnrepairable {
	switch o {
	case hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_RELAX:
		return ledger.Relax
	case hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_REPLACE:
		return ledger.Replace
	}
	return ledger.Wait
}

func specOut(s ledger.Spec) *hopwisev1.GangSpec {
	out := &hopwisev1.GangSpec{
		PodSets:        make([]*hopwisev1.PodSet, len(s.PodSets)),
		Constraint:     constraintOut(s.Constraint),
		Policy:         hopwisev1.Policy(s.Policy),
		MinCount:       s.MinCount,
		Labels:         s.Labels,
		SpanFabrics:    s.SpanFabrics,
		OnUnrepairable: onUnrepairableOut(s.OnUnrepairable),
	}
	for i := range s.PodSets {
		out.PodSets[i] = podSetOut(&s.PodSets[i])
	}
	return out
}

func podSetOut(ps *ledger.PodSet) *hopwisev1.PodSet {
	out := &hopwisev1.PodSet{
		Name: ps.Name, Count: ps.Count, MinCount: ps.MinCount,
		Exclusive: ps.Exclusive, MaxPerNode: ps.MaxPerNode,
		Filter: filterOut(ps.Filter), Constraint: constraintOut(ps.Constraint),
		PartialLastSlice: ps.PartialLastSlice, Group: ps.Group, After: ps.After,
	}
	if len(ps.Requests) > 0 {
		out.Requests = make(map[string]string, len(ps.Requests))
		for name, n := range ps.Requests {
			out.Requests[name] = quantity(name, n)
		}
	}
	for _, s := range ps.Slices {
		out.Slices = append(out.Slices, &hopwisev1.Slice{Layer: s.Layer, Size: s.Size})
	}
	return out
}

func constraintOut(c *ledger.Constraint) *hopwisev1.Constraint {
	switch {
	case c == nil:
		return nil
	case *c == ledger.Constraint{}:
		return &hopwisev1.Constraint{Unconstrained: true}
	}
	return &hopwisev1.Constraint{RequiredLayer: c.Required, PreferredLayer: c.Preferred}
}

// onUnrepairableOut leaves the default unset, as it was most likely asked.
func onUnrepairableOut(o ledger.OnUnrepairable) hopwisev1.OnUnrepairable {
	switch o {
	case ledger.Relax:
		return hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_RELAX
	case ledger.Replace:
		return hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_REPLACE
	}
	return hopwisev1.OnUnrepairable_ON_UNREPAIRABLE_UNSPECIFIED
}
