package placer

// ResourceState is one resource of a node, in base units.
type ResourceState struct {
	Name                    string
	Total, Used, Held, Free int64
}

// NodeLive says whether the ordinal names a node.
func (e *Engine) NodeLive(id NodeID) bool {
	return id >= 0 && int(id) < len(e.nodes) && e.nodes[id].live
}

// NodeKnown says whether the node's capacities are known.
func (e *Engine) NodeKnown(id NodeID) bool { return e.nodes[id].total >= 0 }

// NodeResources lists what the node has in the order in which resources were
// first seen; "pods" only where the node counts them.
func (e *Engine) NodeResources(id NodeID) []ResourceState {
	n := &e.nodes[id]
	if n.total < 0 {
		return nil
	}
	row := int(id) * e.res.n
	list := make([]ResourceState, 0, len(e.totals.rows[n.total]))
	for _, a := range e.totals.rows[n.total] {
		if a.qty == uncounted {
			continue
		}
		r := ResourceState{Name: e.res.names[a.res], Total: a.qty, Held: e.held[row+int(a.res)], Free: e.free[row+int(a.res)]}
		r.Used = r.Total - r.Held - r.Free
		list = append(list, r)
	}
	return list
}

// Fits is how many pods of the pod set's shape fit in a domain now, in whole
// slices. For a shape seen before it costs nothing.
func (e *Engine) Fits(ps *PodSet, d DomainID) int64 { return e.usable(e.shapeOf(ps), d) }

// FitsNode is how many pods of the shape fit on a node now.
func (e *Engine) FitsNode(ps *PodSet, id NodeID) int64 {
	s := e.shapeOf(ps)
	return int64(e.fit[int(id)*e.stride+int(s.slot)])
}

// FitsEmpty is Fits on the healthy cluster without any usage.
func (e *Engine) FitsEmpty(ps *PodSet, d DomainID) int64 { return e.usable(e.emptyShape(ps), d) }

// Weight is the sum of the preferred affinity weights a pod earns on a node.
func (e *Engine) Weight(ps *PodSet, id NodeID) int64 {
	return ps.Filter.weight(func(key string) (string, bool) { return e.label(id, key) })
}
