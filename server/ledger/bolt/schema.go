package bolt

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/hopwise/hopwise/server/ledger"
)

// formatName is what the file says of itself. Its number rises with every field
// that is added below, so that an older program refuses the file by name instead
// of dropping what it does not know.
const (
	formatName   = "hopwise ledger"
	formatNumber = 1
)

// message is one Go type and the protobuf numbers of its fields.
type message struct {
	is     reflect.Type
	fields []numbered
}

type numbered struct {
	number int
	name   string // of the Go field
}

// schema is the format. A number is never given to another field, and a field
// never changes its type; testdata holds bytes that must stay readable. A spec is
// stored as the JSON of which its fingerprint is taken, so that one proves the
// other.
var schema = []message{
	of[ledger.Record]("Gang=1 Earlier=2 Spec=3 Fingerprint=4 State=5 Sets=6 Troubles=7 Owner=8 Whole=9 Priority=10 " +
		"PlacedBy=11 Policy=12 Quality=13 Decision=14 TTL=15 Created=16 Updated=17 Expires=18 Ended=19 Version=20 Revision=21 " +
		"Original=22 OriginalFingerprint=23"),
	of[ledger.Gang]("Namespace=1 Name=2 UID=3"),
	of[ledger.Decision]("Proven=1 Vector=2 LowerBound=3 Steps=4"),
	of[ledger.Set]("Runs=1 Slots=2 Quality=3 Prefers=4 PreferenceMet=5 MissPath=6 MissFits=7"),
	of[ledger.Run]("Node=1 Pods=2"),
	of[ledger.Slot]("Rank=1 State=2 Planned=3 PodName=4 PodUID=5 Updated=6 Was=7 KeepUntil=8 From=9"),
	of[ledger.Quality]("AlignedPath=1 AlignedNode=2 Vector=3 Leaves=4 Crossings=5 BestCrossings=6 MeanHops=7 WorstHops=8 Score=9"),
	of[ledger.Trouble]("Kind=1 Set=2 Ranks=3 Detail=4 Since=5"),
	of[ledger.RankRun]("First=1 Count=2 Node=3"),
	of[ledger.Revision]("Epoch=1 N=2"),
	of[ledger.Hold]("Place=1 Note=2 By=3 Until=4 Created=5"),
	of[ledger.Place]("Layer=1 Path=2"),
}

func of[T any](fields string) message {
	m := message{is: reflect.TypeFor[T]()}
	for f := range strings.FieldsSeq(fields) {
		name, _, _ := strings.Cut(f, "=")
		var n int
		if _, err := fmt.Sscanf(f[len(name):], "=%d", &n); err != nil {
			panic(fmt.Sprintf("bolt: field %q of the schema has no number", f))
		}
		m.fields = append(m.fields, numbered{n, name})
	}
	return m
}

// Proto is the schema as a .proto file, for those who read records with other
// tools: each value is four bytes of CRC-32C over key and message, then a Record or a Hold.
func Proto() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Records of %s, format %d.\nsyntax = \"proto3\";\n", formatName, formatNumber)
	for _, m := range schema {
		fmt.Fprintf(&b, "\nmessage %s {\n", m.is.Name())
		for _, f := range m.fields {
			field, _ := m.is.FieldByName(f.name)
			fmt.Fprintf(&b, "  %s %s = %d;\n", protoType(field.Type), snake(f.name), f.number)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func protoType(t reflect.Type) string {
	switch {
	case t == specType || t.Kind() == reflect.Pointer && t.Elem() == specType:
		return "bytes"
	case t == timeType:
		return "sfixed64"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return protoType(t.Elem())
	case reflect.Slice:
		return "repeated " + protoType(t.Elem())
	case reflect.Struct:
		return t.Name()
	case reflect.Float64:
		return "double"
	case reflect.Bool, reflect.String:
		return t.Kind().String()
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "uint64"
	}
	return "sint64"
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if upper := r >= 'A' && r <= 'Z'; upper && i > 0 && strings.ToUpper(name[:i]) != name[:i] && name[i-1] >= 'a' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}
