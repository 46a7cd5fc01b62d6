package gang

import "strings"

// View is a file's reading as `hopwise gangs` prints it; the names of its fields are
// promised.
type View struct {
	File    string    `json:"file"`
	Gangs   []Shown   `json:"gangs"`
	Ignored []Ignored `json:"ignored,omitempty"`
}

// Shown is one gang as it is shown, by Kueue's names for its pod sets.
type Shown struct {
	Convention        string             `json:"convention"`
	Kind              string             `json:"kind,omitempty"`
	Namespace         string             `json:"namespace"` // empty: the file does not say
	Name              string             `json:"name"`
	GenerateName      string             `json:"generate_name,omitempty"`
	Copies            int32              `json:"copies,omitempty"`      // so many gangs of this shape
	MinMembers        int32              `json:"min_members,omitempty"` // the least that may start; absent: all
	Elastic           *Elastic           `json:"elastic,omitempty"`
	PriorityClass     string             `json:"priority_class,omitempty"`
	Priority          int32              `json:"priority,omitempty"`
	Policy            Policy             `json:"policy,omitempty"`
	ExclusiveTopology *ExclusiveTopology `json:"exclusive_topology,omitempty"`
	PodSets           []ShownPodSet      `json:"pod_sets"`
	Warn              string             `json:"warn,omitempty"`
	Unsupported       []string           `json:"unsupported,omitempty"`
	Notes             []string           `json:"notes,omitempty"`
}

// ShownPodSet is one pod set as it is shown.
type ShownPodSet struct {
	Name            string            `json:"name"`
	Count           int32             `json:"count"` // seats, spares included
	Spares          int32             `json:"spares,omitempty"`
	MinCount        int32             `json:"min_count,omitempty"`
	Requests        map[string]string `json:"requests"` // effective, of one pod
	Exclusive       bool              `json:"exclusive,omitempty"`
	MaxPerNode      int32             `json:"max_per_node,omitempty"`
	Required        string            `json:"required,omitempty"`
	Preferred       string            `json:"preferred,omitempty"`
	Unconstrained   bool              `json:"unconstrained,omitempty"`
	Slices          []SliceView       `json:"slices,omitempty"` // outermost first
	Group           string            `json:"group,omitempty"`
	NodeSelector    map[string]string `json:"node_selector,omitempty"`
	NodeAffinity    [][]ExprView      `json:"node_affinity,omitempty"` // terms ORed, expressions ANDed
	Tolerations     []TolerationView  `json:"tolerations,omitempty"`
	PodAffinity     []string          `json:"pod_affinity,omitempty"` // topology keys
	PodAntiAffinity []string          `json:"pod_anti_affinity,omitempty"`
	After           map[string]string `json:"after,omitempty"`
}

// SliceView is a slice size and the layer that holds each slice.
type SliceView struct {
	Size  int32  `json:"size"`
	Layer string `json:"layer"`
}

// ExprView is one demand on a node's labels.
type ExprView struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// TolerationView is one toleration.
type TolerationView struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

// View shows what was read.
func (r Result) View() View {
	v := View{File: r.File, Gangs: []Shown{}, Ignored: r.Ignored}
	for _, g := range r.Gangs {
		v.Gangs = append(v.Gangs, g.view())
	}
	return v
}

func (g Gang) view() Shown {
	v := Shown{
		Convention: g.Origin.Convention, Kind: g.Origin.Kind, Namespace: g.Ref.Namespace, Name: g.Ref.Name,
		GenerateName: g.Origin.GenerateName, Copies: g.Copies, MinMembers: g.MinCount, Elastic: g.Elastic,
		PriorityClass: g.PriorityClass, Priority: g.Priority, Policy: g.Policy, ExclusiveTopology: g.ExclusiveTopology,
		Warn: strings.Join(g.Origin.Warnings, "; "), Notes: g.Origin.Notes,
	}
	for _, u := range g.unsupported() {
		v.Unsupported = append(v.Unsupported, u.Name+": "+u.Text)
	}
	for _, p := range g.PodSets {
		if p.Constraint == nil {
			p.Constraint = g.Constraint
		}
		v.PodSets = append(v.PodSets, p.view())
	}
	return v
}

func (p PodSet) view() ShownPodSet {
	v := ShownPodSet{
		Name: firstWord(p.Name, "main"), Count: p.Count, Spares: p.Spares, MinCount: p.MinCount, Requests: p.Requests,
		Exclusive: p.Exclusive, MaxPerNode: p.MaxPerNode, Group: p.Group, PodAffinity: p.PodAffinity,
		PodAntiAffinity: p.PodAntiAffinity, After: p.StartsAfter,
	}
	if v.Requests == nil {
		v.Requests = map[string]string{}
	}
	if c := p.Constraint; c != nil {
		v.Required, v.Preferred, v.Unconstrained = c.RequiredLayer, c.PreferredLayer, c.Unconstrained
	}
	for _, s := range p.Slices {
		v.Slices = append(v.Slices, SliceView{Size: s.Size, Layer: s.Layer})
	}
	if f := p.Filter; f != nil {
		v.NodeSelector = f.Labels
		for _, t := range f.Terms {
			expressions := []ExprView{}
			for _, e := range t.Expressions {
				expressions = append(expressions, ExprView{Key: e.Key, Operator: string(e.Operator), Values: e.Values})
			}
			v.NodeAffinity = append(v.NodeAffinity, expressions)
		}
		for _, t := range f.Tolerations {
			v.Tolerations = append(v.Tolerations, TolerationView{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect)})
		}
	}
	return v
}
