package cluster

// Node is a machine as a source reports it. Sources deliver it whole; the
// cluster works out what changed.
type Node struct {
	Name       string // unique in the cluster
	UID        string // incarnation; empty where the source has none
	ProviderID string
	Labels     map[string]string
	Taints     []Taint
	// Ready is the node's own word; Unschedulable is a cordon; Provider is the
	// provider's word against the node, empty where there is none.
	Ready         bool
	Unschedulable bool
	Provider      string
	InstanceType  string
	// Total is what pods may take, in base units, cpu in thousandths of a core.
	// Nil where the source knows no capacities.
	Total map[string]int64
}

// Taint keeps pods that do not tolerate it away. Effect is Kubernetes' word.
type Taint struct{ Key, Value, Effect string }

// Pod is a pod bound to a node and not yet ended.
type Pod struct {
	Namespace, Name, UID string
	Node                 string
	Requests             map[string]int64 // effective, without "pods"
	// Static is a DaemonSet's or a mirror pod: it does not bar an exclusive gang.
	Static bool
}

// Delta is what changed in a source since its last delta. Removed nodes are
// names, removed pods are "namespace/name".
type Delta struct {
	Nodes        []Node
	RemovedNodes []string
	Pods         []Pod
	RemovedPods  []string
	// Scheme is set in the first delta of a source whose layers are its own
	// (trees without label keys): root first. Empty otherwise.
	Scheme []string
	// NodeWord is set with the first delta: the scheme's word for the node itself
	// where the source has no Kubernetes host names ("instance", "node"). Empty
	// means kubernetes.io/hostname.
	NodeWord string
	// Warnings are things a person should know about the source as it now is.
	Warnings []string
	// Replace says that the delta is the whole state: whatever it lacks is gone.
	Replace bool
}
