// Command hopwised is the server: it reads a cluster's topology, and places
// gangs on it over gRPC.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes: usage is a command line that says nothing that could be done.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once: whoever sends it does not want to
	// wait for calls under way.
	context.AfterFunc(ctx, stop)
	err := root(os.Stdout, os.Stderr).ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "hopwised:", err)
	var usage *usageError
	if errors.As(err, &usage) {
		os.Exit(exitUsage)
	}
	os.Exit(exitFailed)
}
