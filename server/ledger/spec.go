package ledger

// Spec is what was asked for a gang: all that makes it what it is. Layers are
// named, amounts are in base units with cpu in thousandths of a core.
type Spec struct {
	PodSets        []PodSet          `json:"pod_sets"`
	Constraint     *Constraint       `json:"constraint,omitempty"` // of pod sets that state none
	Policy         Policy            `json:"policy,omitempty"`
	MinCount       int32             `json:"min_count,omitempty"` // over all pod sets; 0 = no floor of its own
	Labels         map[string]string `json:"labels,omitempty"`
	SpanFabrics    bool              `json:"span_fabrics,omitempty"`
	OnUnrepairable OnUnrepairable    `json:"on_unrepairable,omitempty"`
}

// PodSet is pods of one shape.
type PodSet struct {
	Name             string           `json:"name"`
	Count            int32            `json:"count"`
	MinCount         int32            `json:"min_count,omitempty"` // 0 = Count
	Requests         map[string]int64 `json:"requests,omitempty"`  // of one pod
	Exclusive        bool             `json:"exclusive,omitempty"`
	MaxPerNode       int32            `json:"max_per_node,omitempty"` // 0 = no limit
	Filter           Filter           `json:"filter,omitzero"`
	Constraint       *Constraint      `json:"constraint,omitempty"` // nil = the gang's
	Slices           []Slice          `json:"slices,omitempty"`     // outermost first
	PartialLastSlice bool             `json:"partial_last_slice,omitempty"`
	Group            string           `json:"group,omitempty"`
	After            []string         `json:"after,omitempty"`
}

// Constraint says how near each other pods must, or should, be. The zero value
// states that there is none.
type Constraint struct {
	Required  string `json:"required,omitempty"`  // layer name; empty = none
	Preferred string `json:"preferred,omitempty"` // layer name; empty = none
}

// Slice is a group of consecutive ranks that share one domain of a layer.
type Slice struct {
	Layer string `json:"layer"`
	Size  int32  `json:"size"` // pods
}

// Filter says which nodes pods may use, with Kubernetes' meaning of each part.
type Filter struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Terms       []Term            `json:"terms,omitempty"` // ORed; none = no restriction
	Tolerations []Toleration      `json:"tolerations,omitempty"`
	Preferred   []PreferredTerm   `json:"preferred,omitempty"`
}

// Term is a list of expressions that must all hold; an empty one matches no node.
type Term []Expression

// Expression is one demand on a node's labels. Operator is Kubernetes' word.
type Expression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"` // In, NotIn, Exists, DoesNotExist, Gt, Lt
	Values   []string `json:"values,omitempty"`
}

// Toleration lets pods onto a node in spite of a taint.
type Toleration struct {
	Key    string `json:"key,omitempty"`    // empty with Exists = every taint
	Exists bool   `json:"exists,omitempty"` // whatever the value
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect,omitempty"` // NoSchedule, NoExecute, PreferNoSchedule; empty = all
}

// PreferredTerm makes the nodes that it matches more welcome.
type PreferredTerm struct {
	Weight int32 `json:"weight"` // per pod; 1 to 100
	Term   Term  `json:"term"`
}

// Policy chooses among the answers that satisfy every constraint.
type Policy uint8

// The policies. DefaultPolicy is whatever the server is configured with.
const (
	DefaultPolicy Policy = iota
	Tightest
	BestFit
	LeastFree
	Balanced
)

// OnUnrepairable says what becomes of lost ranks that no repair can move inside
// the constraint.
type OnUnrepairable uint8

// The choices; Wait is the default.
const (
	Wait OnUnrepairable = iota
	Relax
	Replace
)

// OnlyPodSet is the name of a pod set that has no other beside it and was given
// none.
const OnlyPodSet = "main"

// Normal is the spec as it is stored and compared: the only pod set has a name,
// and what is empty is nil. It shares what it did not change.
func (s Spec) Normal() Spec {
	sets := make([]PodSet, len(s.PodSets))
	for i, ps := range s.PodSets {
		if ps.Name == "" && len(sets) == 1 {
			ps.Name = OnlyPodSet
		}
		if ps.MinCount == ps.Count {
			ps.MinCount = 0
		}
		ps.Filter.Terms = orNil(ps.Filter.Terms)
		ps.Filter.Tolerations = orNil(ps.Filter.Tolerations)
		ps.Filter.Preferred = orNil(ps.Filter.Preferred)
		if len(ps.Filter.Labels) == 0 {
			ps.Filter.Labels = nil
		}
		sets[i] = ps
	}
	s.PodSets = sets
	return s
}

// orNil makes an empty list nil: the filter's zero value is left out of the
// fingerprint, and what is empty must be too.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// ConstraintOf is the constraint in force for a pod set: its own, else the
// gang's, else none.
func (s Spec) ConstraintOf(i int) Constraint {
	switch {
	case s.PodSets[i].Constraint != nil:
		return *s.PodSets[i].Constraint
	case s.Constraint != nil:
		return *s.Constraint
	}
	return Constraint{}
}

// Pods is how many pods the spec asks for.
func (s Spec) Pods() int64 {
	var n int64
	for _, ps := range s.PodSets {
		n += int64(ps.Count)
	}
	return n
}

// Floor is the fewest pods of all pod sets together that make the gang whole.
func (s Spec) Floor() int64 {
	var n int64
	for _, ps := range s.PodSets {
		if ps.MinCount > 0 {
			n += int64(ps.MinCount)
		} else {
			n += int64(ps.Count)
		}
	}
	return max(n, int64(s.MinCount))
}
