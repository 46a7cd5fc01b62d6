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
}

// Origin says which document a gang came from.
type Origin struct {
	File       string
	Convention string // "gang.yaml", "job"
	Kind       string // the object's kind; empty for gang.yaml
	// GenerateName is set instead of a name where the API server would make one.
	GenerateName string
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
