package gang

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Annotations of a pod template that ask for a topology. Kueue's are in its
// apis/kueue/v1beta1/topology_types.go; hopwise's own mean the same and win.
const (
	kueuePrefix           = "kueue.x-k8s.io/podset-"
	kueueRequired         = kueuePrefix + "required-topology"
	kueuePreferred        = kueuePrefix + "preferred-topology"
	kueueUnconstrained    = kueuePrefix + "unconstrained-topology"
	kueueSliceRequired    = kueuePrefix + "slice-required-topology"
	kueueSliceSize        = kueuePrefix + "slice-size"
	kueueSliceConstraints = kueuePrefix + "slice-required-topology-constraints"
	kueueGroup            = kueuePrefix + "group-name"
	kueuePriority         = "kueue.x-k8s.io/priority-class"

	ownPrefix    = "hopwise.dev/"
	ownRequired  = ownPrefix + "required-topology"
	ownPreferred = ownPrefix + "preferred-topology"
	ownSlices    = ownPrefix + "slices"
	ownPolicy    = ownPrefix + "policy"
	ownGang      = ownPrefix + "gang"
	ownGangSize  = ownPrefix + "gang-size"
	ownRank      = ownPrefix + "rank"
	ownIgnore    = ownPrefix + "ignore"
)

// known are the annotations that are understood; any other with one of the two
// prefixes is refused, since it may change where the pods have to go.
var known = []string{
	kueueRequired, kueuePreferred, kueueUnconstrained, kueueSliceRequired, kueueSliceSize, kueueSliceConstraints, kueueGroup,
	ownRequired, ownPreferred, ownSlices, ownPolicy, ownGang, ownGangSize, ownRank, ownIgnore,
}

func topological(key string) bool {
	return strings.HasPrefix(key, kueuePrefix) || strings.HasPrefix(key, ownPrefix)
}

// asked puts what the template's annotations and the owner's fields ask for into a
// pod set; annotations win.
func (w *workload) asked(g *Gang, p *PodSet, s set) {
	a := annotations{cursor: s.template.annotationsAt, words: s.template.annotations}
	for _, key := range slices.Sorted(maps.Keys(a.words)) {
		if topological(key) && !slices.Contains(known, key) {
			a.fail(key, "is not known; known are "+strings.Join(known, ", "))
			return
		}
	}
	c := Constraint{
		RequiredLayer:  firstWord(a.key(ownRequired), a.key(kueueRequired), s.required),
		PreferredLayer: firstWord(a.key(ownPreferred), a.key(kueuePreferred), s.preferred),
	}
	if value, given := a.words[kueueUnconstrained]; given {
		on, err := strconv.ParseBool(value)
		if err != nil {
			a.fail(kueueUnconstrained, "expected true or false, got "+strconv.Quote(value))
		}
		c.Unconstrained = on
		if on && (c.RequiredLayer != "" || c.PreferredLayer != "") {
			a.fail(kueueUnconstrained, "contradicts the required or preferred topology beside it")
		}
	}
	if a.words[kueueRequired] != "" && a.words[kueuePreferred] != "" {
		w.note("Kueue refuses a pod template with both %s and %s; hopwise reads both", kueueRequired, kueuePreferred)
	}
	if c != (Constraint{}) {
		p.Constraint = &c
	}
	p.Group = firstWord(a.words[kueueGroup], s.group)
	if p.Slices = a.slices(); p.Slices == nil {
		p.Slices = s.slices
	}
	a.ofGang(g)
}

// ofGang reads what a template says of its whole gang.
func (a annotations) ofGang(g *Gang) {
	for _, name := range strings.Split(a.words[ownIgnore], ",") {
		if name = strings.TrimSpace(name); name != "" {
			g.ignored = append(g.ignored, name)
		}
	}
	if word, given := a.words[ownPolicy]; given {
		policy, ok := ParsePolicy(word)
		if !ok || g.Policy != "" && g.Policy != policy {
			a.fail(ownPolicy, strconv.Quote(word)+" is none of "+strings.Join(Policies(), ", ")+", or differs from another pod set's")
		}
		g.Policy = policy
	}
}

// annotations are a template's, with their place.
type annotations struct {
	cursor
	words map[string]string
}

func (a annotations) fail(key, msg string) { a.at(key).fail("%s", msg) }

// key is an annotation whose value is a node label's key.
func (a annotations) key(name string) string {
	value, given := a.words[name]
	switch {
	case !given:
		return ""
	case value == "":
		a.fail(name, "is empty; expected a label key")
	case strings.Contains(value, "="):
		a.fail(name, strconv.Quote(value)+" is a key=value pair; expected a node's label key alone")
	default:
		if errs := validation.IsQualifiedName(value); len(errs) > 0 {
			a.fail(name, strconv.Quote(value)+" is no label key")
		}
	}
	return value
}

func (a annotations) slices() []Slice {
	if list, given := a.words[ownSlices]; given {
		return a.sliceList(ownSlices, list)
	}
	_, hasLayer := a.words[kueueSliceRequired]
	size, hasSize := a.words[kueueSliceSize]
	list, hasList := a.words[kueueSliceConstraints]
	switch {
	case hasList && (hasLayer || hasSize):
		a.fail(kueueSliceConstraints, "excludes "+kueueSliceRequired+" and "+kueueSliceSize)
		return nil
	case hasList:
		return a.sliceList(kueueSliceConstraints, list)
	case !hasLayer && !hasSize:
		return nil
	case !hasSize:
		a.fail(kueueSliceRequired, "needs "+kueueSliceSize+" beside it")
		return nil
	case !hasLayer:
		a.fail(kueueSliceSize, "needs "+kueueSliceRequired+" beside it")
		return nil
	}
	n, err := strconv.ParseInt(size, 10, 32)
	if err != nil || n < 1 {
		a.fail(kueueSliceSize, "expected a whole number from 1 up, got "+strconv.Quote(size))
		return nil
	}
	return []Slice{{Layer: a.key(kueueSliceRequired), Size: int32(n)}} //nolint:gosec // ParseInt holds it to 32 bits
}

func (a annotations) sliceList(key, list string) []Slice {
	var items []struct {
		Topology string `json:"topology"`
		Size     int32  `json:"size"`
	}
	if err := json.Unmarshal([]byte(list), &items); err != nil {
		a.fail(key, `is no JSON list of {"topology": KEY, "size": NUMBER}: `+err.Error())
		return nil
	}
	var out []Slice
	for _, item := range items {
		if item.Topology == "" || item.Size < 1 {
			a.fail(key, "expected a topology and a size from 1 up in each item")
			return nil
		}
		out = append(out, Slice{Layer: item.Topology, Size: item.Size})
	}
	return out
}

// misplaced warns of annotations on the object instead of its pod template, where
// nobody reads them. A copy of what the template says (HyperPod's command line
// writes one) counts once and is no slip.
func (w *workload) misplaced(sets []set) {
	w.misplacedAt(w.object.Annotations, w.object.Kind, sets)
	for _, key := range []string{groupLabel, groupCount} {
		value := firstWord(w.object.Labels[key], w.object.Annotations[key])
		if value != "" && w.object.Kind != "Pod" && !slices.ContainsFunc(sets, func(s set) bool {
			return s.template.labels[key] == value || s.template.annotations[key] == value
		}) {
			w.warn("%s stands on the %s, not on its pod template: it binds nothing there and is not used", key, w.object.Kind)
		}
	}
}

func (w *workload) misplacedAt(a map[string]string, kind string, sets []set) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if !topological(key) || w.object.Kind == "Pod" {
			continue
		}
		missing, differs := len(sets) == 0, false
		for _, s := range sets {
			value, given := s.template.annotations[key]
			missing = missing || !given
			differs = differs || given && value != a[key]
		}
		switch {
		case differs:
			w.warn("%s on the %s says otherwise than on its pod template; the template's counts", key, kind)
		case missing:
			w.warn("%s stands on the %s, not on its pod template: it binds nothing there and is not used", key, kind)
		}
	}
}
