package gang

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Object is one Kubernetes object, unstructured, from whichever feeder: a document
// of a file, or an owner that a cluster holds. Conventions read objects and never
// ask where they come from.
type Object struct {
	APIVersion, Kind              string
	Namespace, Name, GenerateName string
	UID                           string
	Labels, Annotations           map[string]string
	// Content is the whole object as JSON has it: maps by string, lists, strings,
	// numbers, truth values.
	Content map[string]any

	file string
	node *yaml.Node // nil for an object of a cluster; gives lines where there is one
}

// NewObject takes an object that is in memory; messages name it by source.
func NewObject(source string, content map[string]any) (*Object, error) {
	o := &Object{file: source, Content: content}
	return o, o.head()
}

// head reads what every object has.
func (o *Object) head() error {
	r := &reading{object: o}
	root := r.root()
	o.APIVersion, o.Kind = root.at("apiVersion").text(), root.at("kind").text()
	meta := root.at("metadata")
	o.Namespace, o.Name = meta.at("namespace").text(), meta.at("name").text()
	o.GenerateName, o.UID = meta.at("generateName").text(), meta.at("uid").text()
	o.Labels, o.Annotations = meta.at("labels").words(), meta.at("annotations").words()
	return r.err
}

// group is the API group: empty for the core's.
func (o *Object) group() string {
	group, _, found := strings.Cut(o.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// String names the object in messages: "Job team-a/llama".
func (o *Object) String() string {
	name := o.Name
	if name == "" {
		name = o.GenerateName
	}
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	if name == "" {
		return o.Kind
	}
	return o.Kind + " " + name
}

// in is the namespace to compare by: a file that names none means the caller's,
// which is "default" unless said otherwise.
func in(namespace string) string {
	if namespace == "" {
		return "default"
	}
	return namespace
}

// object makes an Object of a YAML document.
func (d document) object() (*Object, error) {
	o := &Object{file: d.file, node: d.root, APIVersion: d.apiVersion, Kind: d.kind}
	if err := placeholders(d); err != nil {
		return nil, err
	}
	var tree any
	if err := d.root.Decode(&tree); err != nil {
		return nil, &Error{File: d.file, Line: d.root.Line, Msg: describe(d) + ": " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	// Through JSON, as an API server would see it; it also refuses keys that are no
	// words, and numbers that JSON has not.
	raw, err := json.Marshal(tree)
	if err != nil {
		return nil, &Error{File: d.file, Line: d.root.Line, Msg: describe(d) + ": a key is no word: " + err.Error()}
	}
	if err := json.Unmarshal(raw, &o.Content); err != nil {
		return nil, &Error{File: d.file, Line: d.root.Line, Msg: describe(d) + ": expected a mapping (key: value)"}
	}
	return o, o.head()
}
