package bolt

import (
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/ledger"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestSchemaIsWhole finds fields that would be lost: every field of every stored
// type has a number, each number once.
func TestSchemaIsWhole(t *testing.T) {
	for _, m := range schema {
		numbers, names := map[int]bool{}, map[string]bool{}
		for _, f := range m.fields {
			if numbers[f.number] || names[f.name] {
				t.Errorf("%s: %s = %d is there twice", m.is, f.name, f.number)
			}
			numbers[f.number], names[f.name] = true, true
		}
		for i := range m.is.NumField() {
			if name := m.is.Field(i).Name; !names[name] {
				t.Errorf("%s.%s is not stored: give it the next number in schema.go, and run the test with -update", m.is, name)
			}
		}
	}
}

// filled is a value of the type with nothing zero in it, each value another one.
func filled(t reflect.Type, n *int64) reflect.Value {
	*n++
	v := reflect.New(t).Elem()
	switch t {
	case specType:
		v.Set(reflect.ValueOf(someSpec()))
		return v
	case timeType:
		v.Set(reflect.ValueOf(time.Unix(1_700_000_000+*n, *n).UTC()))
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(strings.Repeat("x", int(*n%7)) + "s")
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*n * (1 - 2*(*n%2)))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n) % 4)
		if v.Uint() == 0 {
			v.SetUint(4)
		}
	case reflect.Float64:
		v.SetFloat(float64(*n) / 7)
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem(), n))
	case reflect.Slice:
		for range 3 {
			v = reflect.Append(v, filled(t.Elem(), n))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type, n))
		}
	default:
		panic("no value of " + t.String())
	}
	return v
}

func someSpec() ledger.Spec {
	return ledger.Spec{
		PodSets: []ledger.PodSet{{
			Name: "workers", Count: 4, Requests: map[string]int64{"nvidia.com/gpu": 8, "cpu": 1000},
			Filter: ledger.Filter{
				Labels: map[string]string{"a": "b"}, Terms: []ledger.Term{{{Key: "k", Operator: "In", Values: []string{"v"}}}},
				Tolerations: []ledger.Toleration{{Key: "t", Exists: true}},
			},
			Constraint: &ledger.Constraint{Required: "leaf"}, Slices: []ledger.Slice{{Layer: "leaf", Size: 2}},
		}},
		Policy: ledger.Tightest, Labels: map[string]string{"team": "a"},
	}.Normal()
}

func fullRecord() *ledger.Record {
	n := int64(0)
	r := filled(reflect.TypeFor[ledger.Record](), &n).Interface().(ledger.Record)
	return &r
}

func TestRecordsComeBack(t *testing.T) {
	for name, r := range map[string]*ledger.Record{"full": fullRecord(), "empty": {}} {
		got, err := decode[ledger.Record](encode(nil, r))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "full" {
			if d := cmp.Diff(r, got); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

// TestFormat holds the format: bytes that an earlier build wrote are read, and
// written again as they were. Where a field was added, old bytes stay beside new.
func TestFormat(t *testing.T) {
	golden := filepath.Join("testdata", "record-1.hex")
	if *update {
		write(t, golden, hex.Dump(encode(nil, fullRecord())))
		write(t, filepath.Join("testdata", "record.proto"), Proto())
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(text), hex.Dump(encode(nil, fullRecord()))); d != "" {
		t.Errorf("the bytes of a record have changed: %s", d)
	}
	proto, err := os.ReadFile(filepath.Join("testdata", "record.proto"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(proto), Proto()); d != "" {
		t.Errorf("the schema has changed: %s", d)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDecodeRefuses reads what no build writes: an error each, never a record,
// never a panic.
func TestDecodeRefuses(t *testing.T) {
	whole := encode(nil, fullRecord())
	for cut := 1; cut < len(whole); cut += 3 {
		if r, err := decode[ledger.Record](whole[:cut]); err == nil {
			again := encode(nil, r)
			if len(again) != cut { // only where a field ends is a shorter record one
				t.Errorf("%d of %d bytes are read as a record", cut, len(whole))
			}
		}
	}
	if _, err := decode[ledger.Record]([]byte{0xf8, 0x07, 1}); err == nil || !strings.Contains(err.Error(), "newer hopwise") {
		t.Errorf("unknown field: %v", err)
	}
}

func BenchmarkEncode(b *testing.B) {
	r := fullRecord()
	var buf []byte
	for b.Loop() {
		buf = encode(buf[:0], r)
	}
	b.ReportMetric(float64(len(buf)), "bytes")
}
