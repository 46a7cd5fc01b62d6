package gang

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the most that a file may hold: far above any manifest.
const MaxBytes = 8 << 20

// document is one YAML document, or one item of a List.
type document struct {
	file             string
	root             *yaml.Node
	apiVersion, kind string
}

// Result is what a file holds.
type Result struct {
	File  string
	Gangs []Gang
	// Ignored are the objects that are part of no gang, with the reason.
	Ignored []Ignored
}

// NoGang is the error of a file that holds none.
func (r Result) NoGang() error {
	e := &Error{File: r.File, Msg: "holds no gang", Hint: "expected a gang.yaml (pod_sets: ...), Pods with a group, or one of " + readable()}
	var names []string
	for _, i := range r.Ignored {
		names = append(names, strings.TrimSpace(i.Kind+" "+i.Name)+" ("+i.Why+")")
	}
	if len(names) > 0 {
		e.Msg += ", only " + strings.Join(names, ", ")
	}
	return e
}

// Ignored is an object that is no gang.
type Ignored struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Why       string `json:"why,omitempty"`
}

// ReadFile reads all gangs of a file: gang.yaml documents and manifests, by every
// convention that is known. Every error about the content is an *Error.
func ReadFile(file string, data []byte, options Options) (Result, error) {
	result := Result{File: file}
	if len(data) > MaxBytes {
		return result, &Error{File: file, Msg: fmt.Sprintf("is %d bytes long, at most %d are read", len(data), MaxBytes)}
	}
	documents, err := split(file, data)
	if err != nil {
		return result, err
	}
	b := &bundle{options: options}
	for _, d := range documents {
		if d.apiVersion == "" && d.kind == "" {
			if err := placeholders(d); err != nil {
				return result, err
			}
			g, err := readGangYAML(d)
			if err != nil {
				return result, err
			}
			result.Gangs = append(result.Gangs, g)
			continue
		}
		o, err := d.object()
		if err != nil {
			return result, err
		}
		b.objects = append(b.objects, o)
	}
	gangs, ignored, err := b.gangs()
	if err != nil {
		return result, err
	}
	for _, g := range gangs {
		result.Gangs = append(result.Gangs, g.gang)
	}
	result.Ignored = ignored
	return result, nil
}

// ReadObjects reads all gangs of objects that are in memory: a pod with its owners
// and pod groups.
func ReadObjects(objects []*Object, options Options) ([]Gang, []Ignored, error) {
	b := &bundle{objects: objects, options: options}
	found, ignored, err := b.gangs()
	var gangs []Gang
	for _, g := range found {
		gangs = append(gangs, g.gang)
	}
	return gangs, ignored, err
}

// split parses the file and opens Lists.
func split(file string, data []byte) ([]document, error) {
	var documents []document
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, syntaxError(file, data, err)
		}
		if len(node.Content) == 0 || node.Content[0].Tag == "!!null" {
			continue // an empty document between two separators
		}
		root := node.Content[0]
		if root.Kind != yaml.MappingNode {
			return nil, &Error{File: file, Line: root.Line, Msg: "expected a mapping (key: value), got " + kindWord(root)}
		}
		d := document{file: file, root: root, apiVersion: text(root, "apiVersion"), kind: text(root, "kind")}
		if !strings.HasSuffix(d.kind, "List") || child(root, "items") == nil {
			documents = append(documents, d)
			continue
		}
		items := child(root, "items")
		if items.Kind != yaml.SequenceNode {
			return nil, &Error{File: file, Line: items.Line, Msg: d.kind + ": items: expected a list, got " + kindWord(items)}
		}
		for _, item := range items.Content {
			if item.Kind == yaml.AliasNode {
				item = item.Alias
			}
			if item.Kind != yaml.MappingNode {
				return nil, &Error{File: file, Line: item.Line, Msg: d.kind + ": items: expected a mapping (key: value), got " + kindWord(item)}
			}
			documents = append(documents, document{file: file, root: item, apiVersion: text(item, "apiVersion"), kind: text(item, "kind")})
		}
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// expression is a line's first template expression.
var expression = regexp.MustCompile(`\{\{[^}]*\}?\}?|\{%[^%]*%?\}?`)

// syntaxError gives the parser's word with its line, and says so where a template
// was not rendered.
func syntaxError(file string, data []byte, err error) error {
	e := &Error{File: file, Msg: err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Msg = "not YAML: " + m[2]
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if found := expression.Find(line); found != nil && !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			e.Line = i + 1
			e.Msg += fmt.Sprintf("; an unrendered template expression '%s' at line %d", clip(string(found)), i+1)
			e.Hint = "a template's {{ ... }} is left in it: render it first, for example with helm template"
			break
		}
	}
	return e
}

// child is the value of a mapping's key, nil where there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// at follows keys; the result is nil where one is missing.
func at(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		n = child(n, key)
	}
	return n
}

// lineAt is the line of the deepest of keys that there is.
func lineAt(n *yaml.Node, keys ...string) int {
	line := n.Line
	for _, key := range keys {
		if n = child(n, key); n == nil {
			break
		}
		line = n.Line
	}
	return line
}

func text(n *yaml.Node, keys ...string) string {
	if n = at(n, keys...); n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

func kindWord(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return strconv.Quote(n.Value)
}
