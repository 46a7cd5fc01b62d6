package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hopwise/hopwise/"

// goPackage is what `go list -deps -json` says of one package. Test files are
// not in it: a test may import what it needs to see.
type goPackage struct {
	ImportPath string
	Standard   bool
	Imports    []string // direct
	Deps       []string // all, transitive
}

// direction is one one-way door: packages that it watches may not import what it
// forbids.
type direction struct {
	name       string
	watches    func(pkg string) bool
	forbids    func(imported string) bool
	transitive bool // looks at what is reached, not only at what is imported
}

// impure are packages of the standard library that bring a clock, chance, a
// logger, cancellation or I/O: with one of them the same state and request could
// give another answer.
var impure = []string{
	"context", "time", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand",
	"os", "os/exec", "io", "io/fs", "bufio", "net", "net/http", "runtime/debug", "syscall",
}

// directions are those of the design, widest first. Paths are inside the module.
var directions = []direction{
	{
		name:    "the engine imports the standard library alone, without clock, chance, logger or I/O",
		watches: in("placer"),
		forbids: func(p string) bool { return !standard(p) || slices.Contains(impure, p) },
	},
	{
		name:    "what stands beside the engine imports nothing of the house but the engine",
		watches: under("placer"),
		forbids: func(p string) bool { return ours(p) && !under("placer")(p) },
	},
	{
		name:    "only the live state, and commands, import the engine",
		watches: not(under("placer", "server/cluster", "cmd")),
		forbids: under("placer"),
	},
	{
		name:       "what callers link or run never reaches the server or the engine",
		watches:    under("clients"),
		forbids:    under("server", "placer"),
		transitive: true,
	},
	{
		name:    "the server never imports what callers link, nor a command",
		watches: under("server"),
		forbids: under("clients", "cmd"),
	},
	{
		name:    "only the Kubernetes source and store import client-go",
		watches: not(under("server/source/kube", "server/ledger/crd")),
		forbids: outside("k8s.io/client-go"),
	},
	{
		name:    "Kubernetes' types stop at the source, at the readers of gangs, at clients and commands",
		watches: not(under("server/source", "server/ledger/crd", "internal", "clients", "cmd")),
		forbids: outside("k8s.io/api", "k8s.io/component-helpers", "k8s.io/kube-scheduler"),
	},
	{
		name:    "only the service's own package, clients and commands import grpc",
		watches: not(either(in("server"), under("proto", "clients", "cmd"))),
		forbids: outside("google.golang.org/grpc"),
	},
	{
		name:    "the contract's types stop at the service's own package, at clients and commands",
		watches: not(either(in("server"), under("proto", "clients", "cmd"))),
		forbids: under("proto"),
	},
	{
		name:    "the contract imports nothing of the house",
		watches: under("proto"),
		forbids: func(p string) bool { return ours(p) && !under("proto")(p) },
	},
	{
		name:    "internal packages are leaves",
		watches: under("internal"),
		forbids: func(p string) bool { return ours(p) && !under("internal")(p) },
	},
	{
		name:    "nothing imports a command",
		watches: func(string) bool { return true },
		forbids: under("cmd"),
	},
}

func ours(p string) bool { return strings.HasPrefix(p, module) }

// standard tells the standard library by its first element, which has no dot.
func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// in matches the packages at these paths of the module, and none below them.
func in(paths ...string) func(string) bool {
	return func(p string) bool {
		return slices.Contains(paths, strings.TrimPrefix(p, module)) && ours(p)
	}
}

// under matches the packages at and below these paths of the module.
func under(paths ...string) func(string) bool {
	return func(p string) bool {
		inside, ok := strings.CutPrefix(p, module)
		return ok && slices.ContainsFunc(paths, func(path string) bool { return atOrBelow(inside, path) })
	}
}

// outside matches the packages at and below these paths of other modules.
func outside(paths ...string) func(string) bool {
	return func(p string) bool {
		return slices.ContainsFunc(paths, func(path string) bool { return atOrBelow(p, path) })
	}
}

func atOrBelow(p, path string) bool { return p == path || strings.HasPrefix(p, path+"/") }

func not(f func(string) bool) func(string) bool { return func(p string) bool { return !f(p) } }

func either(f, g func(string) bool) func(string) bool {
	return func(p string) bool { return f(p) || g(p) }
}

// breaches lists each import that goes the wrong way.
func breaches(d direction, packages []goPackage) []string {
	var found []string
	for _, p := range packages {
		if !ours(p.ImportPath) || !d.watches(p.ImportPath) {
			continue
		}
		imported := p.Imports
		if d.transitive {
			imported = p.Deps
		}
		for _, i := range imported {
			if d.forbids(i) {
				found = append(found, fmt.Sprintf("%s -> %s", p.ImportPath, i))
			}
		}
	}
	return found
}

// TestDirections holds the house to its one-way doors.
func TestDirections(t *testing.T) {
	packages := listPackages(t)
	for _, d := range directions {
		for _, b := range breaches(d, packages) {
			t.Errorf("%s: %s", d.name, b)
		}
	}
}

// TestDirectionsBreak sees each direction fail where one import goes the wrong
// way, and hold where its neighbour goes the right way.
func TestDirectionsBreak(t *testing.T) {
	examples := []struct{ from, wrong, right string }{
		{"placer", "time", "slices"},
		{"placer/placertest", module + "server", module + "placer"},
		{"server", module + "placer", module + "server/cluster"},
		{"clients/hopwise", module + "server/cluster", module + "proto/hopwise/v1"},
		{"server", module + "clients/hopwise", module + "server/cluster"},
		{"server/source/file", "k8s.io/client-go/rest", "k8s.io/api/core/v1"},
		{"server/cluster", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/api/resource"},
		{"server/ledger", "google.golang.org/grpc/codes", "fmt"},
		{"server/cluster", module + "proto/hopwise/v1", module + "placer"},
		{"proto/hopwise/v1", module + "server", "google.golang.org/grpc"},
		{"internal/gang", module + "server/cluster", "k8s.io/api/batch/v1"},
		{"internal/gang", module + "cmd/hopwise", "fmt"},
	}
	if len(examples) != len(directions) {
		t.Fatalf("%d examples for %d directions", len(examples), len(directions))
	}
	for i, e := range examples {
		d := directions[i]
		of := func(imported string) []goPackage {
			return []goPackage{{ImportPath: module + e.from, Imports: []string{imported}, Deps: []string{imported}}}
		}
		if len(breaches(d, of(e.wrong))) == 0 {
			t.Errorf("%s: %s -> %s goes unseen", d.name, e.from, e.wrong)
		}
		if b := breaches(d, of(e.right)); len(b) > 0 {
			t.Errorf("%s: refuses %v", d.name, b)
		}
	}
}

// TestEngineIsPure looks at all that the engine reaches: the standard library
// and nothing else.
func TestEngineIsPure(t *testing.T) {
	for _, p := range listPackages(t) {
		if p.ImportPath != module+"placer" {
			continue
		}
		for _, d := range p.Deps {
			if !standard(d) {
				t.Errorf("placer reaches %s", d)
			}
		}
	}
}

// listPackages asks the go command for the module's packages.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Standard,Imports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []goPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
}
