package server

import (
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

func refusalOut(r *cluster.Refusal) *hopwisev1.Refusal {
	return &hopwisev1.Refusal{
		Reason:         hopwisev1.RefusalReason(hopwisev1.RefusalReason_value["REFUSAL_REASON_"+string(r.Reason)]),
		Message:        r.Message,
		PodSet:         r.PodSet,
		BindingLayer:   r.Binding,
		Best:           fitOut(r.Best),
		Misses:         each(r.Misses, fitOut),
		Proven:         r.Proven,
		Steps:          r.Steps,
		Explained:      r.Explained,
		ExplanationCut: r.Cut,
		NodeCounts: each(r.Counts, func(c cluster.NodeCount) *hopwisev1.NodeCount {
			return &hopwisev1.NodeCount{
				Reason: hopwisev1.NodeReason(hopwisev1.NodeReason_value["NODE_REASON_"+c.Reason]),
				Detail: c.Detail, By: c.By, Until: timeOut(c.Until), Nodes: c.Nodes,
			}
		}),
		Holders: each(r.Holders, func(h cluster.Holder) *hopwisev1.Holder {
			return &hopwisev1.Holder{
				Gang: gangOut(h.Gang), Nodes: h.Nodes, Pods: h.Pods,
				Priority: h.Priority, ExpireTime: timeOut(h.Expires),
			}
		}),
		Suggestions: each(r.Suggestions, suggestionOut),
	}
}

func suggestionOut(s cluster.Suggestion) *hopwisev1.Suggestion {
	out := &hopwisev1.Suggestion{
		Kind:       hopwisev1.SuggestionKind(hopwisev1.SuggestionKind_value["SUGGESTION_KIND_"+string(s.Kind)]),
		Message:    s.Message,
		PodSet:     s.PodSet,
		Pods:       s.Pods,
		Constraint: constraintOut(s.Constraint),
		Domain:     domainPointerOut(s.Domain),
		AfterGangs: each(s.After, gangOut),
	}
	if s.Crossings >= 0 {
		crossings := int32(s.Crossings)
		out.Crossings = &crossings
	}
	return out
}
