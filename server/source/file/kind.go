package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/hopwise/hopwise/server/cluster"
)

// content is what one file says.
type content struct {
	name      string
	nodes     []cluster.Node // Kubernetes nodes, in the file's order
	pods      []cluster.Pod
	instances []instance     // EC2's
	seen      map[string]int // their ids, to find them in instances
	answers   int            // EC2 answers in the file
	more      bool           // the last of them says that there are more pages
	trees     []*model       // topograph's
	warnings  []string
}

// parse reads a whole file. Errors are *Error with the file's name.
func parse(name string, data []byte) (*content, error) {
	docs, err := split(data)
	if err != nil {
		return nil, inFile(name, 0, err)
	}
	c := &content{name: name}
	for _, doc := range docs {
		if err := c.add(doc); err != nil {
			return nil, inFile(name, doc.line, err)
		}
	}
	if err := c.checkTwice(); err != nil {
		return nil, inFile(name, 0, err)
	}
	return c, nil
}

const expected = "expected a Kubernetes Node, Pod, NodeList, PodList or List, " +
	"an EC2 describe-instance-topology answer (Instances), or a topograph model (switches, blocks)"

// add parses one document by what it looks like.
func (c *content) add(doc document) error {
	raw := doc.json
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		if len(raw) > 0 && raw[0] == '"' && strings.Contains(string(raw), "Name=") {
			return errors.New("this looks like Slurm's topology.conf, which is not read yet; " + expected)
		}
		return fmt.Errorf("the document is %s, no object; %s", shape(raw), expected)
	}
	has := func(key string) bool { _, ok := top[key]; return ok }
	switch {
	case has("kind"):
		return c.addObject(raw, top)
	case has("Instances"):
		return c.addEC2(raw)
	case has("switches"), has("blocks"), has("capacity_blocks"):
		return c.addTopograph(doc, top)
	case has("Reservations"):
		return errors.New("this is the answer of describe-instances, which says nothing of the network; expected describe-instance-topology's")
	}
	keys := make([]string, 0, len(top))
	for key := range top {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	if len(keys) == 0 {
		return errors.New("the document is an empty object; " + expected)
	}
	return fmt.Errorf("the document's keys are %s; %s", clip(keys), expected)
}

// shape names a JSON value for a message.
func shape(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "empty"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "a number"
}

// object is the head of any Kubernetes object.
type object struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Items      json.RawMessage `json:"items"`
	Metadata   struct {
		Name     string `json:"name"`
		Continue string `json:"continue"`
	} `json:"metadata"`
}

func (c *content) addObject(raw json.RawMessage, top map[string]json.RawMessage) error {
	var head object
	if err := json.Unmarshal(raw, &head); err != nil {
		return decodeError(err)
	}
	if head.APIVersion != "" && head.APIVersion != "v1" {
		return fmt.Errorf("kind %q of apiVersion %q is not read here; %s", head.Kind, head.APIVersion, expected)
	}
	switch head.Kind {
	case "Node", "Pod":
		return c.addItem(raw, head.Kind)
	case "List", "NodeList", "PodList":
		if _, ok := top["items"]; !ok {
			return fmt.Errorf("kind %q has no items", head.Kind)
		}
		if head.Metadata.Continue != "" {
			c.warnings = append(c.warnings, fmt.Sprintf("%s: the list is a part only (metadata.continue is set): incomplete", safe(c.name)))
		}
		return c.addItems(head)
	}
	return fmt.Errorf("kind %q is not read here; %s", head.Kind, expected)
}

func (c *content) addItems(list object) error {
	var items []json.RawMessage
	if err := json.Unmarshal(list.Items, &items); err != nil {
		return fmt.Errorf("items is %s; expected a list", shape(list.Items))
	}
	kindOfAll := strings.TrimSuffix(list.Kind, "List") // empty for a plain List
	for i, raw := range items {
		var head object
		if err := json.Unmarshal(raw, &head); err != nil {
			return at(fmt.Sprintf("items[%d]", i), decodeError(err))
		}
		where := fmt.Sprintf("items[%d]", i)
		if head.Metadata.Name != "" {
			where = fmt.Sprintf("items[%d] (%q)", i, head.Metadata.Name)
		}
		kind := head.Kind
		if kind == "" {
			kind = kindOfAll
		}
		if kindOfAll != "" && kind != kindOfAll {
			return at(where, fmt.Errorf("kind %q in a %s; expected %q", kind, list.Kind, kindOfAll))
		}
		if err := c.addItem(raw, kind); err != nil {
			return at(where, err)
		}
	}
	return nil
}

func (c *content) addItem(raw json.RawMessage, kind string) error {
	switch kind {
	case "Node":
		node, err := parseNode(raw)
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, node)
		return nil
	case "Pod":
		pod, counts, err := parsePod(raw)
		if err != nil {
			return err
		}
		if counts {
			c.pods = append(c.pods, pod)
		}
		return nil
	case "":
		return errors.New("kind is missing; expected Node or Pod")
	}
	return fmt.Errorf("kind %q is not read here; expected Node or Pod", kind)
}

// checkTwice refuses a file that has one name for two nodes or two pods.
func (c *content) checkTwice() error {
	nodes := make(map[string]int, len(c.nodes))
	for i, n := range c.nodes {
		if first, twice := nodes[n.Name]; twice {
			return fmt.Errorf("node %q is given twice, as nodes %d and %d of the file", n.Name, first+1, i+1)
		}
		nodes[n.Name] = i
	}
	pods := make(map[string]bool, len(c.pods))
	for _, p := range c.pods {
		if pods[podKey(p)] {
			return fmt.Errorf("pod %q is given twice", podKey(p))
		}
		pods[podKey(p)] = true
	}
	return nil
}

// decodeError takes the package's prefix off a type mismatch.
func decodeError(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s is %s; expected %s", kind.Field, kind.Value, kind.Type)
	}
	return errors.New(safe(err.Error()))
}
