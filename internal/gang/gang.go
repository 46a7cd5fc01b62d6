package gang

import (
	"strconv"
	"strings"
	"time"
)

// Gang is a gang as a file describes it. Its fields are those of the contract's
// PlaceGangRequest, by the same names in gang.yaml; the contract's own types stay
// with those who call it.
type Gang struct {
	// Origin is where the gang was read.
	Origin Origin `yaml:"-"`

	Ref            Ref               `yaml:"gang"`
	PodSets        []PodSet          `yaml:"pod_sets"`
	Constraint     *Constraint       `yaml:"constraint"`
	Policy         Policy            `yaml:"policy"`
	MinCount       int32             `yaml:"min_count"`
	Priority       int32             `yaml:"priority"`
	Labels         map[string]string `yaml:"labels"`
	TTL            time.Duration     `yaml:"ttl"`
	SpanFabrics    bool              `yaml:"span_fabrics"`
	OnUnrepairable OnUnrepairable    `yaml:"on_unrepairable"`
	StepBudget     *int64            `yaml:"step_budget"`

	// What manifests say besides; gang.yaml has no words for it.

	// Copies is how many gangs of this shape the object makes (the groups of a
	// LeaderWorkerSet); 0 is one gang that goes by the name as it is.
	Copies int32 `yaml:"-"`
	// Elastic is the range that the object may be resized in.
	Elastic *Elastic `yaml:"-"`
	// PriorityClass names a class; its number stands in the cluster, unless the
	// class is in the same file: then Priority has it.
	PriorityClass string `yaml:"-"`
	// ExclusiveTopology is set where each part asks for a domain of its own.
	ExclusiveTopology *ExclusiveTopology `yaml:"-"`
	// Unsupported are demands that were read and cannot be kept to: shown, and
	// refused by Placeable.
	Unsupported []Unsupported `yaml:"-"`

	ignored []string // names that hopwise.dev/ignore leaves out of account
}

// Elastic is a range of pods; 0 is no bound on that side.
type Elastic struct {
	Min int32 `json:"min,omitempty"`
	Max int32 `json:"max,omitempty"`
}

// ExclusiveTopology asks that no two parts, nor anything else that asks the same,
// share a domain of a layer.
type ExclusiveTopology struct {
	Key string `json:"key"`
	Per string `json:"per"` // "job", "group" or "subgroup"
}

// Unsupported is a demand that no plan would keep to.
type Unsupported struct {
	Name string // what hopwise.dev/ignore calls it
	Text string

	// layer is set where all that is missing is the label behind a layer's name: no
	// matter once annotations put another in its place.
	layer string
}

// Origin says which document a gang came from.
type Origin struct {
	File       string
	Convention string // "gang.yaml", "job", and the others of conventions.go
	Kind       string // the object's kind; empty for gang.yaml
	// GenerateName is set instead of a name where the API server would make one.
	GenerateName string
	// Warnings are slips: what the file says and nothing will do.
	Warnings []string
	// Notes are what a person should know about the reading, one a line.
	Notes []string
	// lines are the file's lines by the contract's field paths.
	lines map[string]int
}

// Line is the line of the file that says a field of the contract, by the field's
// path ("pod_sets[0].count"), or of what is nearest around it; 0 where unknown.
func (o Origin) Line(path string) int {
	for {
		if line := o.lines[path]; line > 0 {
			return line
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return o.lines[""]
		}
		path = path[:cut]
	}
}

// Ref names a gang.
type Ref struct {
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
	UID       string `yaml:"uid"`
}

// PodSet is pods of one shape.
type PodSet struct {
	Name             string            `yaml:"name"`
	Count            int32             `yaml:"count"`
	MinCount         int32             `yaml:"min_count"`
	Requests         map[string]string `yaml:"requests"` // Kubernetes quantities by resource name, of one pod
	Exclusive        bool              `yaml:"exclusive"`
	MaxPerNode       int32             `yaml:"max_per_node"`
	Filter           *Filter           `yaml:"filter"`
	Constraint       *Constraint       `yaml:"constraint"`
	Slices           []Slice           `yaml:"slices"` // outermost first
	PartialLastSlice bool              `yaml:"partial_last_slice"`
	Group            string            `yaml:"group"`
	After            []string          `yaml:"after"`

	// Spares of the count are seats kept for repair.
	Spares int32 `yaml:"-"`
	// StartsAfter says what another pod set must be, "Complete" or "Ready", before
	// this one starts. Only Complete is in After: a set that is merely ready keeps
	// its seats.
	StartsAfter map[string]string `yaml:"-"`
	// PodAffinity and PodAntiAffinity are the topology keys of required terms that
	// select the set's own pods.
	PodAffinity     []string `yaml:"-"`
	PodAntiAffinity []string `yaml:"-"`
	// LeadsRanks is set where rank 0 is here, wherever the file declares the set.
	LeadsRanks bool `yaml:"-"`

	near bool // its affinity, or another set's, binds it to other sets as well
}

// Constraint says how near each other the pods must, or should, be; layers are
// label keys.
type Constraint struct {
	RequiredLayer  string `yaml:"required_layer"`
	PreferredLayer string `yaml:"preferred_layer"`
	Unconstrained  bool   `yaml:"unconstrained"`
}

// Slice is a fixed-size group of ranks that shares one domain of a layer.
type Slice struct {
	Layer string `yaml:"layer"`
	Size  int32  `yaml:"size"`
}

// Filter says which nodes the pods may use, with Kubernetes' meaning of each part.
type Filter struct {
	Labels      map[string]string `yaml:"labels"`
	Terms       []Term            `yaml:"terms"` // ORed
	Tolerations []Toleration      `yaml:"tolerations"`
	Preferred   []Preferred       `yaml:"preferred"`
}

// Term is expressions, ANDed.
type Term struct {
	Expressions []Expression `yaml:"expressions"`
}

// Expression is one demand on a node's labels.
type Expression struct {
	Key      string   `yaml:"key"`
	Operator Operator `yaml:"operator"`
	Values   []string `yaml:"values"`
}

// Preferred makes the nodes of a term more welcome, by 1 to 100 a pod.
type Preferred struct {
	Weight int32 `yaml:"weight"`
	Term   Term  `yaml:"term"`
}

// Toleration lets pods onto nodes in spite of a taint.
type Toleration struct {
	Key      string             `yaml:"key"`
	Operator TolerationOperator `yaml:"operator"`
	Value    string             `yaml:"value"`
	Effect   Effect             `yaml:"effect"`
}

// Error is what is wrong with a file, where, and what would be right.
type Error struct {
	File string
	Line int    // 1-based; 0 where unknown
	Path string // the field, such as "pod_sets[0].count"; may be empty
	Msg  string
	Hint string // what to do; may be empty
}

// Error is "file:line: path: what", and on a second line what to do.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line))
	}
	if e.Path != "" {
		b.WriteString(": " + e.Path)
	}
	b.WriteString(": " + e.Msg)
	if e.Hint != "" {
		b.WriteString("\n  " + e.Hint)
	}
	return b.String()
}
