package gang

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// strict fills structs from YAML and refuses what it does not know. The first fault
// ends it. It records the line of each field by the field's path.
type strict struct {
	file  string
	lines map[string]int
}

func (s *strict) fail(n *yaml.Node, path, hint, format string, args ...any) error {
	return &Error{File: s.file, Line: n.Line, Path: path, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// fill reads n into v, which is settable.
func (s *strict) fill(n *yaml.Node, path string, v reflect.Value) error {
	s.lines[path] = n.Line
	if n.Kind == yaml.AliasNode {
		return s.fail(n, path, "", "aliases (*%s) are not read here; write the value out", n.Value)
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil // as if not given
	}
	if _, ok := v.Interface().(time.Duration); ok {
		return s.duration(n, path, v)
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return s.fill(n, path, v.Elem())
	case reflect.Struct:
		return s.fields(n, path, v)
	case reflect.Slice:
		return s.list(n, path, v)
	case reflect.Map:
		return s.table(n, path, v)
	default:
		return s.scalar(n, path, v)
	}
}

func (s *strict) fields(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return s.fail(n, path, "", "expected a mapping (key: value), got %s", kindWord(n))
	}
	known := make([]string, 0, v.NumField())
	index := make(map[string]int, v.NumField())
	for i := range v.NumField() {
		if tag := v.Type().Field(i).Tag.Get("yaml"); tag != "-" && tag != "" {
			known = append(known, tag)
			index[tag] = i
		}
	}
	return s.entries(n, path, func(key, value *yaml.Node) error {
		i, ok := index[key.Value]
		if !ok {
			hint := "known here: " + strings.Join(known, ", ")
			if near := Nearest(key.Value, known); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return s.fail(key, path, hint, "unknown key %q", key.Value)
		}
		return s.fill(value, join(path, key.Value), v.Field(i))
	})
}

// entries calls f for each key, and refuses one that is given twice.
func (s *strict) entries(n *yaml.Node, path string, f func(key, value *yaml.Node) error) error {
	seen := make(map[string]int)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return s.fail(key, path, "", "a key must be a word, got %s", kindWord(key))
		}
		if first := seen[key.Value]; first > 0 {
			return s.fail(key, path, "", "%q is given twice, first in line %d", key.Value, first)
		}
		seen[key.Value] = key.Line
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (s *strict) list(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind != yaml.SequenceNode {
		return s.fail(n, path, "", "expected a list (- ...), got %s", kindWord(n))
	}
	out := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		here := path + "[" + strconv.Itoa(i) + "]"
		if item.Tag == "!!null" {
			return s.fail(item, here, "", "is empty")
		}
		if err := s.fill(item, here, out.Index(i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

// table reads a map of words to words; numbers and truth values are taken as they
// are written.
func (s *strict) table(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind != yaml.MappingNode {
		return s.fail(n, path, "", "expected a mapping (key: value), got %s", kindWord(n))
	}
	out := make(map[string]string)
	err := s.entries(n, path, func(key, value *yaml.Node) error {
		here := path + "[" + strconv.Quote(key.Value) + "]"
		if value.Kind != yaml.ScalarNode || value.Tag == "!!null" {
			return s.fail(value, here, "", "expected a value, got %s", kindWord(value))
		}
		s.lines[here] = value.Line
		out[key.Value] = value.Value
		return nil
	})
	v.Set(reflect.ValueOf(out))
	return err
}

func (s *strict) scalar(n *yaml.Node, path string, v reflect.Value) error {
	if n.Kind != yaml.ScalarNode {
		return s.fail(n, path, "", "expected one value, got %s", kindWord(n))
	}
	if list, ok := v.Interface().(worded); ok {
		word, known := canonical(list, n.Value)
		if !known {
			return s.fail(n, path, "", "%q is none of %s", n.Value, strings.Join(list.words(), ", "))
		}
		v.SetString(word)
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
	case reflect.Bool:
		b, err := strconv.ParseBool(n.Value)
		if err != nil || n.Tag != "!!bool" {
			return s.fail(n, path, "", "expected true or false, got %s", kindWord(n))
		}
		v.SetBool(b)
	case reflect.Int32, reflect.Int64:
		return s.number(n, path, v)
	default:
		return s.fail(n, path, "", "fields of type %s cannot be read", v.Type())
	}
	return nil
}

func (s *strict) number(n *yaml.Node, path string, v reflect.Value) error {
	i, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Tag != "!!int" || err != nil {
		return s.fail(n, path, "", "expected a whole number, got %s", kindWord(n))
	}
	if v.OverflowInt(i) {
		return s.fail(n, path, "", "%d is too large; at most %d", i, int64(math.MaxInt32))
	}
	v.SetInt(i)
	return nil
}

func (s *strict) duration(n *yaml.Node, path string, v reflect.Value) error {
	d, err := time.ParseDuration(n.Value)
	if err != nil {
		return s.fail(n, path, "", "expected a duration such as 90s or 10m, got %s", kindWord(n))
	}
	v.SetInt(int64(d))
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
