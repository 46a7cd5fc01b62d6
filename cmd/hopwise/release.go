package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// releaseFlags say what of a placement to give back.
type releaseFlags struct {
	namespace, uid, etag, podSet string
	ranks, selector              string
	ignore, yes                  bool
}

func (a *app) releaseCommand() *cobra.Command {
	var r releaseFlags
	cmd := &cobra.Command{
		Use: "release [NAMESPACE/]NAME... | --selector SELECTOR", Short: "Give placements back, whole or some ranks of one",
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.StringVarP(&r.namespace, "namespace", "n", "default", "the namespace where an argument has none")
	f.StringVar(&r.uid, "uid", "", "only this incarnation")
	f.StringVar(&r.etag, "etag", "", "only if the placement's etag is this one")
	f.StringVar(&r.ranks, "ranks", "", "only these ranks, such as 0-3,7")
	f.StringVar(&r.podSet, "pod-set", "", "the pod set of --ranks, where the gang has several")
	f.StringVarP(&r.selector, "selector", "l", "", "all whose labels match, in kubectl's syntax; with -n only that namespace's")
	f.BoolVar(&r.yes, "yes", false, "with --selector: do not ask before more than one")
	f.BoolVar(&r.ignore, "ignore-not-found", false, "succeed where there is nothing to release")
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if r.selector != "" || len(args) == 0 {
			return a.releaseSelected(cmd, args, &r, out)
		}
		requests, err := r.requests(args)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
			for _, req := range requests {
				err := a.release(ctx, s, req, out)
				if r.ignore && notFound(err) {
					a.note(gangTitle(req.GetGang()) + " is not placed")
					continue
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return cmd
}

func (r *releaseFlags) requests(args []string) ([]*hopwisev1.ReleasePlacementRequest, error) {
	if len(args) > 1 && (r.ranks != "" || r.uid != "" || r.etag != "") {
		return nil, usage("--ranks, --uid and --etag are about one gang; %d are named", len(args))
	}
	if r.podSet != "" && r.ranks == "" {
		return nil, usage("--pod-set goes with --ranks")
	}
	slots, err := slotRanges(r.podSet, r.ranks)
	if err != nil {
		return nil, err
	}
	var requests []*hopwisev1.ReleasePlacementRequest
	for _, arg := range args {
		ns, name, err := gangName(arg, r.namespace)
		if err != nil {
			return nil, err
		}
		requests = append(requests, &hopwisev1.ReleasePlacementRequest{
			Gang: &hopwisev1.GangRef{Namespace: ns, Name: name, Uid: r.uid}, Slots: slots, Etag: r.etag,
		})
	}
	return requests, nil
}

// slotRanges reads 0-3,7.
func slotRanges(podSet, text string) ([]*hopwisev1.SlotRange, error) {
	if text == "" {
		return nil, nil
	}
	var out []*hopwisev1.SlotRange
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			to = from
		}
		a, err1 := strconv.ParseInt(from, 10, 32)
		b, err2 := strconv.ParseInt(to, 10, 32)
		if err1 != nil || err2 != nil || a < 0 || b < a || b >= 1_000_000 {
			return nil, usage("--ranks %q: %q is no range of ranks; expected such as 0-3,7", text, part)
		}
		out = append(out, &hopwisev1.SlotRange{PodSet: podSet, FirstRank: int32(a), Count: int32(b - a + 1)})
	}
	return out, nil
}

func (a *app) release(ctx context.Context, s *session, req *hopwisev1.ReleasePlacementRequest, out *format) error {
	answer, err := s.ReleasePlacement(ctx, req)
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
	text := "released  " + gangTitle(p.GetGang()) + "  "
	if len(req.GetSlots()) == 0 {
		pods := int32(0)
		for _, ps := range p.GetSpec().GetPodSets() {
			pods += ps.GetCount()
		}
		text += count(pods, "pod")
	} else {
		text += "some ranks; it is " + stateWord(p.GetState())
	}
	a.line(text + revisionAt(text, answer.GetRevision()))
	return nil
}
