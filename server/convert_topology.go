package server

import (
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
	"github.com/hopwise/hopwise/server/scheme"
)

func topologyIn(r *hopwisev1.GetTopologyRequest, in scheme.Scheme) cluster.TopologyRequest {
	return cluster.TopologyRequest{
		Root: domainIn(r.GetRoot(), in), MaxDepth: int(r.GetMaxDepth()), IncludeNodes: r.GetIncludeNodes(),
		PageSize: int(r.GetPageSize()), PageToken: r.GetPageToken(),
	}
}

func topologyOut(t *cluster.Topology) *hopwisev1.GetTopologyResponse {
	return &hopwisev1.GetTopologyResponse{
		Scheme:  schemeOut(t.Scheme),
		Domains: each(t.Domains, placeOut),
		SideLayers: each(t.SideLayers, func(s cluster.SideLayer) *hopwisev1.SideLayer {
			return &hopwisev1.SideLayer{Name: s.Name, Domains: s.Domains, Nodes: s.Nodes}
		}),
		Sources: each(t.Sources, func(s cluster.SourceStatus) *hopwisev1.Source {
			return &hopwisev1.Source{
				Kind: s.Kind, Detail: s.Detail, UpdateTime: timeOut(s.Updated), Stale: s.Stale, Error: s.Error,
			}
		}),
		Warnings:      t.Warnings,
		NextPageToken: t.NextPageToken,
		Revision:      t.Revision.String(),
	}
}

func schemeOut(s cluster.SchemeInfo) *hopwisev1.Scheme {
	return &hopwisev1.Scheme{
		Name: s.Name, NodeLayer: s.NodeLayer, Guessed: s.Guessed, DisconnectedRoots: s.Disconnected,
		Layers: each(s.Layers, func(l cluster.LayerInfo) *hopwisev1.Layer {
			return &hopwisev1.Layer{Name: l.Name, ShortName: l.Short, Domains: l.Domains, Hidden: l.Hidden}
		}),
	}
}

func placeOut(d cluster.Domain) *hopwisev1.Domain {
	return &hopwisev1.Domain{
		Ref: domainOut(d.Ref), NodeCount: d.Nodes, UnhealthyCount: d.Unhealthy, ChildCount: d.Kids,
		Resources: each(d.Resources, amountOut), Nodes: each(d.Direct, nodeOut), Continued: d.Continued,
		Maintenance: maintenanceOut(d.Maintenance),
	}
}

func amountOut(a cluster.Amount) *hopwisev1.ResourceAmount {
	return &hopwisev1.ResourceAmount{
		Name: a.Name, Total: quantity(a.Name, a.Total), Free: quantity(a.Name, a.Free),
		Held: quantity(a.Name, a.Held), Used: quantity(a.Name, a.Used),
	}
}

func nodeOut(n cluster.NodeView) *hopwisev1.Node {
	return &hopwisev1.Node{
		Name: n.Name, Parent: domainOut(n.Parent), InstanceType: n.InstanceType, ProviderId: n.ProviderID,
		Health:       hopwisev1.NodeHealth(hopwisev1.NodeHealth_value["NODE_HEALTH_"+string(n.Health)]),
		HealthDetail: n.HealthDetail, Taints: n.Taints,
		Resources: each(n.Resources, amountOut), CapacityKnown: n.Known,
		Holds: each(n.Holds, func(h cluster.NodeHold) *hopwisev1.NodeHold {
			return &hopwisev1.NodeHold{
				Gang: gangOut(h.Gang), PodSet: h.PodSet, FirstRank: h.First, Count: h.Count,
				State: hopwisev1.PlacementState(h.State), Priority: h.Priority,
			}
		}),
		SideDomains: n.Sides, MissingLayers: n.Missing, OtherPods: n.OtherPods,
		Maintenance: maintenanceOut(n.Maintenance),
	}
}

func freeIn(r *hopwisev1.ListFreeRequest, in scheme.Scheme) (cluster.FreeRequest, error) {
	requests, err := amounts("requests", r.GetRequests())
	if err != nil {
		return cluster.FreeRequest{}, err
	}
	filter, err := filterIn("filter", r.GetFilter())
	if err != nil {
		return cluster.FreeRequest{}, err
	}
	return cluster.FreeRequest{
		Requests: requests, Exclusive: r.GetExclusive(), MaxPerNode: r.GetMaxPerNode(), Filter: filter,
		Layers: r.GetLayers(), Root: domainIn(r.GetRoot(), in),
		PageSize: int(r.GetPageSize()), PageToken: r.GetPageToken(),
	}, nil
}

func freeOut(f *cluster.FreeResult) *hopwisev1.ListFreeResponse {
	return &hopwisev1.ListFreeResponse{
		Layers: each(f.Layers, func(l cluster.LayerFree) *hopwisev1.LayerFree {
			return &hopwisev1.LayerFree{
				Layer: l.Layer, Free: l.Free, LargestGang: l.Largest, Fragmentation: l.Fragmentation,
				DomainsWithRoom: l.WithRoom, Domains: l.Domains,
			}
		}),
		Domains: each(f.Domains, func(d cluster.DomainFree) *hopwisev1.DomainFree {
			return &hopwisev1.DomainFree{Ref: domainOut(d.Ref), Free: d.Free, Nodes: d.Nodes, Total: d.Total}
		}),
		NextPageToken: f.NextPageToken,
		Revision:      f.Revision.String(),
	}
}

func sharedOut(s *cluster.SharedResult) *hopwisev1.SharedLayerResponse {
	return &hopwisev1.SharedLayerResponse{
		Nodes: s.Nodes, Deepest: domainPointerOut(s.Deepest),
		SharedLayers: s.Shared, UnsharedLayers: s.Unshared,
		Groups: each(s.Groups, sharedDomainOut), SideGroups: each(s.SideGroups, sharedDomainOut),
		Pairs: each(s.Pairs, func(p cluster.NodePair) *hopwisev1.NodePair {
			return &hopwisev1.NodePair{First: p.First, Second: p.Second, Hops: p.Hops}
		}),
		NextPageToken: s.NextPageToken,
		Revision:      s.Revision.String(),
	}
}

func sharedDomainOut(d cluster.SharedDomain) *hopwisev1.SharedDomain {
	return &hopwisev1.SharedDomain{Ref: domainOut(d.Ref), Nodes: d.Nodes}
}
