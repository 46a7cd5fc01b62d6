package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/internal/gang"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func (a *app) placeCommand() *cobra.Command {
	var p placeFlags
	cmd := &cobra.Command{
		Use:   "place [NAMESPACE/]NAME --pods N --gpus N [--required KEY | --preferred KEY] | place -f FILE",
		Short: "Decide where a gang goes and reserve it there",
		Example: "  hopwise place team-a/llama --pods 16 --gpus 8 --required topology.k8s.aws/network-node-layer-3\n" +
			"  hopwise place -f job.yaml --dry-run\n" +
			"  hopwise place -f everything.yaml --together",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	p.add(cmd)
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		gangs, err := p.gangs(a, cmd.Flags(), args)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.placeAll(ctx, s, &p, gangs, out) })
	}
	return cmd
}

// place asks for one gang and prints the answer, which it also gives back.
func (a *app) place(ctx context.Context, s *session, g gang.Gang, req *hopwisev1.PlaceGangRequest, out *format) (*hopwisev1.PlaceGangResponse, error) {
	a.readNotes(g, out)
	answer, err := s.PlaceGang(ctx, req)
	if err != nil {
		return nil, a.inFile(err, g.Origin)
	}
	return answer, a.printAnswer(ctx, s, req, answer, out)
}

func (a *app) printAnswer(ctx context.Context, s *session, req *hopwisev1.PlaceGangRequest, answer *hopwisev1.PlaceGangResponse, out *format) error {
	if printed, err := a.machine(out, answer); printed || err != nil {
		return firstError(err, refusedOr(answer))
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	for _, n := range answer.GetNotes() {
		a.note(n)
	}
	if r := answer.GetRefusal(); r != nil {
		if out.value == asName {
			a.note("refused: " + r.GetMessage())
			return errRefused
		}
		a.printRefusal(names, req, r, out.value == asWide)
		return errRefused
	}
	if out.value == asName {
		a.line(safe(req.GetGang().GetNamespace() + "/" + req.GetGang().GetName()))
		return nil
	}
	a.printPlacement(names, answer.GetPlacement(), placementView{
		word: placeWord(answer), revision: answer.GetRevision(), wide: out.value == asWide,
	})
	return nil
}

func placeWord(answer *hopwisev1.PlaceGangResponse) string {
	switch {
	case answer.GetPlacement().GetDryRun():
		return "would place"
	case answer.GetExisting():
		return "placed already"
	case answer.GetDecidedAnew():
		return "placed anew"
	}
	return "placed"
}

// refusedOr is the verb's end for an answer that was printed.
func refusedOr(answer *hopwisev1.PlaceGangResponse) error {
	if answer.GetRefusal() != nil {
		return errRefused
	}
	return nil
}

// firstError is the first of two errors that there is.
func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
