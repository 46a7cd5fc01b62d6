package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.line("hopwise " + version.String() + "  " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH)
			return nil
		},
	}
}
