package gang

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// readGangYAML reads hopwise's own form; docs/gang-yaml.md describes it. Rules of
// the contract (bounds, names) are left to the server, whose errors name a field
// that Origin.Line finds in the file.
func readGangYAML(d document) (Gang, error) {
	s := &strict{file: d.file, lines: make(map[string]int)}
	var g Gang
	if err := s.fill(d.root, "", reflect.ValueOf(&g).Elem()); err != nil {
		return Gang{}, err
	}
	g.Origin = Origin{File: d.file, Convention: "gang.yaml", lines: s.lines}
	if len(g.PodSets) == 0 {
		return Gang{}, &Error{File: d.file, Line: lineAt(d.root, "pod_sets"), Path: "pod_sets", Msg: "expected one pod set or more"}
	}
	for i, p := range g.PodSets {
		path := "pod_sets[" + strconv.Itoa(i) + "]"
		if p.Count == 0 {
			return Gang{}, &Error{File: d.file, Line: g.Origin.Line(path + ".count"), Path: path + ".count", Msg: "expected how many pods, 1 or more"}
		}
		for _, name := range slices.Sorted(maps.Keys(p.Requests)) {
			if err := CheckQuantity(p.Requests[name]); err != nil {
				at := path + ".requests[" + strconv.Quote(name) + "]"
				return Gang{}, &Error{File: d.file, Line: g.Origin.Line(at), Path: at, Msg: err.Error()}
			}
		}
	}
	return g, nil
}

// CheckQuantity says what is wrong with a Kubernetes quantity, with an example of a
// right one. Zero is right.
func CheckQuantity(s string) error {
	q, err := resource.ParseQuantity(s)
	switch {
	case err != nil:
		return fmt.Errorf("%q is no quantity; expected one such as 8, 500m or 64Gi", s)
	case q.Sign() < 0:
		return fmt.Errorf("%q is negative", strings.TrimSpace(s))
	}
	return nil
}
