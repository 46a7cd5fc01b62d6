package main

import (
	"context"
	"os"
	"strings"

	"google.golang.org/grpc"

	"github.com/hopwise/hopwise/clients/hopwise"
	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server"
	"github.com/hopwise/hopwise/server/config"
)

// session is a verb's connection and the names of the layers behind it.
type session struct {
	*hopwise.Client
	offline bool
	close   func()
	names   *layerNames
}

// connect reaches the server, or starts the same service in memory over files.
func (a *app) connect(ctx context.Context) (*session, error) {
	topology, address, err := a.target()
	if err != nil {
		return nil, err
	}
	opts := []hopwise.Option{hopwise.WithTimeout(a.timeout)}
	if len(topology) == 0 {
		client, err := hopwise.Dial(address, opts...)
		if err != nil {
			return nil, err
		}
		return &session{Client: client, close: func() { _ = client.Close() }}, nil
	}
	embedded, err := server.Embed(ctx, a.embeddedConfig(topology), server.Options{Stdin: a.in})
	if err != nil {
		return nil, err
	}
	client, err := hopwise.Dial("passthrough:///files", append(opts,
		hopwise.WithDialOptions(grpc.WithContextDialer(embedded.Dial)))...)
	if err != nil {
		_ = embedded.Stop()
		return nil, err
	}
	return &session{Client: client, offline: true, close: func() {
		_ = client.Close()
		if err := embedded.Stop(); err != nil {
			a.note("stopping the service: " + err.Error())
		}
	}}, nil
}

// target is the files or the address to use: flags before the environment.
func (a *app) target() (topology []string, address string, err error) {
	flags := a.cmd.Flags()
	serverSet, topologySet := flags.Changed("server"), flags.Changed("topology")
	envServer, envTopology := a.env("HOPWISE_SERVER"), a.env("HOPWISE_TOPOLOGY")
	address = a.server
	switch {
	case serverSet && topologySet:
		return nil, "", usage("--server and --topology contradict each other: ask a server, or answer from files")
	case topologySet:
		topology = a.topology
	case serverSet:
	case envServer != "" && envTopology != "":
		return nil, "", usage("HOPWISE_SERVER and HOPWISE_TOPOLOGY contradict each other: unset one, or say --server or --topology")
	case envTopology != "":
		topology = strings.Split(envTopology, string(os.PathListSeparator))
	case envServer != "":
		address = envServer
	}
	if len(topology) == 0 && address == "" {
		return nil, "", usage("--server is empty; expected HOST:PORT")
	}
	if len(topology) == 0 && (a.scheme != "" || len(a.layers) > 0) {
		return nil, "", usage("--scheme and --layers go with --topology: a server's layers are in its configuration")
	}
	if a.scheme != "" && len(a.layers) > 0 {
		return nil, "", usage("--scheme and --layers contradict each other: a preset, or label keys of your own")
	}
	return topology, address, nil
}

func (a *app) embeddedConfig(topology []string) config.Config {
	cfg := config.Default()
	cfg.Source.Paths = topology
	cfg.HTTPAddress = ""
	if a.scheme != "" {
		cfg.Scheme.Preset = a.scheme
	}
	cfg.Scheme.Layers = a.layers
	return cfg
}

// layers are the layers' names, asked for once.
func (s *session) layers(ctx context.Context) (*layerNames, error) {
	if s.names != nil {
		return s.names, nil
	}
	answer, err := s.GetTopology(ctx, &hopwisev1.GetTopologyRequest{MaxDepth: 1, PageSize: 1})
	if err != nil {
		return nil, err
	}
	s.names = newLayerNames(answer.GetScheme())
	return s.names, nil
}

// with connects, runs f and closes.
func (a *app) with(ctx context.Context, f func(ctx context.Context, s *session) error) error {
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if err := f(ctx, s); err != nil {
		return a.told(err)
	}
	return nil
}

// notKept warns of a verb that changes the ledger where the ledger ends with the
// command.
func (a *app) notKept(s *session) {
	if s.offline {
		a.note("answered from files: nothing is kept after this command")
	}
}
