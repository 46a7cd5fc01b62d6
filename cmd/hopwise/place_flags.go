package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hopwise/hopwise/internal/gang"
)

// placeFlags are the flags of place. Those of shape exclude -f.
type placeFlags struct {
	file, namespace, uid string
	pods                 int32
	shape                shapeFlags
	required, preferred  once
	unconstrained        bool
	policy               string
	minPods              int32
	slices               []string
	partialLastSlice     bool
	spanFabrics          bool
	onUnrepairable       string
	labels               map[string]string
	priority             int32
	ttl                  time.Duration
	dryRun, explain      bool
	stepBudget           int64
	manifest             manifestFlags
}

func (p *placeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&p.file, "file", "f", "", "read gangs from gang.yaml or manifests, such as a Job or a PyTorchJob; - is standard input")
	p.manifest.add(f)
	f.Int32Var(&p.pods, "pods", 0, "how many pods")
	p.shape.add(f)
	f.Var(&p.required, "required", "the layer (label key) of which one domain must hold all pods (also --required-topology)")
	f.Var(&p.preferred, "preferred", "the narrowest layer (label key) worth trying for (also --preferred-topology)")
	f.BoolVar(&p.unconstrained, "unconstrained", false, "say outright that there is no constraint")
	f.StringVar(&p.policy, "policy", "", "how to choose: "+strings.Join(gang.Policies(), ", ")+" (default: the server's)")
	f.Int32Var(&p.minPods, "min-pods", 0, "the fewest that will do where --pods do not fit; the rest wait (default: all)")
	f.StringArrayVar(&p.slices, "slice", nil, "LAYER=SIZE: so many consecutive ranks share a domain of it; up to three, the outermost first")
	f.BoolVar(&p.partialLastSlice, "partial-last-slice", false, "the last slice may be shorter")
	f.BoolVar(&p.spanFabrics, "span-fabrics", false, "the gang may span networks that are not connected")
	f.StringVar(&p.onUnrepairable, "on-unrepairable", "", "where no repair keeps the constraint: "+strings.Join(gang.OnUnrepairables(), ", ")+" (default: WAIT)")
	f.BoolVar(&p.dryRun, "dry-run", false, "decide and reserve nothing")
	f.BoolVar(&p.explain, "explain", true, "where it is refused, work out why and what would fit")
	f.DurationVar(&p.ttl, "ttl", 0, "how long the reservation is kept while no pod runs (default: the server's)")
	f.Int32Var(&p.priority, "priority", 0, "higher goes first among gangs that wait")
	f.StringToStringVar(&p.labels, "label", nil, "label the placement: key=value; may be repeated")
	f.StringVarP(&p.namespace, "namespace", "n", "default", "the namespace where neither the argument nor the file has one")
	f.StringVar(&p.uid, "uid", "", "the gang's incarnation")
	f.Int64Var(&p.stepBudget, "step-budget", 0, "the most search steps (default: the server's)")
	// The HyperPod command line's names for the same two.
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name {
		case "required-topology", "preferred-topology":
			name = strings.TrimSuffix(name, "-topology")
		}
		return pflag.NormalizedName(name)
	})
	_ = cmd.RegisterFlagCompletionFunc("on-unrepairable", cobra.FixedCompletions(gang.OnUnrepairables(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(gang.Policies(), cobra.ShellCompDirectiveNoFileComp))
}

// once is a word that two names of one flag must not give differently.
type once string

func (o *once) String() string { return string(*o) }
func (o *once) Type() string   { return "KEY" }

// Set refuses a second word that contradicts the first.
func (o *once) Set(v string) error {
	switch {
	case v == "":
		return errors.New("is empty; expected a label key")
	case *o != "" && string(*o) != v:
		return fmt.Errorf("contradicts %q, given before it", string(*o))
	}
	*o = once(v)
	return nil
}

// inFile are the flags that say what a file says.
var inFile = []string{"pods", "gpus", "request", "exclusive", "max-per-node", "selector", "toleration",
	"required", "preferred", "unconstrained", "policy", "min-pods", "slice", "partial-last-slice", "span-fabrics",
	"on-unrepairable", "label"}

func (p *placeFlags) orNamespace(set *pflag.FlagSet, ns string) string {
	if ns == "" || set.Changed("namespace") {
		return p.namespace
	}
	return ns
}

func (p *placeFlags) flagGang(set *pflag.FlagSet) (gang.Gang, error) {
	if !set.Changed("pods") {
		return gang.Gang{}, usage("how many pods? expected --pods N, or -f FILE")
	}
	if p.pods < 1 {
		return gang.Gang{}, usage("--pods %d makes no gang; expected 1 or more", p.pods)
	}
	ps, err := p.shape.podSet(set)
	if err != nil {
		return gang.Gang{}, err
	}
	ps.Count = p.pods
	if ps.Constraint, err = p.constraint(); err != nil {
		return gang.Gang{}, err
	}
	if p.minPods < 0 || p.minPods > p.pods {
		return gang.Gang{}, usage("--min-pods %d is not between 1 and --pods, %d", p.minPods, p.pods)
	}
	ps.MinCount, ps.PartialLastSlice = p.minPods, p.partialLastSlice
	if ps.Slices, err = slicesOf(p.slices); err != nil {
		return gang.Gang{}, err
	}
	return p.chosen(gang.Gang{PodSets: []gang.PodSet{ps}, Labels: p.labels, SpanFabrics: p.spanFabrics})
}

// chosen adds what is said in words of a list.
func (p *placeFlags) chosen(g gang.Gang) (gang.Gang, error) {
	if p.policy != "" {
		policy, ok := gang.ParsePolicy(p.policy)
		if !ok {
			return gang.Gang{}, usage("--policy %q is none of %s", p.policy, strings.Join(gang.Policies(), ", "))
		}
		g.Policy = policy
	}
	if p.onUnrepairable == "" {
		return g, nil
	}
	word, err := onUnrepairable(p.onUnrepairable)
	g.OnUnrepairable = word
	return g, err
}

func (p *placeFlags) constraint() (*gang.Constraint, error) {
	c := gang.Constraint{RequiredLayer: string(p.required), PreferredLayer: string(p.preferred), Unconstrained: p.unconstrained}
	if c.Unconstrained && (c.RequiredLayer != "" || c.PreferredLayer != "") {
		return nil, usage("--unconstrained contradicts --required and --preferred")
	}
	if c == (gang.Constraint{}) {
		return nil, nil
	}
	return &c, nil
}

// read reads a file, or standard input for "-", up to a bound.
func (a *app) read(path string, most int64) ([]byte, error) {
	in := a.in
	if path != "-" {
		open := a.open
		if open == nil {
			open = func(name string) (io.ReadCloser, error) { return os.Open(name) }
		}
		f, err := open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be read: %w", path, unwrapPath(err))
		}
		defer func() { _ = f.Close() }() // only read from
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", shown(path), unwrapPath(err))
	}
	return data, nil
}

// unwrapPath leaves the path out of an error that is about to name it.
func unwrapPath(err error) error {
	if e, ok := err.(*os.PathError); ok { //nolint:errorlint // os returns it bare
		return e.Err
	}
	return err
}

// shown is a path as messages name it.
func shown(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
