package gang

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// affinities are the required pod affinity terms of a set: those that select its own
// pods, as topology keys, and whether there are others.
type affinities struct {
	keys   []string
	others bool
}

// selfTerms sorts required terms into those that select the set's own pods, a
// constraint on the set in other words, and those about other pods.
func (w *workload) selfTerms(terms []corev1.PodAffinityTerm, s set, at cursor) affinities {
	var out affinities
	for _, t := range terms {
		self, err := selects(t, s, in(w.object.Namespace))
		switch {
		case err != nil:
			at.fail("labelSelector: %s", err)
		case !self:
			out.others = true
		case !slices.Contains(out.keys, t.TopologyKey):
			out.keys = append(out.keys, t.TopologyKey)
		}
	}
	return out
}

// selects says whether a term selects the pods of a set. Labels that its controller
// will add count: selectors mostly go by them.
func selects(t corev1.PodAffinityTerm, s set, namespace string) (bool, error) {
	own := labels.Set(maps.Clone(s.template.labels))
	if own == nil {
		own = labels.Set{}
	}
	maps.Copy(own, s.own)
	selector, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
	if err != nil {
		return false, err
	}
	if len(t.MismatchLabelKeys) > 0 || len(t.Namespaces) > 0 && !slices.Contains(t.Namespaces, namespace) {
		return false, nil
	}
	return selector.Matches(own), nil
}

// across looks at required terms that select the pods of another set of the gang
// too. Affinity that two sets have to each other makes them one unit; anti-affinity
// between sets cannot be kept to.
func (w *workload) across(g *Gang, sets []set) {
	if len(sets) != len(g.PodSets) {
		return
	}
	for i, s := range sets {
		a := s.template.spec.Affinity
		if a == nil {
			continue
		}
		if a.PodAffinity != nil {
			for _, t := range a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
				w.reaches(t, i, sets, func(j int) {
					g.PodSets[i].near, g.PodSets[j].near = true, true
				})
			}
		}
		if a.PodAntiAffinity != nil {
			for _, t := range a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
				w.reaches(t, i, sets, func(j int) {
					g.Unsupported = append(g.Unsupported, Unsupported{Name: "pod-anti-affinity", Text: "pod set " + s.name +
						": podAntiAffinity: keeping away from pod set " + sets[j].name + " cannot be kept to"})
				})
			}
		}
	}
}

// reaches calls found for each other set that a term of set i selects, where the
// term selects set i as well.
func (w *workload) reaches(t corev1.PodAffinityTerm, i int, sets []set, found func(j int)) {
	namespace := in(w.object.Namespace)
	if self, err := selects(t, sets[i], namespace); err != nil || !self {
		return
	}
	for j := range sets {
		if ok, err := selects(t, sets[j], namespace); j != i && err == nil && ok {
			found(j)
		}
	}
}
