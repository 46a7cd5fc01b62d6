package cluster

import (
	"context"
	"strings"
	"testing"

	"github.com/hopwise/hopwise/server/ledger"
)

// manySets is a gang of pod sets of eight GPUs a pod; change says the rest.
func manySets(counts map[string]int32, order []string, change func(*ledger.Spec)) PlaceRequest {
	req := gpus("g", "", 1, "")
	req.Spec.PodSets = nil
	for _, name := range order {
		req.Spec.PodSets = append(req.Spec.PodSets, ledger.PodSet{
			Name: name, Count: counts[name], Requests: map[string]int64{"nvidia.com/gpu": 8},
		})
	}
	if change != nil {
		change(&req.Spec)
	}
	req.Explain = true
	return req
}

func requireAll(l string) func(*ledger.Spec) {
	return func(s *ledger.Spec) { s.Constraint = &ledger.Constraint{Required: l} }
}

// TestSuggestionsAreTrue: whatever is suggested is done, and the gang then fits.
func TestSuggestionsAreTrue(t *testing.T) {
	order := []string{"leader", "worker"}
	cases := map[string]struct {
		before []PlaceRequest
		req    PlaceRequest
		reason RefusalReason
		text   string
		kinds  []SuggestionKind
	}{
		"one set": {req: func() PlaceRequest { r := gpus("g", "", 4, l3); r.Explain = true; return r }(),
			reason: NeverFits, text: "4 pods need one layer-3 domain", kinds: []SuggestionKind{FewerPods, WiderLayer, Prefer}},
		"one of two sets": {req: manySets(map[string]int32{"leader": 1, "worker": 4}, order, requireAll(l3)),
			reason: NeverFits, text: "4 pods of worker need one layer-3 domain", kinds: []SuggestionKind{FewerPods, WiderLayer, Prefer}},
		"compete for the leaf of three": {req: manySets(map[string]int32{"leader": 3, "worker": 3}, order, requireAll(l3)),
			reason: NoJointPlacement, text: "3 pods of worker find no room once leader have theirs", kinds: []SuggestionKind{FewerPods, WiderLayer, Prefer}},
		"compete for the cluster": {req: manySets(map[string]int32{"leader": 4, "worker": 4}, order, nil),
			reason: NoJointPlacement, text: "not all of them together", kinds: []SuggestionKind{FewerPods}},
		"wait for others": {
			before: []PlaceRequest{gpus("x", "", 2, l3), gpus("y", "", 2, l3)},
			req:    manySets(map[string]int32{"leader": 2, "worker": 3}, order, nil),
			reason: NoJointPlacement, text: "", kinds: []SuggestionKind{FewerPods, AfterGangs}},
		"wait for one, one set": {
			before: []PlaceRequest{gpus("x", "", 2, l3), gpus("y", "", 2, l3), gpus("z", "", 1, l3)},
			req:    func() PlaceRequest { r := gpus("g", "", 3, l3); r.Explain = true; return r }(),
			reason: NoRoom, text: "the best, a1, has room for 2", kinds: []SuggestionKind{FewerPods, AfterGangs}},
		"a group": {req: manySets(map[string]int32{"leader": 1, "worker": 3}, order, func(s *ledger.Spec) {
			requireAll(l3)(s)
			s.PodSets[0].Group, s.PodSets[1].Group = "u", "u"
		}), reason: NoJointPlacement, text: "not all of them together", kinds: []SuggestionKind{FewerPods, WiderLayer, Prefer}},
		"slices": {req: manySets(map[string]int32{"leader": 1, "worker": 8}, order, func(s *ledger.Spec) {
			s.PodSets[1].Slices = []ledger.Slice{{Layer: l3, Size: 2}}
		}), text: "", kinds: []SuggestionKind{FewerPods}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := refusedIn(t, c.before, c.req)
			if c.reason != "" && r.Reason != c.reason || !strings.Contains(r.Message, c.text) || !r.Explained {
				t.Errorf("%s: %s", r.Reason, r.Message)
			}
			sum := int32(0)
			for _, n := range r.Counts {
				sum += n.Nodes
			}
			if want := nodesBelow(r.Best.Domain); sum != want {
				t.Errorf("counts add up to %d of %d: %+v", sum, want, r.Counts)
			}
			found := map[SuggestionKind]bool{}
			for _, s := range r.Suggestions {
				found[s.Kind] = true
				holds(t, c.before, c.req, s)
			}
			for _, k := range c.kinds {
				if !found[k] {
					t.Errorf("no %s among %+v", k, r.Suggestions)
				}
			}
		})
	}
}

// nodesBelow is how many nodes of small are in a domain.
func nodesBelow(d DomainRef) int32 {
	n := int32(0)
	for _, node := range small().Nodes {
		path := []string{node.Labels[l1], node.Labels[l2], node.Labels[l3]}
		if len(d.Path) <= len(path) && strings.Join(path[:len(d.Path)], "/") == strings.Join(d.Path, "/") {
			n++
		}
	}
	return n
}

func refusedIn(t *testing.T, before []PlaceRequest, req PlaceRequest) *Refusal {
	t.Helper()
	c := start(t, Config{}, small())
	for _, b := range before {
		mustPlace(t, c, b)
	}
	res, err := c.PlaceGang(context.Background(), req)
	if err != nil || res.Refusal == nil {
		t.Fatalf("not refused: %+v, %v", res, err)
	}
	recount(t, c)
	return res.Refusal
}

// holds does what is suggested on a cluster like the one that refused, and places.
func holds(t *testing.T, before []PlaceRequest, req PlaceRequest, s Suggestion) {
	t.Helper()
	c := start(t, Config{}, small())
	for _, b := range before {
		mustPlace(t, c, b)
	}
	for _, gang := range s.After {
		if _, err := c.ReleasePlacement(context.Background(), ReleaseRequest{Gang: gang}); err != nil {
			t.Fatal(err)
		}
	}
	req.Spec.PodSets = append([]ledger.PodSet(nil), req.Spec.PodSets...)
	group := ""
	for i := range req.Spec.PodSets {
		if req.Spec.PodSets[i].Name == s.PodSet {
			group = req.Spec.PodSets[i].Group
		}
	}
	for i := range req.Spec.PodSets {
		ps := &req.Spec.PodSets[i]
		its := s.PodSet == "" || ps.Name == s.PodSet
		if its && s.Kind == FewerPods {
			ps.Count, ps.MinCount = s.Pods, 0
		}
		if s.Constraint != nil && (its || group != "" && ps.Group == group) {
			ps.Constraint = s.Constraint
		}
	}
	res, err := c.PlaceGang(context.Background(), req)
	if err != nil || res.Placement == nil {
		t.Errorf("%s %q: refused all the same: %v %+v", s.Kind, s.Message, err, res)
	}
}

// TestExplanationIsBounded: with few steps it is cut, and says so.
func TestExplanationIsBounded(t *testing.T) {
	req := manySets(map[string]int32{"leader": 3, "worker": 3}, []string{"leader", "worker"}, requireAll(l3))
	req.Budget = 1
	r := refusedIn(t, nil, req)
	if r.Proven && !r.Cut {
		t.Errorf("neither cut nor unproven: %+v", r)
	}
}
