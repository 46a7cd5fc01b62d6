package house

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// mutantsFile lists the ways in which the engine is broken on purpose. A block
// reads
//
//	mutant what is broken, in words
//	file placer/search.go
//	- the line as it is, without its indent
//	+ the line as it is then
//
// Blocks are separated by empty lines; a line that begins with # is a comment.
// The line to replace must occur once in the file; several "-" lines in a row
// must stand so in the file, and "+" lines take their place.
const mutantsFile = "placer/mutants.txt"

// mutantCases is how many random clusters each mutant meets: fewer than an
// ordinary test run, so that many mutants are tried in the time of a coffee. A
// mutant that survives them is one that a drawn case should catch.
const mutantCases = "2000"

// mutant is one way to break the engine.
type mutant struct {
	name     string
	file     string // from the root
	old, new []string
}

// TestMutants breaks the engine in each way and demands that its ordinary tests
// see it. It runs for minutes, so only where asked: MUTANTS is "all", or a part
// of the names of those to try.
func TestMutants(t *testing.T) {
	if os.Getenv("MUTANTS") == "" {
		t.Skip("breaks the engine on purpose; run by make mutants")
	}
	text, err := os.ReadFile(filepath.Join(root, mutantsFile))
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := parseMutants(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if out, caught := runTests(t, nil); caught {
		t.Fatalf("the tests fail without any mutant:\n%s", tail(out))
	}
	alive := 0
	only := os.Getenv("MUTANTS")
	mutants = slices.DeleteFunc(mutants, func(m mutant) bool {
		return only != "all" && !strings.Contains(m.name, only)
	})
	for _, m := range mutants {
		if !checkMutant(t, m) {
			alive++
		}
	}
	t.Logf("mutants=%d caught=%d survived=%d", len(mutants), len(mutants)-alive, alive)
}

// checkMutant runs the engine's tests on one mutant and says whether they saw it.
func checkMutant(t *testing.T, m mutant) bool {
	path, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%s: %v", m.name, err)
		return false
	}
	broken, err := m.apply(string(source))
	if err != nil {
		t.Errorf("%s: %v", m.name, err)
		return false
	}
	started := time.Now()
	out, caught := runTests(t, map[string]string{path: broken})
	switch {
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		t.Errorf("%s: does not compile:\n%s", m.name, tail(out))
		return false
	case !caught:
		t.Errorf("SURVIVED %s", m.name)
		return false
	}
	t.Logf("caught   %-60s %6s  by %s", m.name, time.Since(started).Round(100*time.Millisecond), firstFailure(out))
	return true
}

// runTests runs the engine's tests with some files replaced, without touching
// the working tree: the go command reads the replacements from an overlay.
func runTests(t *testing.T, replaced map[string]string) (output string, failed bool) {
	t.Helper()
	dir := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, content := range replaced {
		as := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(as, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[path] = as
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		t.Fatal(err)
	}
	// A mutant may loop for ever: that is caught too.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", list, "-failfast", "-timeout", "5m", "./placer/...")
	cmd.Dir = root
	cmd.Env = os.Environ()
	if os.Getenv("ORACLE_CASES") == "" {
		cmd.Env = append(cmd.Env, "ORACLE_CASES="+mutantCases)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err != nil
}

// firstFailure names the first test that failed.
func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			name, _, _ = strings.Cut(name, " ")
			return name
		}
	}
	return "a panic or a timeout"
}

func tail(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// apply replaces the mutant's old lines, which must occur once.
func (m mutant) apply(source string) (string, error) {
	lines := strings.Split(source, "\n")
	at := -1
	for i := range len(lines) - len(m.old) + 1 {
		same := slices.EqualFunc(lines[i:i+len(m.old)], m.old, func(line, old string) bool {
			return strings.TrimSpace(line) == old
		})
		if same && at >= 0 {
			return "", fmt.Errorf("lines %d and %d of %s are both %q: give more lines", at+1, i+1, m.file, m.old)
		}
		if same {
			at = i
		}
	}
	if at < 0 {
		return "", fmt.Errorf("%s has no line %q", m.file, m.old)
	}
	return strings.Join(slices.Replace(lines, at, at+len(m.old), m.new...), "\n"), nil
}

// parseMutants reads the list; see mutantsFile.
func parseMutants(text string) ([]mutant, error) {
	var list []mutant
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "mutant "); ok {
			list = append(list, mutant{name: name})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("%s:%d: want \"mutant NAME\" first", mutantsFile, i+1)
		}
		if err := list[len(list)-1].add(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", mutantsFile, i+1, err)
		}
	}
	for _, m := range list {
		if m.file == "" || len(m.old) == 0 {
			return nil, fmt.Errorf("%s: mutant %q needs a file and a line to replace", mutantsFile, m.name)
		}
	}
	return list, nil
}

// add takes one line of a block.
func (m *mutant) add(line string) error {
	switch kind, rest, _ := strings.Cut(line, " "); kind {
	case "file":
		m.file = rest
	case "-":
		m.old = append(m.old, strings.TrimSpace(rest))
	case "+":
		m.new = append(m.new, rest)
	default:
		return errors.New(`want "file", "-" or "+"`)
	}
	return nil
}

// TestMutantList holds the list to the source, so that a mutant that no longer
// applies shows before the long run.
func TestMutantList(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, mutantsFile))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("no mutants listed")
	}
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := parseMutants(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		source, err := os.ReadFile(filepath.Join(root, m.file))
		if err == nil {
			_, err = m.apply(string(source))
		}
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
	}
}

// TestMutantApply covers the reader and the replacement on a drawn example.
func TestMutantApply(t *testing.T) {
	list, err := parseMutants("# list\nmutant one more\nfile a.go\n- x++\n+ x += 2\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := list[0].apply("{\n\tx++\n}"); err != nil || got != "{\nx += 2\n}" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := list[0].apply("x++\nx++"); err == nil {
		t.Error("two places go unseen")
	}
	if _, err := list[0].apply("y++"); err == nil {
		t.Error("no place goes unseen")
	}
	for _, bad := range []string{"- x", "mutant m\nwhat", "mutant m\nfile a.go"} {
		if _, err := parseMutants(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
