package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/timestamppb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// listFlags filter list.
type listFlags struct {
	namespace, node, selector, domain string
	states                            []string
	olderThan                         time.Duration
	limit                             int
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
	f.StringVar(&l.domain, "domain", "", "only those with a rank in this domain: its name, or its path from the root as a/b/c")
	f.DurationVar(&l.olderThan, "older-than", 0, "only those placed longer ago, such as 24h")
	f.IntVar(&l.limit, "limit", 0, "the most to list (default: all)")
	f.StringVarP(&l.selector, "selector", "l", "", "only those whose labels match, in kubectl's syntax")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(stateWords(), cobra.ShellCompDirectiveNoFileComp))
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		req, err := l.request(a.now())
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
			if req.Domain, err = findDomain(ctx, s, "--domain", l.domain); err != nil {
				return err
			}
			return a.list(ctx, s, req, l.limit, out)
		})
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

func (l *listFlags) request(now time.Time) (*hopwisev1.ListPlacementsRequest, error) {
	req := &hopwisev1.ListPlacementsRequest{Namespace: l.namespace, Node: l.node, LabelSelector: l.selector}
	for _, word := range l.states {
		i := slices.Index(stateWords(), strings.ToLower(word))
		if i < 0 {
			return nil, usage("--state %q is none of %s", word, strings.Join(stateWords(), ", "))
		}
		req.States = append(req.States, hopwisev1.PlacementState(i+1))
	}
	if l.olderThan < 0 || l.limit < 0 {
		return nil, usage("--older-than and --limit are not below 0")
	}
	if l.olderThan > 0 {
		req.CreatedBefore = timestamppb.New(now.Add(-l.olderThan))
	}
	if l.limit > 0 {
		req.PageSize = int32(min(l.limit, 1000))
	}
	return req, nil
}

func (a *app) list(ctx context.Context, s *session, req *hopwisev1.ListPlacementsRequest, limit int, out *format) error {
	all, err := listed(ctx, s, req, limit)
	if err != nil {
		return err
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

// listed reads pages into one answer, until there are so many; 0 is all.
func listed(ctx context.Context, s *session, req *hopwisev1.ListPlacementsRequest, limit int) (*hopwisev1.ListPlacementsResponse, error) {
	all := &hopwisev1.ListPlacementsResponse{}
	for page, err := range s.PlacementPages(ctx, req) {
		if err != nil {
			return nil, err
		}
		all.Placements = append(all.Placements, page.GetPlacements()...)
		all.Revision = page.GetRevision()
		if limit > 0 && len(all.Placements) >= limit {
			all.Placements = all.Placements[:limit]
			break
		}
	}
	return all, nil
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
