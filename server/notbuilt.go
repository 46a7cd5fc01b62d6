package server

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/scheme"
)

// unbuilt is a field whose feature is not built: asking for it is refused, never
// ignored. A row leaves the table with its feature.
type unbuilt struct {
	field   protoreflect.FullName
	asks    func(protoreflect.Value) bool // nil: any value but the default
	feature string
}

// unbuiltFields is the one table of them. A test holds it and the list of served
// fields against the contract: together they are every field of every request.
var unbuiltFields = []unbuilt{
	{"hopwise.v1.Constraint.required_layer", sideLayer, "a side layer as a constraint"},
	{"hopwise.v1.Constraint.preferred_layer", sideLayer, "a side layer as a constraint"},
	{"hopwise.v1.Slice.layer", sideLayer, "a side layer for slices"},
}

// sideLayer says that the value names a second hierarchy, such as NVLink's: it is
// shown, and nothing is placed by it yet.
func sideLayer(v protoreflect.Value) bool { return scheme.IsSideKey(v.String()) }

// unbuiltIndex is the table by field, and the messages below which a row stands:
// only these are walked, so that a million slot reports cost nothing.
type unbuiltIndex struct {
	rows  map[protoreflect.FullName]unbuilt
	holds map[protoreflect.FullName]bool
}

func indexUnbuilt(rows []unbuilt) *unbuiltIndex {
	x := &unbuiltIndex{rows: map[protoreflect.FullName]unbuilt{}, holds: map[protoreflect.FullName]bool{}}
	for _, r := range rows {
		x.rows[r.field] = r
		x.holds[r.field.Parent()] = true
	}
	place := (&hopwisev1.PlaceGangRequest{}).ProtoReflect().Descriptor()
	x.spread(place)
	return x
}

// spread marks messages that reach a listed field through their own.
func (x *unbuiltIndex) spread(m protoreflect.MessageDescriptor) bool {
	found := x.holds[m.FullName()]
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		if f.Message() != nil && !f.IsMap() && x.spread(f.Message()) {
			found = true
		}
	}
	x.holds[m.FullName()] = found
	return found
}

// refuse is NOT_BUILT for the first field, in declared order, that asks for a
// feature of the table.
func (x *unbuiltIndex) refuse(m proto.Message) error {
	if f := x.find("", m.ProtoReflect()); f != nil {
		return f
	}
	return nil
}

func (x *unbuiltIndex) find(path string, m protoreflect.Message) *failure {
	if !x.holds[m.Descriptor().FullName()] {
		return nil
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if !m.Has(f) {
			continue
		}
		at := path + string(f.Name())
		if row, listed := x.rows[f.FullName()]; listed && (row.asks == nil || row.asks(m.Get(f))) {
			return notBuilt(at, row.feature)
		}
		if found := x.below(at, f, m.Get(f)); found != nil {
			return found
		}
	}
	return nil
}

func (x *unbuiltIndex) below(at string, f protoreflect.FieldDescriptor, v protoreflect.Value) *failure {
	switch {
	case f.Message() == nil || f.IsMap() || !x.holds[f.Message().FullName()]:
		return nil
	case !f.IsList():
		return x.find(at+".", v.Message())
	}
	for i := range v.List().Len() {
		if found := x.find(fmt.Sprintf("%s[%d].", at, i), v.List().Get(i).Message()); found != nil {
			return found
		}
	}
	return nil
}

func notBuilt(field, feature string) *failure {
	return &failure{
		reason:   hopwisev1.ErrorReason_ERROR_REASON_NOT_BUILT,
		message:  fmt.Sprintf("%s: %s: not built yet in this version", field, feature),
		metadata: map[string]string{"field": field},
	}
}
