package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

func (a *app) topologyCommand() *cobra.Command {
	var under string
	cmd := &cobra.Command{
		Use: "topology", Aliases: []string{"topo"}, Short: "Show the network as a tree, with what runs on it",
		Example: "  hopwise topology\n  hopwise topology -o mermaid --under nn-21111",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&under, "under", "", "only this domain and what is below it: its name, or its path from the root as a/b/c")
	out := outputFlag(cmd, "tree", "mermaid", "dot", asJSON, asYAML)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(ctx context.Context, s *session) error { return a.topologyOf(ctx, s, under, out) })
	}
	return cmd
}

func (a *app) topologyOf(ctx context.Context, s *session, under string, out *format) error {
	root, err := findDomain(ctx, s, "--under", under)
	if err != nil {
		return err
	}
	all, err := wholeTopology(ctx, s, root)
	if err != nil {
		return err
	}
	if printed, err := a.machine(out, all); printed || err != nil {
		return err
	}
	names := newLayerNames(all.GetScheme())
	for _, w := range all.GetWarnings() {
		a.note(w)
	}
	t := newTree(all)
	switch out.value {
	case "mermaid":
		a.print(mermaid(names, t, under != ""))
	case "dot":
		a.print(dot(names, t))
	default:
		a.printTree(names, all, t)
	}
	return nil
}

// wholeTopology reads every page into one answer; what a page continues is joined
// to where it began.
func wholeTopology(ctx context.Context, s *session, root *hopwisev1.DomainRef) (*hopwisev1.GetTopologyResponse, error) {
	var all *hopwisev1.GetTopologyResponse
	for page, err := range s.TopologyPages(ctx, &hopwisev1.GetTopologyRequest{Root: root, IncludeNodes: true, PageSize: 1000}) {
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = page
			continue
		}
		for _, d := range page.GetDomains() {
			if last := len(all.Domains) - 1; d.GetContinued() && last >= 0 && sameDomain(all.Domains[last].GetRef(), d.GetRef()) {
				all.Domains[last].Nodes = append(all.Domains[last].Nodes, d.GetNodes()...)
				continue
			}
			all.Domains = append(all.Domains, d)
		}
		all.Revision = page.GetRevision()
	}
	all.NextPageToken = ""
	return all, nil
}

// findDomain finds the one domain that a name or path means; nil where none is
// asked for.
func findDomain(ctx context.Context, s *session, flag, under string) (*hopwisev1.DomainRef, error) {
	if under == "" {
		return nil, nil
	}
	found, err := domainsNamed(ctx, s, under)
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("%s %q: there is no such domain\n  hopwise topology shows them", flag, under)
	}
	paths := make([]string, len(found))
	for i, d := range found {
		paths[i] = fullName(d)
	}
	return nil, fmt.Errorf("%s %q is %d domains: %s\n  give the path of one", flag, under, len(found), abbreviate(paths))
}

// domainsNamed are the domains with this name, path, or end of a path.
func domainsNamed(ctx context.Context, s *session, name string) ([]*hopwisev1.DomainRef, error) {
	var found []*hopwisev1.DomainRef
	for page, err := range s.TopologyPages(ctx, &hopwisev1.GetTopologyRequest{PageSize: 1000}) {
		if err != nil {
			return nil, err
		}
		for _, d := range page.GetDomains() {
			full := strings.Join(d.GetRef().GetPath(), "/")
			if len(d.GetRef().GetPath()) > 0 && !d.GetContinued() && (full == name || strings.HasSuffix(full, "/"+name)) {
				found = append(found, d.GetRef())
			}
		}
	}
	return found, nil
}

// branch is a domain with what hangs on it.
type branch struct {
	*hopwisev1.Domain
	below []*branch
}

// newTree hangs domains, which come in path order, under each other. Its root is
// the first: the whole cluster, or what was asked for.
func newTree(all *hopwisev1.GetTopologyResponse) *branch {
	if len(all.GetDomains()) == 0 {
		return &branch{Domain: &hopwisev1.Domain{}}
	}
	root := &branch{Domain: all.GetDomains()[0]}
	path := []*branch{root}
	for _, d := range all.GetDomains()[1:] {
		for len(path) > 1 && len(path[len(path)-1].GetRef().GetPath()) >= len(d.GetRef().GetPath()) {
			path = path[:len(path)-1]
		}
		b := &branch{Domain: d}
		parent := path[len(path)-1]
		parent.below = append(parent.below, b)
		path = append(path, b)
	}
	return root
}

// accelerators are the resources that people count nodes in, in order.
var accelerators = []string{"nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron", "aws.amazon.com/neuroncore",
	"google.com/tpu", "habana.ai/gaudi", "gpu.intel.com/xe"}

// mainResource is the accelerator that the cluster has; nil amounts where none.
func mainResource(all []*hopwisev1.ResourceAmount) string {
	for _, name := range accelerators {
		for _, r := range all {
			if r.GetName() == name && r.GetTotal() != "0" {
				return name
			}
		}
	}
	return ""
}

func amountOf(all []*hopwisev1.ResourceAmount, name string) *hopwisev1.ResourceAmount {
	for _, r := range all {
		if r.GetName() == name {
			return r
		}
	}
	return nil
}

// freeOfTotal is "41/56"; empty where the resource is not there.
func freeOfTotal(all []*hopwisev1.ResourceAmount, name string) string {
	r := amountOf(all, name)
	if r == nil {
		return ""
	}
	return safe(r.GetFree() + "/" + r.GetTotal())
}

func healthWord(h hopwisev1.NodeHealth) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(h.String(), "NODE_HEALTH_"), "_", " "))
}

func healthy(n *hopwisev1.Node) bool { return n.GetHealth() == hopwisev1.NodeHealth_NODE_HEALTH_OK }
