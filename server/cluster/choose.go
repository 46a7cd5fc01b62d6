package cluster

import (
	"fmt"
	"strings"

	"github.com/hopwise/hopwise/server/scheme"
)

// Choice is the scheme that a cluster starts with, and why.
type Choice struct {
	Scheme  scheme.Scheme
	Guessed bool   // no node carried a label to choose by
	Note    string // one line for a log
}

// ChooseScheme takes a source's own layers where it has them, else the custom
// list or the preset configured, else the preset that the nodes' labels show. It
// is asked once, with a source's first delta: a scheme in force is fixed.
func ChooseScheme(first Delta, preset string, custom []string) (Choice, error) {
	nodes := make([]scheme.Node, len(first.Nodes))
	for i, n := range first.Nodes {
		nodes[i] = scheme.Node{Name: n.Name, InstanceType: n.InstanceType, Labels: n.Labels}
	}
	switch {
	case preset != "" && len(custom) > 0:
		return Choice{}, fmt.Errorf("both the preset %q and a list of layers are configured: give one of them", preset)
	case len(custom) > 0:
		s, err := scheme.Custom(custom, first.NodeWord)
		return Choice{Scheme: s, Note: "layers as configured"}, err
	case preset != "":
		s, err := scheme.Preset(preset)
		if err != nil {
			return Choice{}, err
		}
		fitted, skipped := scheme.Fit(s, nodes)
		note := fmt.Sprintf("scheme %q as configured", preset)
		if len(skipped) > 0 {
			note += "; left out, since no node carries them: " + strings.Join(skipped, ", ")
		}
		return Choice{Scheme: withWord(fitted, first.NodeWord), Note: note}, nil
	case len(first.Scheme) > 0:
		s, err := scheme.Custom(first.Scheme, first.NodeWord)
		s.Name = "source"
		return Choice{Scheme: s, Note: "layers are the source's own"}, err
	}
	d := scheme.Detect(nodes)
	return Choice{Scheme: withWord(d.Scheme, first.NodeWord), Guessed: d.Carriers == 0, Note: d.Note}, nil
}

func withWord(s scheme.Scheme, word string) scheme.Scheme {
	if word != "" {
		s.Node = word
	}
	return s
}
