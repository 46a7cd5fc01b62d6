package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func (a *app) holdCommand() *cobra.Command {
	var period time.Duration
	var note, by string
	cmd := &cobra.Command{
		Use: "hold DOMAIN|NODE", Short: "Keep new pods away from a domain or a node, for maintenance",
		Long: "Keeps new pods away from a domain or a node until it is lifted or its time is up. What is\n" +
			"placed there stays; nodes that join a held domain are held too; a restart keeps it.",
		Example: "  hopwise hold nn-31112 --for 2h --note 'switch swap'\n  hopwise hold ip-10-1-0-13 --note 'bad fan'",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.DurationVar(&period, "for", 0, "how long it stays (default: until unhold)")
	f.StringVar(&note, "note", "", "why, shown with it and in refusals")
	f.StringVar(&by, "by", "", "who (default: USER)")
	out := outputFlag(cmd, asTable, asJSON, asYAML)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if by == "" {
			by = a.env("USER")
		}
		req := &hopwisev1.HoldDomainRequest{Note: note, By: by}
		if cmd.Flags().Changed("for") {
			if period < time.Second {
				return usage("--for %s is too short; expected 1s or more", period)
			}
			req.Ttl = durationpb.New(period)
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.hold(ctx, s, args[0], req, out) })
	}
	return cmd
}

func (a *app) hold(ctx context.Context, s *session, name string, req *hopwisev1.HoldDomainRequest, out *format) error {
	found, err := findPlaces(ctx, s, name)
	if err != nil {
		return err
	}
	switch len(found) {
	case 1:
		req.Domain = found[0]
	case 0:
		return fmt.Errorf("%q: there is no such domain or node\n  hopwise topology shows them", name)
	default:
		return ambiguous(name, found)
	}
	answer, err := s.HoldDomain(ctx, req)
	if err != nil {
		return err
	}
	a.notKept(s)
	if printed, err := a.machine(out, answer); printed || err != nil {
		return err
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	text := "held      " + names.place(answer.GetDomain()) + "  " + count(answer.GetNodes(), "node") + "  " + a.holdWords(answer.GetHold())
	a.line(text + revisionAt(text, answer.GetRevision()))
	if gangs := answer.GetGangs(); len(gangs) > 0 {
		titles := make([]string, len(gangs))
		for i, g := range gangs {
			titles[i] = gangTitle(g)
		}
		a.line("  stays there: " + abbreviate(titles))
	}
	return nil
}

// holdWords are a hold's end, note and author.
func (a *app) holdWords(m *hopwisev1.MaintenanceHold) string {
	text := "until unhold"
	if m.GetUntil() != nil {
		text = "for " + ago(m.GetUntil().AsTime().Sub(a.now()))
	}
	if m.GetNote() != "" {
		text += ": " + safe(m.GetNote())
	}
	if m.GetBy() != "" {
		text += " (" + safe(m.GetBy()) + ")"
	}
	return text
}

func (a *app) unholdCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "unhold DOMAIN|NODE", Short: "Lift the hold of a domain or a node",
		Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	out := outputFlag(cmd, asTable, asJSON, asYAML)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.unhold(ctx, s, args[0], out) })
	}
	return cmd
}

func (a *app) unhold(ctx context.Context, s *session, name string, out *format) error {
	found, err := findPlaces(ctx, s, name)
	if err != nil {
		return err
	}
	if len(found) > 1 {
		return ambiguous(name, found)
	}
	if len(found) == 0 { // it may have left the graph: a path is a domain's, a name a node's
		names, err := s.layers(ctx)
		if err != nil {
			return err
		}
		gone := &hopwisev1.DomainRef{Path: strings.Split(name, "/")}
		if len(gone.Path) == 1 {
			gone.Layer = names.scheme.GetNodeLayer()
		}
		found = append(found, gone)
	}
	answer, err := s.UnholdDomain(ctx, &hopwisev1.UnholdDomainRequest{Domain: found[0]})
	if err != nil {
		return err
	}
	a.notKept(s)
	if printed, err := a.machine(out, answer); printed || err != nil {
		return err
	}
	text := "not held  " + safe(name)
	if m := answer.GetLifted(); m != nil {
		text = "lifted    " + safe(name) + "  it was held " + a.holdWords(m)
	}
	a.line(text + revisionAt(text, answer.GetRevision()))
	return nil
}

// findPlaces finds the domains that a name or path means, and the node of that
// name.
func findPlaces(ctx context.Context, s *session, name string) ([]*hopwisev1.DomainRef, error) {
	found, err := domainsNamed(ctx, s, name)
	if err != nil {
		return nil, err
	}
	names, err := s.layers(ctx)
	if err != nil {
		return nil, err
	}
	node := &hopwisev1.DomainRef{Layer: names.scheme.GetNodeLayer(), Path: []string{name}}
	_, err = s.GetTopology(ctx, &hopwisev1.GetTopologyRequest{Root: node, PageSize: 1})
	if err == nil {
		return append(found, node), nil
	}
	if !failedFor(err, "DOMAIN_NOT_FOUND") && !failedFor(err, "INVALID_REQUEST") {
		return nil, err
	}
	return found, nil
}

func ambiguous(name string, found []*hopwisev1.DomainRef) error {
	paths := make([]string, len(found))
	for i, d := range found {
		paths[i] = fullName(d)
	}
	return fmt.Errorf("%q is %d places: %s\n  give the path of one", name, len(found), abbreviate(paths))
}
