package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hopwise/hopwise/server/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stopWhenServing is a log that stops the server once it says that it serves.
// slog writes one line at a time.
type stopWhenServing struct {
	stop context.CancelFunc
	log  bytes.Buffer
}

func (s *stopWhenServing) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"serving"`)) {
		defer s.stop()
	}
	return s.log.Write(p)
}

// call runs the command line and gives what it printed.
func call(ctx context.Context, args ...string) (out, log string, err error) {
	var o, l bytes.Buffer
	cmd := root(&o, &l)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(ctx)
	return o.String(), l.String(), err
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigCommands(t *testing.T) {
	out, _, err := call(context.Background(), "config", "print")
	if err != nil || out != config.Print() {
		t.Errorf("%v, %q", err, out)
	}
	good := write(t, "good.yaml", "source: {paths: [nodes.yaml]}")
	if out, _, err = call(context.Background(), "config", "check", good); err != nil || out != good+": good\n" {
		t.Errorf("%v, %q", err, out)
	}
	bad := write(t, "bad.yaml", "source: {paths: [nodes.yaml]}\ngrcp_address: x")
	if _, _, err = call(context.Background(), "config", "check", bad); err == nil || !strings.Contains(err.Error(), bad+`:2: unknown key "grcp_address"`) {
		t.Errorf("%v", err)
	}
	if _, _, err = call(context.Background(), "config", "check", "no-such-file"); err == nil || !strings.Contains(err.Error(), "no-such-file") {
		t.Errorf("%v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{}, {"serve"}, {"--confgi", "x"}, {"config"}, {"config", "check"}, {"config", "check", "a", "b"}, {"config", "print", "x"},
	} {
		var usage *usageError
		if _, _, err := call(context.Background(), args...); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestServe starts for real on free ports, and stops when told to.
func TestServe(t *testing.T) {
	nodes := write(t, "nodes.yaml", `
apiVersion: v1
kind: Node
metadata:
  name: n1
  labels: {topology.k8s.aws/network-node-layer-1: nn-1}
status:
  conditions: [{type: Ready, status: "True"}]
`)
	file := write(t, "hopwised.yaml", "grpc_address: 127.0.0.1:0\nhttp_address: 127.0.0.1:0\nlog: {format: json}\nsource: {paths: ["+nodes+"]}")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	stopper := &stopWhenServing{stop: cancel}
	cmd := root(io.Discard, stopper)
	cmd.SetArgs([]string{"--config", file})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Fatal(err)
	}
	log := stopper.log.String()
	for _, want := range []string{`"msg":"serving"`, `"nodes":1`, `"msg":"stopped"`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in the log:\n%s", want, log)
		}
	}
}
