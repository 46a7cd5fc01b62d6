package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// maxPodList bounds what score reads: some 20,000 pods as kubectl prints them in JSON.
const maxPodList = 256 << 20

// judged is what score asks about: a list of slots or a gang, how it is called and
// what reading it took for granted.
type judged struct {
	title string
	req   *hopwisev1.ScorePlacementRequest
	taken []string
}

func (a *app) scoreCommand() *cobra.Command {
	var namespace, nodes string
	cmd := &cobra.Command{
		Use:   "score [NAMESPACE/]NAME | - | --nodes LIST",
		Short: "Say how near together pods lie, and how near they could",
		Long: "score judges a placed gang by name, the pods that `kubectl get pods -o wide` or `-o json`\n" +
			"prints on standard input (-), or nodes in rank order. 1 is as near as could be.",
		Example: "  kubectl get pods -n team-a -o wide | hopwise score -\n" +
			"  hopwise score --nodes ip-10-1-0-[11-18]",
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "default", "the namespace where the argument has none")
	cmd.Flags().StringVar(&nodes, "nodes", "", "nodes in rank order, one whole node a rank, such as ip-10-1-0-[11-13,20]")
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		j, err := a.judged(args, namespace, nodes)
		if err != nil {
			return err
		}
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.score(ctx, s, j, out) })
	}
	return cmd
}

func (a *app) judged(args []string, namespace, nodes string) (*judged, error) {
	switch {
	case nodes != "" && len(args) > 0:
		return nil, usage("--nodes and %q contradict each other: say one", args[0])
	case nodes != "":
		names, err := unfold(nodes)
		if err != nil {
			return nil, err
		}
		j := &judged{title: "these nodes", req: &hopwisev1.ScorePlacementRequest{}}
		for _, name := range names {
			j.req.Slots = append(j.req.Slots, &hopwisev1.ScoreSlot{Node: name})
		}
		return j, nil
	case len(args) == 0:
		return nil, usage("score what? expected NAMESPACE/NAME, - for pods on standard input, or --nodes")
	case args[0] == "-":
		if a.inTerminal {
			a.note("reading pods from the terminal: kubectl get pods -o wide | hopwise score -")
		}
		data, err := a.read("-", maxPodList)
		if err != nil {
			return nil, err
		}
		return readPods(data)
	}
	ns, name, err := gangName(args[0], namespace)
	if err != nil {
		return nil, err
	}
	return &judged{title: ns + "/" + name, req: &hopwisev1.ScorePlacementRequest{
		Gang: &hopwisev1.GangRef{Namespace: ns, Name: name}}}, nil
}

func (a *app) score(ctx context.Context, s *session, j *judged, out *format) error {
	answer, err := s.ScorePlacement(ctx, j.req)
	if err != nil {
		return err
	}
	if printed, err := a.machine(out, answer); printed || err != nil {
		return err
	}
	if out.value == asName {
		a.line(safe(j.title))
		return nil
	}
	names, err := s.layers(ctx)
	if err != nil {
		return err
	}
	a.printScore(names, j, answer, out.value == asWide)
	return nil
}

// printScore is one line with the number that matters, then what would move and
// what was taken for granted.
func (a *app) printScore(n *layerNames, j *judged, r *hopwisev1.ScorePlacementResponse, wide bool) {
	q := r.GetQuality()
	head := fmt.Sprintf("%s on %s over %s: %s.", count(r.GetPods(), "pod"), count(r.GetNodes(), "node"),
		leaves(q.GetLeaves()), count(q.GetCrossings(), "crossing"))
	score := "-"
	if q.Score != nil {
		score = fmt.Sprintf("%.2f", q.GetScore())
	}
	text := head + "  " + bestWords("Best on this cluster now", r.GetNow()) + "   "
	a.print(a.style.paint(bold, safe(j.title)) + "  " + a.style.ascii(text) +
		"score " + a.style.paint(scoreColour(q), score) + "\n")
	t := table{gap: 3, indent: "  "}
	t.add(c(fmt.Sprintf("mean hops %.1f", q.GetMeanHops())), c(alignedWord(n, q)), c(emptyWords(r)))
	if moves := moveWords(r.GetMoves(), wide); moves != "" {
		t.rows = append(t.rows, []cell{c("would move: " + moves)})
	}
	for _, row := range t.rows {
		one := table{gap: t.gap, indent: t.indent, rows: [][]cell{row}}
		a.print(one.format(a.style))
	}
	if wide {
		for _, m := range r.GetMoves() {
			a.line(fmt.Sprintf("    rank %d  %s -> %s (%s)", m.GetRank(), safe(m.GetFromNode()), safe(m.GetToNode()), lastName(m.GetToLeaf())))
		}
	}
	a.printTaken(j.taken, r.GetAssumptions())
}

// printTaken is each thing taken for granted, one a line: the reading's own first.
func (a *app) printTaken(taken []string, assumed []*hopwisev1.ScoreAssumption) {
	for _, m := range assumed {
		taken = append(taken, m.GetMessage())
	}
	for i, text := range taken {
		word := "  taken:    "
		if i > 0 {
			word = "            "
		}
		a.print(a.style.paint(dim, word) + a.style.ascii(safe(text)) + "\n")
	}
}

func leaves(n int32) string { return count(n, "leaf") }

func bestWords(lead string, b *hopwisev1.ScoreBest) string {
	if b == nil || b.Score == nil {
		return lead + ": none was found."
	}
	return fmt.Sprintf("%s: %s, %s.", lead, leaves(b.GetLeaves()), count(b.GetCrossings(), "crossing"))
}

// emptyWords is the score against the cluster empty, where it says something else.
func emptyWords(r *hopwisev1.ScorePlacementResponse) string {
	if r.GetEmpty() == nil || r.GetEmpty().Score == nil || r.GetEmpty().GetScore() == r.GetQuality().GetScore() {
		return ""
	}
	return fmt.Sprintf("on the cluster empty: %.2f", r.GetEmpty().GetScore())
}

func scoreColour(q *hopwisev1.Quality) paint {
	switch {
	case q.Score == nil:
		return plain
	case q.GetScore() >= 0.95:
		return green
	case q.GetScore() >= 0.6:
		return yellow
	}
	return red
}

// moveWords is how many pods would move and where to; a set of leaves is counted.
func moveWords(moves []*hopwisev1.ScoreMove, wide bool) string {
	if len(moves) == 0 {
		return ""
	}
	ranks := make([]string, 0, len(moves))
	into := make(map[string]bool)
	var names []string
	for _, m := range moves {
		ranks = append(ranks, fmt.Sprint(m.GetRank()))
		if leaf := lastName(m.GetToLeaf()); !into[leaf] {
			into[leaf] = true
			names = append(names, leaf)
		}
	}
	where := strings.Join(names, ", ")
	if len(names) > 4 && !wide {
		where = leaves(int32(len(names)))
	}
	word := "ranks "
	if len(ranks) == 1 {
		word = "rank "
	}
	return count(len(moves), "pod") + " (" + word + ranges(ranks) + ") into " + where
}
