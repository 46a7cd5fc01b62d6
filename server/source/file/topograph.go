package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// model is a topograph model file: switches with their children, and blocks of
// nodes that hang on a switch.
type model struct {
	switches map[string]*modelSwitch
	order    []string // the switches' names, sorted
	blocks   []modelBlock
	nodes    int // named by all blocks
	warnings []string
}

type modelSwitch struct {
	name     string
	labels   map[string]string
	children []string
	declared bool // has an entry of its own; leaves need none
}

type modelBlock struct {
	where  string
	sw     string // empty: the nodes hang on no switch
	nodes  []string
	labels map[string]string // of its nodes, annotations among them
}

// rawSwitch and rawBlock hold the fields of today's format and of the older one
// (lists with names, capacity_blocks, nvlink, metadata).
type rawSwitch struct {
	Name           text            `json:"name"`
	Labels         map[string]text `json:"labels"`
	Annotations    map[string]text `json:"annotations"`
	Metadata       map[string]text `json:"metadata"`
	Switches       []text          `json:"switches"`
	CapacityBlocks []text          `json:"capacity_blocks"`
}

type rawBlock struct {
	Name        text            `json:"name"`
	Switch      text            `json:"switch"`
	Type        text            `json:"type"`
	NVLink      text            `json:"nvlink"`
	Nodes       []text          `json:"nodes"`
	Labels      map[string]text `json:"labels"`
	Annotations map[string]text `json:"annotations"`
}

// nvlinkLabel is the side layer that the older format's nvlink field becomes.
const nvlinkLabel = "accelerator.topograph.run/domain"

// text is a name. In JSON a number or truth value is refused instead of guessed at;
// YAML's come as they are written, see plainJSON.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if len(raw) == 0 || raw[0] != '"' {
		return fmt.Errorf("%.40s is %s; expected a text: put names in quotes", raw, shape(raw))
	}
	return json.Unmarshal(raw, (*string)(t))
}

func (c *content) addTopograph(doc document, top map[string]json.RawMessage) error {
	if doc.yaml != nil {
		raw, err := plainJSON(doc.yaml)
		if err != nil {
			return err
		}
		var written map[string]json.RawMessage
		if raw != nil && json.Unmarshal(raw, &written) == nil {
			top = written
		}
	}
	m := &model{switches: make(map[string]*modelSwitch)}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		switch key {
		case "switches", "blocks", "capacity_blocks":
		default:
			m.warnings = append(m.warnings, fmt.Sprintf("%s: key %q of the topograph model is not known and was passed over", safe(c.name), key))
		}
	}
	blockSwitch, err := m.addSwitches(top["switches"])
	if err != nil {
		return err
	}
	for _, key := range []string{"blocks", "capacity_blocks"} {
		if err := m.addBlocks(key, top[key], blockSwitch); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(blockSwitch)) {
		if !slices.ContainsFunc(m.blocks, func(b modelBlock) bool { return b.where == blockWhere(name) }) {
			return fmt.Errorf("switch %q: capacity block %q is not given in the file", blockSwitch[name], name)
		}
	}
	m.order = slices.Sorted(maps.Keys(m.switches))
	c.trees = append(c.trees, m)
	return nil
}

func blockWhere(name string) string { return fmt.Sprintf("capacity_blocks (%q)", name) }

// addSwitches takes a map of switches by name, or a list of them with names. It
// returns the switch of each capacity block that a switch names.
func (m *model) addSwitches(raw json.RawMessage) (map[string]string, error) {
	blockSwitch := make(map[string]string)
	entries, err := namedEntries("switches", raw)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var in rawSwitch
		if err := strict(e.raw, &in); err != nil {
			return nil, at(e.where, err)
		}
		name := e.name
		if name == "" {
			name = string(in.Name)
		}
		if err := checkName("the switch's name", name); err != nil {
			return nil, at(e.where, err)
		}
		if s := m.switches[name]; s != nil && s.declared {
			return nil, at(e.where, fmt.Errorf("switch %q is given twice", name))
		}
		sw := &modelSwitch{name: name, declared: true, labels: merged(in.Labels, in.Annotations, in.Metadata)}
		if err := checkLabels("label", sw.labels); err != nil {
			return nil, at(e.where, err)
		}
		if err := sw.addChildren(in.Switches); err != nil {
			return nil, at(e.where, err)
		}
		m.switches[name] = sw
		for _, block := range in.CapacityBlocks {
			if other, twice := blockSwitch[string(block)]; twice {
				return nil, at(e.where, fmt.Errorf("capacity block %q hangs on two switches, %q and %q", block, other, name))
			}
			blockSwitch[string(block)] = name
		}
	}
	m.addLeaves()
	return blockSwitch, nil
}

func (s *modelSwitch) addChildren(names []text) error {
	for _, name := range names {
		if err := checkName("a child's name", string(name)); err != nil {
			return err
		}
		s.children = append(s.children, string(name))
	}
	return nil
}

// addLeaves adds the switches that only their parents name.
func (m *model) addLeaves() {
	for _, name := range slices.Sorted(maps.Keys(m.switches)) {
		for _, child := range m.switches[name].children {
			if m.switches[child] == nil {
				m.switches[child] = &modelSwitch{name: child}
			}
		}
	}
}

func (m *model) addBlocks(key string, raw json.RawMessage, blockSwitch map[string]string) error {
	entries, err := namedEntries(key, raw)
	if err != nil {
		return err
	}
	names := make(map[string]bool)
	for _, e := range entries {
		var in rawBlock
		if err := strict(e.raw, &in); err != nil {
			return at(e.where, err)
		}
		b := modelBlock{where: e.where, sw: string(in.Switch), labels: merged(in.Labels, in.Annotations)}
		name := e.name
		if name == "" {
			name = string(in.Name)
		}
		if names[name] {
			return at(e.where, fmt.Errorf("block %q is given twice", name))
		}
		names[name] = name != ""
		if sw, ok := blockSwitch[name]; ok {
			if b.sw != "" && b.sw != sw {
				return at(e.where, fmt.Errorf("block %q hangs on two switches, %q and %q", name, sw, b.sw))
			}
			b.sw, b.where = sw, blockWhere(name)
		}
		if in.NVLink != "" {
			b.labels[nvlinkLabel] = string(in.NVLink)
		}
		if err := checkLabels("label", b.labels); err != nil {
			return at(e.where, err)
		}
		if b.nodes, err = m.hosts(in.Nodes); err != nil {
			return at(e.where, err)
		}
		if len(b.nodes) == 0 {
			m.warnings = append(m.warnings, fmt.Sprintf("%s: the block has no nodes", e.where))
		}
		m.blocks = append(m.blocks, b)
	}
	return nil
}

func (m *model) hosts(lists []text) ([]string, error) {
	var names []string
	for i, list := range lists {
		some, err := expand(string(list), mostHosts-m.nodes)
		if err != nil {
			return nil, at(fmt.Sprintf("nodes[%d]", i), err)
		}
		m.nodes += len(some)
		names = append(names, some...)
	}
	return names, nil
}

type entry struct {
	where, name string
	raw         json.RawMessage
}

// namedEntries reads a map by name, in the order of names, or a list.
func namedEntries(key string, raw json.RawMessage) ([]entry, error) {
	var entries []entry
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case raw[0] == '{':
		var byName map[string]json.RawMessage
		if err := json.Unmarshal(raw, &byName); err != nil {
			return nil, at(key, decodeError(err))
		}
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			entries = append(entries, entry{fmt.Sprintf("%s (%q)", key, name), name, byName[name]})
		}
	case raw[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, at(key, decodeError(err))
		}
		for i, raw := range list {
			entries = append(entries, entry{fmt.Sprintf("%s[%d]", key, i), "", raw})
		}
	default:
		return nil, at(key, fmt.Errorf("it is %s; expected a map or a list", shape(raw)))
	}
	return entries, nil
}

// strict refuses fields that are not known: a misspelt "nodes" would empty a rack.
func strict(raw json.RawMessage, into any) error {
	if string(raw) == "null" {
		return nil // "leaf-1:" with nothing after it
	}
	if raw[0] != '{' {
		return fmt.Errorf("it is %s; expected an object", shape(raw))
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return decodeError(err)
		}
		return errors.New(safe(err.Error()))
	}
	return nil
}

// merged is one map of several; the first to have a key wins.
func merged(parts ...map[string]text) map[string]string {
	all := make(map[string]string)
	for _, part := range parts {
		for key, value := range part {
			if _, have := all[key]; !have {
				all[key] = string(value)
			}
		}
	}
	return all
}
