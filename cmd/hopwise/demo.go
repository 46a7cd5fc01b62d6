package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/server"
	"github.com/hopwise/hopwise/server/config"
)

// demoFiles are the demo's cluster and job.
//
//go:embed demo
var demoFiles embed.FS

const demoNodes = "nodes.yaml"

func (a *app) demoCommand() *cobra.Command {
	var keep bool
	var write string
	cmd := &cobra.Command{
		Use: "demo", Short: "Place gangs on a small cluster, here, over real gRPC",
		Long: "demo starts hopwised's own service on loopback with seven nodes, and runs the commands\n" +
			"that it prints against it. With --keep they can be run again by hand, with --write\n" +
			"also without a server.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "go on serving, all nodes free, until Ctrl-C")
	cmd.Flags().StringVar(&write, "write", "", "save the node and job files in this folder")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		for _, flag := range []string{"server", "topology", "scheme", "layers"} {
			if cmd.Flags().Changed(flag) {
				return usage("demo and --%s contradict each other: it has a server and nodes of its own", flag)
			}
		}
		if write != "" {
			if err := writeDemo(write); err != nil {
				return err
			}
		}
		if err := a.demo(cmd.Context()); err != nil {
			return err
		}
		if write != "" {
			a.wrote(write)
		}
		if keep {
			return a.keepServing(cmd.Context())
		}
		return nil
	}
	return cmd
}

// demo runs every step against a server of its own.
func (a *app) demo(ctx context.Context) error {
	return withDemoServer(ctx, func(address string) error {
		a.print(a.style.paint(bold, "hopwised's own service, on loopback, with seven ml.p5.48xlarge nodes.") +
			" Lines with $ can be run by hand:\nhopwise demo --keep serves the same cluster, --write DIR saves its files.\n")
		for _, step := range demoSteps {
			a.print("\n" + a.style.paint(dim, "# "+step.why) + "\n" + a.style.paint(cyan, "$ "+step.command) + "\n")
			if err := a.demoStep(ctx, address, step); err != nil {
				return err
			}
		}
		return nil
	})
}

// demoStep runs one printed command through the same command line, so that what is
// printed is what is run.
func (a *app) demoStep(ctx context.Context, address string, step demoStep) error {
	words := strings.Fields(step.command)
	if words[0] == "cat" {
		text, err := fs.ReadFile(demoFiles, "demo/"+words[1])
		a.print(string(text))
		return err
	}
	inner := a.streams
	inner.env = func(key string) string {
		switch key {
		case "HOPWISE_SERVER":
			return address
		case "HOPWISE_TOPOLOGY":
			return ""
		}
		return a.env(key)
	}
	inner.open = func(name string) (io.ReadCloser, error) { return demoFiles.Open("demo/" + name) }
	if code := run(ctx, words[1:], inner); code != step.code {
		return fmt.Errorf("demo: %s: exit code %d, expected %d", step.command, code, step.code)
	}
	return nil
}

// withDemoServer serves the demo's nodes on a free port of loopback while f runs.
func withDemoServer(ctx context.Context, f func(address string) error) error {
	nodes, err := fs.ReadFile(demoFiles, "demo/"+demoNodes)
	if err != nil {
		return err
	}
	cfg := config.Default()
	cfg.Source.Paths = []string{"-"} // read from memory, so that nothing is left on disk
	cfg.HTTPAddress = ""
	s, err := server.New(cfg, server.Options{Stdin: bytes.NewReader(nodes)})
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("demo: listening on loopback: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1) // Serve's end, read below whatever f does
	go func() { done <- s.Serve(ctx, listener) }()
	err = f(listener.Addr().String())
	cancel()
	return errors.Join(err, <-done)
}

// keepServing serves until ctx ends. Its ledger is a new one: what the steps
// released could not be placed again under the same uid.
func (a *app) keepServing(ctx context.Context) error {
	return withDemoServer(ctx, func(address string) error {
		a.print("\nserving the same cluster, all of it free, at " + a.style.paint(bold, address) + " until Ctrl-C\n" +
			"  export HOPWISE_SERVER=" + address + "\n")
		<-ctx.Done()
		return nil
	})
}

// writeDemo saves the files. One that is there already is left alone if it is the
// same, and refused otherwise.
func writeDemo(dir string) error {
	entries, err := fs.ReadDir(demoFiles, "demo")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("demo --write: %w", err)
	}
	for _, e := range entries {
		content, err := fs.ReadFile(demoFiles, "demo/"+e.Name())
		if err != nil {
			return err
		}
		path := filepath.Join(dir, e.Name())
		switch there, err := os.ReadFile(path); {
		case err == nil && bytes.Equal(there, content):
			continue
		case err == nil:
			return fmt.Errorf("demo --write: %s is there and is another file; choose another folder", path)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("demo --write: %w", err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("demo --write: %w", err)
		}
	}
	return nil
}

func (a *app) wrote(dir string) {
	a.print("\nthe files are in " + safe(dir) + "; there, without a server (nothing is kept from one command to the next):\n" +
		"  export HOPWISE_TOPOLOGY=" + demoNodes + "\n")
}
