package placer

// NodeID is a node's ordinal inside one Engine. It is valid from Upsert until
// Remove and may be given to another node afterwards.
type NodeID int32

// NoNode is the NodeID of no node.
const NoNode NodeID = -1

// DomainID is a domain's ordinal inside one Engine. Root is the whole cluster.
type DomainID int32

// Root is the domain that holds everything; it is above the first layer.
const Root DomainID = 0

// Layer is a place in a Scheme: 0 is the widest layer, len(Scheme.Layers)-1
// the narrowest, and len(Scheme.Layers) the node itself.
type Layer int8

// NoLayer says that a constraint is not given.
const NoLayer Layer = -1

// Scheme is the ordered list of layers in force, root first, and the word for
// the node itself at the bottom. Both are the names that requests use.
type Scheme struct {
	Layers []string
	Node   string
}

// NodeLayer is the layer of the node itself, one below the narrowest layer.
func (s Scheme) NodeLayer() Layer { return Layer(len(s.Layers)) }

// Name is the layer's name; empty for NoLayer.
func (s Scheme) Name(l Layer) string {
	switch {
	case l < 0 || int(l) > len(s.Layers):
		return ""
	case int(l) == len(s.Layers):
		return s.Node
	}
	return s.Layers[l]
}

// Health says whether a node may take pods at all, apart from taints.
type Health uint8

// Healthy takes pods; each other value keeps every pod away.
const (
	Healthy Health = iota
	NotReady
	Cordoned
	ProviderUnhealthy
)

// Label is one key and its value.
type Label struct{ Key, Value string }

// Effect is what a taint does to pods that do not tolerate it.
type Effect uint8

// PreferNoSchedule keeps nobody out and is listed for completeness.
const (
	NoSchedule Effect = iota
	NoExecute
	PreferNoSchedule
)

// Taint keeps pods that do not tolerate it away from a node.
type Taint struct {
	Key, Value string
	Effect     Effect
}

// Resources maps a resource name to an amount: cpu in thousandths of a core,
// everything else in its base unit. "pods" is the number of pods.
type Resources map[string]int64

// PodsResource is the resource of which every pod takes one.
const PodsResource = "pods"

// Node is a machine as its source reports it.
type Node struct {
	Name string
	// Path holds the node's domain names from the root down. It is shorter than
	// the scheme where a label is missing; nothing below a missing label counts.
	Path []string
	// Labels are matched by filters. Topology labels and the host name belong
	// in here too.
	Labels []Label
	Taints []Taint
	Health Health
	// Total is what the node can give. A resource that is not in it is not there.
	// Nil says that the source knows no capacities: only exclusive pod sets
	// without requests fit then.
	Total Resources
	// Used is what pods hold that no placement accounts for.
	Used Resources
	// UsedPods counts the pods behind Used that bar an exclusive pod set:
	// all but those of DaemonSets and static ones.
	UsedPods int32
}

// Operator is a node selector's operator, with Kubernetes' meaning.
type Operator uint8

// The six operators of Kubernetes node affinity.
const (
	In Operator = iota
	NotIn
	Exists
	DoesNotExist
	Gt
	Lt
)

// Expression is one requirement on a node's labels.
type Expression struct {
	Key      string
	Operator Operator
	Values   []string
}

// Term is a list of expressions of which all must hold. An empty term matches
// no node.
type Term []Expression

// Toleration lets a pod onto a node in spite of a taint.
type Toleration struct {
	// Key empty with Exists true tolerates everything.
	Key string
	// Exists ignores Value.
	Exists bool
	Value  string
	// AnyEffect ignores Effect.
	AnyEffect bool
	Effect    Effect
}

// PreferredTerm adds Weight to a node for every pod placed on it.
type PreferredTerm struct {
	Weight int32
	Term   Term
}

// Filter says which nodes a pod may use and which it would rather have.
type Filter struct {
	Labels      []Label
	Terms       []Term // ORed; none = no restriction
	Tolerations []Toleration
	Preferred   []PreferredTerm
}

// Slice is a fixed-size group of pods that must share one domain of a layer.
type Slice struct {
	Layer Layer
	Size  int32 // pods
}

// PodSet is pods of one shape.
type PodSet struct {
	Name     string
	Count    int32 // pods wanted, at least 1
	MinCount int32 // fewest pods that will do; 0 = Count
	// Requests are one pod's; each pod also takes one of "pods" where the node
	// counts them.
	Requests   Resources
	Exclusive  bool  // a whole node each
	MaxPerNode int32 // 0 = no limit
	Filter     Filter
	Required   Layer // NoLayer = none
	Preferred  Layer // NoLayer = none
	Slices     []Slice
	// PartialLastSlice lets the last slice be short where Count is no multiple.
	PartialLastSlice bool
	// Group names the pod sets that are placed in one common domain.
	Group string
	// After lists pod sets, by index, that have ended before this one starts.
	After []int

	shape *Shape // set by Engine.Prepare
}

// Policy chooses among the answers that satisfy every constraint.
type Policy uint8

// The policies; see README.md for what each minimises.
const (
	Tightest Policy = iota
	BestFit
	LeastFree
	Balanced
)

// Gang is what one decision is about.
type Gang struct {
	PodSets     []PodSet
	Policy      Policy
	MinCount    int32 // fewest pods over all pod sets; 0 = no floor of its own
	SpanFabrics bool
	Budget      int64 // search steps; 0 = DefaultBudget

	empty bool // decide on the healthy cluster without any usage
}

// Seat is a run of consecutive ranks of one pod set on one node.
type Seat struct {
	Node NodeID
	Pods int32
}

// SetPlacement is where one pod set goes, in rank order.
type SetPlacement struct {
	Seats []Seat
	// Pods is the number placed: Count, or less under MinCount.
	Pods int32
	// PreferenceMet is true where the preferred layer was reached, and where
	// none was asked for.
	PreferenceMet bool
}

// Answer is the outcome of a decision: either Refusal is nil and Sets holds a
// placement for each pod set, or Refusal says why not.
type Answer struct {
	Sets []SetPlacement
	// Vector counts the distinct domains used, per layer from the widest down,
	// and last the distinct nodes; over all pod sets together.
	Vector []int32
	// Aligned is the deepest domain that holds every pod; Root where none does.
	// AlignedNode is that node where one node holds all, else NoNode.
	Aligned     DomainID
	AlignedNode NodeID
	// Proven is false where the step budget cut the search; LowerBound then is a
	// vector that no answer can be below.
	Proven     bool
	LowerBound []int32
	Steps      int64
	Refusal    *Refusal
}
