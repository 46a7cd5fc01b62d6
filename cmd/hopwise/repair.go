package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/internal/gang"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// repairFlags say which ranks need another node.
type repairFlags struct {
	namespace, uid, etag string
	nodes                []string
	ranks, podSet        string
	onUnrepairable       string
	dryRun, explain      bool
	stepBudget           int64
}

func (a *app) repairCommand() *cobra.Command {
	var r repairFlags
	cmd := &cobra.Command{
		Use:   "repair [NAMESPACE/]NAME [--nodes LIST | --ranks LIST]",
		Short: "Move ranks off nodes that are lost, and no others",
		Example: "  hopwise repair team-a/llama\n" +
			"  hopwise repair team-a/llama --nodes ip-10-1-0-[11-12] --dry-run",
		Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringVarP(&r.namespace, "namespace", "n", "default", "the namespace where the argument has none")
	f.StringArrayVar(&r.nodes, "nodes", nil, "the nodes whose ranks to move, such as ip-10-1-0-[11-13]; may be repeated (default: every unusable one)")
	f.StringVar(&r.ranks, "ranks", "", "the ranks to move, such as 0-3,7")
	f.StringVar(&r.podSet, "pod-set", "", "the pod set of --ranks, where the gang has several")
	f.StringVar(&r.onUnrepairable, "on-unrepairable", "", "where no repair keeps the constraint: "+strings.Join(gang.OnUnrepairables(), ", ")+" (default: as placed)")
	f.BoolVar(&r.dryRun, "dry-run", false, "decide and move nothing")
	f.BoolVar(&r.explain, "explain", true, "where it is refused, work out why")
	f.StringVar(&r.uid, "uid", "", "only this incarnation")
	f.StringVar(&r.etag, "etag", "", "only if the placement's etag is this one")
	f.Int64Var(&r.stepBudget, "step-budget", 0, "the most search steps (default: the server's)")
	_ = cmd.RegisterFlagCompletionFunc("on-unrepairable", cobra.FixedCompletions(gang.OnUnrepairables(), cobra.ShellCompDirectiveNoFileComp))
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := r.request(args[0])
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("step-budget") {
			req.StepBudget = &r.stepBudget
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.repair(ctx, s, req, out) })
	}
	return cmd
}

func (r *repairFlags) request(arg string) (*hopwisev1.RepairPlacementRequest, error) {
	ns, name, err := gangName(arg, r.namespace)
	if err != nil {
		return nil, err
	}
	if r.podSet != "" && r.ranks == "" {
		return nil, usage("--pod-set goes with --ranks")
	}
	slots, err := slotRanges(r.podSet, r.ranks)
	if err != nil {
		return nil, err
	}
	req := &hopwisev1.RepairPlacementRequest{
		Gang: &hopwisev1.GangRef{Namespace: ns, Name: name, Uid: r.uid}, Slots: slots,
		DryRun: r.dryRun, Explain: r.explain, Etag: r.etag,
	}
	for _, list := range r.nodes {
		names, err := unfold(list)
		if err != nil {
			return nil, err
		}
		req.Nodes = append(req.Nodes, names...)
	}
	if r.onUnrepairable != "" {
		word, err := onUnrepairable(r.onUnrepairable)
		if err != nil {
			return nil, err
		}
		req.OnUnrepairable = hopwisev1.OnUnrepairable(hopwisev1.OnUnrepairable_value["ON_UNREPAIRABLE_"+string(word)])
	}
	return req, nil
}

func (a *app) repair(ctx context.Context, s *session, req *hopwisev1.RepairPlacementRequest, out *format) error {
	answer, err := s.RepairPlacement(ctx, req)
	if err != nil {
		return err
	}
	end := error(nil)
	if answer.GetRefusal() != nil {
		end = errRefused
	}
	if printed, err := a.machine(out, answer); printed || err != nil {
		return firstError(err, end)
	}
	if end != nil || out.value == asName {
		return a.briefly(ctx, s, out, req.GetGang(), answer.GetRefusal(), end)
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	for _, n := range answer.GetNotes() {
		a.note(n)
	}
	a.printPlacement(names, answer.GetPlacement(), placementView{
		word: repairWord(answer), revision: answer.GetRevision(), wide: out.value == asWide,
	})
	a.printMoves(names, answer.GetMoves(), answer.GetPlacement())
	return nil
}

// briefly prints an answer that is a name or a refusal.
func (a *app) briefly(ctx context.Context, s *session, out *format, ref *hopwisev1.GangRef, r *hopwisev1.Refusal, end error) error {
	switch {
	case r == nil:
		a.line(gangTitle(ref))
		return end
	case out.value == asName:
		a.note("refused: " + r.GetMessage())
		return end
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	req := &hopwisev1.PlaceGangRequest{Gang: ref}
	a.printWhyNot(names, req, r, messageOf(req, r), out.value == asWide)
	return end
}

func repairWord(answer *hopwisev1.RepairPlacementResponse) string {
	switch {
	case answer.GetExisting():
		return "nothing to repair"
	case answer.GetPlacement().GetDryRun():
		return "would repair"
	case answer.GetDecidedAnew():
		return "placed anew"
	}
	return "repaired"
}

// printMoves lists the ranks that moved, one a line.
func (a *app) printMoves(n *layerNames, moves []*hopwisev1.ScoreMove, p *hopwisev1.Placement) {
	t := table{gap: 4, indent: "  "}
	for _, m := range moves {
		rank := fmt.Sprintf("rank %d", m.GetRank())
		if len(p.GetPodSets()) > 1 {
			rank = safe(m.GetPodSet()) + " " + rank
		}
		t.add(c("moved "+rank), c(safe(m.GetFromNode())+" to "+safe(m.GetToNode())), c(n.place(m.GetToLeaf())))
	}
	a.print(t.format(a.style))
}
