package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ledgerConfig is a server's configuration on free ports with a node.
func ledgerConfig(t *testing.T) (file, dir string) {
	t.Helper()
	nodes := write(t, "nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels: {topology.k8s.aws/network-node-layer-1: nn-1}\n"+
		"status:\n  conditions: [{type: Ready, status: \"True\"}]\n")
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := at.Addr().String()
	if err := at.Close(); err != nil {
		t.Fatal(err)
	}
	file = write(t, "hopwised.yaml", "grpc_address: 127.0.0.1:0\nhttp_address: "+free+"\nlog: {format: json}\nsource: {paths: ["+nodes+"]}\nledger: {data_dir: data}")
	return file, filepath.Join(filepath.Dir(file), "data")
}

// whenServing runs f, once, when the server's log says that it serves.
type whenServing struct {
	f    func()
	done bool
}

func (w *whenServing) Write(p []byte) (int, error) {
	if strings.Contains(string(p), `"serving"`) && !w.done {
		w.done = true
		go w.f() // the log's writer must not wait for the server; f ends it
	}
	return len(p), nil
}

// TestLedgerCommands goes through a ledger's day: made, backed up while it is in
// use, checked, exported, imported, compacted.
func TestLedgerCommands(t *testing.T) {
	file, dir := ledgerConfig(t)
	copied := filepath.Join(t.TempDir(), "copy.db")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var backupErr, heldErr error
	backedUp := make(chan struct{})
	cmd := root(io.Discard, &whenServing{f: func() {
		defer close(backedUp)
		defer cancel()
		_, _, heldErr = call(context.Background(), "ledger", "check", "--config", file)
		for range 50 { // HTTP is listened on before, and served a moment after, the word
			if _, _, backupErr = call(ctx, "ledger", "backup", "--config", file, copied); backupErr == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}})
	cmd.SetArgs([]string{"--config", file})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Fatal(err)
	}
	<-backedUp
	if backupErr != nil || heldErr == nil || !strings.Contains(heldErr.Error(), "another process holds") {
		t.Errorf("backup: %v; check of a ledger in use: %v", backupErr, heldErr)
	}
	if _, err := os.Stat(copied); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"check", "--config", file}, "good: 0 records, epoch 1\n"},
		{[]string{"check", "--data-dir", dir}, "not compared"},
		{[]string{"export", "--config", file}, `"format":"hopwise ledger 1"`},
		{[]string{"compact", "--data-dir", dir}, "bytes before"},
	} {
		if out, _, err := call(context.Background(), append([]string{"ledger"}, c.args...)...); err != nil || !strings.Contains(out, c.says) {
			t.Errorf("%v: %q, %v", c.args, out, err)
		}
	}
}

func TestLedgerUsage(t *testing.T) {
	for _, args := range [][]string{{"ledger"}, {"ledger", "check"}, {"ledger", "check", "--config", "a", "--data-dir", "b"}, {"ledger", "backup", "--data-dir", "x"}} {
		var usage *usageError
		if _, _, err := call(context.Background(), args...); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, _, err := call(context.Background(), "ledger", "check", "--data-dir", t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no ledger") {
		t.Errorf("%v", err)
	}
}
