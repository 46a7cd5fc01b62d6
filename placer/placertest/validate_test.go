package placertest

import (
	"strings"
	"testing"

	"github.com/hopwise/hopwise/placer"
)

// cluster is what most of the validator's tests place on.
const cluster = `
case t
scheme top leaf : host
node a1 a/x gpu=4 pods=3
node a2 a/x gpu=2
node a3 a/y gpu=4 label:p=1
node b1 b/x gpu=4 taint:k=v:NoSchedule
node b2 b/x gpu=4 notready
node c1 c gpu=4 used:gpu=3 usedpods=1
node d1 d/x
`

// brokenRules breaks each rule of the validator, and keeps some.
var brokenRules = []struct {
	name, gang string
	seats      string // sets split by ";", seats by blanks, in rank order
	want       string // part of the error; "" for a valid placement
}{
	{"valid", "set s count=5 gpu=1", "a1=3 a2=2", ""},
	{"sets missing", "set s count=1 gpu=1\nset t count=1 gpu=1", "a1=1", "pod sets"},
	{"a node twice", "set s count=3 gpu=1", "a1=1 a2=1 a1=1", "two runs"},
	{"too few", "set s count=3 gpu=1", "a1=2", "want 3 to 3"},
	{"too many", "set s count=1 gpu=1", "a1=2", "want 1 to 1"},
	{"floor kept", "set s count=3 min=2 gpu=1", "a1=2", ""},
	{"below the floor", "set s count=3 min=2 gpu=1", "a1=1", "want 2 to 3"},
	{"gang floor", "gang min=3\nset s count=3 gpu=1\nset t count=3 gpu=1", "a1=1;a2=1", "in all"},
	{"no whole slices", "set s count=4 min=2 gpu=1 slice=leaf:2", "a1=3", "whole slices"},
	{"not ready", "set s count=1 gpu=1", "b2=1", "not healthy"},
	{"taint", "set s count=1 gpu=1", "b1=1", "taint"},
	{"tolerated", "set s count=1 gpu=1 tolerate:k", "b1=1", ""},
	{"labels", "set s count=1 gpu=1 filter:p=1", "a1=1", "filter"},
	{"terms", "set s count=1 gpu=1 term:p=in(2)", "a3=1", "filter"},
	{"max per node", "set s count=2 gpu=1 maxpernode=1", "a1=2", "at most 1"},
	{"resource", "set s count=3 gpu=1", "a2=3", "gpu"},
	{"resource that is used", "set s count=2 gpu=1", "c1=2", "gpu"},
	{"resource that is not there", "set s count=1 tpu=1", "a1=1", "tpu"},
	{"pods", "set s count=4 gpu=1", "a1=4", "pods"},
	{"two sets overfill", "set s count=2 gpu=1\nset t count=1 gpu=1", "a2=2;a2=1", "gpu"},
	{"but not after each other", "set s count=2 gpu=1\nset t count=1 gpu=1 after=0", "a2=2;a2=1", ""},
	{"exclusive twice", "set s count=2 exclusive", "a1=2", "alone"},
	{"exclusive on a used node", "set s count=1 exclusive", "c1=1", "alone"},
	{"exclusive and shared", "set s count=1 exclusive\nset t count=1 gpu=1", "a1=1;a1=1", "alone"},
	{"unknown capacities", "set s count=1 gpu=1", "d1=1", "unknown"},
	{"unknown capacities, no requests", "set s count=1 exclusive", "d1=1", ""},
	{"required", "set s count=2 gpu=1 required=leaf", "a1=1 a3=1", "required layer leaf"},
	{"required, layer missing", "set s count=1 gpu=1 required=leaf", "c1=1", "required layer leaf"},
	{"required node", "set s count=2 gpu=1 required=host", "a1=1 a2=1", "required layer host"},
	{"group apart", "set s count=1 gpu=1 required=leaf group=g\nset t count=1 gpu=1 required=leaf group=g", "a1=1;a3=1", "required layer leaf"},
	{"slice cut", "set s count=4 gpu=1 slice=leaf:2", "a1=1 a3=3", "cut"},
	{"slice on a node without the layer", "set s count=1 gpu=1 slice=leaf:1", "c1=1", "lacks the layer"},
	{"short slice not allowed", "set s count=3 gpu=1 slice=leaf:2", "a1=3", "no whole slices"},
	{"short slice last", "set s count=3 gpu=1 slice=leaf:2 partial", "a3=2 a1=1", ""},
	{"short slice first", "set s count=3 gpu=1 slice=leaf:2 partial", "a1=1 a3=2", "a slice lies on"},
	{"two short slices", "set s count=4 gpu=1 slice=leaf:3 partial", "a1=2 a3=2", "cut"},
	{"short slice cut", "set s count=5 gpu=1 slice=leaf:3 partial", "a1=3 a2=1 a3=1", "cut"},
	{"inner slices", "set s count=4 gpu=1 slice=leaf:4 slice=host:2", "a1=3 a2=1", "cut"},
	{"path order", "set s count=2 gpu=1", "a2=1 a1=1", "path order"},
	{"fabrics", "disconnected\nset s count=2 gpu=1", "a1=1 d1=1", "fabrics"},
}

// TestValidate: each broken rule is named.
func TestValidate(t *testing.T) {
	for _, tc := range brokenRules {
		t.Run(tc.name, func(t *testing.T) {
			c := parseOne(t, cluster+tc.gang)
			err := Validate(c, &Outcome{Sets: parseSeats(t, c, tc.seats)})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("have %v, want %q", err, tc.want)
			}
		})
	}
}

// TestValidateClaims: what an answer says of itself is recounted.
func TestValidateClaims(t *testing.T) {
	c := parseOne(t, cluster+"set s count=4 gpu=1 preferred=top")
	right := func() *Claims {
		return &Claims{Vector: []int32{1, 2, 2}, Pods: []int32{4}, PreferenceMet: []bool{true}, Aligned: Place{Path: []string{"a"}}}
	}
	for _, tc := range []struct {
		name  string
		wrong func(*Claims)
		want  string
	}{
		{"right", func(*Claims) {}, ""},
		{"vector", func(cl *Claims) { cl.Vector[1] = 1 }, "vector"},
		{"pods", func(cl *Claims) { cl.Pods[0] = 3 }, "says 3 pods"},
		{"preference", func(cl *Claims) { cl.PreferenceMet[0] = false }, "preference"},
		{"aligned too high", func(cl *Claims) { cl.Aligned = Place{} }, "aligned"},
		{"aligned too low", func(cl *Claims) { cl.Aligned.Path = []string{"a", "x"} }, "aligned"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			claims := right()
			tc.wrong(claims)
			err := Validate(c, &Outcome{Sets: parseSeats(t, c, "a1=2 a3=2"), Claims: claims})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("have %v, want %q", err, tc.want)
			}
		})
	}
}

// TestParseErrors: an error names the line and what was wrong.
func TestParseErrors(t *testing.T) {
	const head = "case t\nscheme leaf : host\n"
	for _, tc := range []struct{ text, want string }{
		{"node a - \n", `t:1: "node" before the first case`},
		{head + "nod a -\n", `t:3: unknown word "nod"`},
		{head + "node a - gpu=x\n", "t:3: node a: want RESOURCE=AMOUNT"},
		{head + "node a - taint:k:No\n", "t:3: node a: taint"},
		{head + "set s required=rack\n", `layer "rack" is not in the scheme`},
		{head + "set s term:a=near(1)\n", "want KEY=OP"},
		{head + "gang policy=odd\n", `unknown policy "odd"`},
		{head + "node a -\nnode a -\nset s\n", `node "a" twice`},
		{head, "no set"},
	} {
		if _, err := ParseCases("t", tc.text); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: have %v, want %q", tc.text, err, tc.want)
		}
	}
}

func parseOne(t *testing.T, text string) *Case {
	t.Helper()
	cases, err := ParseCases(t.Name(), strings.TrimSpace(text)+"\n")
	if err != nil {
		t.Fatal(err)
	}
	return cases[0]
}

func parseSeats(t *testing.T, c *Case, text string) [][]Seat {
	t.Helper()
	var sets [][]Seat
	for set := range strings.SplitSeq(text, ";") {
		var seats []Seat
		for word := range strings.FieldsSeq(set) {
			name, pods, _ := strings.Cut(word, "=")
			n, err := parseCount(pods)
			if err != nil {
				t.Fatal(err)
			}
			seat := Seat{Node: -1, Pods: n}
			for i := range c.Nodes {
				if c.Nodes[i].Name == name {
					seat.Node = i
				}
			}
			seats = append(seats, seat)
		}
		sets = append(sets, seats)
	}
	return sets
}

// TestPoliciesByHand: the references of the other policies, worked out by hand.
func TestPoliciesByHand(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"the smallest leaf that suffices", "node a1 a/x gpu=4\nnode b1 b/x gpu=3\nset s count=3 gpu=1 preferred=leaf", "[3][3][3]"},
		{"climb to the smallest top", "node a1 a/x gpu=3\nnode a2 a/y gpu=2\nnode b1 b/x gpu=3\nnode b2 b/y gpu=3\nset s count=5 gpu=1 preferred=leaf", "[5][2 3][2 3]"},
		{"the largest top first, the last the smallest that takes the rest", "node a1 a/x gpu=5\nnode b1 b/x gpu=4\nnode c1 c/x gpu=2\nset s count=7 gpu=1 preferred=leaf", "[2 5][2 5][2 5]"},
		{"no constraint: the smallest node", "node a1 a/x gpu=5\nnode b1 b/x gpu=2\nset s count=2 gpu=1", "[2][2][2]"},
	} {
		c := parseOne(t, "case t\nscheme top leaf : host\n"+tc.text)
		c.Gang.Policy = placer.BestFit
		if have := strings.Join(sortedKeys(BestFitProfiles(c)), " or "); have != tc.want {
			t.Errorf("%s: have %s, want %s", tc.name, have, tc.want)
		}
	}
	c := parseOne(t, "case t\nscheme leaf : host\nnode a1 x gpu=3\nnode a2 x gpu=2\nnode a3 x gpu=1\nnode b1 y gpu=9\nset s count=4 gpu=1")
	if have := sortedKeys(LeastFreeProfiles(c)); len(have) != 1 || have[0] != "[4][1 1 2]" {
		t.Errorf("least free: have %v", have)
	}
	c = parseOne(t, "case t\nscheme leaf : host\nnode a1 x gpu=3\nnode b1 y gpu=5\nnode c1 z gpu=1\nset s count=6 gpu=1")
	if have := BalancedCounts(c); len(have) != 2 || have[0] != 3 || have[1] != 3 {
		t.Errorf("balanced: have %v", have)
	}
}
