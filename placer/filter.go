package placer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// hostLabel is the label that names a node to the scheduler; it may differ
// from the node's own name.
const hostLabel = "kubernetes.io/hostname"

// class is what many nodes share: taints, and the labels without those that
// tell nodes apart.
type class struct {
	labels []Label // by key
	taints []Taint
	nodes  int // of this class now: one that has none decides nothing
}

// classTable interns classes, so that a filter is asked once per class.
type classTable struct {
	byKey map[string]int32
	list  []class
	layer map[string]int8 // topology label key → depth of its domain
}

func (t *classTable) init(scheme Scheme) {
	t.byKey = map[string]int32{}
	t.layer = map[string]int8{}
	for i, key := range scheme.Layers {
		t.layer[key] = int8(i + 1)
	}
}

// split sorts a node's labels into those of its class and those of its own.
func (t *classTable) split(n Node) (shared, own []Label, pathSays, nameSays bool) {
	told := 0
	for _, l := range n.Labels {
		depth := t.layer[l.Key]
		switch {
		case depth > 0 && int(depth) <= len(n.Path) && n.Path[depth-1] == l.Value:
			told++
			own = append(own, l)
		case depth > 0:
			own = append(own, l)
		case l.Key == hostLabel && l.Value == n.Name:
			nameSays = true
		case l.Key == hostLabel:
			own = append(own, l)
		default:
			shared = append(shared, l)
		}
	}
	if told == len(n.Path) {
		pathSays = true
		own = slices.DeleteFunc(own, func(l Label) bool {
			depth := t.layer[l.Key]
			return depth > 0 && int(depth) <= len(n.Path) && n.Path[depth-1] == l.Value
		})
	}
	return shared, slices.Clip(own), pathSays, nameSays
}

// intern finds or adds the class of these labels and taints.
func (t *classTable) intern(labels []Label, taints []Taint) int32 {
	labels = slices.Clone(labels)
	slices.SortFunc(labels, func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	var key strings.Builder
	for _, l := range labels {
		key.WriteString(strconv.Quote(l.Key))
		key.WriteString(strconv.Quote(l.Value))
	}
	key.WriteByte('|')
	for _, x := range taints {
		key.WriteString(strconv.Quote(x.Key))
		key.WriteString(strconv.Quote(x.Value))
		key.WriteByte('0' + byte(x.Effect))
	}
	if id, ok := t.byKey[key.String()]; ok {
		return id
	}
	id := int32(len(t.list))
	t.byKey[key.String()] = id
	t.list = append(t.list, class{labels: labels, taints: slices.Clone(taints)})
	return id
}

// label looks a label of a node up: first where its path and name tell it,
// then among its own, then in its class.
func (e *Engine) label(id NodeID, key string) (string, bool) {
	n := &e.nodes[id]
	if n.nameSays && key == hostLabel {
		return n.name, true
	}
	if depth := e.classes.layer[key]; depth > 0 && n.pathSays && depth <= e.doms[n.dom].depth {
		return e.doms[e.ancestor(n.dom, depth)].name, true
	}
	if n.own != nil {
		for _, l := range *n.own {
			if l.Key == key {
				return l.Value, true
			}
		}
	}
	return find(e.classes.list[n.class].labels, key)
}

func find(labels []Label, key string) (string, bool) {
	i, ok := slices.BinarySearchFunc(labels, key, func(l Label, k string) int { return cmp.Compare(l.Key, k) })
	if !ok {
		return "", false
	}
	return labels[i].Value, true
}

// holds evaluates one expression with Kubernetes' meaning: NotIn and
// DoesNotExist hold where the label is absent, Gt and Lt compare integers.
func (x Expression) holds(value string, present bool) bool {
	switch x.Operator {
	case In:
		return present && slices.Contains(x.Values, value)
	case NotIn:
		return !present || !slices.Contains(x.Values, value)
	case Exists:
		return present
	case DoesNotExist:
		return !present
	}
	if !present || len(x.Values) != 1 {
		return false
	}
	have, err1 := strconv.ParseInt(value, 10, 64)
	want, err2 := strconv.ParseInt(x.Values[0], 10, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	if x.Operator == Gt {
		return have > want
	}
	return have < want
}

type lookup func(key string) (string, bool)

func (t Term) holds(get lookup) bool {
	for _, x := range t {
		if value, ok := get(x.Key); !x.holds(value, ok) {
			return false
		}
	}
	return len(t) > 0
}

// selects says whether labels pass the filter's selector and terms.
func (f *Filter) selects(get lookup) bool {
	for _, l := range f.Labels {
		if value, ok := get(l.Key); !ok || value != l.Value {
			return false
		}
	}
	for _, t := range f.Terms {
		if t.holds(get) {
			return true
		}
	}
	return len(f.Terms) == 0
}

// weight is the sum of the preferred terms' weights that a node meets.
func (f *Filter) weight(get lookup) int64 {
	sum := int64(0)
	for _, p := range f.Preferred {
		if p.Term.holds(get) {
			sum += int64(p.Weight)
		}
	}
	return sum
}

// intolerable is the first taint that keeps the filter's pods away.
func (f *Filter) intolerable(taints []Taint) (Taint, bool) {
	for _, t := range taints {
		if t.Effect != PreferNoSchedule && !slices.ContainsFunc(f.Tolerations, func(o Toleration) bool { return o.tolerates(t) }) {
			return t, true
		}
	}
	return Taint{}, false
}

func (o Toleration) tolerates(t Taint) bool {
	if !o.AnyEffect && o.Effect != t.Effect {
		return false
	}
	if o.Key == "" {
		return o.Exists
	}
	return o.Key == t.Key && (o.Exists || o.Value == t.Value)
}

// perNode says whether the filter asks for a label that classes leave out, so
// that nodes of one class can differ.
func (t *classTable) perNode(f *Filter) bool {
	own := func(key string) bool { return key == hostLabel || t.layer[key] > 0 }
	term := func(t Term) bool { return slices.ContainsFunc(t, func(x Expression) bool { return own(x.Key) }) }
	return slices.ContainsFunc(f.Labels, func(l Label) bool { return own(l.Key) }) ||
		slices.ContainsFunc(f.Terms, term) ||
		slices.ContainsFunc(f.Preferred, func(p PreferredTerm) bool { return term(p.Term) })
}
