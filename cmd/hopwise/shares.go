package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func (a *app) sharesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "shares [NODE...]",
		Short: "Say which layers nodes share; without nodes, list each domain of two or more",
		Example: "  hopwise shares ip-10-1-0-11 ip-10-1-0-12\n" +
			"  hopwise shares ip-10-1-0-[11-13]",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var nodes []string
		for _, arg := range args {
			names, err := unfold(arg)
			if err != nil {
				return err
			}
			nodes = append(nodes, names...)
		}
		if len(nodes) == 1 {
			return usage("one node shares with itself; name two or more, or none to list every domain of two or more")
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.shares(ctx, s, nodes, out) })
	}
	return cmd
}

func (a *app) shares(ctx context.Context, s *session, nodes []string, out *format) error {
	all := &hopwisev1.SharedLayerResponse{}
	for page, err := range s.SharedPages(ctx, &hopwisev1.SharedLayerRequest{Nodes: nodes}) {
		if err != nil {
			return err
		}
		groups := append(all.GetGroups(), page.GetGroups()...)
		all = page
		all.Groups, all.NextPageToken = groups, ""
	}
	if printed, err := a.machine(out, all); printed || err != nil {
		return err
	}
	if out.value == asName {
		for _, g := range all.GetGroups() {
			a.line(fullName(g.GetRef()))
		}
		return nil
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	if len(nodes) > 0 {
		a.printShared(names, all, out.value == asWide)
		return nil
	}
	a.printDomains(names, all, out.value == asWide)
	return nil
}

// printShared says what the named nodes have in common, then who sits where.
func (a *app) printShared(n *layerNames, r *hopwisev1.SharedLayerResponse, wide bool) {
	what := "no layer"
	if len(r.GetDeepest().GetPath()) > 0 {
		what = lastName(r.GetDeepest()) + " (" + n.layer(r.GetDeepest().GetLayer()) + ")"
	}
	var not []string
	for _, l := range r.GetUnsharedLayers() {
		not = append(not, "not "+n.layer(l))
	}
	head := a.style.paint(bold, "share") + "   " + a.style.ascii(what)
	if len(not) > 0 {
		head += strings.Repeat(" ", max(38-len([]rune(what)), 3)) + a.style.paint(dim, strings.Join(not, ", "))
	}
	a.print(head + "\n")
	refs := make([]*hopwisev1.DomainRef, 0, len(r.GetGroups()))
	for _, g := range r.GetGroups() {
		refs = append(refs, g.GetRef())
	}
	leafNames := newDistinct(refs)
	t := table{gap: 3, indent: "          "}
	for _, g := range r.GetGroups() {
		where := "no layer"
		if len(g.GetRef().GetPath()) > 0 {
			where = leafNames.name(g.GetRef()) + " (" + n.layer(g.GetRef().GetLayer()) + ")"
		}
		t.add(c(foldedText(g.GetNodes(), wide)), c(where))
	}
	for _, g := range r.GetSideGroups() {
		t.add(c(foldedText(g.GetNodes(), wide)), c(lastName(g.GetRef())+" ("+safe(g.GetRef().GetLayer())+")"))
	}
	a.print(t.format(a.style))
	if wide {
		a.printPairs(r)
	}
}

func (a *app) printPairs(r *hopwisev1.SharedLayerResponse) {
	t := table{gap: 2, indent: "          "}
	for _, p := range r.GetPairs() {
		t.add(c(safe(r.GetNodes()[p.GetFirst()])), c(safe(r.GetNodes()[p.GetSecond()])), number(count(p.GetHops(), "hop")))
	}
	a.print(t.format(a.style))
}

// printDomains lists, layer by layer, the domains of two nodes or more.
func (a *app) printDomains(n *layerNames, r *hopwisev1.SharedLayerResponse, wide bool) {
	refs := make([]*hopwisev1.DomainRef, 0, len(r.GetGroups()))
	for _, g := range r.GetGroups() {
		refs = append(refs, g.GetRef())
	}
	names := newDistinct(refs)
	if len(refs) == 0 {
		a.line("no domain holds two nodes")
		return
	}
	t := table{gap: 3}
	layer := ""
	for _, g := range r.GetGroups() {
		title := ""
		if l := n.layer(g.GetRef().GetLayer()); l != layer {
			title, layer = l, l
		}
		name := names.name(g.GetRef())
		if wide {
			name = fullName(g.GetRef())
		}
		t.add(painted(bold, title), c(name), number(count(len(g.GetNodes()), "node")), c(foldedText(g.GetNodes(), wide)))
	}
	a.print(t.format(a.style))
	a.line(revisionAt("", r.GetRevision()))
}
