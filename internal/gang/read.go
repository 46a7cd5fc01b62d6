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

// reader reads one convention's documents.
type reader struct {
	// matches says whether a document of this apiVersion and kind is its.
	matches func(apiVersion, kind string) bool
	read    func(d document) (Gang, error)
}

// readers are the conventions that can be read; the first that matches reads.
var readers = []reader{
	{matches: func(apiVersion, kind string) bool { return apiVersion == "" && kind == "" }, read: readGangYAML},
	{matches: func(apiVersion, kind string) bool { return apiVersion == "batch/v1" && kind == "Job" }, read: readJob},
}

// document is one YAML document, or one item of a List.
type document struct {
	file             string
	root             *yaml.Node
	apiVersion, kind string
}

// Read reads the one gang that a file holds. Objects that are no gangs, such as a
// ConfigMap beside the job, are passed over and noted. Every error about the
// content is an *Error.
func Read(file string, data []byte) (Gang, error) {
	gangs, passed, err := readAll(file, data)
	if err != nil {
		return Gang{}, err
	}
	switch len(gangs) {
	case 1:
		for _, p := range passed {
			gangs[0].Origin.Notes = append(gangs[0].Origin.Notes, p+" is no gang: passed over")
		}
		return gangs[0], nil
	case 0:
		e := &Error{File: file, Msg: "holds no gang", Hint: "expected a gang.yaml (pod_sets: ...) or a batch/v1 Job"}
		if len(passed) > 0 {
			e.Msg += ", only " + strings.Join(passed, ", ")
		}
		return Gang{}, e
	default:
		second := gangs[1].Origin
		return Gang{}, &Error{File: file, Line: second.Line(""),
			Msg:  fmt.Sprintf("a second gang, of %d; one at a time is placed", len(gangs)),
			Hint: "put each into a file of its own"}
	}
}

func readAll(file string, data []byte) (gangs []Gang, passed []string, err error) {
	if len(data) > MaxBytes {
		return nil, nil, &Error{File: file, Msg: fmt.Sprintf("is %d bytes long, at most %d are read", len(data), MaxBytes)}
	}
	documents, err := split(file, data)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range documents {
		gang, name, err := readOne(d)
		switch {
		case err != nil:
			return nil, nil, err
		case name != "":
			passed = append(passed, name)
		default:
			gangs = append(gangs, gang)
		}
	}
	return gangs, passed, nil
}

// readOne reads a document; passed names an object that is no gang.
func readOne(d document) (gang Gang, passed string, err error) {
	for _, r := range readers {
		if r.matches(d.apiVersion, d.kind) {
			gang, err = r.read(d)
			return gang, "", err
		}
	}
	if makesNoPods(d.kind) {
		return Gang{}, describe(d), nil
	}
	return Gang{}, "", refuseKind(d)
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
		for _, item := range child(root, "items").Content {
			documents = append(documents, document{file: file, root: item, apiVersion: text(item, "apiVersion"), kind: text(item, "kind")})
		}
	}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// syntaxError gives the parser's word with its line, and says so where a template
// was not rendered.
func syntaxError(file string, data []byte, err error) error {
	e := &Error{File: file, Msg: err.Error()}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Msg = "not YAML: " + m[2]
	}
	if bytes.Contains(data, []byte("{{")) {
		e.Hint = "a template's {{ ... }} is left in it: render it first, for example with helm template"
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
