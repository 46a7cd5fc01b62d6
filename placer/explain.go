package placer

import (
	"cmp"
	"fmt"
	"slices"
)

// Explanation says what keeps the nodes of a refusal's best domain from taking
// the pod set.
type Explanation struct {
	// Counts adds up to the nodes of the domain, unless Cut.
	Counts []ReasonCount
	// Blockers are the nodes that are short only because of what placements
	// hold, in path order.
	Blockers []NodeID
	// Cut is set where the limit of steps ended it early.
	Cut bool
}

// Explain counts the nodes of the refusal's best domain (of the cluster where
// no constraint binds) by the first reason that keeps each from taking a pod.
// It looks at up to limit nodes.
func (e *Engine) Explain(g *Gang, r *Refusal, limit int64) Explanation {
	e.settle()
	ps := &g.PodSets[max(r.PodSet, 0)]
	s := e.shapeOf(ps)
	type kind struct {
		reason Reason
		detail string
	}
	counts := map[kind]int32{}
	var x Explanation
	see := func(id NodeID) bool {
		if limit--; limit < 0 {
			x.Cut = true
			return false
		}
		reason, detail := e.reason(s, ps, id)
		counts[kind{reason, detail}]++
		if reason == ReasonHeld {
			x.Blockers = append(x.Blockers, id)
		}
		return true
	}
	if r.BestNode != NoNode {
		see(r.BestNode)
	} else {
		e.walk(max(r.Best, Root), see)
	}
	for k, n := range counts {
		x.Counts = append(x.Counts, ReasonCount{k.reason, k.detail, n})
	}
	slices.SortFunc(x.Counts, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Detail, b.Detail))
	})
	return x
}

// walk yields the nodes below d in path order until yield says stop.
func (e *Engine) walk(d DomainID, yield func(NodeID) bool) bool {
	for _, id := range e.doms[d].nodes {
		if !yield(id) {
			return false
		}
	}
	for _, kid := range e.doms[d].kids {
		if !e.walk(kid, yield) {
			return false
		}
	}
	return true
}

// reason is the first reason that keeps one more pod off the node.
func (e *Engine) reason(s *Shape, ps *PodSet, id NodeID) (Reason, string) {
	n := &e.nodes[id]
	if n.health != Healthy {
		return ReasonUnhealthy, healthWords[n.health]
	}
	f := &s.spec.filter
	if t, bad := f.intolerable(e.classes.list[n.class].taints); bad {
		return ReasonTaint, t.String()
	}
	if !f.selects(func(key string) (string, bool) { return e.label(id, key) }) {
		return ReasonFilter, ""
	}
	depth := e.doms[n.dom].depth
	if int(ps.Required) < e.layers && depth < depthOf(ps.Required) || depth < s.spec.deepest {
		return ReasonLabelMissing, e.scheme.Layers[depth]
	}
	if res, small := e.tooSmall(s, id); small {
		return ReasonTooSmall, res
	}
	if n.barred {
		return ReasonMaintenance, e.bars[id]
	}
	if e.fit[int(id)*e.stride+int(s.slot)] > 0 {
		return ReasonFits, ""
	}
	return e.busy(s, id)
}

var healthWords = [...]string{"", "not ready", "cordoned", "called unhealthy by the provider"}

// String is the taint as kubectl writes it.
func (t Taint) String() string {
	effect := [...]string{"NoSchedule", "NoExecute", "PreferNoSchedule"}[t.Effect]
	if t.Value == "" {
		return fmt.Sprintf("%s:%s", t.Key, effect)
	}
	return fmt.Sprintf("%s=%s:%s", t.Key, t.Value, effect)
}

// tooSmall names the first resource of which the whole node has too little for
// one pod.
func (e *Engine) tooSmall(s *Shape, id NodeID) (string, bool) {
	n := &e.nodes[id]
	if n.total < 0 {
		if s.spec.exclusive && len(s.req) == 1 {
			return "", false
		}
		return "capacities unknown", true
	}
	for _, a := range s.req {
		if e.totalOf(n.total, a.res) < a.qty {
			return e.res.names[a.res], true
		}
	}
	return "", false
}

// busy tells what uses the node: placements, if without what they hold a pod
// would fit, else pods outside them; else it is the limit per node or slices.
func (e *Engine) busy(s *Shape, id NodeID) (Reason, string) {
	n := &e.nodes[id]
	row := int(id) * e.res.n
	fitsNow, fitsWithoutHolds, short := true, true, ""
	for _, a := range s.req {
		if free := e.free[row+int(a.res)]; free < a.qty && n.total >= 0 {
			fitsNow = false
			if short == "" {
				short = e.res.names[a.res]
			}
			if free+e.held[row+int(a.res)] < a.qty {
				fitsWithoutHolds = false
			}
		}
	}
	barredByHolds := n.exclusive > 0 || s.spec.exclusive && n.heldPods > 0
	barredByPods := s.spec.exclusive && n.usedPods > 0
	switch {
	case fitsWithoutHolds && !barredByPods && (barredByHolds || !fitsNow):
		return ReasonHeld, short
	case barredByPods || !fitsWithoutHolds:
		return ReasonUsed, short
	}
	return ReasonLimit, ""
}
