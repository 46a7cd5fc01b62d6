package bolt

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// delimited makes a coder of what writes and reads the content alone. Content is
// written in place and moved where its length takes more than a byte, so that
// nested messages allocate nothing.
func delimited(write func([]byte, reflect.Value) []byte, read func(reflect.Value, []byte) error) (writeFunc, readFunc) {
	return func(b []byte, n protowire.Number, v reflect.Value) []byte {
			b = protowire.AppendTag(b, n, protowire.BytesType)
			at := len(b)
			b = write(append(b, 0), v)
			size := len(b) - at - 1
			if size < 0x80 {
				b[at] = byte(size)
				return b
			}
			more := protowire.SizeVarint(uint64(size)) - 1
			var pad [10]byte
			b = append(b, pad[:more]...)
			copy(b[at+1+more:], b[at+1:at+1+size])
			protowire.AppendVarint(b[at:at], uint64(size))
			return b
		}, func(v reflect.Value, w protowire.Type, b []byte) (int, error) {
			if w != protowire.BytesType {
				return 0, wrongWire(w)
			}
			content, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return 0, protowire.ParseError(n)
			}
			return n, read(v, content)
		}
}

func wrongWire(w protowire.Type) error { return fmt.Errorf("wire type %d is not this field's", w) }

func varint(w protowire.Type, b []byte) (uint64, int, error) {
	if w != protowire.VarintType {
		return 0, 0, wrongWire(w)
	}
	x, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return 0, 0, protowire.ParseError(n)
	}
	return x, n, nil
}

func fixed(w protowire.Type, b []byte) (uint64, int, error) {
	if w != protowire.Fixed64Type {
		return 0, 0, wrongWire(w)
	}
	x, n := protowire.ConsumeFixed64(b)
	if n < 0 {
		return 0, 0, protowire.ParseError(n)
	}
	return x, n, nil
}

func writeInt(b []byte, n protowire.Number, v reflect.Value) []byte {
	b = protowire.AppendTag(b, n, protowire.VarintType)
	return protowire.AppendVarint(b, protowire.EncodeZigZag(v.Int()))
}

func readInt(v reflect.Value, w protowire.Type, b []byte) (int, error) {
	x, n, err := varint(w, b)
	if err == nil && v.OverflowInt(protowire.DecodeZigZag(x)) {
		err = fmt.Errorf("%d is out of range", protowire.DecodeZigZag(x))
	}
	v.SetInt(protowire.DecodeZigZag(x))
	return n, err
}

func writeUint(b []byte, n protowire.Number, v reflect.Value) []byte {
	b = protowire.AppendTag(b, n, protowire.VarintType)
	return protowire.AppendVarint(b, v.Uint())
}

func readUint(v reflect.Value, w protowire.Type, b []byte) (int, error) {
	x, n, err := varint(w, b)
	if err == nil && v.OverflowUint(x) {
		err = fmt.Errorf("%d is out of range", x)
	}
	v.SetUint(x)
	return n, err
}

func writeBool(b []byte, n protowire.Number, _ reflect.Value) []byte {
	b = protowire.AppendTag(b, n, protowire.VarintType)
	return append(b, 1) // false is left out
}

func readBool(v reflect.Value, w protowire.Type, b []byte) (int, error) {
	x, n, err := varint(w, b)
	v.SetBool(x != 0)
	return n, err
}

func writePacked(b []byte, v reflect.Value) []byte {
	for i := range v.Len() {
		b = protowire.AppendVarint(b, protowire.EncodeZigZag(v.Index(i).Int()))
	}
	return b
}

func readPacked(v reflect.Value, b []byte) error {
	for len(b) > 0 {
		x, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		v.Index(v.Len() - 1).SetInt(protowire.DecodeZigZag(x))
	}
	return nil
}
