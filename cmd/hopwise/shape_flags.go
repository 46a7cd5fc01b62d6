package main

import (
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/hopwise/hopwise/internal/gang"
)

// gpuResource is what --gpus counts.
const gpuResource = "nvidia.com/gpu"

// shapeFlags say what one pod takes and where it may go; place and free share them.
type shapeFlags struct {
	gpus        int64
	requests    []string
	exclusive   bool
	maxPerNode  int32
	selector    string
	tolerations []string
}

func (s *shapeFlags) add(f *pflag.FlagSet) {
	f.Int64Var(&s.gpus, "gpus", 0, "GPUs of one pod ("+gpuResource+")")
	f.StringArrayVar(&s.requests, "request", nil, "what one pod takes: name=quantity, such as vpc.amazonaws.com/efa=32; may be repeated")
	f.BoolVar(&s.exclusive, "exclusive", false, "a whole node for each pod")
	f.Int32Var(&s.maxPerNode, "max-per-node", 0, "the most pods on one node")
	f.StringVar(&s.selector, "selector", "", "labels that a node must carry, in kubectl's syntax: a=b,c!=d,e in (f,g)")
	f.StringArrayVar(&s.tolerations, "toleration", nil, "a taint to put up with: key[=value][:Effect], or * for every one; may be repeated")
}

// podSet is the shape without a count. A shape that takes nothing is refused: the
// whole gang would go onto one node.
func (s *shapeFlags) podSet(set *pflag.FlagSet) (gang.PodSet, error) {
	ps := gang.PodSet{Exclusive: s.exclusive, MaxPerNode: s.maxPerNode}
	if s.gpus < 0 || s.maxPerNode < 0 {
		return ps, usage("--gpus and --max-per-node cannot be negative")
	}
	requests, err := s.requestMap(set)
	if err != nil {
		return ps, err
	}
	if len(requests) == 0 && !s.exclusive {
		return ps, usage("what does one pod take? expected --gpus N, --request NAME=QUANTITY or --exclusive")
	}
	ps.Requests = requests
	ps.Filter, err = s.filter()
	return ps, err
}

func (s *shapeFlags) requestMap(set *pflag.FlagSet) (map[string]string, error) {
	requests := make(map[string]string)
	for _, r := range s.requests {
		name, quantity, found := strings.Cut(r, "=")
		if !found || name == "" {
			return nil, usage("--request %q: expected name=quantity, such as cpu=96", r)
		}
		if _, twice := requests[name]; twice {
			return nil, usage("--request gives %s twice", name)
		}
		if err := gang.CheckQuantity(quantity); err != nil {
			return nil, usage("--request %s: %v", name, err)
		}
		requests[name] = quantity
	}
	if set.Changed("gpus") {
		if _, twice := requests[gpuResource]; twice {
			return nil, usage("--gpus and --request %s contradict each other", gpuResource)
		}
		if s.gpus > 0 {
			requests[gpuResource] = itoa(s.gpus)
		}
	}
	return requests, nil
}

func (s *shapeFlags) filter() (*gang.Filter, error) {
	var f gang.Filter
	if s.selector != "" {
		term, err := selectorTerm(s.selector)
		if err != nil {
			return nil, err
		}
		f.Terms = []gang.Term{term}
	}
	for _, t := range s.tolerations {
		toleration, err := parseToleration(t)
		if err != nil {
			return nil, err
		}
		f.Tolerations = append(f.Tolerations, toleration)
	}
	if f.Terms == nil && f.Tolerations == nil {
		return nil, nil
	}
	return &f, nil
}

var operators = map[selection.Operator]gang.Operator{
	selection.Equals: "In", selection.DoubleEquals: "In", selection.In: "In",
	selection.NotEquals: "NotIn", selection.NotIn: "NotIn",
	selection.Exists: "Exists", selection.DoesNotExist: "DoesNotExist",
	selection.GreaterThan: "Gt", selection.LessThan: "Lt",
}

// selectorTerm reads kubectl's label selector as one term of node affinity.
func selectorTerm(text string) (gang.Term, error) {
	requirements, err := labels.ParseToRequirements(text)
	if err != nil {
		return gang.Term{}, usage("--selector %q: %v", text, err)
	}
	var term gang.Term
	for _, r := range requirements {
		term.Expressions = append(term.Expressions, gang.Expression{
			Key: r.Key(), Operator: operators[r.Operator()], Values: sorted(r.ValuesUnsorted()),
		})
	}
	return term, nil
}

// parseToleration reads key[=value][:Effect], the way kubectl taint writes taints.
func parseToleration(text string) (gang.Toleration, error) {
	rest, effect, hasEffect := cutLast(text, ":")
	t := gang.Toleration{Operator: "Exists"}
	if hasEffect {
		switch effect {
		case "NoSchedule", "NoExecute", "PreferNoSchedule":
			t.Effect = gang.Effect(effect)
		default:
			return t, usage("--toleration %q: effect %q is none of NoSchedule, NoExecute, PreferNoSchedule", text, effect)
		}
	}
	key, value, hasValue := strings.Cut(rest, "=")
	switch {
	case key == "*" && !hasValue:
		return t, nil
	case key == "" || key == "*":
		return t, usage("--toleration %q: expected key[=value][:Effect], or *", text)
	case hasValue:
		t.Operator, t.Value = "Equal", value
	}
	t.Key = key
	return t, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
