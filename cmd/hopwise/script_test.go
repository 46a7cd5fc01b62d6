package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protojson"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ran is what a command left behind.
type ran struct {
	out, err string
	code     int
}

// hopwiseRun runs the command line as main does, without a terminal unless env says
// TERMINAL=1.
func hopwiseRun(t *testing.T, env map[string]string, stdin string, args ...string) ran {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, streams{
		in: strings.NewReader(stdin), out: &out, err: &err, outTerminal: env["TERMINAL"] == "1",
		env: func(key string) string { return env[key] }, now: time.Now,
	})
	return ran{out.String(), err.String(), code}
}

// TestScripts runs the commands of testdata/scripts and compares what each prints:
// standard output, standard error behind "! ", and an exit code that is not 0.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			env := map[string]string{}
			got := ""
			if strings.Contains(string(want), "# with: server\n") {
				err = withDemoServer(t.Context(), func(address string) error {
					env["HOPWISE_SERVER"] = address
					got = script(t, string(want), env)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			} else {
				got = script(t, string(want), env)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// script runs a file's commands and writes the file anew.
func script(t *testing.T, text string, env map[string]string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			b.WriteString(line + "\n")
		case strings.HasPrefix(line, "$ "):
			b.WriteString("\n" + line + "\n" + scriptLine(t, line[2:], env))
		}
	}
	return b.String()
}

func scriptLine(t *testing.T, line string, env map[string]string) string {
	line, input, _ := strings.Cut(line, " < ")
	words := strings.Fields(line)
	here := map[string]string{}
	for k, v := range env {
		here[k] = v
	}
	for words[0] != "hopwise" {
		k, v, found := strings.Cut(words[0], "=")
		if !found {
			t.Fatalf("no command: %s", line)
		}
		here[k] = v
		words = words[1:]
	}
	stdin := ""
	if input != "" {
		data, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		stdin = string(data)
	}
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], `\x1b`, "\x1b")
	}
	r := hopwiseRun(t, here, stdin, words[1:]...)
	text := steady(r.out)
	if r.out != "" && !strings.HasSuffix(r.out, "\n") {
		t.Errorf("%s: the output does not end its line", line)
	}
	for _, l := range strings.Split(strings.TrimSuffix(steady(r.err), "\n"), "\n") {
		if r.err != "" {
			text += strings.TrimRight("! "+l, " ") + "\n"
		}
	}
	if here["TERMINAL"] == "" {
		if i := strings.IndexFunc(r.out+r.err, func(c rune) bool { return c > 0x7e || (c < ' ' && c != '\n') }); i >= 0 {
			t.Errorf("%s: not plain ASCII: %q", line, (r.out + r.err)[i:min(i+20, len(r.out+r.err))])
		}
	}
	if r.code != 0 {
		text += fmt.Sprintf("exit code %d\n", r.code)
	}
	return strings.ReplaceAll(text, "\x1b", "^")
}

var unsteady = []struct {
	is   *regexp.Regexp
	says string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z`), "TIME"},
	{regexp.MustCompile(`("?etag"?: )"?[^",\n]*"?`), `${1}"ETAG"`},
	{regexp.MustCompile(`( |^)\ds( |$)`), "${1}0s$2"},
	{regexp.MustCompile(`until \d\d:\d\dZ`), "until TIMEZ"},
	{regexp.MustCompile(`127\.0\.0\.1:\d{4,5}`), "127.0.0.1:PORT"},
}

// steady takes out what differs from run to run.
func steady(text string) string {
	for _, u := range unsteady {
		text = u.is.ReplaceAllString(text, u.says)
	}
	return text
}

// TestDemo holds the demo's whole output, and that nothing is left after it.
func TestDemo(t *testing.T) {
	r := hopwiseRun(t, nil, "", "demo")
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	golden(t, "testdata/demo.golden", steady(r.out))
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// printed are the commands of hopwise in a demo's output.
var printed = regexp.MustCompile(`(?m)^\$ hopwise (.*)$`)

// TestDemoCommands runs what the demo prints, unchanged, against the server that
// --keep leaves and from the files that --write saves; the exit codes are those of
// the demo itself.
func TestDemoCommands(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	out := newWatched()
	ended := make(chan int, 1) // the demo's exit code, read below
	go func() {
		ended <- run(ctx, []string{"demo", "--keep", "--write", dir}, streams{
			in: strings.NewReader(""), out: out, err: out, env: func(string) string { return "" }, now: time.Now,
		})
	}()
	address := out.wait(t, regexp.MustCompile(`export HOPWISE_SERVER=(\S+)`))
	topology := out.wait(t, regexp.MustCompile(`export HOPWISE_TOPOLOGY=(\S+)`))
	commands := printed.FindAllStringSubmatch(out.String(), -1)
	if len(commands) < 10 {
		t.Fatalf("%d commands printed", len(commands))
	}
	t.Chdir(dir)
	for _, env := range []map[string]string{{"HOPWISE_SERVER": address}, {"HOPWISE_TOPOLOGY": topology}} {
		for _, c := range commands {
			r := hopwiseRun(t, env, "", strings.Fields(c[1])...)
			if want := demoCode(t, "hopwise "+c[1]); r.code != want {
				t.Errorf("%v hopwise %s: exit code %d, want %d\n%s", env, c[1], r.code, want, r.err)
			}
		}
	}
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("demo --keep ended with %d:\n%s", code, out.String())
	}
}

func demoCode(t *testing.T, command string) int {
	for _, s := range demoSteps {
		if s.command == command {
			return s.code
		}
	}
	t.Fatalf("%s is no step", command)
	return 0
}

// TestPages joins what the server gives page by page: a leaf of more nodes than one
// page has them all, once.
func TestPages(t *testing.T) {
	const nodes = 2300
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range nodes {
		fmt.Fprintf(&b, "- {apiVersion: v1, kind: Node, metadata: {name: n%04d, labels: {topology.k8s.aws/network-node-layer-1: a}}, "+
			"status: {allocatable: {nvidia.com/gpu: 8}, conditions: [{type: Ready, status: 'True'}]}}\n", i)
	}
	file := filepath.Join(t.TempDir(), "nodes.yaml")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := hopwiseRun(t, nil, "", "topology", "--topology", file, "-o", "json")
	var all hopwisev1.GetTopologyResponse
	if err := protojson.Unmarshal([]byte(r.out), &all); err != nil {
		t.Fatalf("exit code %d: %v: %s", r.code, err, r.err)
	}
	seen := make(map[string]bool)
	for _, d := range all.GetDomains() {
		for _, n := range d.GetNodes() {
			seen[n.GetName()] = true
		}
	}
	if len(seen) != nodes || len(all.GetDomains()) != 2 {
		t.Errorf("%d nodes in %d domains, want %d in 2", len(seen), len(all.GetDomains()), nodes)
	}
	if r := hopwiseRun(t, nil, "", "topology", "--topology", file); !strings.Contains(r.out, "n[0000-2299]  (2300)") {
		t.Errorf("the tree does not fold them:\n%s", r.out)
	}
}

// TestDemoWrite writes nothing over another file.
func TestDemoWrite(t *testing.T) {
	dir := t.TempDir()
	if err := writeDemo(dir); err != nil {
		t.Fatal(err)
	}
	if err := writeDemo(dir); err != nil {
		t.Errorf("the same files again: %v", err)
	}
	path := filepath.Join(dir, demoNodes)
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeDemo(dir); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("got %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "mine" {
		t.Error("the file was written over")
	}
}

// TestCompletion prints a script for each shell.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := hopwiseRun(t, nil, "", "completion", shell); r.code != 0 || !strings.Contains(r.out, "hopwise") {
			t.Errorf("%s: exit code %d, %d bytes, %s", shell, r.code, len(r.out), r.err)
		}
	}
	if r := hopwiseRun(t, nil, "", "version"); r.code != 0 || !strings.HasPrefix(r.out, "hopwise ") {
		t.Errorf("version: %+v", r)
	}
}
