package placer

// Reason is why a node cannot take one more pod of a shape. Each node counts
// once, under the first reason that applies, in this order.
type Reason uint8

// The reasons, in the order in which they are asked.
const (
	ReasonUnhealthy Reason = iota
	ReasonTaint
	ReasonFilter
	ReasonLabelMissing
	ReasonTooSmall
	ReasonMaintenance
	ReasonScheduler
	ReasonHeld
	ReasonUsed
	ReasonLimit // max_per_node or slices leave less than one pod
	ReasonFits
	numReasons
)

// ReasonCount is how many nodes fall under one reason. Detail tells reasons of
// one kind apart: the health, the taint, the resource that is too small, why the
// node is barred.
type ReasonCount struct {
	Reason Reason
	Detail string
	Nodes  int32
}

// Miss is the domain of one layer that came nearest.
type Miss struct {
	Layer Layer
	// Domain is Root where no node has the layer.
	Domain DomainID
	// Node is set instead of Domain at the node layer.
	Node NodeID
	// Pods is how many of the pod set fit there.
	Pods int64
}

// Refusal says why a gang cannot be placed.
type Refusal struct {
	// PodSet is the index of the pod set that does not fit; -1 where each fits
	// alone but not all together.
	PodSet int
	// Binding is the layer whose limit refused the gang; NoLayer where it is the
	// whole cluster.
	Binding Layer
	// Best is the domain that came nearest, Fits the pods that fit there, Want
	// the pods that had to.
	Best     DomainID
	BestNode NodeID
	Fits     int64
	Want     int64
	// Misses has one entry per layer, widest first, the node last.
	Misses []Miss
	// Proven is false where the budget ended before the search did.
	Proven bool
}
