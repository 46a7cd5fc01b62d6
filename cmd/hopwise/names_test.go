package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"ip-10-1-0-11 ip-10-1-0-12 ip-10-1-0-13 ip-10-1-0-20", "ip-10-1-0-[11-13,20]"},
		{"ip-10-1-0-11 ip-10-1-1-11 ip-10-1-1-12", "ip-10-1-[0-1]-11 ip-10-1-1-12"},
		{"ip-10-1-0-11.ec2.internal ip-10-1-0-12.ec2.internal", "ip-10-1-0-[11-12].ec2.internal"},
		{"n009 n010 n011", "n[009-011]"},
		{"n9 n10", "n[9-10]"},
		{"n09 n9", "n09 n9"},
		{"a a", "a a"},
		{"n1 n1", "n1 n1"},
		{"n3 n2 n1", "n[3,2,1]"},
		{"a b", "a b"},
		{"n1", "n1"},
		{"", ""},
	} {
		names := strings.Fields(c.names)
		if got := strings.Join(fold(names), " "); got != c.want {
			t.Errorf("fold(%s) = %q, want %q", c.names, got, c.want)
		}
		if c.names == "" {
			continue
		}
		back, err := unfold(strings.Join(fold(names), ","))
		if err != nil || !slices.Equal(back, names) {
			t.Errorf("unfold(%s) = %q, %v; want %q", c.want, back, err, names)
		}
	}
	for _, wrong := range []string{"", "a,,b", "a[1", "a]", "a[1-]", "a[3-1]", "a[0-9999999999]", "a[1][2]"} {
		if got, err := unfold(wrong); err == nil {
			t.Errorf("unfold(%q) = %q, want an error", wrong, got)
		}
	}
}

func TestParsePodTable(t *testing.T) {
	pods, err := parsePodTable("NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES LABELS\n" +
		"a x-0 1/1 Running 3 (5m ago) 9d 10.0.0.1 n1 <none> <none> k=v\n\n" +
		"NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES LABELS\r\n" +
		"b y-1 0/1 Init:0/1 12 (3d4h ago) 9d <none> n2 <none> <none>\r\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []listedPod{{"a", "x-0", "Running", "n1", 2}, {"b", "y-1", "Init:0/1", "n2", 5}}
	if diff := cmp.Diff(want, pods, cmp.AllowUnexported(listedPod{})); diff != "" {
		t.Error(diff)
	}
}

func TestRanks(t *testing.T) {
	for _, c := range []struct {
		names, title string
		ranks        []int32
		sets         []string
	}{
		{"m-2 m-0 m-1", "m", []int32{2, 0, 1}, []string{"", "", ""}},
		{"m-master-0 m-worker-0 m-worker-1", "m", []int32{0, 0, 1}, []string{"m-master", "m-worker", "m-worker"}},
		{"m-0-x7k29 m-1-22222", "m", []int32{0, 1}, []string{"", ""}},
		{"m-0-22222 m-1-44444", "m", []int32{22222, 44444}, []string{"m-0", "m-1"}},
		{"a b", "these pods", []int32{0, 1}, []string{"", ""}},
		{"m-7", "m", []int32{7}, []string{""}},
		{"10 11", "these pods", []int32{10, 11}, []string{"", ""}},
	} {
		names := strings.Fields(c.names)
		j := &judged{}
		pointers, sets := j.ranks(names)
		ranks := make([]int32, len(pointers))
		for i, p := range pointers {
			ranks[i] = *p
		}
		if !slices.Equal(ranks, c.ranks) || !slices.Equal(sets, c.sets) || commonTitle(names) != c.title {
			t.Errorf("%s: ranks %v, sets %q, title %q", c.names, ranks, sets, commonTitle(names))
		}
	}
}

func TestParseToleration(t *testing.T) {
	for text, want := range map[string]string{
		"k":                      "{k Exists  }",
		"k=v":                    "{k Equal v }",
		"k=v:NoSchedule":         "{k Equal v NoSchedule}",
		"k:NoExecute":            "{k Exists  NoExecute}",
		"*":                      "{ Exists  }",
		"*:NoSchedule":           "{ Exists  NoSchedule}",
		"":                       "error",
		"=v":                     "error",
		"*=v":                    "error",
		"k:Sometimes":            "error",
		"k=a=b:PreferNoSchedule": "{k Equal a=b PreferNoSchedule}",
	} {
		got, err := parseToleration(text)
		shown := strings.Join([]string{"{" + got.Key, string(got.Operator), got.Value, string(got.Effect) + "}"}, " ")
		if err != nil {
			shown = "error"
		}
		if shown != want {
			t.Errorf("%q: %s, want %s", text, shown, want)
		}
	}
}

// FuzzReadPods holds that no list of pods brings the reader down, and that every
// slot it makes has a node.
func FuzzReadPods(f *testing.F) {
	for _, name := range []string{"pods.txt", "pods-indexed.txt", "pods.json", "pods-narrow.txt", "pods-short.txt", "not-pods.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := readPods(data)
		if err != nil {
			return
		}
		if len(j.req.GetSlots()) == 0 || j.title == "" {
			t.Fatalf("%d slots, title %q", len(j.req.GetSlots()), j.title)
		}
		for _, s := range j.req.GetSlots() {
			if s.GetNode() == "" || s.GetNode() == "<none>" || s.GetRank() < 0 {
				t.Fatalf("slot %v", s)
			}
		}
	})
}

// FuzzUnfold holds that folding what was unfolded keeps the names and their order.
func FuzzUnfold(f *testing.F) {
	for _, seed := range []string{"ip-10-1-0-[11-13,20]", "a,b[01-03]", "a[1", "n[3,2,1]", "[1-2]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := unfold(list)
		if err != nil || len(names) > 1000 {
			return
		}
		back, err := unfold(strings.Join(fold(names), ","))
		if err != nil || !slices.Equal(back, names) {
			t.Fatalf("%q: %q, %v; want %q", list, back, err, names)
		}
	})
}
