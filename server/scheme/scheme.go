package scheme

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Hostname is the label at the bottom of every Kubernetes scheme: the node itself.
const Hostname = "kubernetes.io/hostname"

// MaxLayers bounds a scheme's layers above the node.
const MaxLayers = 8

// Scheme is the ordered list of layers in force.
type Scheme struct {
	Name   string   // the preset's name, or "custom"
	Layers []string // label keys, root (widest) first, without the node
	Node   string   // the word for the node itself: Hostname, "instance", "node"
}

// Node is what this package needs to know of a machine.
type Node struct {
	Name         string
	InstanceType string // empty where unknown
	Labels       map[string]string
}

// Path is the node's domain names from the root down. It ends at the first
// layer whose label is missing or empty: deeper labels are not believed, since a
// domain is known by its full path only.
func (s Scheme) Path(labels map[string]string) []string {
	n := 0
	for n < len(s.Layers) && labels[s.Layers[n]] != "" {
		n++
	}
	path := make([]string, n)
	for i := range path {
		path[i] = labels[s.Layers[i]]
	}
	return path
}

// deepest is one more than the index of the lowest layer that labels carry,
// whether or not the layers above it are there; 0 for none.
func (s Scheme) deepest(labels map[string]string) int {
	for i := len(s.Layers); i > 0; i-- {
		if labels[s.Layers[i-1]] != "" {
			return i
		}
	}
	return 0
}

// Hidden says, per layer, that no node has a domain in it: such layers stay in
// the scheme (a first node of that depth joins without a change) and out of what
// people are shown.
func (s Scheme) Hidden(nodes []Node) []bool {
	hidden := make([]bool, len(s.Layers))
	for i := range hidden {
		hidden[i] = true
	}
	for _, n := range nodes {
		for i, key := range s.Layers {
			if n.Labels[key] != "" {
				hidden[i] = false
			}
		}
	}
	return hidden
}

// Shown is the scheme's words without hidden layers, the node's last.
func (s Scheme) Shown(nodes []Node) []string {
	var words []string
	for i, hide := range s.Hidden(nodes) {
		if !hide {
			words = append(words, s.Layers[i])
		}
	}
	return append(words, s.Node)
}

// Short is a layer's name for people: what follows the last slash, and for the
// AWS layers "layer-N". Layer len(Layers) is the node.
func (s Scheme) Short(layer int) string {
	if layer == len(s.Layers) {
		return "node"
	}
	_, name, found := strings.Cut(s.Layers[layer], "/")
	if !found {
		name = s.Layers[layer]
	}
	return strings.TrimPrefix(name, "network-node-")
}

// Custom is a scheme of one's own: label keys, root first. A trailing Hostname
// is folded into the node; anywhere else it is refused, as are an empty list, an
// empty or unprintable key, a key given twice, and more than MaxLayers. An empty
// node means Hostname.
func Custom(layers []string, node string) (Scheme, error) {
	if node == "" {
		node = Hostname
	}
	if n := len(layers); n > 0 && layers[n-1] == node {
		layers = layers[:n-1]
	}
	if len(layers) == 0 {
		return Scheme{}, errors.New("scheme: no layers given; expected label keys, the widest layer first")
	}
	if len(layers) > MaxLayers {
		return Scheme{}, fmt.Errorf("scheme: %d layers given, at most %d are supported", len(layers), MaxLayers)
	}
	seen := make(map[string]int, len(layers))
	for i, key := range layers {
		if err := checkKey(key, node); err != nil {
			return Scheme{}, fmt.Errorf("scheme: layers[%d]: %w", i, err)
		}
		if first, twice := seen[key]; twice {
			return Scheme{}, fmt.Errorf("scheme: layers[%d]: label key %q is already layers[%d]; each key may be given once", i, key, first)
		}
		seen[key] = i
	}
	return Scheme{Name: "custom", Layers: append([]string(nil), layers...), Node: node}, nil
}

func checkKey(key, node string) error {
	switch {
	case key == "":
		return errors.New("the label key is empty")
	case key == node || key == Hostname:
		return fmt.Errorf("%q is the node itself; it is always the last and need not be listed", key)
	case len(key) > 317: // a DNS name of 253, a slash, a name of 63
		return fmt.Errorf("the label key is %d bytes long, at most 317 are allowed", len(key))
	}
	for _, r := range key {
		if r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return fmt.Errorf("label key %q holds a blank or a character that cannot be printed", key)
		}
	}
	return nil
}
