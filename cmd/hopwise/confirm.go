package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// confirmFlags say what became of a gang's pods and owner.
type confirmFlags struct {
	namespace, uid, etag   string
	all                    bool
	rank                   int32
	podSet, pod, podUID    string
	node, event, ownerWord string
}

func (a *app) confirmCommand() *cobra.Command {
	var c confirmFlags
	cmd := &cobra.Command{
		Use: "confirm [NAMESPACE/]NAME", Short: "Say that a gang's pods run, or what became of them",
		Example: "  hopwise confirm team-a/llama --all\n" +
			"  hopwise confirm team-a/llama --rank 3 --pod llama-3 --node ip-10-1-0-14\n" +
			"  hopwise confirm team-a/llama --owner finished",
		Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	gangFlags(cmd, &c.namespace, &c.uid, &c.etag)
	f.BoolVar(&c.all, "all", false, "every rank not named runs where it was planned")
	f.Int32Var(&c.rank, "rank", -1, "the rank that --pod, --node and --event are about")
	f.StringVar(&c.podSet, "pod-set", "", "the rank's pod set, where the gang has several")
	f.StringVar(&c.pod, "pod", "", "the pod's name")
	f.StringVar(&c.podUID, "pod-uid", "", "the pod's uid")
	f.StringVar(&c.node, "node", "", "where it runs (default: where it was planned)")
	f.StringVar(&c.event, "event", "bound", "what became of it: "+strings.Join(eventWords(), ", "))
	f.StringVar(&c.ownerWord, "owner", "", "what became of the job behind the gang: "+strings.Join(ownerWords(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("event", cobra.FixedCompletions(eventWords(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("owner", cobra.FixedCompletions(ownerWords(), cobra.ShellCompDirectiveNoFileComp))
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req, err := c.request(args[0])
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
			answer, err := s.ConfirmPlacement(ctx, req)
			if err != nil {
				return err
			}
			return a.changed(ctx, s, out, answer, answer.GetPlacement(), answer.GetRevision())
		})
	}
	return cmd
}

// gangFlags are the flags of verbs about one gang.
func gangFlags(cmd *cobra.Command, namespace, uid, etag *string) {
	f := cmd.Flags()
	f.StringVarP(namespace, "namespace", "n", "default", "the namespace where the argument has none")
	f.StringVar(uid, "uid", "", "only this incarnation")
	f.StringVar(etag, "etag", "", "only if the placement's etag is this one")
}

func eventWords() []string { return enumWords(hopwisev1.PodEvent_name, "POD_EVENT_") }

func ownerWords() []string { return enumWords(hopwisev1.OwnerState_name, "OWNER_STATE_") }

// enumWords are an enum's values from 1 on, as people write them.
func enumWords(names map[int32]string, prefix string) []string {
	var words []string
	for n := int32(1); names[n] != ""; n++ {
		words = append(words, strings.ToLower(strings.TrimPrefix(names[n], prefix)))
	}
	return words
}

// enumOf is the number of a word; 0 where it is empty.
func enumOf(flag, word string, words []string) (int32, error) {
	if word == "" {
		return 0, nil
	}
	for i, w := range words {
		if strings.EqualFold(w, word) {
			return int32(i + 1), nil
		}
	}
	return 0, usage("--%s %q is none of %s", flag, word, strings.Join(words, ", "))
}

func (c *confirmFlags) request(arg string) (*hopwisev1.ConfirmPlacementRequest, error) {
	ns, name, err := gangName(arg, c.namespace)
	if err != nil {
		return nil, err
	}
	owner, err := enumOf("owner", c.ownerWord, ownerWords())
	if err != nil {
		return nil, err
	}
	event, err := enumOf("event", c.event, eventWords())
	if err != nil {
		return nil, err
	}
	req := &hopwisev1.ConfirmPlacementRequest{
		Gang:         &hopwisev1.GangRef{Namespace: ns, Name: name, Uid: c.uid},
		AllAsPlanned: c.all, OwnerState: hopwisev1.OwnerState(owner), Etag: c.etag,
	}
	aboutSlot := c.podSet != "" || c.pod != "" || c.podUID != "" || c.node != "" || event > 1
	switch {
	case c.rank >= 0:
		req.Slots = []*hopwisev1.SlotReport{{
			PodSet: c.podSet, Rank: c.rank, PodName: c.pod, PodUid: c.podUID, Node: c.node, Event: hopwisev1.PodEvent(event),
		}}
	case aboutSlot:
		return nil, usage("--pod, --pod-uid, --node, --event and --pod-set are about one rank: say which with --rank")
	case !c.all && owner == 0:
		return nil, usage("nothing to confirm; expected --all, --rank N or --owner WORD")
	}
	return req, nil
}

func (a *app) renewCommand() *cobra.Command {
	var namespace, uid, etag string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use: "renew [NAMESPACE/]NAME", Short: "Give a reservation more time",
		Args: cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	gangFlags(cmd, &namespace, &uid, &etag)
	cmd.Flags().DurationVar(&ttl, "ttl", 0, "how long from now (default: as long as it was placed for)")
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ns, name, err := gangName(args[0], namespace)
		if err != nil {
			return err
		}
		req := &hopwisev1.RenewPlacementRequest{Gang: &hopwisev1.GangRef{Namespace: ns, Name: name, Uid: uid}, Etag: etag}
		if cmd.Flags().Changed("ttl") {
			req.Ttl = durationpb.New(ttl)
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
			answer, err := s.RenewPlacement(ctx, req)
			if err != nil {
				return err
			}
			return a.changed(ctx, s, out, answer, answer.GetPlacement(), answer.GetRevision())
		})
	}
	return cmd
}
