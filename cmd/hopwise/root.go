package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hopwise/hopwise/clients/hopwise"
)

// Exit codes, as docs/cli.md promises them.
const (
	exitOK     = 0
	exitFailed = 1 // refused, or failed
	exitUsage  = 2
)

// streams is what a run of the command has of the world.
type streams struct {
	in                      io.Reader
	out, err                io.Writer
	inTerminal, outTerminal bool
	env                     func(string) string
	now                     func() time.Time
	// open opens a file by the name that a flag gives; nil is os.Open. The demo
	// has its files in memory.
	open func(name string) (io.ReadCloser, error)
}

// app is one run: the streams and the flags that every verb has.
type app struct {
	streams
	style style

	server   string
	topology []string
	scheme   string
	layers   []string
	timeout  time.Duration
	// started is true once cobra has accepted the arguments: what fails before
	// that is usage.
	started bool
	cmd     *cobra.Command
}

// usageError is a mistake in how the command was called.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

func usage(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// errRefused ends a verb whose answer, already printed, was a refusal.
var errRefused = errors.New("refused")

// run is the whole command; it returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	a := &app{streams: s, style: newStyle(s.outTerminal, s.env)}
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errRefused) {
		return exitFailed
	}
	text := strings.TrimSpace(strings.ReplaceAll(err.Error(), "\t", "  "))
	fmt.Fprintln(s.err, a.style.ascii(safeLines(text)))
	var u usageError
	if errors.As(err, &u) || !a.started {
		fmt.Fprintf(s.err, "  see: %s --help\n", cmd.CommandPath())
		return exitUsage
	}
	return exitFailed
}

// parseNoise is how Go's own number parsing ends its errors.
var parseNoise = regexp.MustCompile(`: strconv\.Parse\w+: parsing .*: (invalid syntax|value out of range)$`)

// flagError is a mistake in a flag, in words.
func flagError(_ *cobra.Command, err error) error {
	return usageError{parseNoise.ReplaceAllString(err.Error(), ": expected a number in range")}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "hopwise",
		Short: "Where a gang of pods goes in the network, or exactly why not",
		Long: "hopwise asks a hopwise server which nodes, in which rank order, a gang of pods should\n" +
			"run on, and why it does not fit where it does not. With --topology it answers from\n" +
			"files, through the same service, and keeps nothing.",
		SilenceErrors: true, SilenceUsage: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { a.started, a.cmd = true, cmd },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
	f := root.PersistentFlags()
	f.StringVar(&a.server, "server", hopwise.DefaultAddress, "the server's address (HOPWISE_SERVER)")
	f.StringArrayVar(&a.topology, "topology", nil, "answer from these node and pod files, without a server; may be repeated (HOPWISE_TOPOLOGY)")
	f.StringVar(&a.scheme, "scheme", "", "with --topology: the layers' preset, such as aws (default: what the nodes carry)")
	f.StringSliceVar(&a.layers, "layers", nil, "with --topology: the layers' label keys, the widest first")
	f.DurationVar(&a.timeout, "timeout", hopwise.DefaultTimeout, "how long one call may take")
	root.AddCommand(a.placeCommand(), a.gangsCommand(), a.getCommand(), a.listCommand(), a.releaseCommand(), a.scoreCommand(),
		a.confirmCommand(), a.renewCommand(), a.repairCommand(), a.resizeCommand(), a.holdCommand(), a.unholdCommand(),
		a.topologyCommand(), a.sharesCommand(), a.freeCommand(), a.doctorCommand(), a.demoCommand(), a.versionCommand())
	return root
}

// gangName reads NS/NAME, or NAME with the namespace of the flag.
func gangName(arg, namespace string) (ns, name string, err error) {
	ns, name, found := strings.Cut(arg, "/")
	if !found {
		ns, name = namespace, arg
	}
	if ns == "" || name == "" || strings.Contains(name, "/") {
		return "", "", usage("%q names no gang; expected NAMESPACE/NAME", arg)
	}
	return ns, name, nil
}
