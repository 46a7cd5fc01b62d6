package gang

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// placeholder is what templates leave where nobody rendered them: {{ .Values.x }}
// of Helm and Jinja, ${NAME} of envsubst.
var placeholder = regexp.MustCompile(`\{\{.*?\}\}|\$\{[A-Za-z_][^}]*\}`)

// mayHoldBraces are keys whose text is a program's own business.
func mayHoldBraces(key string) bool {
	switch key {
	case "command", "args", "env", "description", "entrypoint", "runtimeEnvYAML", "data", "stringData", "lifecycle",
		"livenessProbe", "readinessProbe", "startupProbe":
		return true
	}
	return false
}

// placeholders refuses a manifest whose template was not rendered, and lists what
// is left: the reader may want another of them than the first.
func placeholders(d document) error {
	var found []string
	line := 0
	var find func(n *yaml.Node, path []any)
	find = func(n *yaml.Node, path []any) {
		path = path[:len(path):len(path)]
		switch n.Kind {
		case yaml.ScalarNode:
			if placeholder.MatchString(n.Value) {
				found = append(found, fmt.Sprintf("%s: %q (line %d)", pathText(path), clip(n.Value), n.Line))
				line = firstLine(line, n.Line)
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := n.Content[i]
				if key.Kind == yaml.MappingNode { // {{ x }} without quotes is a mapping as a key
					found = append(found, fmt.Sprintf("%s: {{ ... }} (line %d)", pathText(path), n.Line))
					line = firstLine(line, n.Line)
				} else if !mayHoldBraces(key.Value) {
					find(n.Content[i+1], append(path, key.Value))
				}
			}
		case yaml.SequenceNode:
			for i, c := range n.Content {
				find(c, append(path, i))
			}
		}
	}
	find(d.root, nil)
	if len(found) == 0 {
		return nil
	}
	const most = 8
	if len(found) > most {
		found = append(found[:most], fmt.Sprintf("and %d more", len(found)-most))
	}
	return &Error{File: d.file, Line: line, Msg: describe(d) + ": a template placeholder is left: " + strings.Join(found, ", "),
		Hint: "fill it first, for example with helm template or envsubst"}
}

func firstLine(a, b int) int {
	if a == 0 {
		return b
	}
	return a
}

// clip keeps a message short.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "..."
	}
	return s
}
