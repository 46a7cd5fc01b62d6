package config

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestPrint is the golden file: the printed defaults are the ones in force, name
// every key, and differ from the example in deploy by its paths alone.
func TestPrint(t *testing.T) {
	printed := map[string]any{}
	if err := yaml.Unmarshal([]byte(Print()), printed); err != nil {
		t.Fatal(err)
	}
	inForce, err := yaml.Marshal(Default())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{}
	if err := yaml.Unmarshal(inForce, want); err != nil {
		t.Fatal(err)
	}
	want["tracing"].(map[string]any)["ratio"] = printed["tracing"].(map[string]any)["ratio"] // 1 and 1.0
	want["stop_after"] = "20s"
	if diff := cmp.Diff(durations(want), durations(printed)); diff != "" {
		t.Errorf("in force (-) and printed (+) differ:\n%s", diff)
	}
	example, err := os.ReadFile("../../deploy/hopwised.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Replace(Print(), "paths: []", "paths: [nodes.yaml]", 1), string(example)); diff != "" {
		t.Errorf("deploy/hopwised.yaml is not the printed defaults with paths [nodes.yaml]:\n%s", diff)
	}
}

// durations brings 5m and 5m0s to one spelling.
func durations(m map[string]any) map[string]any {
	for k, v := range m {
		switch v := v.(type) {
		case map[string]any:
			durations(v)
		case string:
			var d Duration
			if d.UnmarshalText([]byte(v)) == nil {
				m[k] = d.Std().String()
			}
		}
	}
	return m
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, file, wrong string }{
		{"least", "source: {paths: [a.yaml]}", ""},
		{"custom layers", "source: {paths: [a]}\nscheme:\n  layers: [x/hall, x/row]", ""},
		{"far address, said so", "source: {paths: [a]}\ngrpc_address: 0.0.0.0:1\ninsecure: true", ""},
		{"no HTTP", "source: {paths: [a]}\nhttp_address: ''", ""},
		{"empty", "", "source.paths: empty"},
		{"unknown key", "source:\n  paths: [a]\n  pahts: [b]", `f.yaml:3: unknown key "pahts"; known here: kind, paths,`},
		{"unknown section", "sources: {}", `f.yaml:1: unknown key "sources"; known here: grpc_address,`},
		{"twice", "insecure: true\ninsecure: false", `f.yaml:2: mapping key "insecure" already defined at line 1`},
		{"wrong type", "insecure: maybe", "f.yaml:1: cannot unmarshal"},
		{"not YAML", "a: [", "f.yaml:1: "},
		{"two documents", "source: {paths: [a]}\n---\ninsecure: true", "more than one document"},
		{"bad duration", "placement: {default_ttl: soon}", `"soon" is no duration`},
		{"far address", "source: {paths: [a]}\ngrpc_address: 0.0.0.0:1", "insecure: true"},
		{"empty host", "source: {paths: [a]}\nhttp_address: ':7434'", "insecure: true"},
		{"no port", "source: {paths: [a]}\ngrpc_address: localhost", "expected host:port"},
		{"port", "source: {paths: [a]}\ngrpc_address: localhost:70000", "0 to 65535"},
		{"kind", "source: {paths: [a], kind: kubernetes}", "source.kind"},
		{"preset", "source: {paths: [a]}\nscheme: {preset: awz}", "did you mean"},
		{"key twice in scheme", "source: {paths: [a]}\nscheme: {layers: [x/a, x/a]}", "already layers[0]"},
		{"preset and layers", "source: {paths: [a]}\nscheme: {preset: aws, layers: [x/a]}", "one of them"},
		{"policy", "source: {paths: [a]}\nplacement: {default_policy: BALANCED}", "TIGHTEST or BEST_FIT"},
		{"ttl", "source: {paths: [a]}\nplacement: {default_ttl: 1ms}", "placement.default_ttl"},
		{"bytes", "source: {paths: [a]}\nlimits: {request_bytes: -1}", "limits.request_bytes"},
		{"level", "source: {paths: [a]}\nlog: {level: loud}", "log.level"},
		{"format", "source: {paths: [a]}\nlog: {format: xml}", "log.format"},
		{"ratio", "source: {paths: [a]}\ntracing: {ratio: .nan}", "tracing.ratio"},
		{"endpoint", "source: {paths: [a]}\ntracing: {endpoint: here}", "tracing.endpoint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(c.file))
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("got %v, want %q", err, c.wrong)
			}
		})
	}
}

// TestPaths: paths start at the file's folder; standard input and absolute ones stay.
func TestPaths(t *testing.T) {
	c, err := Parse("/etc/hopwise/hopwised.yaml", []byte("source: {paths: [nodes.yaml, '-', /var/pods.json]}"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/etc/hopwise/nodes.yaml", "-", "/var/pods.json"}, c.Source.Paths); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Print()))
	f.Add([]byte("source: {paths: [a]}"))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = Parse("f.yaml", data) })
}
