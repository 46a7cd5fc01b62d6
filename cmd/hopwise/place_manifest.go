package main

import (
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/hopwise/hopwise/internal/gang"
)

// manifestFlags are about gangs that come from a file.
type manifestFlags struct {
	together     bool
	ignore       []string
	elasticFloor bool
}

func (m *manifestFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&m.together, "together", false, "with -f: all the file's gangs or none; where one is refused, those placed before it are released")
	f.StringSliceVar(&m.ignore, "ignore", nil, "with -f: demands to leave out of account, by the names that a refusal gives")
	f.BoolVar(&m.elasticFloor, "elastic-floor", false, "with -f: an elastic job may start at its least size (default: at its replicas)")
}

// gangs are what the flags ask for: one gang by themselves, or all that a file holds.
func (p *placeFlags) gangs(a *app, set *pflag.FlagSet, args []string) ([]gang.Gang, error) {
	found, err := p.described(a, set)
	if err != nil {
		return nil, err
	}
	if len(args) == 1 && len(found) > 1 {
		return nil, usage("%q names one gang; %s holds %d, which go by their own names", args[0], shown(p.file), len(found))
	}
	for i := range found {
		if found[i], err = p.over(set, args, found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// over lays the flags over a gang that was read.
func (p *placeFlags) over(set *pflag.FlagSet, args []string, g gang.Gang) (gang.Gang, error) {
	var err error
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

// described are the gangs as flags or file describe them, one for each copy; of a
// gang with a demand that no plan would keep to, nothing is placed.
func (p *placeFlags) described(a *app, set *pflag.FlagSet) ([]gang.Gang, error) {
	if p.file == "" {
		for _, name := range []string{"together", "ignore", "elastic-floor"} {
			if set.Changed(name) {
				return nil, usage("--%s goes with -f FILE", name)
			}
		}
		g, err := p.flagGang(set)
		return []gang.Gang{g}, err
	}
	for _, name := range inFile {
		if set.Changed(name) {
			return nil, usage("--%s and -f contradict each other: %s says it already", name, p.file)
		}
	}
	result, err := a.readGangs(p.file, gang.Options{ElasticFloor: p.manifest.elasticFloor})
	if err != nil {
		return nil, err
	}
	if len(result.Gangs) == 0 {
		return nil, result.NoGang()
	}
	var out []gang.Gang
	for _, g := range result.Gangs {
		g, err := g.Placeable(p.manifest.ignore...)
		if err != nil {
			return nil, err
		}
		out = append(out, g.Each()...)
	}
	for _, i := range result.Ignored {
		a.note(result.File + ": " + ignoredText(i))
	}
	return out, nil
}

// readGangs reads a file of gangs.
func (a *app) readGangs(file string, options gang.Options) (gang.Result, error) {
	data, err := a.read(file, gang.MaxBytes)
	if err != nil {
		return gang.Result{}, err
	}
	return gang.ReadFile(filepath.ToSlash(shown(file)), data, options)
}
