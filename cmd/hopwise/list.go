package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// listFlags filter list.
type listFlags struct {
	namespace, node, selector string
	states                    []string
}

func (a *app) listCommand() *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List placements",
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVarP(&l.namespace, "namespace", "n", "", "only this namespace's")
	f.StringSliceVar(&l.states, "state", nil, "only these states: "+strings.Join(stateWords(), ", ")+" (default: those that hold something)")
	f.StringVar(&l.node, "node", "", "only those with a rank on this node")
	f.StringVarP(&l.selector, "selector", "l", "", "only those whose labels match, in kubectl's syntax")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(stateWords(), cobra.ShellCompDirectiveNoFileComp))
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		req, err := l.request()
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.list(ctx, s, req, out) })
	}
	return cmd
}

func stateWords() []string {
	var words []string
	for n := int32(1); hopwisev1.PlacementState_name[n] != ""; n++ {
		words = append(words, stateWord(hopwisev1.PlacementState(n)))
	}
	return words
}

func (l *listFlags) request() (*hopwisev1.ListPlacementsRequest, error) {
	req := &hopwisev1.ListPlacementsRequest{Namespace: l.namespace, Node: l.node, LabelSelector: l.selector}
	for _, word := range l.states {
		i := slices.Index(stateWords(), strings.ToLower(word))
		if i < 0 {
			return nil, usage("--state %q is none of %s", word, strings.Join(stateWords(), ", "))
		}
		req.States = append(req.States, hopwisev1.PlacementState(i+1))
	}
	return req, nil
}

func (a *app) list(ctx context.Context, s *session, req *hopwisev1.ListPlacementsRequest, out *format) error {
	all := &hopwisev1.ListPlacementsResponse{}
	for page, err := range s.PlacementPages(ctx, req) {
		if err != nil {
			return err
		}
		all.Placements = append(all.Placements, page.GetPlacements()...)
		all.Revision = page.GetRevision()
	}
	if printed, err := a.machine(out, all); printed || err != nil {
		return err
	}
	if out.value == asName {
		for _, p := range all.GetPlacements() {
			a.line(gangTitle(p.GetGang()))
		}
		return nil
	}
	if len(all.GetPlacements()) == 0 {
		text := "nothing is placed"
		a.line(text + revisionAt(text, all.GetRevision()))
		return nil
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	a.print(a.listTable(names, all, out.value == asWide).format(a.style))
	a.line(strings.TrimLeft(revisionAt("", all.GetRevision()), " "))
	return nil
}

func (a *app) listTable(n *layerNames, all *hopwisev1.ListPlacementsResponse, wide bool) *table {
	t := &table{gap: 3}
	columns := []string{"GANG", "STATE", "PODS", "NODES", "ALIGNED", "CROSSINGS", "HOPS", "EXPIRES"}
	if wide {
		columns = append(columns, "AGE", "POLICY", "BY", "ON")
	}
	t.header(columns...)
	for _, p := range all.GetPlacements() {
		pods := fmt.Sprint(p.GetPods())
		if p.GetPodsWanted() > p.GetPods() {
			pods = fmt.Sprintf("%d/%d", p.GetPods(), p.GetPodsWanted())
		}
		expires := "-"
		if p.GetExpireTime() != nil {
			expires = ago(p.GetExpireTime().AsTime().Sub(a.now()))
		}
		row := []cell{c(gangTitle(p.GetGang())), painted(stateColour(p.GetState()), stateWord(p.GetState())), number(pods),
			number(fmt.Sprint(len(nodesOf(p)))), c(n.place(p.GetQuality().GetAligned())),
			number(fmt.Sprint(p.GetQuality().GetCrossings())), number(fmt.Sprintf("%.1f", p.GetQuality().GetMeanHops())), number(expires)}
		if wide {
			policy := strings.TrimPrefix(p.GetPolicy().String(), "POLICY_")
			row = append(row, number(ago(a.now().Sub(p.GetCreateTime().AsTime()))), c(policy), c(safe(p.GetPlacedBy())),
				c(foldedText(nodesOf(p), true)))
		}
		t.add(row...)
	}
	return t
}
