package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/yaml"
)

// Formats of -o that most verbs have.
const (
	asTable = "table"
	asWide  = "wide"
	asJSON  = "json"
	asYAML  = "yaml"
	asName  = "name"
)

var formats = []string{asTable, asWide, asJSON, asYAML, asName}

// format is the -o flag: one of a list.
type format struct {
	value   string
	allowed []string
}

func (f *format) String() string { return f.value }
func (f *format) Type() string   { return "FORMAT" }

func (f *format) Set(v string) error {
	if !slices.Contains(f.allowed, v) {
		return fmt.Errorf("expected one of %s", strings.Join(f.allowed, ", "))
	}
	f.value = v
	return nil
}

// outputFlag adds -o with its first allowed format as the default.
func outputFlag(cmd *cobra.Command, allowed ...string) *format {
	f := &format{value: allowed[0], allowed: allowed}
	cmd.Flags().VarP(f, "output", "o", "how to print: "+strings.Join(allowed, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp))
	return f
}

// machine prints m where the format is for machines; it says whether it did.
func (a *app) machine(f *format, m proto.Message) (bool, error) {
	if f.value != asJSON && f.value != asYAML {
		return false, nil
	}
	text, err := jsonOf(m)
	if err != nil {
		return true, err
	}
	if f.value == asYAML {
		if text, err = yaml.JSONToYAML(text); err != nil {
			return true, fmt.Errorf("print as yaml: %w", err)
		}
	}
	_, err = a.out.Write(text)
	return true, err
}

// jsonOf is a message in the contract's JSON form, zeros written out, always laid
// out the same: protojson varies its blanks on purpose.
func jsonOf(m proto.Message) ([]byte, error) {
	raw, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("print as json: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("print as json: %w", err)
	}
	out.WriteByte('\n')
	return []byte(escapeJSON(out.String())), nil
}

// escapeJSON escapes what JSON lets through and a terminal should not see: DEL, C1
// and signs of direction, in strings only since nothing else holds them.
func escapeJSON(text string) string {
	if strings.IndexFunc(text, hostile) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hostile(r) && r <= 0xffff {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hostile(r rune) bool {
	return r > 0x7e && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029)
}

// print writes text that is made of safe parts.
func (a *app) print(text string) { fmt.Fprint(a.out, text) }

// line writes one line, typography as the terminal allows.
func (a *app) line(text string) { fmt.Fprintln(a.out, a.style.ascii(strings.TrimRight(text, " "))) }

// note writes one line to standard error: what a person should know and a script
// need not.
func (a *app) note(text string) {
	fmt.Fprintln(a.err, a.style.ascii("note: "+safe(text)))
}

// count is "1 node", "2 nodes".
func count[N int | int32 | int64](n N, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if strings.HasSuffix(word, "f") { // leaf
		return fmt.Sprintf("%d %sves", n, strings.TrimSuffix(word, "f"))
	}
	return fmt.Sprintf("%d %ss", n, word)
}
