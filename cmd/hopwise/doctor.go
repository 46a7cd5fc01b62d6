package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/scheme"
)

// finding is one thing that doctor noticed.
type finding struct {
	Kind   string `json:"kind"` // "no-labels", "partial-labels", "unhealthy", "lonely-leaf", "source"
	Name   string `json:"name"` // the node, domain or source
	What   string `json:"what"`
	Advice string `json:"advice,omitempty"`
}

// checkup is all that doctor says.
type checkup struct {
	Nodes    int32     `json:"nodes"`
	Findings []finding `json:"findings"`
	Revision string    `json:"revision"`
}

func (a *app) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Name the nodes, leaves and sources that keep gangs from aligning",
		Args: cobra.NoArgs,
	}
	out := outputFlag(cmd, formats...)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error {
			all, err := wholeTopology(ctx, s, nil)
			if err != nil {
				return err
			}
			return a.printCheckup(newLayerNames(all.GetScheme()), examine(all), out)
		})
	}
	return cmd
}

// examine looks at every node and leaf.
func examine(all *hopwisev1.GetTopologyResponse) checkup {
	names := newLayerNames(all.GetScheme())
	r := checkup{Revision: all.GetRevision(), Findings: []finding{}}
	deepest := deepestByType(all)
	var lonely, sick []finding
	for _, d := range all.GetDomains() {
		for _, n := range d.GetNodes() {
			r.Nodes++
			if f, short := labelFinding(names, n, deepest[n.GetInstanceType()]); short {
				r.Findings = append(r.Findings, f)
			}
			if !healthy(n) {
				what := healthWord(n.GetHealth())
				if n.GetHealthDetail() != "" {
					what = n.GetHealthDetail()
				}
				sick = append(sick, finding{Kind: "unhealthy", Name: n.GetName(), What: what})
			}
		}
		if d.GetNodeCount() == 1 && d.GetChildCount() == 0 && len(d.GetNodes()) == 1 && len(d.GetRef().GetPath()) > 0 {
			lonely = append(lonely, finding{Kind: "lonely-leaf", Name: strings.Join(d.GetRef().GetPath(), "/"),
				What: names.layer(d.GetRef().GetLayer()) + " with one node", Advice: "gangs of 2 or more nodes never align there"})
		}
	}
	r.Findings = append(append(r.Findings, sick...), lonely...)
	for _, s := range all.GetSources() {
		if s.GetStale() {
			r.Findings = append(r.Findings, finding{Kind: "source", Name: s.GetDetail(), What: "cannot be read now: " + s.GetError(),
				Advice: "the last good state is served"})
		}
	}
	for _, w := range all.GetWarnings() {
		r.Findings = append(r.Findings, finding{Kind: "source", Name: "warning", What: w})
	}
	return r
}

// deepestByType is how many layers the best labelled node of each type has.
func deepestByType(all *hopwisev1.GetTopologyResponse) map[string]int {
	deepest := make(map[string]int)
	for _, d := range all.GetDomains() {
		for _, n := range d.GetNodes() {
			deepest[n.GetInstanceType()] = max(deepest[n.GetInstanceType()], len(n.GetParent().GetPath()))
		}
	}
	return deepest
}

// labelFinding is what a node lacks of what its type has: AWS's own table for its
// layers, else the best labelled node of the type.
func labelFinding(names *layerNames, n *hopwisev1.Node, deepest int) (finding, bool) {
	has := len(n.GetParent().GetPath())
	wants := deepest
	depth, listed := scheme.AWSDepth(n.GetInstanceType())
	if listed && strings.HasPrefix(names.title(), "topology.k8s.aws") {
		wants = depth
	}
	if len(n.GetMissingLayers()) == 0 || (has > 0 && has >= wants) {
		return finding{}, false
	}
	const late = "labels arrive late after a throttled cloud controller: restart it or label by hand"
	f := finding{Kind: "partial-labels", Name: n.GetName(), Advice: late}
	if has == 0 {
		f.Kind, f.What = "no-labels", "no topology labels"
		if wants == 0 && n.GetInstanceType() != "" {
			f.Advice = "instance type " + n.GetInstanceType() + " has none: expected"
		} else if wants == 0 {
			f.Advice = "and nothing says which its type should have"
		}
		return f, true
	}
	var lacks []string
	for _, l := range n.GetMissingLayers() {
		lacks = append(lacks, names.layer(l))
	}
	f.What = "without " + strings.Join(lacks, ", ")
	return f, true
}

func (a *app) printCheckup(n *layerNames, r checkup, out *format) error {
	switch out.value {
	case asJSON, asYAML:
		text, err := json.MarshalIndent(r, "", "  ")
		if err == nil && out.value == asYAML {
			text, err = yaml.JSONToYAML(text)
		}
		if err != nil {
			return err
		}
		a.print(strings.TrimRight(escapeJSON(string(text)), "\n") + "\n")
		return nil
	case asName:
		for _, f := range r.Findings {
			a.line(safe(f.Name))
		}
		return nil
	}
	a.printFindings(n, r, out.value == asWide)
	return nil
}

func (a *app) printFindings(n *layerNames, r checkup, wide bool) {
	if len(r.Findings) == 0 {
		a.line(a.style.paint(green, "well") + ": " + count(r.Nodes, "node") + ", all labelled and usable, no leaf of one node")
		return
	}
	by := func(kinds ...string) []finding {
		return slices.DeleteFunc(slices.Clone(r.Findings), func(f finding) bool { return !slices.Contains(kinds, f.Kind) })
	}
	deepest := "all layers'"
	if layers := n.all(); len(layers) > 0 {
		deepest = n.layer(layers[len(layers)-1])
	}
	a.section(by("no-labels", "partial-labels"), wide, func(k int) string {
		return fmt.Sprintf("%d of %s can't serve %s constraints", k, count(r.Nodes, "node"), deepest)
	})
	a.section(by("unhealthy"), wide, func(k int) string {
		return fmt.Sprintf("%d of %s take no pods", k, count(r.Nodes, "node"))
	})
	a.section(by("lonely-leaf"), wide, func(k int) string {
		if k == 1 {
			return "1 leaf has one node only: gangs of 2 or more never align there"
		}
		return fmt.Sprintf("%s have one node only: gangs of 2 or more never align there", count(k, "leaf"))
	})
	a.section(by("source"), wide, func(k int) string { return "the sources have " + count(k, "problem") })
}

// mostFindings is how many of one kind are shown unless wide.
const mostFindings = 20

func (a *app) section(findings []finding, wide bool, title func(int) string) {
	if len(findings) == 0 {
		return
	}
	a.print(a.style.paint(yellow, title(len(findings))) + "\n")
	t := table{gap: 4, indent: "  "}
	for i, f := range findings {
		if !wide && i == mostFindings {
			t.add(c(fmt.Sprintf("… %d more: -o wide", len(findings)-i)))
			break
		}
		advice := ""
		if f.Advice != "" && f.Kind != "lonely-leaf" {
			advice = "(" + safe(f.Advice) + ")"
		}
		t.add(c(safe(f.Name)), c(safe(f.What)), painted(dim, advice))
	}
	a.print(t.format(a.style))
}
