package gang

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reading is one object being read: what is found out about it, and the first
// fault, after which every further look gives zero values.
type reading struct {
	object   *Object
	err      error
	warnings []string
	notes    []string
}

func (r *reading) root() cursor { return cursor{in: r, v: r.object.Content} }

func (r *reading) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(r.warnings, w) {
		r.warnings = append(r.warnings, w)
	}
}

func (r *reading) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(r.notes, n) {
		r.notes = append(r.notes, n)
	}
}

// cursor is a place in an object, given there or not.
type cursor struct {
	in   *reading
	path []any // string keys and int indices
	v    any   // nil where nothing is given
}

func (c cursor) given() bool { return c.v != nil }

// at follows keys; a mapping is expected on the way.
func (c cursor) at(keys ...string) cursor {
	for _, key := range keys {
		next := cursor{in: c.in, path: append(slices.Clip(c.path), any(key))}
		switch m := c.v.(type) {
		case nil:
		case map[string]any:
			next.v = m[key]
		default:
			c.fail("expected a mapping (key: value), got %s", valueWord(c.v))
		}
		c = next
	}
	return c
}

// items are a list's; none where nothing is given.
func (c cursor) items() []cursor {
	if c.v == nil {
		return nil
	}
	list, ok := c.v.([]any)
	if !ok {
		c.fail("expected a list, got %s", valueWord(c.v))
		return nil
	}
	out := make([]cursor, len(list))
	for i, v := range list {
		out[i] = cursor{in: c.in, path: append(slices.Clip(c.path), any(i)), v: v}
	}
	return out
}

// entries are a mapping's, by sorted key.
func (c cursor) entries() []cursor {
	if c.v == nil {
		return nil
	}
	m, ok := c.v.(map[string]any)
	if !ok {
		c.fail("expected a mapping (key: value), got %s", valueWord(c.v))
		return nil
	}
	var out []cursor
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, c.at(key))
	}
	return out
}

// key is the last word of the path.
func (c cursor) key() string {
	if len(c.path) == 0 {
		return ""
	}
	key, _ := c.path[len(c.path)-1].(string)
	return key
}

// meant refuses a key that is one slip away from a known one: where a kind's schema
// is not at hand, a misspelt count would be a wrong reading.
func (c cursor) meant(known ...string) cursor {
	m, _ := c.v.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		for _, k := range known {
			_, both := m[k]
			if key != k && !both && !slices.Contains(known, key) && distance(strings.ToLower(key), strings.ToLower(k)) <= 1 {
				c.at(key).fail("unknown field; did you mean %s?", k)
			}
		}
	}
	return c
}

func (c cursor) text() string {
	switch v := c.v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	c.fail("expected a string, got %s", valueWord(c.v))
	return ""
}

// words are a mapping of strings, such as labels.
func (c cursor) words() map[string]string {
	var out map[string]string
	for _, e := range c.entries() {
		if out == nil {
			out = make(map[string]string)
		}
		out[e.key()] = e.text()
	}
	return out
}

func (c cursor) truth() bool {
	switch v := c.v.(type) {
	case nil:
		return false
	case bool:
		return v
	}
	c.fail("expected true or false, got %s", valueWord(c.v))
	return false
}

// number is a whole number from 0 up; unset where nothing is given.
func (c cursor) number(unset int32) int32 {
	if c.v == nil {
		return unset
	}
	n, whole := int64(0), false
	switch v := c.v.(type) {
	case float64:
		n, whole = int64(v), v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32
	case int64:
		n, whole = v, true
	case int:
		n, whole = int64(v), true
	}
	switch {
	case !whole:
		c.fail("expected a whole number, got %s", valueWord(c.v))
	case n < 0 || n > math.MaxInt32:
		c.fail("%d is out of range; expected 0 to %d", n, math.MaxInt32)
	default:
		return int32(n)
	}
	return unset
}

// fail records the first fault, with the place in the file.
func (c cursor) fail(format string, args ...any) {
	if c.in.err != nil {
		return
	}
	o := c.in.object
	msg := o.String() + ": "
	if len(c.path) > 0 {
		msg += pathText(c.path) + ": "
	}
	c.in.err = &Error{File: o.file, Line: c.line(), Msg: msg + fmt.Sprintf(format, args...)}
}

// line is where the file says this, or what is nearest around it.
func (c cursor) line() int { return lineOf(c.in.object.node, c.path) }

func lineOf(n *yaml.Node, path []any) int {
	if n == nil {
		return 0
	}
	line := n.Line
	for _, step := range path {
		switch s := step.(type) {
		case string:
			n = child(n, s)
		case int:
			if n.Kind != yaml.SequenceNode || s >= len(n.Content) {
				return line
			}
			n = n.Content[s]
		}
		if n == nil {
			return line
		}
		if n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		line = n.Line
	}
	return line
}

// pathText writes a path as people do; a key that is no plain word, such as an
// annotation's, stands in brackets.
func pathText(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch s := step.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(s) + "]")
		case string:
			if strings.ContainsAny(s, "./") {
				b.WriteString("[" + s + "]")
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

func valueWord(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}
