package bolt

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hopwise/hopwise/server/ledger"
)

var (
	specType = reflect.TypeFor[ledger.Spec]()
	timeType = reflect.TypeFor[time.Time]()
)

// errNewer says that a record holds what this program does not know.
var errNewer = errors.New("a field that this version does not know; a newer hopwise wrote it")

// plan is a message's fields, resolved once.
type plan struct {
	fields   []fieldPlan
	byNumber map[protowire.Number]*fieldPlan
}

type fieldPlan struct {
	number protowire.Number
	index  int
	write  func(b []byte, n protowire.Number, v reflect.Value) []byte
	read   func(v reflect.Value, w protowire.Type, b []byte) (int, error)
}

// plans is by type. It is filled once, by the schema.
var plans = sync.OnceValue(func() map[reflect.Type]*plan {
	all := map[reflect.Type]*plan{}
	for _, m := range schema {
		all[m.is] = &plan{byNumber: map[protowire.Number]*fieldPlan{}}
	}
	for _, m := range schema {
		p := all[m.is]
		p.fields = make([]fieldPlan, len(m.fields))
		for i, f := range m.fields {
			field, ok := m.is.FieldByName(f.name)
			if !ok {
				panic(fmt.Sprintf("bolt: the schema names %s.%s, which is not there", m.is.Name(), f.name))
			}
			fp := &p.fields[i]
			fp.number, fp.index = protowire.Number(f.number), field.Index[0] //nolint:gosec // numbers of the schema are small
			fp.write, fp.read = coder(field.Type, all)
			p.byNumber[fp.number] = fp
		}
	}
	return all
})

// stored is what has a message of its own.
type stored interface{ ledger.Record | ledger.Hold }

// encode appends the message to b.
func encode[T stored](b []byte, r *T) []byte {
	v := reflect.ValueOf(r).Elem()
	return plans()[v.Type()].append(b, v)
}

// decode reads what encode wrote; strictly: what is not understood is an error.
func decode[T stored](b []byte) (*T, error) {
	r := new(T)
	v := reflect.ValueOf(r).Elem()
	if err := plans()[v.Type()].read(v, b); err != nil {
		return nil, err
	}
	return r, nil
}

func (p *plan) append(b []byte, v reflect.Value) []byte {
	for i := range p.fields {
		f := &p.fields[i]
		if fv := v.Field(f.index); !fv.IsZero() {
			b = f.write(b, f.number, fv)
		}
	}
	return b
}

func (p *plan) read(v reflect.Value, b []byte) error {
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		f := p.byNumber[number]
		if f == nil {
			return fmt.Errorf("%s has field %d: %w", v.Type().Name(), number, errNewer)
		}
		n, err := f.read(v.Field(f.index), wire, b)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", v.Type().Name(), v.Type().Field(f.index).Name, err)
		}
		b = b[n:]
	}
	return nil
}

type (
	writeFunc = func([]byte, protowire.Number, reflect.Value) []byte
	readFunc  = func(reflect.Value, protowire.Type, []byte) (int, error)
)

// coder is how values of a type are written and read. Zero values are left out
// but for elements of lists.
func coder(t reflect.Type, all map[reflect.Type]*plan) (writeFunc, readFunc) {
	switch t {
	case specType:
		return delimited(writeSpec, readSpec)
	case timeType:
		return writeTime, readTime
	}
	switch t.Kind() {
	case reflect.Bool:
		return writeBool, readBool
	case reflect.String:
		return delimited(func(b []byte, v reflect.Value) []byte { return append(b, v.String()...) },
			func(v reflect.Value, b []byte) error { v.SetString(string(b)); return nil })
	case reflect.Int, reflect.Int32, reflect.Int64:
		return writeInt, readInt
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return writeUint, readUint
	case reflect.Float64:
		return writeFloat, readFloat
	case reflect.Struct:
		p := all[t]
		if p == nil {
			panic(fmt.Sprintf("bolt: %s is not in the schema", t))
		}
		return delimited(p.append, p.read)
	case reflect.Pointer:
		return pointer(t, all)
	case reflect.Slice:
		return list(t, all)
	}
	panic(fmt.Sprintf("bolt: values of %s cannot be stored", t))
}

func pointer(t reflect.Type, all map[reflect.Type]*plan) (writeFunc, readFunc) {
	write, read := coder(t.Elem(), all)
	return func(b []byte, n protowire.Number, v reflect.Value) []byte { return write(b, n, v.Elem()) },
		func(v reflect.Value, w protowire.Type, b []byte) (int, error) {
			v.Set(reflect.New(t.Elem()))
			return read(v.Elem(), w, b)
		}
}

// list writes numbers packed and all else one by one.
func list(t reflect.Type, all map[reflect.Type]*plan) (writeFunc, readFunc) {
	if t.Elem().Kind() == reflect.Int32 {
		return delimited(writePacked, readPacked)
	}
	write, read := coder(t.Elem(), all)
	return func(b []byte, n protowire.Number, v reflect.Value) []byte {
			for i := range v.Len() {
				b = write(b, n, v.Index(i))
			}
			return b
		}, func(v reflect.Value, w protowire.Type, b []byte) (int, error) {
			v.Grow(1)
			v.SetLen(v.Len() + 1)
			last := v.Index(v.Len() - 1)
			last.SetZero()
			return read(last, w, b)
		}
}

func writeSpec(b []byte, v reflect.Value) []byte {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic(fmt.Sprintf("bolt: a spec that is no JSON: %v", err)) // it holds nothing that could fail
	}
	return append(b, text...)
}

func readSpec(v reflect.Value, b []byte) error {
	return json.Unmarshal(b, v.Addr().Interface())
}

func writeTime(b []byte, n protowire.Number, v reflect.Value) []byte {
	b = protowire.AppendTag(b, n, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, uint64(v.Interface().(time.Time).UnixNano())) //nolint:gosec // bits are kept
}

func readTime(v reflect.Value, w protowire.Type, b []byte) (int, error) {
	bits, n, err := fixed(w, b)
	v.Set(reflect.ValueOf(time.Unix(0, int64(bits)).UTC())) //nolint:gosec // bits are kept
	return n, err
}

func writeFloat(b []byte, n protowire.Number, v reflect.Value) []byte {
	b = protowire.AppendTag(b, n, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(v.Float()))
}

func readFloat(v reflect.Value, w protowire.Type, b []byte) (int, error) {
	bits, n, err := fixed(w, b)
	v.SetFloat(math.Float64frombits(bits))
	return n, err
}
