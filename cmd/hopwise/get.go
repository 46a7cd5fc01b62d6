package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/clients/hopwise"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func (a *app) getCommand() *cobra.Command {
	var namespace, uid string
	var ignore bool
	cmd := &cobra.Command{
		Use: "get [NAMESPACE/]NAME", Short: "Show one placement",
		Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "default", "the namespace where the argument has none")
	cmd.Flags().StringVar(&uid, "uid", "", "only this incarnation")
	cmd.Flags().BoolVar(&ignore, "ignore-not-found", false, "print nothing and succeed where there is none")
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ns, name, err := gangName(args[0], namespace)
		if err != nil {
			return err
		}
		req := &hopwisev1.GetPlacementRequest{Gang: &hopwisev1.GangRef{Namespace: ns, Name: name, Uid: uid}}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
			err := a.get(ctx, s, req, out)
			if ignore && notFound(err) {
				return nil
			}
			return err
		})
	}
	return cmd
}

func (a *app) get(ctx context.Context, s *session, req *hopwisev1.GetPlacementRequest, out *format) error {
	answer, err := s.GetPlacement(ctx, req)
	if err != nil {
		return err
	}
	if printed, err := a.machine(out, answer); printed || err != nil {
		return err
	}
	p := answer.GetPlacement()
	if out.value == asName {
		a.line(gangTitle(p.GetGang()))
		return nil
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	a.printPlacement(names, p, placementView{word: stateWord(p.GetState()), revision: answer.GetRevision(), wide: out.value == asWide})
	return nil
}

func stateWord(s hopwisev1.PlacementState) string {
	return strings.ToLower(strings.TrimPrefix(s.String(), "PLACEMENT_STATE_"))
}

// notFound says whether a call failed because the gang has no placement.
func notFound(err error) bool { return failedFor(err, "PLACEMENT_NOT_FOUND") }

// failedFor says whether a call failed for a reason of the contract.
func failedFor(err error, reason string) bool {
	var e *hopwise.Error
	return errors.As(err, &e) && e.Reason == reason
}
