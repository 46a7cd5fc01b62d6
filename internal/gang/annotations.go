package gang

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
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

	ownPrefix    = "hopwise.dev/"
	ownRequired  = ownPrefix + "required-topology"
	ownPreferred = ownPrefix + "preferred-topology"
	ownPolicy    = ownPrefix + "policy"
)

// asked is what annotations ask for.
type asked struct {
	constraint *Constraint
	slices     []Slice
	policy     Policy
}

// read are the annotations that are understood; any other with one of the two
// prefixes is refused, since it may change where the pods have to go.
var read = []string{
	kueueRequired, kueuePreferred, kueueUnconstrained, kueueSliceRequired, kueueSliceSize, kueueSliceConstraints,
	ownRequired, ownPreferred, ownPolicy,
}

func (j jobDocument) annotations(a map[string]string) (asked, error) {
	for _, key := range slices.Sorted(maps.Keys(a)) {
		ours := strings.HasPrefix(key, kueuePrefix) || strings.HasPrefix(key, ownPrefix)
		if ours && !slices.Contains(read, key) {
			return asked{}, j.annotation(key, "cannot be read yet")
		}
	}
	var out asked
	c := Constraint{RequiredLayer: first(a, ownRequired, kueueRequired), PreferredLayer: first(a, ownPreferred, kueuePreferred)}
	if value, given := a[kueueUnconstrained]; given {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return asked{}, j.annotation(kueueUnconstrained, "expected true or false, got "+strconv.Quote(value))
		}
		c.Unconstrained = on
		if on && (c.RequiredLayer != "" || c.PreferredLayer != "") {
			return asked{}, j.annotation(kueueUnconstrained, "contradicts the required or preferred topology beside it")
		}
	}
	for _, key := range []string{ownRequired, kueueRequired, ownPreferred, kueuePreferred} {
		if value, given := a[key]; given && value == "" {
			return asked{}, j.annotation(key, "is empty; expected a label key")
		}
	}
	if c != (Constraint{}) {
		out.constraint = &c
	}
	if word, given := a[ownPolicy]; given {
		policy, ok := ParsePolicy(word)
		if !ok {
			return asked{}, j.annotation(ownPolicy, strconv.Quote(word)+" is none of "+strings.Join(Policies(), ", "))
		}
		out.policy = policy
	}
	var err error
	out.slices, err = j.slices(a)
	return out, err
}

func (j jobDocument) slices(a map[string]string) ([]Slice, error) {
	layer, hasLayer := a[kueueSliceRequired]
	size, hasSize := a[kueueSliceSize]
	list, hasList := a[kueueSliceConstraints]
	switch {
	case hasList && (hasLayer || hasSize):
		return nil, j.annotation(kueueSliceConstraints, "excludes "+kueueSliceRequired+" and "+kueueSliceSize)
	case hasList:
		return j.sliceList(list)
	case !hasLayer && !hasSize:
		return nil, nil
	case !hasSize:
		return nil, j.annotation(kueueSliceRequired, "needs "+kueueSliceSize+" beside it")
	case !hasLayer:
		return nil, j.annotation(kueueSliceSize, "needs "+kueueSliceRequired+" beside it")
	}
	n, err := strconv.ParseInt(size, 10, 32)
	if err != nil || n < 1 {
		return nil, j.annotation(kueueSliceSize, "expected a whole number from 1 up, got "+strconv.Quote(size))
	}
	return []Slice{{Layer: layer, Size: int32(n)}}, nil
}

func (j jobDocument) sliceList(list string) ([]Slice, error) {
	var items []struct {
		Topology string `json:"topology"`
		Size     int32  `json:"size"`
	}
	if err := json.Unmarshal([]byte(list), &items); err != nil {
		return nil, j.annotation(kueueSliceConstraints, `is no JSON list of {"topology": KEY, "size": NUMBER}: `+err.Error())
	}
	var out []Slice
	for _, item := range items {
		if item.Topology == "" || item.Size < 1 {
			return nil, j.annotation(kueueSliceConstraints, "expected a topology and a size from 1 up in each item")
		}
		out = append(out, Slice{Layer: item.Topology, Size: item.Size})
	}
	return out, nil
}

// annotation is an error about one annotation of the pod template.
func (j jobDocument) annotation(key, msg string) error {
	return &Error{File: j.file, Line: lineAt(j.root, "spec", "template", "metadata", "annotations", key),
		Msg: j.who + ": annotation " + key + " " + msg}
}

func first(a map[string]string, keys ...string) string {
	for _, key := range keys {
		if a[key] != "" {
			return a[key]
		}
	}
	return ""
}

// notes are what a person should know: mostly annotations where nobody reads them.
func (j jobDocument) notes(job *batchv1.Job) []string {
	var notes []string
	for _, key := range slices.Sorted(maps.Keys(job.Annotations)) {
		if !strings.HasPrefix(key, kueuePrefix) && !slices.Contains([]string{ownRequired, ownPreferred, ownPolicy}, key) {
			continue
		}
		if job.Spec.Template.Annotations[key] == "" {
			notes = append(notes, key+" stands on the Job, not on its pod template: it binds nothing there and is not used")
		}
	}
	if p, c := job.Spec.Parallelism, job.Spec.Completions; p != nil && c != nil && *c < *p {
		notes = append(notes, "parallelism "+strconv.Itoa(int(*p))+" is capped by completions "+strconv.Itoa(int(*c)))
	}
	return append(notes, softNotes(&job.Spec.Template.Spec)...)
}
