package server

import (
	"context"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

// topologies serves TopologyService.
type topologies struct {
	hopwisev1.UnimplementedTopologyServiceServer
	cluster *cluster.Cluster
}

// GetTopology reads the tree by pages.
func (t *topologies) GetTopology(ctx context.Context, req *hopwisev1.GetTopologyRequest) (*hopwisev1.GetTopologyResponse, error) {
	if err := t.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	page, err := t.cluster.GetTopology(ctx, topologyIn(req, t.cluster.Scheme()))
	if err != nil {
		return nil, err
	}
	return topologyOut(page), nil
}

// ListFree says how many pods of a shape fit.
func (t *topologies) ListFree(ctx context.Context, req *hopwisev1.ListFreeRequest) (*hopwisev1.ListFreeResponse, error) {
	in, err := freeIn(req, t.cluster.Scheme())
	if err != nil {
		return nil, err
	}
	if err := t.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	free, err := t.cluster.ListFree(ctx, in)
	if err != nil {
		return nil, err
	}
	return freeOut(free), nil
}

// SharedLayer says which layers nodes share.
func (t *topologies) SharedLayer(ctx context.Context, req *hopwisev1.SharedLayerRequest) (*hopwisev1.SharedLayerResponse, error) {
	if err := t.cluster.WaitRevision(ctx, req.GetMinRevision()); err != nil {
		return nil, err
	}
	shared, err := t.cluster.SharedLayer(ctx, cluster.SharedRequest{
		Nodes: req.GetNodes(), PageSize: int(req.GetPageSize()), PageToken: req.GetPageToken(),
	})
	if err != nil {
		return nil, err
	}
	return sharedOut(shared), nil
}
