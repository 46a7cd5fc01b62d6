package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/hopwise/hopwise/internal/gang"
)

// gangsCommand shows what place -f would ask for; it reaches no server.
func (a *app) gangsCommand() *cobra.Command {
	var file string
	var options gang.Options
	cmd := &cobra.Command{
		Use:     "gangs -f FILE",
		Short:   "Show which gangs a file holds, and how each is read",
		Example: "  hopwise gangs -f job.yaml\n  helm template chart | hopwise gangs -f - -o yaml",
		Args:    cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVarP(&file, "file", "f", "", "gang.yaml or manifests; - is standard input")
	f.BoolVar(&options.ElasticFloor, "elastic-floor", false, "an elastic job may start at its least size (default: at its replicas)")
	out := outputFlag(cmd, asTable, asJSON, asYAML)
	cmd.RunE = func(*cobra.Command, []string) error {
		if file == "" {
			return usage("which file? expected -f FILE")
		}
		result, err := a.readGangs(file, options)
		if err != nil {
			return err
		}
		return a.showGangs(result.View(), out)
	}
	return cmd
}

func (a *app) showGangs(v gang.View, out *format) error {
	if out.value == asTable {
		a.gangsTable(v)
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil && out.value == asYAML {
		text, err = yaml.JSONToYAML([]byte(escapeJSON(string(text))))
	}
	if err != nil {
		return fmt.Errorf("print as %s: %w", out.value, err)
	}
	if out.value == asJSON {
		text = append([]byte(escapeJSON(string(text))), '\n')
	}
	_, err = a.out.Write(text)
	return err
}
