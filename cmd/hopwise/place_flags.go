package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	sliceLayer           string
	sliceSize            int32
	labels               map[string]string
	priority             int32
	ttl                  time.Duration
	dryRun, explain      bool
	stepBudget           int64
}

func (p *placeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&p.file, "file", "f", "", "read the gang from gang.yaml or a batch/v1 Job; - is standard input")
	f.Int32Var(&p.pods, "pods", 0, "how many pods")
	p.shape.add(f)
	f.Var(&p.required, "required", "the layer (label key) of which one domain must hold all pods (also --required-topology)")
	f.Var(&p.preferred, "preferred", "the narrowest layer (label key) worth trying for (also --preferred-topology)")
	f.BoolVar(&p.unconstrained, "unconstrained", false, "say outright that there is no constraint")
	f.StringVar(&p.policy, "policy", "", "how to choose: "+strings.Join(gang.Policies(), ", ")+" (default: the server's)")
	f.StringVar(&p.sliceLayer, "slice-layer", "", "the layer of which one domain holds each slice")
	f.Int32Var(&p.sliceSize, "slice-size", 0, "pods in one slice")
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
	"required", "preferred", "unconstrained", "policy", "slice-layer", "slice-size", "label"}

// gang is what the flags ask for, by themselves or over a file.
func (p *placeFlags) gang(a *app, set *pflag.FlagSet, args []string) (gang.Gang, error) {
	g, err := p.described(a, set)
	if err != nil {
		return gang.Gang{}, err
	}
	if len(args) == 1 {
		if g.Ref.Namespace, g.Ref.Name, err = gangName(args[0], p.orNamespace(set, g.Ref.Namespace)); err != nil {
			return gang.Gang{}, err
		}
	}
	g.Ref.Namespace = p.orNamespace(set, g.Ref.Namespace)
	if g.Ref.Name == "" {
		if g.Ref.Name, err = p.noName(g); err != nil {
			return gang.Gang{}, err
		}
	}
	if set.Changed("uid") {
		g.Ref.UID = p.uid
	}
	if set.Changed("priority") {
		g.Priority = p.priority
	}
	if set.Changed("ttl") {
		g.TTL = p.ttl
	}
	if set.Changed("step-budget") {
		g.StepBudget = &p.stepBudget
	}
	return g, nil
}

func (p *placeFlags) orNamespace(set *pflag.FlagSet, ns string) string {
	if ns == "" || set.Changed("namespace") {
		return p.namespace
	}
	return ns
}

// noName is the name of a gang that has none: a reservation needs one, a dry run
// may go by what the API server would begin a name with.
func (p *placeFlags) noName(g gang.Gang) (string, error) {
	switch {
	case g.Origin.GenerateName != "" && p.dryRun:
		return g.Origin.GenerateName, nil
	case g.Origin.GenerateName != "":
		return "", usage("%s: has only a generateName (%s): its name is made by the API server\n"+
			"  name it: hopwise place NAMESPACE/NAME -f %s, or only try: --dry-run", g.Origin.File, g.Origin.GenerateName, g.Origin.File)
	case g.Origin.File != "":
		return "", usage("%s: names no gang\n  name it: gang: {namespace: …, name: …}, or hopwise place NAMESPACE/NAME -f %s", g.Origin.File, g.Origin.File)
	}
	return "", usage("which gang? expected NAMESPACE/NAME, or -f FILE")
}

// described is the gang without its name.
func (p *placeFlags) described(a *app, set *pflag.FlagSet) (gang.Gang, error) {
	if p.file != "" {
		for _, name := range inFile {
			if set.Changed(name) {
				return gang.Gang{}, usage("--%s and -f contradict each other: %s says it already", name, p.file)
			}
		}
		data, err := a.read(p.file, gang.MaxBytes)
		if err != nil {
			return gang.Gang{}, err
		}
		return gang.Read(filepath.ToSlash(shown(p.file)), data)
	}
	return p.flagGang(set)
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
	if set.Changed("slice-layer") != set.Changed("slice-size") {
		return gang.Gang{}, usage("--slice-layer and --slice-size go together")
	}
	if p.sliceLayer != "" {
		ps.Slices = []gang.Slice{{Layer: p.sliceLayer, Size: p.sliceSize}}
	}
	g := gang.Gang{PodSets: []gang.PodSet{ps}, Labels: p.labels}
	if p.policy != "" {
		policy, ok := gang.ParsePolicy(p.policy)
		if !ok {
			return gang.Gang{}, usage("--policy %q is none of %s", p.policy, strings.Join(gang.Policies(), ", "))
		}
		g.Policy = policy
	}
	return g, nil
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
