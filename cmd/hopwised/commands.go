package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"

	"github.com/hopwise/hopwise/internal/version"
	"github.com/hopwise/hopwise/server"
	"github.com/hopwise/hopwise/server/config"
)

// usageError is a command line that cannot be understood.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() + "; see hopwised --help" }

// Unwrap is what cobra said.
func (e *usageError) Unwrap() error { return e.err }

func root(out, log io.Writer) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:           "hopwised --config FILE",
		Short:         "Place gangs of pods by network topology, over gRPC",
		Version:       version.String(),
		Args:          arguments(cobra.NoArgs),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return &usageError{errors.New("--config is required; hopwised config print shows one")}
			}
			return serve(cmd, file, log)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration `FILE` (required)")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	cmd.SetOut(out)
	cmd.SetErr(log)
	cmd.AddCommand(configCommand(out), ledgerCommand(os.Stdin, out))
	return cmd
}

// arguments makes a wrong number of them an error of usage.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err}
		}
		return nil
	}
}

func serve(cmd *cobra.Command, file string, log io.Writer) error {
	cfg, err := config.Load(file)
	if err != nil {
		return err
	}
	l := logger(cfg.Log, log)
	// What goes wrong in the background, such as a receiver of spans that is away,
	// belongs in the log like the rest.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { l.Warn("telemetry", "error", err) }))
	store, closeStore, err := openStore(cfg.Ledger)
	if err != nil {
		return err
	}
	s, err := server.New(cfg, server.Options{Log: l, Store: store})
	if err != nil {
		return errors.Join(err, closeStore())
	}
	return errors.Join(s.Run(cmd.Context()), closeStore())
}

func logger(l config.Log, to io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: l.SlogLevel()}
	if l.Format == "json" {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}

func configCommand(out io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print or check a configuration",
		Args:  arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return &usageError{errors.New("config needs print or check")}
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "print",
		Short: "Print every key with its default and what it means",
		Args:  arguments(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(out, config.Print())
			return err
		},
	}, &cobra.Command{
		Use:   "check FILE",
		Short: "Read a configuration and say what is wrong with it",
		Args:  arguments(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := config.Load(args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(out, "%s: good\n", args[0])
			return err
		},
	})
	return cmd
}
