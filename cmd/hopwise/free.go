package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func (a *app) freeCommand() *cobra.Command {
	var shape shapeFlags
	var layers []string
	cmd := &cobra.Command{
		Use:     "free --gpus N | --request NAME=QUANTITY | --exclusive",
		Short:   "Show, per layer, how many pods of a shape fit, and the largest gang",
		Example: "  hopwise free --gpus 8",
		Args:    cobra.NoArgs,
	}
	shape.add(cmd.Flags())
	cmd.Flags().StringSliceVar(&layers, "layer", nil, "only these layers (label keys)")
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ps, err := shape.podSet(cmd.Flags())
		if err != nil {
			return err
		}
		req := &hopwisev1.ListFreeRequest{Requests: ps.Requests, Exclusive: ps.Exclusive, MaxPerNode: ps.MaxPerNode,
			Filter: filterOf(ps.Filter), Layers: layers}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.free(ctx, s, req, out) })
	}
	return cmd
}

func (a *app) free(ctx context.Context, s *session, req *hopwisev1.ListFreeRequest, out *format) error {
	all := &hopwisev1.ListFreeResponse{}
	for page, err := range s.FreePages(ctx, req) {
		if err != nil {
			return err
		}
		domains := append(all.GetDomains(), page.GetDomains()...)
		all = page
		all.Domains, all.NextPageToken = domains, ""
	}
	if printed, err := a.machine(out, all); printed || err != nil {
		return err
	}
	if out.value == asName {
		for _, d := range all.GetDomains() {
			a.line(fullName(d.GetRef()))
		}
		return nil
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	a.printFree(names, all, out.value == asWide)
	return nil
}

// mostFree is how many domains a layer shows unless wide.
const mostFree = 10

func (a *app) printFree(n *layerNames, r *hopwisev1.ListFreeResponse, wide bool) {
	t := table{gap: 3}
	t.header("LAYER", "FREE", "LARGEST GANG", "DOMAINS WITH ROOM", "FRAGMENTED")
	for _, l := range r.GetLayers() {
		t.add(c(n.layer(l.GetLayer())), number(itoa(l.GetFree())), number(itoa(l.GetLargestGang())),
			number(fmt.Sprintf("%d of %d", l.GetDomainsWithRoom(), l.GetDomains())),
			number(fmt.Sprintf("%.0f %%", 100*l.GetFragmentation())))
	}
	a.print(t.format(a.style))
	if len(r.GetDomains()) == 0 {
		text := "no domain has room"
		a.line(text + revisionAt(text, r.GetRevision()))
		return
	}
	a.print("\n")
	refs := make([]*hopwisev1.DomainRef, 0, len(r.GetDomains()))
	for _, d := range r.GetDomains() {
		refs = append(refs, d.GetRef())
	}
	names := newDistinct(refs)
	d := table{gap: 3}
	d.header("DOMAIN", "LAYER", "FREE", "OF", "NODES WITH ROOM")
	shown := make(map[string]int)
	hidden := 0
	for _, f := range r.GetDomains() {
		if shown[f.GetRef().GetLayer()]++; !wide && shown[f.GetRef().GetLayer()] > mostFree {
			hidden++
			continue
		}
		name := names.name(f.GetRef())
		if wide {
			name = fullName(f.GetRef())
		}
		d.add(c(name), c(n.layer(f.GetRef().GetLayer())), number(itoa(f.GetFree())), number(itoa(f.GetTotal())), number(fmt.Sprint(f.GetNodes())))
	}
	a.print(d.format(a.style))
	tail := ""
	if hidden > 0 {
		tail = count(hidden, "domain") + " more: -o wide"
	}
	a.line(tail + revisionAt(tail, r.GetRevision()))
}
