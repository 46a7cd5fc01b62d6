package placertest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected answers of text files with what is answered now")

// Lines describes an outcome, a fact a line, as a text file expects it:
//
//	expect refused
//
// or
//
//	expect vector 1 2 3 aligned a/b   # "." is the root, PATH@NODE one node
//	expect set NAME pods 4 preferred n1=2 n2=2   # "not-preferred" where missed
//
// Seats stand in rank order.
func (o *Outcome) Lines(c *Case) []string {
	if o.Refused {
		return []string{"expect refused"}
	}
	var lines []string
	if o.Claims != nil {
		vector := strings.Trim(fmt.Sprint(o.Claims.Vector), "[]")
		lines = append(lines, fmt.Sprintf("expect vector %s aligned %s", vector, o.Claims.Aligned))
	}
	for s, seats := range o.Sets {
		ps := &c.Gang.PodSets[s]
		var pods int32
		var where strings.Builder
		for _, seat := range seats {
			pods += seat.Pods
			fmt.Fprintf(&where, " %s=%d", escape(c.Nodes[seat.Node].Name), seat.Pods)
		}
		met := ""
		if o.Claims != nil && ps.Preferred >= 0 {
			met = " not-preferred"
			if o.Claims.PreferenceMet[s] {
				met = " preferred"
			}
		}
		lines = append(lines, fmt.Sprintf("expect set %s pods %d%s%s", escape(ps.Name), pods, met, where.String()))
	}
	return lines
}

// RunText runs answer on each case of a text file, as a subtest, and compares
// the lines that it returns (each begins with "expect") with those in the
// file; with -update it writes them into the file instead.
func RunText(t *testing.T, file string, answer func(*testing.T, *Case) []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := ParseCases(file, string(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := answer(t, c)
			if *update {
				c.Expect = got
				return
			}
			if g, w := strings.Join(got, "\n"), strings.Join(c.Expect, "\n"); g != w {
				t.Errorf("%s:\nhave\n%s\nwant\n%s\nof\n%s", file, g, w, c)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(fileText(string(data), cases)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// fileText is a file with its cases' answers written anew; what stood before
// the first case is kept.
func fileText(old string, cases []*Case) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(old, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "case") {
			break
		}
		b.WriteString(line)
	}
	for i, c := range cases {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, line := range append(c.input, c.Expect...) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
