package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Fingerprint tells specs apart: two specs with one fingerprint ask for the same
// thing. It hangs on the names and order of Spec's JSON fields alone, so that
// it lasts across versions that only add fields. The spec must be Normal.
func (s Spec) Fingerprint() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("ledger: a spec that is no JSON: %v", err)) // it holds nothing that could fail
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Diff names the fields in which two normal specs differ, as paths of the
// contract; empty where they ask for the same.
func Diff(a, b Spec) []string {
	var d differ
	d.constraint("constraint", a.Constraint, b.Constraint)
	d.note("policy", a.Policy != b.Policy)
	d.note("min_count", a.MinCount != b.MinCount)
	d.note("labels", !maps.Equal(a.Labels, b.Labels))
	d.note("span_fabrics", a.SpanFabrics != b.SpanFabrics)
	d.note("on_unrepairable", a.OnUnrepairable != b.OnUnrepairable)
	if len(a.PodSets) != len(b.PodSets) {
		d.note("pod_sets", true)
		return d
	}
	for i := range a.PodSets {
		d.podSet(fmt.Sprintf("pod_sets[%d].", i), &a.PodSets[i], &b.PodSets[i])
	}
	return d
}

type differ []string

func (d *differ) note(field string, differs bool) {
	if differs {
		*d = append(*d, field)
	}
}

func (d *differ) podSet(at string, a, b *PodSet) {
	d.note(at+"name", a.Name != b.Name)
	d.note(at+"count", a.Count != b.Count)
	d.note(at+"min_count", a.MinCount != b.MinCount)
	d.note(at+"requests", !maps.Equal(a.Requests, b.Requests))
	d.note(at+"exclusive", a.Exclusive != b.Exclusive)
	d.note(at+"max_per_node", a.MaxPerNode != b.MaxPerNode)
	d.filter(at+"filter.", &a.Filter, &b.Filter)
	d.constraint(at+"constraint", a.Constraint, b.Constraint)
	d.note(at+"slices", !slices.Equal(a.Slices, b.Slices))
	d.note(at+"partial_last_slice", a.PartialLastSlice != b.PartialLastSlice)
	d.note(at+"group", a.Group != b.Group)
	d.note(at+"after", !slices.Equal(a.After, b.After))
}

func (d *differ) filter(at string, a, b *Filter) {
	d.note(at+"labels", !maps.Equal(a.Labels, b.Labels))
	d.note(at+"terms", differ2(a.Terms, b.Terms))
	d.note(at+"tolerations", !slices.Equal(a.Tolerations, b.Tolerations))
	d.note(at+"preferred", differ2(a.Preferred, b.Preferred))
}

// differ2 compares lists of what == cannot; nil and empty are alike.
func differ2[T any](a, b []T) bool {
	return (len(a) > 0 || len(b) > 0) && !reflect.DeepEqual(a, b)
}

func (d *differ) constraint(at string, a, b *Constraint) {
	switch {
	case a == nil && b == nil:
	case a == nil || b == nil:
		d.note(at, true)
	default:
		d.note(at+".required_layer", a.Required != b.Required)
		d.note(at+".preferred_layer", a.Preferred != b.Preferred)
	}
}
