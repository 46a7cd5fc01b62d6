package server

import (
	"context"
	"time"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/telemetry"
)

// placements serves PlacementService.
type placements struct {
	hopwisev1.UnimplementedPlacementServiceServer
	cluster *cluster.Cluster
	measure *telemetry.Decisions
}

// PlaceGang decides where a gang goes.
func (p *placements) PlaceGang(ctx context.Context, req *hopwisev1.PlaceGangRequest) (*hopwisev1.PlaceGangResponse, error) {
	resp, err := p.place(ctx, req)
	switch {
	case err != nil:
		p.measure.Outcome(ctx, "error", reasonOf(err))
	case resp.GetRefusal() != nil:
		p.measure.Outcome(ctx, "refused", resp.GetRefusal().GetReason().String()[len("REFUSAL_REASON_"):])
	case resp.GetExisting():
		p.measure.Outcome(ctx, "existing", "")
	case req.GetDryRun():
		p.measure.Outcome(ctx, "dry_run", "")
	default:
		p.measure.Outcome(ctx, "placed", "")
	}
	return resp, err
}

func (p *placements) place(ctx context.Context, req *hopwisev1.PlaceGangRequest) (*hopwisev1.PlaceGangResponse, error) {
	begin := time.Now()
	in, err := placeIn(req)
	if err != nil {
		return nil, err
	}
	p.measure.Phase(ctx, telemetry.PhaseConvert, time.Since(begin))
	if err := p.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	result, err := p.cluster.PlaceGang(ctx, in)
	if err != nil {
		return nil, err
	}
	begin = time.Now()
	resp := &hopwisev1.PlaceGangResponse{
		Revision: result.Revision.String(), Existing: result.Existing,
		DecidedAnew: result.DecidedAnew, Notes: result.Notes,
	}
	if result.Refusal != nil {
		resp.Outcome = &hopwisev1.PlaceGangResponse_Refusal{Refusal: refusalOut(result.Refusal)}
	} else {
		resp.Outcome = &hopwisev1.PlaceGangResponse_Placement{Placement: placementOut(result.Placement)}
	}
	p.measure.Phase(ctx, telemetry.PhaseAnswer, time.Since(begin))
	return resp, nil
}

// GetPlacement reads one placement.
func (p *placements) GetPlacement(ctx context.Context, req *hopwisev1.GetPlacementRequest) (*hopwisev1.GetPlacementResponse, error) {
	if err := p.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	found, err := p.cluster.GetPlacement(ctx, gangIn(req.GetGang()))
	if err != nil {
		return nil, err
	}
	return &hopwisev1.GetPlacementResponse{
		Placement: placementOut(found.Placement), Revision: found.Revision.String(),
	}, nil
}

// ListPlacements lists placements by namespace, then name.
func (p *placements) ListPlacements(ctx context.Context, req *hopwisev1.ListPlacementsRequest) (*hopwisev1.ListPlacementsResponse, error) {
	in, err := listIn(req, p.cluster.Scheme())
	if err != nil {
		return nil, err
	}
	if err := p.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	page, err := p.cluster.ListPlacements(ctx, in)
	if err != nil {
		return nil, err
	}
	return &hopwisev1.ListPlacementsResponse{
		Placements:    each(page.Placements, placementOut),
		NextPageToken: page.NextPageToken,
		Revision:      page.Revision.String(),
	}, nil
}

// ConfirmPlacement reports what became of a gang's pods.
func (p *placements) ConfirmPlacement(ctx context.Context, req *hopwisev1.ConfirmPlacementRequest) (*hopwisev1.ConfirmPlacementResponse, error) {
	changed, err := p.cluster.ConfirmPlacement(ctx, confirmIn(req))
	if err != nil {
		return nil, err
	}
	return &hopwisev1.ConfirmPlacementResponse{
		Placement: placementOut(changed.Placement), Revision: changed.Revision.String(),
	}, nil
}

// RenewPlacement moves a reservation's expiry.
func (p *placements) RenewPlacement(ctx context.Context, req *hopwisev1.RenewPlacementRequest) (*hopwisev1.RenewPlacementResponse, error) {
	changed, err := p.cluster.RenewPlacement(ctx, cluster.RenewRequest{
		Gang: gangIn(req.GetGang()), TTL: req.GetTtl().AsDuration(), Etag: req.GetEtag(),
	})
	if err != nil {
		return nil, err
	}
	return &hopwisev1.RenewPlacementResponse{
		Placement: placementOut(changed.Placement), Revision: changed.Revision.String(),
	}, nil
}

// ReleasePlacement gives a placement back.
func (p *placements) ReleasePlacement(ctx context.Context, req *hopwisev1.ReleasePlacementRequest) (*hopwisev1.ReleasePlacementResponse, error) {
	changed, err := p.cluster.ReleasePlacement(ctx, releaseIn(req))
	if err != nil {
		return nil, err
	}
	return &hopwisev1.ReleasePlacementResponse{
		Placement: placementOut(changed.Placement), Revision: changed.Revision.String(),
	}, nil
}

// ScorePlacement says how near together slots lie.
func (p *placements) ScorePlacement(ctx context.Context, req *hopwisev1.ScorePlacementRequest) (*hopwisev1.ScorePlacementResponse, error) {
	in, err := scoreIn(req)
	if err != nil {
		return nil, err
	}
	if err := p.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	score, err := p.cluster.ScorePlacement(ctx, in)
	if err != nil {
		return nil, err
	}
	return scoreOut(score), nil
}
