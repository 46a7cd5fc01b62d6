package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/prototext"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// noon is the time at which recorded answers are printed.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// TestPrintAnswers prints answers recorded in testdata/print, larger and more
// troubled than the demo's cluster gives, as a table and wide, on a terminal and not.
func TestPrintAnswers(t *testing.T) {
	files, err := filepath.Glob("testdata/print/*.txtpb")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	names := newLayerNames(&hopwisev1.Scheme{Name: "aws", NodeLayer: "kubernetes.io/hostname", Layers: []*hopwisev1.Layer{
		{Name: "topology.k8s.aws/network-node-layer-1", ShortName: "layer-1"},
		{Name: "topology.k8s.aws/network-node-layer-2", ShortName: "layer-2"},
		{Name: layer3, ShortName: "layer-3"},
	}})
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var answer hopwisev1.PlaceGangResponse
			if err := prototext.Unmarshal(data, &answer); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, terminal := range []bool{false, true} {
				for _, wide := range []bool{false, true} {
					b.WriteString(printAnswer(names, &answer, terminal, wide) + "\n")
				}
			}
			golden(t, strings.TrimSuffix(file, ".txtpb")+".golden", strings.ReplaceAll(b.String(), "\x1b", "^"))
		})
	}
}

func printAnswer(names *layerNames, answer *hopwisev1.PlaceGangResponse, terminal, wide bool) string {
	var out bytes.Buffer
	a := &app{streams: streams{out: &out, now: func() time.Time { return noon }},
		style: newStyle(terminal, func(string) string { return "" })}
	if r := answer.GetRefusal(); r != nil {
		req := &hopwisev1.PlaceGangRequest{Gang: &hopwisev1.GangRef{Namespace: "team-a", Name: "llama"}}
		a.printRefusal(names, req, r, wide)
		return out.String()
	}
	word := placeWord(answer)
	if answer.GetPlacement().GetState() != hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED {
		word = stateWord(answer.GetPlacement().GetState())
	}
	a.printPlacement(names, answer.GetPlacement(), placementView{word: word, revision: answer.GetRevision(), wide: wide})
	return out.String()
}

// TestSafe lets nothing through that moves a cursor or turns a text around.
func TestSafe(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"ip-10-1-0-11", "ip-10-1-0-11"},
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"a\nb\tc\rd\x7f", `a\x0ab\x09c\x0dd\x7f`},
		{"a\u202eb\u009b", `a\u202eb\u009b`},
		{"a\xffb", `a\xffb`},
		{"über", "über"},
	} {
		if got := safe(c.name); got != c.want {
			t.Errorf("safe(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	if got := (style{}).ascii("über … ├─ x"); got != `\u00fcber ... |- x` {
		t.Errorf("ascii: %q", got)
	}
	if got := escapeJSON("a\u202e\u009bü"); got != `a\u202e\u009bü` {
		t.Errorf("escapeJSON: %q", got)
	}
}

// TestMermaidText ends no label early, whatever a name holds.
func TestMermaidText(t *testing.T) {
	d := diagram{}
	d.mermaidBox("b1", "", []string{`a"]; click b1 <script> #` + "`"}, "")
	if got, want := d.b.String(), "  b1[\"a#quot;]; click b1 #lt;script#gt; #35;#96;\"]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	e := diagram{}
	e.dotBox("b1", "", []string{`a\"b`}, "")
	if got, want := e.b.String(), "  b1 [label=\"a\\\\\\\"b\"]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAgo(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0s"}, {299*time.Second + 990*time.Millisecond, "5m"}, {89 * time.Second, "89s"},
		{2 * time.Hour, "2h"}, {50 * time.Hour, "2d"}, {time.Millisecond, "0s"},
	} {
		if got := ago(c.d); got != c.want {
			t.Errorf("ago(%s) = %q, want %q", c.d, got, c.want)
		}
	}
}
