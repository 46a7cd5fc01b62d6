package cluster

import (
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// SchemeInfo is the layers in force.
type SchemeInfo struct {
	Name         string // a preset's, "custom", or "source"
	Layers       []LayerInfo
	NodeLayer    string
	Guessed      bool // no node carried any preset's labels
	Disconnected bool // several roots are networks of their own
}

// LayerInfo is one layer. Hidden: no node carries it.
type LayerInfo struct {
	Name, Short string
	Domains     int32
	Hidden      bool
}

// SideLayer is a second hierarchy beside the network.
type SideLayer struct {
	Name           string
	Domains, Nodes int32
}

// Topology is one page of the tree in path order.
type Topology struct {
	Scheme        SchemeInfo
	Domains       []Domain
	SideLayers    []SideLayer
	Sources       []SourceStatus
	Warnings      []string
	NextPageToken string
	Revision      ledger.Revision
}

// Domain is one place in the network and what is below it.
type Domain struct {
	Ref         DomainRef
	Nodes       int32
	Unhealthy   int32
	Kids        int32
	Resources   []Amount
	Direct      []NodeView   // the nodes on this very domain, where asked for
	Maintenance *Maintenance // on the very domain
	Continued   bool         // the rest of a domain that began on the page before
}

// Amount is how much there is of one resource. Unhealthy nodes count in Total,
// Held and Used, never in Free.
type Amount struct {
	Name                    string
	Total, Free, Held, Used int64 // base units; cpu in thousandths of a core
}

// NodeView is a machine.
type NodeView struct {
	Name         string
	Parent       DomainRef
	InstanceType string
	ProviderID   string
	Health       NodeHealth
	HealthDetail string
	Taints       []string // that keep pods away, as key=value:Effect
	Resources    []Amount // none where capacities are unknown
	Known        bool     // capacities are known
	Holds        []NodeHold
	Sides        map[string]string
	Missing      []string // layers it lacks, hidden ones left out
	OtherPods    int32
	Maintenance  *Maintenance // on the node itself
}

// NodeHealth is the contract's word for whether a node takes pods.
type NodeHealth string

// The healths.
const (
	HealthOK          NodeHealth = "OK"
	HealthNotReady    NodeHealth = "NOT_READY"
	HealthCordoned    NodeHealth = "CORDONED"
	HealthProviderBad NodeHealth = "PROVIDER_UNHEALTHY"
)

// NodeHold is a run of ranks that a placement holds on a node.
type NodeHold struct {
	Gang         ledger.Gang
	PodSet       string
	First, Count int32
	State        ledger.State
	Priority     int32
}

// SourceStatus is where nodes and pods come from, and how fresh they are.
type SourceStatus struct {
	Kind, Detail string
	Updated      time.Time // last read, or known to be quiet
	Stale        bool      // cannot be reached or read now
	Error        string
}

// FreeResult is what is free for a shape.
type FreeResult struct {
	Layers        []LayerFree
	Domains       []DomainFree // with room, by layer, then path
	NextPageToken string
	Revision      ledger.Revision
}

// LayerFree sums one layer up.
type LayerFree struct {
	Layer         string
	Free          int64
	Largest       int64
	Fragmentation float64
	WithRoom      int32
	Domains       int32
}

// DomainFree is how many pods of the shape one domain could take, now and on
// its healthy nodes empty; Nodes are those with room for one.
type DomainFree struct {
	Ref   DomainRef
	Free  int64
	Total int64
	Nodes int32
}

// SharedResult says what nodes share.
type SharedResult struct {
	Nodes         []string // compared, in path order
	Deepest       *DomainRef
	Shared        []string // layers
	Unshared      []string
	Groups        []SharedDomain
	SideGroups    []SharedDomain
	Pairs         []NodePair
	NextPageToken string
	Revision      ledger.Revision
}

// SharedDomain is a domain and the nodes in it, in path order.
type SharedDomain struct {
	Ref   DomainRef
	Nodes []string
}

// NodePair is how far two of SharedResult.Nodes are apart.
type NodePair struct{ First, Second, Hops int32 }
