package server

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/scheme"
)

func listIn(r *hopwisev1.ListPlacementsRequest, in scheme.Scheme) (cluster.ListRequest, error) {
	out := cluster.ListRequest{
		Namespace: r.GetNamespace(),
		States: each(r.GetStates(), func(s hopwisev1.PlacementState) ledger.State {
			return ledger.State(s)
		}),
		Node:      r.GetNode(),
		Domain:    domainIn(r.GetDomain(), in),
		Selector:  r.GetLabelSelector(),
		PlacedBy:  r.GetPlacedBy(),
		PageSize:  int(r.GetPageSize()),
		PageToken: r.GetPageToken(),
	}
	if t := r.GetCreatedBefore(); t != nil {
		if err := t.CheckValid(); err != nil {
			return cluster.ListRequest{}, invalid("created_before", "is no time: "+err.Error())
		}
		out.CreatedBefore = t.AsTime()
	}
	if out.Selector == "" {
		return out, nil
	}
	selector, err := labels.Parse(out.Selector)
	if err != nil {
		return cluster.ListRequest{}, invalid("label_selector",
			fmt.Sprintf("is no label selector: %v; expected one such as team=a,queue!=low", err))
	}
	out.Match = func(l map[string]string) bool { return selector.Matches(labels.Set(l)) }
	return out, nil
}
