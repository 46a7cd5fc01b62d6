package server

import (
	"context"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// RepairPlacement moves ranks off nodes that are unusable.
func (p *placements) RepairPlacement(ctx context.Context, req *hopwisev1.RepairPlacementRequest) (*hopwisev1.RepairPlacementResponse, error) {
	if err := p.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	result, err := p.cluster.RepairPlacement(ctx, repairIn(req))
	if err != nil {
		return nil, err
	}
	return repairOut(result), nil
}

// ResizePlacement changes how many pods a placed gang has.
func (p *placements) ResizePlacement(ctx context.Context, req *hopwisev1.ResizePlacementRequest) (*hopwisev1.ResizePlacementResponse, error) {
	if err := p.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	result, err := p.cluster.ResizePlacement(ctx, resizeIn(req))
	if err != nil {
		return nil, err
	}
	return resizeOut(result), nil
}
