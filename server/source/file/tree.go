package file

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hopwise/hopwise/server/cluster"
)

// mostTreeLayers bounds a tree's depth, as scheme.MaxLayers does for labels.
const mostTreeLayers = 8

// mostChain bounds the walk that looks for rings.
const mostChain = 64

// tree is a model's switches with what building needs to know of each.
type tree struct {
	*model
	parent map[string]string
	holds  map[string]bool // a node hangs on it or below it
	height map[string]int  // layers below it that hold nodes; 0 for a leaf
}

// treeLayers names the layers of a tree, root first: leaf is the lowest, then
// spine, root the highest, and what lies between is tier-N, counted from the leaf.
func treeLayers(depth int) []string {
	names := make([]string, depth)
	for i := range names {
		switch fromLeaf := depth - 1 - i; {
		case fromLeaf == 0:
			names[i] = "leaf"
		case i == 0:
			names[i] = "root"
		case fromLeaf == 1:
			names[i] = "spine"
		default:
			names[i] = "tier-" + strconv.Itoa(fromLeaf)
		}
	}
	return names
}

// newTree checks that the model is a forest and measures it.
func newTree(m *model) (*tree, error) {
	t := &tree{model: m, parent: make(map[string]string), holds: make(map[string]bool), height: make(map[string]int)}
	for _, name := range m.order {
		for _, child := range m.switches[name].children {
			if other, twice := t.parent[child]; twice {
				return nil, fmt.Errorf("switch %q has two parents, %q and %q; expected a tree", child, other, name)
			}
			t.parent[child] = name
		}
	}
	for _, name := range m.order {
		if err := t.checkChain(name); err != nil {
			return nil, err
		}
	}
	for _, b := range m.blocks {
		if b.sw == "" {
			continue
		}
		if err := checkName("switch", b.sw); err != nil {
			return nil, at(b.where, err)
		}
		// Without any switches the blocks' are roots; else a name that none of them has is a slip.
		if m.switches[b.sw] == nil && len(m.order) > 0 {
			return nil, at(b.where, fmt.Errorf("switch %q is not among the model's switches: %s", b.sw, clip(m.order)))
		}
		if len(b.nodes) > 0 {
			t.climb(b.sw)
		}
	}
	if d := t.depth(); d > mostTreeLayers {
		return nil, fmt.Errorf("the switches are %d layers deep; expected at most %d", d, mostTreeLayers)
	}
	return t, nil
}

// checkChain refuses a switch that is its own ancestor.
func (t *tree) checkChain(name string) error {
	chain := []string{name}
	for above, ok := t.parent[name]; ok; above, ok = t.parent[above] {
		if i := slices.Index(chain, above); i >= 0 {
			return fmt.Errorf("switch %q is its own ancestor: %s", above, safe(strings.Join(append(chain[i:], above), " under ")))
		}
		if chain = append(chain, above); len(chain) > mostChain {
			return fmt.Errorf("switch %q is more than %d switches deep; expected a tree of a few layers", name, mostChain)
		}
	}
	return nil
}

// climb notes that a switch holds nodes, up to its root.
func (t *tree) climb(name string) {
	for height := 0; ; height++ {
		known := t.holds[name] && t.height[name] >= height
		t.holds[name] = true
		t.height[name] = max(t.height[name], height)
		parent, ok := t.parent[name]
		if known || !ok {
			return
		}
		name, height = parent, t.height[name]
	}
}

// depth is the number of layers: one more than the greatest height.
func (t *tree) depth() int {
	depth := 0
	for name := range t.holds {
		depth = max(depth, t.height[name]+1)
	}
	return depth
}

// path is the names from the root down for nodes on a switch. Each switch stands at
// its own height; where a parent is more than one layer higher, or the root lower
// than the scheme's, the name is repeated upward, so that all paths are of one
// length and nobody shares a domain that is not shared. A switch that has nodes
// and child switches is repeated downward for its own nodes.
func (t *tree) path(sw string, depth int) []string {
	path := make([]string, depth)
	for layer, name := 0, sw; layer < depth; layer++ {
		if parent, ok := t.parent[name]; ok && t.height[parent] <= layer {
			name = parent
		}
		path[depth-1-layer] = name
	}
	return path
}

// build makes the nodes of all models, with their layers as labels. depth is that
// of the scheme in force, or 0 at the start.
func build(models []*model, depth int) (nodes []cluster.Node, layers []string, warnings []string, err error) {
	trees := make([]*tree, len(models))
	deepest := 1 // a model whose nodes hang on no switch has a layer that they lack
	for i, m := range models {
		if trees[i], err = newTree(m); err != nil {
			return nil, nil, nil, err
		}
		deepest = max(deepest, trees[i].depth())
	}
	if depth == 0 {
		depth = deepest
	}
	if deepest > depth {
		return nil, nil, nil, fmt.Errorf("the switches are %d layers deep now, and the scheme in force has %d; restart to take the deeper one", deepest, depth)
	}
	layers = treeLayers(depth)
	seen := make(map[string]bool)
	for _, t := range trees {
		some, warn, err := t.nodesOf(layers, seen)
		if err != nil {
			return nil, nil, nil, err
		}
		nodes, warnings = append(nodes, some...), append(warnings, warn...)
	}
	return nodes, layers, warnings, nil
}

func (t *tree) nodesOf(layers []string, seen map[string]bool) (nodes []cluster.Node, warnings []string, err error) {
	var loose, empty []string
	for _, b := range t.blocks {
		labels := t.labelsOf(b, layers)
		for _, name := range b.nodes {
			if seen[name] {
				return nil, nil, at(b.where, fmt.Errorf("node %q is given twice", name))
			}
			seen[name] = true
			own := maps.Clone(labels)
			// Models know no health and no capacities.
			nodes = append(nodes, cluster.Node{Name: name, Labels: own, Ready: true})
		}
		if b.sw == "" {
			loose = append(loose, b.nodes...)
		}
	}
	for _, name := range t.order {
		if !t.holds[name] {
			empty = append(empty, name)
		}
	}
	warnings = slices.Clone(t.warnings)
	if len(loose) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d nodes hang on no switch and have no layers: %s", len(loose), clip(loose)))
	}
	if len(empty) > 0 {
		warnings = append(warnings, fmt.Sprintf("%d switches hold no nodes: %s", len(empty), clip(empty)))
	}
	return nodes, warnings, nil
}

// labelsOf is what a block's nodes carry: its own labels, then its switches', the
// nearest first, and the layers above all.
func (t *tree) labelsOf(b modelBlock, layers []string) map[string]string {
	labels := maps.Clone(b.labels)
	for name, ok := b.sw, b.sw != ""; ok; name, ok = t.parent[name] {
		sw := t.switches[name]
		if sw == nil {
			continue
		}
		for key, value := range sw.labels {
			if _, have := labels[key]; !have {
				labels[key] = value
			}
		}
	}
	for _, layer := range layers {
		delete(labels, layer)
	}
	if b.sw != "" {
		for i, name := range t.path(b.sw, len(layers)) {
			labels[layers[i]] = name
		}
	}
	return labels
}
