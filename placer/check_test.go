package placer_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/placer"
)

// none is a pod set of n pods without any constraint.
func none(n int32) placer.PodSet {
	return placer.PodSet{Name: "main", Count: n, Required: placer.NoLayer, Preferred: placer.NoLayer}
}

// set is none after some changes.
func set(n int32, edit func(*placer.PodSet)) placer.PodSet {
	ps := none(n)
	edit(&ps)
	return ps
}

func gangOf(sets ...placer.PodSet) *placer.Gang { return &placer.Gang{PodSets: sets} }

// The layers of the scheme that the tests use: block, rack, host.
const (
	block placer.Layer = iota
	rack
	host
)

var scheme = placer.Scheme{Layers: []string{"block", "rack"}, Node: "host"}

// checkCases has a gang for every message of Check.
var checkCases = []struct {
	name, field, message string
	gang                 *placer.Gang
}{
	{"no set", "pod_sets", "a gang needs at least one pod set", gangOf()},
	{"no pod", "pod_sets[0].count", "0 pods; at least 1 is needed", gangOf(none(0))},
	{"one set too large", "pod_sets[0].count", "1048577 pods; at most 1048576 make a gang", gangOf(none(placer.MaxPods + 1))},
	{"sets too large together", "pod_sets", "1048577 pods in all; at most 1048576 make a gang",
		gangOf(none(placer.MaxPods), set(1, func(p *placer.PodSet) { p.Name = "b" }))},
	{"floor over count", "pod_sets[0].min_count", "5 is not between 1 and the count, 4",
		gangOf(set(4, func(p *placer.PodSet) { p.MinCount = 5 }))},
	{"floor negative", "pod_sets[0].min_count", "-1 is not between 1 and the count, 4",
		gangOf(set(4, func(p *placer.PodSet) { p.MinCount = -1 }))},
	{"floor in broken slices", "pod_sets[0].min_count", "3 is no whole number of slices of 2",
		gangOf(set(4, func(p *placer.PodSet) { p.MinCount, p.Slices = 3, []placer.Slice{{Layer: rack, Size: 2}} }))},
	{"limit negative", "pod_sets[0].max_per_node", "-2 is negative",
		gangOf(set(4, func(p *placer.PodSet) { p.MaxPerNode = -2 }))},
	{"request negative", `pod_sets[0].requests["gpu"]`, "-8 is negative or too large",
		gangOf(set(4, func(p *placer.PodSet) { p.Requests = placer.Resources{"gpu": -8} }))},
	{"request too large", `pod_sets[0].requests["gpu"]`, "4611686018427387904 is negative or too large",
		gangOf(set(4, func(p *placer.PodSet) { p.Requests = placer.Resources{"gpu": 1 << 62} }))},
	{"required layer unknown", "pod_sets[0].constraint.required_layer", "layer 3 is none of the 3 of this topology",
		gangOf(set(4, func(p *placer.PodSet) { p.Required = 3 }))},
	{"preferred layer unknown", "pod_sets[0].constraint.preferred_layer", "layer -2 is none of the 3 of this topology",
		gangOf(set(4, func(p *placer.PodSet) { p.Preferred = -2 }))},
	{"preferred wider than required", "pod_sets[0].constraint.preferred_layer",
		`"block" is wider than the required layer "rack"; prefer that layer or a narrower one`,
		gangOf(set(4, func(p *placer.PodSet) { p.Required, p.Preferred = rack, block }))},
	{"too many slice layers", "pod_sets[0].slices", "4 slice layers; at most 3 nest",
		gangOf(set(4, func(p *placer.PodSet) { p.Slices = make([]placer.Slice, 4) }))},
	{"slice layer unknown", "pod_sets[0].slices[0].layer", "layer 3 is none of the 3 of this topology",
		gangOf(set(4, func(p *placer.PodSet) { p.Slices = []placer.Slice{{Layer: 3, Size: 2}} }))},
	{"slice empty", "pod_sets[0].slices[0].size", "0 pods; at least 1 is needed",
		gangOf(set(4, func(p *placer.PodSet) { p.Slices = []placer.Slice{{Layer: rack}} }))},
	{"inner slice wider", "pod_sets[0].slices[1].layer", `"block" is not narrower than "rack", the layer of the slice around it`,
		gangOf(set(4, func(p *placer.PodSet) { p.Slices = []placer.Slice{{Layer: rack, Size: 4}, {Layer: block, Size: 2}} }))},
	{"inner slice does not divide", "pod_sets[0].slices[1].size", "3 does not divide 4, the size of the slice around it",
		gangOf(set(4, func(p *placer.PodSet) { p.Slices = []placer.Slice{{Layer: rack, Size: 4}, {Layer: host, Size: 3}} }))},
	{"slice wider than required", "pod_sets[0].slices[0].layer",
		`"block" is wider than the required layer "rack": the whole pod set is in one of its domains already`,
		gangOf(set(4, func(p *placer.PodSet) { p.Required, p.Slices = rack, []placer.Slice{{Layer: block, Size: 2}} }))},
	{"slice does not divide", "pod_sets[0].slices[0].size",
		"3 does not divide the count, 4; set partial_last_slice to allow a shorter last slice",
		gangOf(set(4, func(p *placer.PodSet) { p.Slices = []placer.Slice{{Layer: rack, Size: 3}} }))},
	{"gang floor over all", "min_count", "5 is not between 1 and the gang's 4 pods",
		&placer.Gang{PodSets: []placer.PodSet{none(4)}, MinCount: 5}},
	{"gang floor negative", "min_count", "-1 is not between 1 and the gang's 4 pods",
		&placer.Gang{PodSets: []placer.PodSet{none(4)}, MinCount: -1}},
	{"budget negative", "step_budget", "-1 is negative", &placer.Gang{PodSets: []placer.PodSet{none(4)}, Budget: -1}},
	{"too many sets", "pod_sets", "33 pod sets; at most 16 make a gang", gangOf(make33()...)},
	{"one name twice", "pod_sets[1].name", `"main" is the name of pod_sets[0] too`, gangOf(none(1), none(1))},
	{"group of two minds", "pod_sets[1].constraint", `members of group "g" state one constraint; pod_sets[0] states another`,
		gangOf(set(1, func(p *placer.PodSet) { p.Group, p.Required = "g", rack }),
			set(1, func(p *placer.PodSet) { p.Name, p.Group, p.Required = "b", "g", block }))},
	{"after one that is not there", "pod_sets[0].after[1]", "there is no pod set 7",
		gangOf(set(1, func(p *placer.PodSet) { p.Name, p.After = "a", []int{1, 7} }), none(1))},
	{"after itself", "pod_sets[0].after[0]", "pod_sets[0] would wait for itself",
		gangOf(set(1, func(p *placer.PodSet) { p.After = []int{0} }))},
	{"after one another", "pod_sets[1].after[0]", "pod_sets[1] would wait for itself",
		gangOf(set(1, func(p *placer.PodSet) { p.Name, p.After = "a", []int{1} }),
			set(1, func(p *placer.PodSet) { p.After = []int{0} }))},
}

func make33() []placer.PodSet {
	sets := make([]placer.PodSet, 33)
	for i := range sets {
		sets[i] = none(1)
	}
	return sets
}

// TestCheck: each contradiction has a message and the path of its field.
func TestCheck(t *testing.T) {
	for _, c := range checkCases {
		t.Run(c.name, func(t *testing.T) {
			var have *placer.InvalidError
			if !errors.As(placer.Check(c.gang, scheme), &have) {
				t.Fatalf("want %s: %s", c.field, c.message)
			}
			if diff := cmp.Diff(&placer.InvalidError{Field: c.field, Message: c.message}, have); diff != "" {
				t.Error(diff)
			}
			if want := c.field + ": " + c.message; have.Error() != want {
				t.Errorf("have %q, want %q", have.Error(), want)
			}
		})
	}
}

// TestCheckPasses: what only just makes sense is taken.
func TestCheckPasses(t *testing.T) {
	for name, g := range map[string]*placer.Gang{
		"largest":               gangOf(none(placer.MaxPods)),
		"preferred as required": gangOf(set(4, func(p *placer.PodSet) { p.Required, p.Preferred = rack, rack })),
		"node layer":            gangOf(set(4, func(p *placer.PodSet) { p.Required, p.Preferred = block, host })),
		"short last slice": gangOf(set(5, func(p *placer.PodSet) {
			p.Slices, p.PartialLastSlice = []placer.Slice{{Layer: rack, Size: 2}}, true
		})),
		"slices of the required layer": gangOf(set(4, func(p *placer.PodSet) {
			p.Required, p.Slices = rack, []placer.Slice{{Layer: rack, Size: 4}, {Layer: host, Size: 2}}
		})),
		"floor of the whole": {PodSets: []placer.PodSet{set(4, func(p *placer.PodSet) { p.MinCount = 4 })}, MinCount: 4},
		"a row": gangOf(none(1), set(1, func(p *placer.PodSet) { p.Name, p.After = "b", []int{0} }),
			set(1, func(p *placer.PodSet) { p.Name, p.After = "c", []int{0, 1} })),
		"a group of one mind": gangOf(set(1, func(p *placer.PodSet) { p.Group, p.Required = "g", rack }),
			set(1, func(p *placer.PodSet) { p.Name, p.Group, p.Required = "b", "g", rack })),
		"two sets without a group": gangOf(none(1), set(1, func(p *placer.PodSet) { p.Name, p.Required = "b", rack })),
	} {
		if err := placer.Check(g, scheme); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
