package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// licenceMarks are phrases that tell a permissive licence; the first found in
// the text counts.
var licenceMarks = []struct{ licence, phrase string }{
	{"Apache-2.0", "apache license"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"BSD", "redistribution and use in source and binary forms"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software"},
	{"ISC", "permission to use, copy, modify, and distribute this software"},
}

// forbiddenMarks tell a licence that the product must not link, whatever else
// its text says.
var forbiddenMarks = []string{
	"gnu general public license", "gnu affero", "gnu lesser", "server side public license",
	"business source license", "commons clause",
}

// licenceOf names the licence of a text; empty where it is none that may come
// along.
func licenceOf(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, f := range forbiddenMarks {
		if strings.Contains(text, f) {
			return ""
		}
	}
	for _, m := range licenceMarks {
		if strings.Contains(text, m.phrase) {
			return m.licence
		}
	}
	return ""
}

// TestLicences holds every module that the product links or tests with to a
// permissive licence.
func TestLicences(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-test", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || seen[path] {
			continue
		}
		seen[path] = true
		if _, ok := testOnly[path]; ok {
			continue
		}
		if moduleLicence(t, dir) == "" {
			t.Errorf("%s: no permissive licence found in %s", path, dir)
		}
	}
	t.Logf("%d modules", len(seen))
}

// testOnly are modules under a licence that binds their own files alone: fine
// to test with, not to link.
var testOnly = map[string]string{
	"pgregory.net/rapid": "MPL-2.0",
}

// TestTestOnly sees that no product package links what is for tests alone.
func TestTestOnly(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "./cmd/...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.Lines(string(out)) {
		if licence, ok := testOnly[strings.TrimSpace(path)]; ok {
			t.Errorf("a command links %s (%s)", strings.TrimSpace(path), licence)
		}
	}
}

// unlicensed are modules generated from a repository that has the licence, whose
// archive leaves it out.
var unlicensed = map[string]string{
	"buf.build/gen/go/bufbuild/protovalidate": "Apache-2.0", // github.com/bufbuild/protovalidate
}

// moduleLicence reads the licence at a module's root.
func moduleLicence(t *testing.T, dir string) string {
	t.Helper()
	for path, licence := range unlicensed {
		if strings.Contains(filepath.ToSlash(dir), path) {
			return licence
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if l := licenceOf(string(text)); l != "" {
			return l
		}
	}
	return ""
}

// TestLicenceOf sees the check refuse what it should refuse.
func TestLicenceOf(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0":                       "Apache-2.0",
		"Permission is hereby granted,\n free of charge, to":  "MIT",
		"GNU GENERAL PUBLIC LICENSE Version 3":                "",
		"Business Source License, later the Apache License 2": "",
		"All rights reserved.":                                "",
	} {
		if got := licenceOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
