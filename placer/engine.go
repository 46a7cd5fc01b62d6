package placer

import (
	"cmp"
	"slices"
	"strings"
)

// Engine holds the graph, what each node has free, and the counts of every
// live shape. It has one owner: no method may run beside another.
type Engine struct {
	scheme Scheme
	layers int // len(scheme.Layers); nodes attach at depth 0..layers

	res     registry
	classes classTable
	totals  totalTable
	nodes   []node
	names   map[string]NodeID
	bars    map[NodeID]string // why a node is barred
	spare   []NodeID          // removed nodes' ordinals
	count   int               // live nodes

	doms     []domain
	kidOf    map[kidKey]DomainID
	spareDom []DomainID
	order    [][]DomainID // per depth, the domains in path order
	parents  [][]DomainID // per depth, those of order[depth-1] that have kids
	attached []int        // per depth, the nodes whose deepest domain is there
	dirty    []DomainID   // domains whose children changed since settle
	reorder  bool         // a domain came or went since settle

	free []int64 // [node*res.n+resource]: total - used - held
	held []int64 // [node*res.n+resource]

	shapes    map[string]*Shape
	slots     []*Shape  // live shapes by slot; nil = unused
	stride    int       // width of the per-node and per-domain rows below
	fit       []int32   // [node*stride+slot]: pods of the shape that fit
	pods      []int64   // [domain*stride+slot]: pods that fit, before slices cut it
	have      []uint64  // [domain*stride+slot]: bit min(f,63) set where a node below has fit f>0
	ceil      []ceiling // [domain*stride+slot]: see ceiling.go
	clock     int64     // counts uses of shapes, for the least recently used
	maxLive   int
	nodeArena arena
	kidArena  arena

	// disconnected says that the domains of the first layer share no network.
	disconnected bool

	scratch scratch
}

// node is one machine, in one cache line. Labels that many nodes share live in
// its class.
type node struct {
	name      string
	own       *[]Label // labels that its class leaves out and path and name don't tell
	dom       DomainID
	pos       int32 // place among its domain's nodes, in path order
	class     int32
	total     int32 // index into totals; -1 = capacities unknown
	usedPods  int32 // pods outside any placement that bar an exclusive one
	heldPods  int32 // pods of placements
	exclusive int32 // exclusive pods of placements
	health    Health
	live      bool
	barred    bool // maintenance hold
	pathSays  bool // topology labels are those of the path
	nameSays  bool // the host name label is the node's name
}

// domain is one place in a layer. Children are in path order once settled.
type domain struct {
	name   string
	parent DomainID
	depth  int8
	live   bool
	dirty  bool
	pos    int32  // place among its parent's kids
	stale  uint64 // per slot: the run of its nodes is to be sorted before it is read
	kids   []DomainID
	nodes  []NodeID
	total  int32 // nodes below, itself included
	nodeAt region
	kidAt  region
}

type kidKey struct {
	parent DomainID
	name   string
}

// DefaultLiveShapes is how many shapes keep counts at once where LimitShapes
// does not say; domain.stale has a bit for each.
const DefaultLiveShapes = 64

// New returns an engine without nodes. The scheme is fixed for its life.
func New(scheme Scheme) *Engine {
	e := &Engine{
		scheme:   scheme,
		layers:   len(scheme.Layers),
		names:    map[string]NodeID{},
		bars:     map[NodeID]string{},
		kidOf:    map[kidKey]DomainID{},
		shapes:   map[string]*Shape{},
		order:    make([][]DomainID, len(scheme.Layers)+1),
		parents:  make([][]DomainID, len(scheme.Layers)+1),
		attached: make([]int, len(scheme.Layers)+1),
		maxLive:  DefaultLiveShapes,
		stride:   8,
	}
	e.res.init()
	e.classes.init(scheme)
	e.totals.init()
	e.doms = append(e.doms, domain{parent: -1, live: true})
	e.pods = make([]int64, e.stride)
	e.have = make([]uint64, e.stride)
	e.ceil = make([]ceiling, e.stride)
	e.order[0] = []DomainID{Root}
	return e
}

// Scheme returns the scheme in force.
func (e *Engine) Scheme() Scheme { return e.scheme }

// LimitShapes bounds how many shapes keep counts at once; at least 2, at most
// 64. More cost memory and time for every node change, fewer are counted anew
// more often.
func (e *Engine) LimitShapes(n int) {
	e.maxLive = min(max(n, 2), DefaultLiveShapes)
	for i, s := range e.slots {
		if i >= e.maxLive && s != nil {
			e.deactivate(s)
		}
	}
	e.slots = e.slots[:min(len(e.slots), e.maxLive)]
}

// SetDisconnected says whether the domains of the first layer are networks of
// their own, so that no gang spans them unless it says so.
func (e *Engine) SetDisconnected(yes bool) { e.disconnected = yes }

// Len is the number of nodes.
func (e *Engine) Len() int { return e.count }

// NodeByName finds a node.
func (e *Engine) NodeByName(name string) (NodeID, bool) {
	id, ok := e.names[name]
	return id, ok
}

// NodeName is the node's name.
func (e *Engine) NodeName(id NodeID) string { return e.nodes[id].name }

// NodeDomain is the deepest domain that the node is in; Root where it has no
// topology label.
func (e *Engine) NodeDomain(id NodeID) DomainID { return e.nodes[id].dom }

// NodeHealth is the node's health as last told.
func (e *Engine) NodeHealth(id NodeID) Health { return e.nodes[id].health }

// DomainLayer is the layer of a domain; NoLayer for Root.
func (e *Engine) DomainLayer(d DomainID) Layer { return Layer(e.doms[d].depth) - 1 }

// DomainParent is the domain above; Root's is -1.
func (e *Engine) DomainParent(d DomainID) DomainID { return e.doms[d].parent }

// DomainSize is the number of nodes in the domain.
func (e *Engine) DomainSize(d DomainID) int { return int(e.doms[d].total) }

// DomainName is the last name of the domain's path; empty for Root.
func (e *Engine) DomainName(d DomainID) string { return e.doms[d].name }

// DomainPath is the domain's names from the first layer down; empty for Root.
func (e *Engine) DomainPath(d DomainID) []string {
	path := make([]string, e.doms[d].depth)
	for ; d != Root; d = e.doms[d].parent {
		path[e.doms[d].depth-1] = e.doms[d].name
	}
	return path
}

// DomainByPath finds the domain with these names from the first layer down.
func (e *Engine) DomainByPath(path []string) (DomainID, bool) {
	d := Root
	for _, name := range path {
		kid, ok := e.kidOf[kidKey{d, name}]
		if !ok {
			return 0, false
		}
		d = kid
	}
	return d, true
}

// Domains calls yield for the domains of one layer in path order.
func (e *Engine) Domains(l Layer, yield func(DomainID) bool) {
	e.settle()
	for _, d := range e.order[l+1] {
		if !yield(d) {
			return
		}
	}
}

// Kids are the domains right below d, in path order. The slice is the
// engine's own: read it before the next change.
func (e *Engine) Kids(d DomainID) []DomainID {
	e.settle()
	return e.doms[d].kids
}

// DirectNodes are the nodes whose deepest domain is d, by name. The slice is
// the engine's own: read it before the next change.
func (e *Engine) DirectNodes(d DomainID) []NodeID {
	e.settle()
	return e.doms[d].nodes
}

// ancestor is d's ancestor at the given depth, which must not be below it.
func (e *Engine) ancestor(d DomainID, depth int8) DomainID {
	for e.doms[d].depth > depth {
		d = e.doms[d].parent
	}
	return d
}

// common is the deepest domain that holds both.
func (e *Engine) common(a, b DomainID) DomainID {
	depth := min(e.doms[a].depth, e.doms[b].depth)
	a, b = e.ancestor(a, depth), e.ancestor(b, depth)
	for a != b {
		a, b = e.doms[a].parent, e.doms[b].parent
	}
	return a
}

// place finds or makes the domain with this path.
func (e *Engine) place(path []string) DomainID {
	d := Root
	for _, name := range path {
		kid, ok := e.kidOf[kidKey{d, name}]
		if !ok {
			kid = e.addDomain(d, name)
		}
		d = kid
	}
	return d
}

func (e *Engine) addDomain(parent DomainID, name string) DomainID {
	name = strings.Clone(name)
	dom := domain{name: name, parent: parent, depth: e.doms[parent].depth + 1, live: true}
	var id DomainID
	if n := len(e.spareDom); n > 0 {
		id, e.spareDom = e.spareDom[n-1], e.spareDom[:n-1]
		dom.nodeAt, dom.kidAt = region{}, region{}
		e.doms[id] = dom
	} else {
		id = DomainID(len(e.doms))
		e.doms = append(e.doms, dom)
		e.pods = append(e.pods, make([]int64, e.stride)...)
		e.have = append(e.have, make([]uint64, e.stride)...)
		e.ceil = append(e.ceil, make([]ceiling, e.stride)...)
	}
	row := int(id) * e.stride
	clear(e.pods[row : row+e.stride])
	clear(e.have[row : row+e.stride])
	clear(e.ceil[row : row+e.stride])
	e.kidOf[kidKey{parent, name}] = id
	e.doms[parent].kids = append(e.doms[parent].kids, id)
	e.touch(parent)
	e.reorder = true
	return id
}

// prune removes d and its ancestors while they are empty.
func (e *Engine) prune(d DomainID) {
	for d != Root && len(e.doms[d].kids) == 0 && len(e.doms[d].nodes) == 0 {
		dom := &e.doms[d]
		parent := dom.parent
		delete(e.kidOf, kidKey{parent, dom.name})
		e.nodeArena.drop(&dom.nodeAt)
		e.kidArena.drop(&dom.kidAt)
		kids := e.doms[parent].kids
		i := slices.Index(kids, d)
		e.doms[parent].kids = slices.Delete(kids, i, i+1)
		*dom = domain{dirty: dom.dirty}
		e.spareDom = append(e.spareDom, d)
		e.touch(parent)
		e.reorder = true
		d = parent
	}
}

// touch marks d's children as changed, to be put in order by settle.
func (e *Engine) touch(d DomainID) {
	if !e.doms[d].dirty {
		e.doms[d].dirty = true
		e.dirty = append(e.dirty, d)
	}
}

// settle puts the children of changed domains in path order and rebuilds their
// runs: O(siblings) for a join, so a batch of joins costs one pass.
func (e *Engine) settle() {
	if len(e.dirty) == 0 {
		return
	}
	for _, d := range e.dirty {
		dom := &e.doms[d]
		dom.dirty = false
		if !dom.live {
			continue
		}
		slices.SortFunc(dom.kids, func(a, b DomainID) int { return cmp.Compare(e.doms[a].name, e.doms[b].name) })
		for i, kid := range dom.kids {
			e.doms[kid].pos = int32(i)
		}
		slices.SortFunc(dom.nodes, func(a, b NodeID) int { return cmp.Compare(e.nodes[a].name, e.nodes[b].name) })
		for i, n := range dom.nodes {
			e.nodes[n].pos = int32(i)
		}
		e.reserve(d)
		for _, s := range e.slots {
			if s != nil {
				e.rebuild(s, d)
			}
		}
	}
	e.dirty = e.dirty[:0]
	if e.reorder {
		e.reorder = false
		e.renumber()
	}
}

// renumber lists the domains of each depth in path order.
func (e *Engine) renumber() {
	for depth := 1; depth <= e.layers; depth++ {
		list, parents := e.order[depth][:0], e.parents[depth][:0]
		for _, d := range e.order[depth-1] {
			if kids := e.doms[d].kids; len(kids) > 0 {
				list = append(list, kids...)
				parents = append(parents, d)
			}
		}
		e.order[depth], e.parents[depth] = list, parents
	}
}
