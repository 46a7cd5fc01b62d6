package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// releaseSelected gives back every placement whose labels match.
func (a *app) releaseSelected(cmd *cobra.Command, args []string, r *releaseFlags, out *format) error {
	switch {
	case r.selector == "":
		return usage("nothing to release; expected names, or --selector")
	case len(args) > 0:
		return usage("--selector and names contradict each other: give one of them")
	case r.ranks != "" || r.uid != "" || r.etag != "" || r.podSet != "":
		return usage("--ranks, --pod-set, --uid and --etag are about one gang; --selector may match several")
	}
	req := &hopwisev1.ListPlacementsRequest{LabelSelector: r.selector}
	if cmd.Flags().Changed("namespace") {
		req.Namespace = r.namespace
	}
	return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
		all, err := listed(ctx, s, req, 0)
		if err != nil {
			return err
		}
		gangs := all.GetPlacements()
		if len(gangs) == 0 {
			a.note("nothing that is placed matches " + r.selector)
			return nil
		}
		if len(gangs) > 1 && !r.yes {
			if err := a.askRelease(gangs); err != nil {
				return err
			}
		}
		for _, p := range gangs { // with its uid: another incarnation since then stays
			err := a.release(ctx, s, &hopwisev1.ReleasePlacementRequest{Gang: p.GetGang()}, out)
			if err != nil && !notFound(err) {
				return err
			}
		}
		return nil
	})
}

// askRelease has a person agree; where nobody can be asked, --yes is needed.
func (a *app) askRelease(gangs []*hopwisev1.Placement) error {
	names, pods := make([]string, len(gangs)), int32(0)
	for i, p := range gangs {
		names[i] = gangTitle(p.GetGang())
		pods += p.GetPods()
	}
	what := fmt.Sprintf("%s with %s: %s", count(len(gangs), "placement"), count(pods, "pod"), abbreviate(names))
	if !a.inTerminal {
		return usage("--selector matches %s\n  --yes releases them", what)
	}
	fmt.Fprint(a.err, a.style.ascii("release "+what+"? [y/N] "))
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || word != "y" && word != "yes" {
		return fmt.Errorf("nothing was released")
	}
	return nil
}
