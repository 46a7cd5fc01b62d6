package hopwise

import (
	"context"
	"iter"

	"google.golang.org/protobuf/proto"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// paged is an answer that may go on.
type paged interface{ GetNextPageToken() string }

// pages asks for page after page until one has no successor or fails.
func pages[A paged](ask func(token string) (A, error)) iter.Seq2[A, error] {
	return func(yield func(A, error) bool) {
		for token := ""; ; {
			answer, err := ask(token)
			if !yield(answer, err) || err != nil {
				return
			}
			if token = answer.GetNextPageToken(); token == "" {
				return
			}
		}
	}
}

// TopologyPages reads the tree page by page; the request is not changed.
func (c *Client) TopologyPages(ctx context.Context, req *hopwisev1.GetTopologyRequest) iter.Seq2[*hopwisev1.GetTopologyResponse, error] {
	req = proto.CloneOf(req)
	return pages(func(token string) (*hopwisev1.GetTopologyResponse, error) {
		req.PageToken = token
		return c.GetTopology(ctx, req)
	})
}

// PlacementPages lists placements page by page; the request is not changed.
func (c *Client) PlacementPages(ctx context.Context, req *hopwisev1.ListPlacementsRequest) iter.Seq2[*hopwisev1.ListPlacementsResponse, error] {
	req = proto.CloneOf(req)
	return pages(func(token string) (*hopwisev1.ListPlacementsResponse, error) {
		req.PageToken = token
		return c.ListPlacements(ctx, req)
	})
}

// FreePages lists free domains page by page; the request is not changed.
func (c *Client) FreePages(ctx context.Context, req *hopwisev1.ListFreeRequest) iter.Seq2[*hopwisev1.ListFreeResponse, error] {
	req = proto.CloneOf(req)
	return pages(func(token string) (*hopwisev1.ListFreeResponse, error) {
		req.PageToken = token
		return c.ListFree(ctx, req)
	})
}

// SharedPages lists shared domains page by page; the request is not changed.
func (c *Client) SharedPages(ctx context.Context, req *hopwisev1.SharedLayerRequest) iter.Seq2[*hopwisev1.SharedLayerResponse, error] {
	req = proto.CloneOf(req)
	return pages(func(token string) (*hopwisev1.SharedLayerResponse, error) {
		req.PageToken = token
		return c.SharedLayer(ctx, req)
	})
}
