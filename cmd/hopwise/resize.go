package main

import (
	"context"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// resizeFlags say how many pods a placed gang is to have.
type resizeFlags struct {
	namespace, uid, etag, podSet string
	pods, minPods                int32
	dryRun, explain              bool
	stepBudget                   int64
}

func (a *app) resizeCommand() *cobra.Command {
	var r resizeFlags
	cmd := &cobra.Command{
		Use:     "resize [NAMESPACE/]NAME --pods N [--pod-set NAME]",
		Short:   "Grow a placed gang beside its ranks, or take ranks from its end",
		Example: "  hopwise resize team-a/llama --pods 24\n  hopwise resize team-a/llama --pods 24 --pod-set worker --dry-run",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.Int32Var(&r.pods, "pods", 0, "how many pods it is to have")
	f.Int32Var(&r.minPods, "min-pods", 0, "the fewest that will do (default: as placed)")
	f.StringVar(&r.podSet, "pod-set", "", "the pod set to resize, where the gang has several")
	f.StringVarP(&r.namespace, "namespace", "n", "default", "the namespace where the argument has none")
	f.BoolVar(&r.dryRun, "dry-run", false, "decide and change nothing")
	f.BoolVar(&r.explain, "explain", true, "where it is refused, work out why and what would fit")
	f.StringVar(&r.uid, "uid", "", "only this incarnation")
	f.StringVar(&r.etag, "etag", "", "only if the placement's etag is this one")
	f.Int64Var(&r.stepBudget, "step-budget", 0, "the most search steps (default: the server's)")
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := r.request(args[0], cmd.Flags().Changed)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.resize(ctx, s, req, out) })
	}
	return cmd
}

func (r *resizeFlags) request(arg string, given func(string) bool) (*hopwisev1.ResizePlacementRequest, error) {
	ns, name, err := gangName(arg, r.namespace)
	if err != nil {
		return nil, err
	}
	if !given("pods") {
		return nil, usage("how many pods? expected --pods N")
	}
	if r.pods < 1 {
		return nil, usage("--pods %d makes no gang; expected 1 or more (hopwise release gives all of it back)", r.pods)
	}
	size := &hopwisev1.PodSetSize{Name: r.podSet, Count: r.pods}
	if given("min-pods") {
		size.MinCount = &r.minPods
	}
	req := &hopwisev1.ResizePlacementRequest{
		Gang:    &hopwisev1.GangRef{Namespace: ns, Name: name, Uid: r.uid},
		PodSets: []*hopwisev1.PodSetSize{size}, DryRun: r.dryRun, Explain: r.explain, Etag: r.etag,
	}
	if given("step-budget") {
		req.StepBudget = &r.stepBudget
	}
	return req, nil
}

func (a *app) resize(ctx context.Context, s *session, req *hopwisev1.ResizePlacementRequest, out *format) error {
	answer, err := s.ResizePlacement(ctx, req)
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
	word := "resized"
	switch {
	case answer.GetExisting():
		word = "has that size already"
	case answer.GetPlacement().GetDryRun():
		word = "would resize"
	}
	a.printPlacement(names, answer.GetPlacement(), placementView{word: word, revision: answer.GetRevision(), wide: out.value == asWide})
	return nil
}
