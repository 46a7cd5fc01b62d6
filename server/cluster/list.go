package cluster

import (
	"context"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// listSteps bounds the work of one page, in records and runs looked at.
const listSteps = 20_000

// ListPlacements lists placements by namespace, then name. Errors:
// PAGE_TOKEN_INVALID, UNKNOWN_LAYER, DOMAIN_NOT_FOUND.
func (c *Cluster) ListPlacements(ctx context.Context, req ListRequest) (*ListResult, error) {
	hash := hashOf("list", req.Namespace, req.States, req.Node, req.Domain, req.Selector, req.CreatedBefore, req.PlacedBy)
	from, err := readToken(req.PageToken, hash)
	if err != nil {
		return nil, err
	}
	start := ledger.Key{Namespace: req.Namespace}
	if from != nil && len(from.Path) == 2 {
		start = ledger.Key{Namespace: from.Path[0], Name: from.Path[1]}
	}
	return call(ctx, c, reading, func(t *tx) (*ListResult, error) {
		l := &listing{tx: t, req: req}
		if l.domain, l.machine, err = t.s.resolve(req.Domain, "domain"); err != nil {
			return nil, err
		}
		return l.page(start, hash), nil
	})
}

// listing is one page at work.
type listing struct {
	*tx
	req     ListRequest
	domain  placer.DomainID
	machine *machine
	steps   int
}

func (l *listing) page(start ledger.Key, hash uint64) *ListResult {
	res := &ListResult{Revision: l.s.rev}
	size := pageSize(l.req.PageSize, 100)
	at, more := start, false
	l.s.order.after(start, func(key ledger.Key) bool {
		if l.req.Namespace != "" && key.Namespace != l.req.Namespace {
			return false
		}
		if len(res.Placements) == size || l.steps > listSteps {
			more = true
			return false
		}
		at = key
		if rec := l.s.gangs[key].rec; l.matches(rec) {
			res.Placements = append(res.Placements, l.show(rec))
		}
		return true
	})
	if more {
		res.NextPageToken = position{Request: hash, Path: []string{at.Namespace, at.Name}}.token()
	}
	return res
}

func (l *listing) matches(rec *ledger.Record) bool {
	l.steps++
	r := &l.req
	switch {
	case len(r.States) == 0 && rec.State.Ended():
		return false
	case len(r.States) > 0 && !slices.Contains(r.States, rec.State):
		return false
	case !r.CreatedBefore.IsZero() && !rec.Created.Before(r.CreatedBefore):
		return false
	case r.PlacedBy != "" && rec.PlacedBy != r.PlacedBy:
		return false
	case r.Match != nil && !r.Match(rec.Spec.Labels):
		return false
	}
	return (r.Node == "" || l.hasRun(rec, func(node string) bool { return node == r.Node })) &&
		(r.Domain == nil || len(r.Domain.Path) == 0 || l.hasRun(rec, l.inDomain))
}

func (l *listing) hasRun(rec *ledger.Record, is func(node string) bool) bool {
	for i := range rec.Sets {
		for _, run := range rec.Sets[i].Runs {
			l.steps++
			if is(run.Node) {
				return true
			}
		}
	}
	return false
}

func (l *listing) inDomain(node string) bool {
	m := l.s.machines[node]
	if l.machine != nil {
		return m == l.machine
	}
	return m != nil && m.node != nil && l.s.inside(l.s.engine.NodeDomain(m.id), l.domain)
}
