package server

import (
	"context"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

// HoldDomain keeps new pods away from a domain or node.
func (t *topologies) HoldDomain(ctx context.Context, req *hopwisev1.HoldDomainRequest) (*hopwisev1.HoldDomainResponse, error) {
	held, err := t.cluster.HoldDomain(ctx, cluster.HoldRequest{
		Domain: *domainIn(req.GetDomain(), t.cluster.Scheme()),
		Note:   req.GetNote(), By: req.GetBy(), TTL: req.GetTtl().AsDuration(),
	})
	if err != nil {
		return nil, err
	}
	return &hopwisev1.HoldDomainResponse{
		Domain: domainOut(held.Domain), Hold: maintenanceOut(held.Hold), Nodes: held.Nodes,
		Gangs: each(held.Gangs, gangOut), Revision: held.Revision.String(),
	}, nil
}

// UnholdDomain lifts the hold of a domain or node.
func (t *topologies) UnholdDomain(ctx context.Context, req *hopwisev1.UnholdDomainRequest) (*hopwisev1.UnholdDomainResponse, error) {
	lifted, err := t.cluster.UnholdDomain(ctx, *domainIn(req.GetDomain(), t.cluster.Scheme()))
	if err != nil {
		return nil, err
	}
	return &hopwisev1.UnholdDomainResponse{
		Lifted: maintenanceOut(lifted.Hold), Revision: lifted.Revision.String(),
	}, nil
}

func maintenanceOut(m *cluster.Maintenance) *hopwisev1.MaintenanceHold {
	if m == nil {
		return nil
	}
	return &hopwisev1.MaintenanceHold{Note: m.Note, By: m.By, Until: timeOut(m.Until)}
}
