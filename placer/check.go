package placer

import (
	"fmt"
	"maps"
	"slices"
)

// InvalidError says that a gang asks for what makes no sense on any cluster.
type InvalidError struct {
	// Field is the path in the contract's words, as "pod_sets[0].slices[1].size".
	Field   string
	Message string
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Message }

func invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Message: fmt.Sprintf(format, args...)}
}

// MaxPods is the largest number of pods in a gang.
const MaxPods = 1 << 20

// Check reports the first thing in the gang that contradicts itself or the
// scheme, as an *InvalidError. Decide takes only gangs that pass.
func Check(g *Gang, scheme Scheme) error {
	if len(g.PodSets) == 0 {
		return invalid("pod_sets", "a gang needs at least one pod set")
	}
	total := int64(0)
	for i := range g.PodSets {
		if err := g.PodSets[i].check(fmt.Sprintf("pod_sets[%d]", i), scheme); err != nil {
			return err
		}
		total += int64(g.PodSets[i].Count)
	}
	if total > MaxPods {
		return invalid("pod_sets", "%d pods in all; at most %d make a gang", total, MaxPods)
	}
	return g.checkTogether(total)
}

func (ps *PodSet) check(at string, scheme Scheme) error {
	switch {
	case ps.Count < 1:
		return invalid(at+".count", "%d pods; at least 1 is needed", ps.Count)
	case ps.Count > MaxPods:
		return invalid(at+".count", "%d pods; at most %d make a gang", ps.Count, MaxPods)
	case ps.MinCount < 0 || ps.MinCount > ps.Count:
		return invalid(at+".min_count", "%d is not between 1 and the count, %d", ps.MinCount, ps.Count)
	case ps.MaxPerNode < 0:
		return invalid(at+".max_per_node", "%d is negative", ps.MaxPerNode)
	}
	for _, name := range slices.Sorted(maps.Keys(ps.Requests)) {
		qty := ps.Requests[name]
		if qty < 0 || qty > maxAmount {
			return invalid(fmt.Sprintf("%s.requests[%q]", at, name), "%d is negative or too large", qty)
		}
	}
	if err := ps.checkLayers(at+".constraint", scheme); err != nil {
		return err
	}
	return ps.checkSlices(at+".slices", scheme)
}

func (ps *PodSet) checkLayers(at string, scheme Scheme) error {
	for i, l := range [...]Layer{ps.Required, ps.Preferred} {
		if l < NoLayer || l > scheme.NodeLayer() {
			return invalid(at+[...]string{".required_layer", ".preferred_layer"}[i],
				"layer %d is none of the %d of this topology", l, len(scheme.Layers)+1)
		}
	}
	if ps.Required != NoLayer && ps.Preferred != NoLayer && ps.Preferred < ps.Required {
		return invalid(at+".preferred_layer", "%q is wider than the required layer %q; prefer that layer or a narrower one",
			scheme.Name(ps.Preferred), scheme.Name(ps.Required))
	}
	return nil
}

// maxSlices is how many slice layers may nest.
const maxSlices = 3

func (ps *PodSet) checkSlices(at string, scheme Scheme) error {
	if len(ps.Slices) > maxSlices {
		return invalid(at, "%d slice layers; at most %d nest", len(ps.Slices), maxSlices)
	}
	for i, sl := range ps.Slices {
		field := fmt.Sprintf("%s[%d]", at, i)
		switch {
		case sl.Layer < 0 || sl.Layer > scheme.NodeLayer():
			return invalid(field+".layer", "layer %d is none of the %d of this topology", sl.Layer, len(scheme.Layers)+1)
		case sl.Size < 1:
			return invalid(field+".size", "%d pods; at least 1 is needed", sl.Size)
		case i > 0 && sl.Layer <= ps.Slices[i-1].Layer:
			return invalid(field+".layer", "%q is not narrower than %q, the layer of the slice around it",
				scheme.Name(sl.Layer), scheme.Name(ps.Slices[i-1].Layer))
		case i > 0 && ps.Slices[i-1].Size%sl.Size != 0:
			return invalid(field+".size", "%d does not divide %d, the size of the slice around it", sl.Size, ps.Slices[i-1].Size)
		case sl.Layer < ps.Required:
			return invalid(field+".layer", "%q is wider than the required layer %q: the whole pod set is in one of its domains already",
				scheme.Name(sl.Layer), scheme.Name(ps.Required))
		case i == 0 && ps.Count%sl.Size != 0 && !ps.PartialLastSlice:
			return invalid(field+".size", "%d does not divide the count, %d; set partial_last_slice to allow a shorter last slice", sl.Size, ps.Count)
		case i == 0 && ps.MinCount%sl.Size != 0 && !ps.PartialLastSlice:
			return invalid(at[:len(at)-len(".slices")]+".min_count", "%d is no whole number of slices of %d", ps.MinCount, sl.Size)
		}
	}
	return nil
}

// checkTogether is about what pod sets say of each other.
func (g *Gang) checkTogether(total int64) error {
	if g.MinCount < 0 || int64(g.MinCount) > total {
		return invalid("min_count", "%d is not between 1 and the gang's %d pods", g.MinCount, total)
	}
	if g.Budget < 0 {
		return invalid("step_budget", "%d is negative", g.Budget)
	}
	if len(g.PodSets) > maxPodSets {
		return invalid("pod_sets", "%d pod sets; at most %d make a gang", len(g.PodSets), maxPodSets)
	}
	names, groups := map[string]int{}, map[string]int{}
	for i := range g.PodSets {
		ps := &g.PodSets[i]
		at := fmt.Sprintf("pod_sets[%d]", i)
		if k, twice := names[ps.Name]; twice {
			return invalid(at+".name", "%q is the name of pod_sets[%d] too", ps.Name, k)
		}
		names[ps.Name] = i
		if k, known := groups[ps.Group]; ps.Group != "" && known {
			if o := &g.PodSets[k]; o.Required != ps.Required || o.Preferred != ps.Preferred {
				return invalid(at+".constraint", "members of group %q state one constraint; pod_sets[%d] states another", ps.Group, k)
			}
		} else {
			groups[ps.Group] = i
		}
	}
	return g.checkAfter()
}

// maxPodSets bounds the pod sets of a gang: with all their slices, no more
// shapes than can keep counts at once.
const maxPodSets = 16

// checkAfter follows every order of pod sets to its end.
func (g *Gang) checkAfter() error {
	state := make([]int8, len(g.PodSets)) // 1 = on the way, 2 = done
	var visit func(i int) error
	visit = func(i int) error {
		state[i] = 1
		for k, a := range g.PodSets[i].After {
			field := fmt.Sprintf("pod_sets[%d].after[%d]", i, k)
			if a < 0 || a >= len(g.PodSets) {
				return invalid(field, "there is no pod set %d", a)
			}
			if state[a] == 1 {
				return invalid(field, "pod_sets[%d] would wait for itself", i)
			}
			if state[a] == 0 {
				if err := visit(a); err != nil {
					return err
				}
			}
		}
		state[i] = 2
		return nil
	}
	for i := range g.PodSets {
		if state[i] == 0 {
			if err := visit(i); err != nil {
				return err
			}
		}
	}
	return nil
}
