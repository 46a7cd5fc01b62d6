package ledger

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// four is a gang of four pods, two a node.
func four() *Record {
	return New(Placed{
		Gang: Gang{"ns", "g", "u1"},
		Spec: Spec{PodSets: []PodSet{{Name: "main", Count: 4}}},
		Sets: []Set{{Runs: []Run{{"a", 2}, {"b", 2}}}},
		By:   "hopwise", TTL: time.Minute, Policy: Tightest,
	}, t0)
}

// text is a record in a line: state, node and slot of each rank, troubles.
func text(r *Record) string {
	s := r.State.String()
	for i := range r.Sets {
		set := &r.Sets[i]
		for rank := range set.Pods() {
			sl := set.SlotAt(rank)
			s += fmt.Sprintf(" %s:%s", set.NodeOf(rank), [...]string{"res", "claim", "bound", "wait", "lost", "end"}[sl.State])
		}
	}
	for _, t := range r.Troubles {
		s += fmt.Sprintf(" !%s", [...]string{"", "lost", "broken", "drift", "overdue", "taken", "owner"}[t.Kind])
	}
	return s
}

type move func(*testing.T, *Record, time.Time) (*Record, error)

func bound(rank int32, uid, node string) move {
	return report(Report{Rank: rank, PodUID: uid, Node: node})
}
func ended(rank int32, uid string, e PodEvent) move {
	return report(Report{Rank: rank, PodUID: uid, Event: e})
}

func report(rep Report) move {
	return func(_ *testing.T, r *Record, now time.Time) (*Record, error) {
		return r.Confirm(Confirmation{Reports: []Report{rep}, Grace: 10 * time.Minute}, now)
	}
}

func confirm(c Confirmation) move {
	c.Grace = 10 * time.Minute
	return func(_ *testing.T, r *Record, now time.Time) (*Record, error) { return r.Confirm(c, now) }
}

func tick(_ *testing.T, r *Record, now time.Time) (*Record, error) { return r.Tick(now), nil }

func release(ranks ...Ranks) move {
	return func(_ *testing.T, r *Record, now time.Time) (*Record, error) { return r.Release(ranks, now) }
}

func lost(nodes ...string) move {
	return func(_ *testing.T, r *Record, now time.Time) (*Record, error) {
		return r.Assess(Facts{
			Lost:   func(n string) bool { return slices.Contains(nodes, n) },
			Broken: func(int, []RankRun) string { return "" },
		}, now), nil
	}
}

// TestLife walks the states; at is seconds after the placement.
func TestLife(t *testing.T) {
	all := confirm(Confirmation{AllAsPlanned: true})
	type step struct {
		at   int
		do   move
		want string
	}
	cases := map[string][]step{
		"bound whole": {
			{1, bound(0, "p0", ""), "RESERVED a:bound a:res b:res b:res"},
			{2, all, "BOUND a:bound a:bound b:bound b:bound"},
			{999, tick, "BOUND a:bound a:bound b:bound b:bound"},
		},
		"lapses unbound": {{59, tick, "RESERVED a:res a:res b:res b:res"}, {60, tick, "EXPIRED a:res a:res b:res b:res"}},
		"half is kept": {
			{1, bound(3, "p3", ""), "RESERVED a:res a:res b:res b:bound"},
			{61, tick, "RESERVED a:res a:res b:res b:bound !overdue"},
			{62, all, "BOUND a:bound a:bound b:bound b:bound"},
		},
		"drift": {
			{1, bound(1, "p1", "c"), "RESERVED a:res c:bound b:res b:res !drift"},
			{2, bound(1, "p1", "a"), "RESERVED a:res a:bound b:res b:res"},
		},
		"a successor": {
			{1, all, "BOUND a:bound a:bound b:bound b:bound"},
			{2, ended(0, "", PodGone), "BOUND a:wait a:bound b:bound b:bound"},
			{3, bound(0, "new", ""), "BOUND a:bound a:bound b:bound b:bound"},
		},
		"no successor": {
			{1, all, "BOUND a:bound a:bound b:bound b:bound"},
			{2, ended(0, "", PodGone), "BOUND a:wait a:bound b:bound b:bound"},
			{602, tick, "BOUND a:end a:bound b:bound b:bound"},
		},
		"succeeds": {
			{1, confirm(Confirmation{Reports: []Report{{Rank: 0}, {Rank: 1}, {Rank: 2}, {Rank: 3}}}), "BOUND a:bound a:bound b:bound b:bound"},
			{2, ended(0, "", PodSucceeded), "BOUND a:end a:bound b:bound b:bound"},
			{3, confirm(Confirmation{Reports: []Report{{Rank: 1, Event: PodSucceeded}, {Rank: 2, Event: PodSucceeded}, {Rank: 3, Event: PodSucceeded}}}),
				"EXPIRED a:end a:end b:end b:end"},
		},
		"owner suspended": {
			{1, bound(0, "p0", ""), "RESERVED a:bound a:res b:res b:res"},
			{2, confirm(Confirmation{Owner: OwnerSuspended}), "BOUND a:bound a:end b:end b:end"},
			{3, ended(0, "p0", PodGone), "EXPIRED a:end a:end b:end b:end"},
		},
		"owner gone": {
			{1, all, "BOUND a:bound a:bound b:bound b:bound"},
			{2, confirm(Confirmation{Owner: OwnerGone, Reports: []Report{{Rank: 0, Event: PodGone}, {Rank: 1, Event: PodGone}}}), "BOUND a:end a:end b:bound b:bound"},
			{3, confirm(Confirmation{Reports: []Report{{Rank: 2, Event: PodGone}, {Rank: 3, Event: PodGone}}}), "RELEASED a:end a:end b:end b:end"},
		},
		"released": {{1, release(), "RELEASED a:res a:res b:res b:res"}, {2, release(), "RELEASED a:res a:res b:res b:res"}},
		"released by ranks": {
			{1, release(Ranks{First: 1, Count: 2}), "RESERVED a:res a:end b:end b:res"},
			{2, release(Ranks{First: 0, Count: 4}), "RELEASED a:res a:end b:end b:res"},
		},
		"unbound loses a node": {
			{1, lost("b"), "DEGRADED a:res a:res b:lost b:lost !lost"},
			{2, lost(), "RESERVED a:res a:res b:res b:res"},
		},
		"bound loses a node": {
			{1, all, "BOUND a:bound a:bound b:bound b:bound"},
			{2, lost("a", "b"), "DEGRADED a:lost a:lost b:lost b:lost !lost"},
			{3, bound(0, "p", "c"), "DEGRADED c:bound a:lost b:lost b:lost !lost !drift"},
			{4, lost("a"), "DEGRADED c:bound a:lost b:bound b:bound !lost !drift"},
			{5, lost(), "BOUND c:bound a:bound b:bound b:bound !drift"},
		},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			r := four()
			for _, s := range steps {
				now := t0.Add(time.Duration(s.at) * time.Second)
				before := text(r)
				next, err := s.do(t, r, now)
				if err != nil {
					t.Fatalf("at %d: %v", s.at, err)
				}
				if got := text(r); got != before {
					t.Fatalf("at %d: the old record changed from %s to %s", s.at, before, got)
				}
				again, err := s.do(t, next, now)
				if err == nil && again != next {
					t.Errorf("at %d: a repeat made another record: %s", s.at, cmp.Diff(next, again))
				}
				if r = next; text(r) != s.want {
					t.Fatalf("at %d:\n got %s\nwant %s", s.at, text(r), s.want)
				}
			}
		})
	}
}

func TestReportsThatDoNotApply(t *testing.T) {
	r, err := four().Confirm(Confirmation{Reports: []Report{{Rank: 0, PodUID: "p0"}}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		rep   Report
		field string
		taken string
	}{
		{Report{Rank: 4}, "rank", ""},
		{Report{Set: "other"}, "pod_set", ""},
		{Report{Rank: 0, PodUID: "p1"}, "pod_uid", "p0"},
	} {
		_, err := r.Confirm(Confirmation{Reports: []Report{{Rank: 1}, w.rep}}, t0)
		var slot *SlotError
		if !errors.As(err, &slot) || slot.Field != w.field || slot.TakenBy != w.taken || slot.Index != 1 {
			t.Errorf("%+v: %+v", w.rep, err)
		}
	}
	late, err := r.Confirm(Confirmation{Reports: []Report{{Rank: 0, PodUID: "older", Event: PodGone}}}, t0)
	if err != nil || late != r {
		t.Errorf("word of an older pod: %v, %v", late, err)
	}
}

func TestInherit(t *testing.T) {
	r, err := four().Confirm(Confirmation{AllAsPlanned: true}, t0)
	if err != nil {
		t.Fatal(err)
	}
	next, ok := r.Inherit("u2", 5, time.Hour, t0.Add(time.Minute))
	if !ok || text(next) != "RESERVED a:res a:res b:res b:res" || next.Gang.UID != "u2" || !slices.Equal(next.Earlier, []string{"u1"}) {
		t.Errorf("%v: %s %+v", ok, text(next), next)
	}
	if got := next.Deadline(time.Hour); !got.Equal(t0.Add(time.Hour + time.Minute)) {
		t.Errorf("deadline %v", got)
	}
	part, err := r.Release([]Ranks{{First: 1}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := part.Inherit("u2", 0, time.Hour, t0); ok {
		t.Error("a placement with ended slots was inherited")
	}
}

func TestHeld(t *testing.T) {
	set := Set{Runs: []Run{{"a", 3}, {"b", 2}, {"a", 1}}}
	for _, rank := range []int32{1, 3, 4} {
		set.Slots = append(set.Slots, Slot{Rank: rank, State: SlotEnded})
	}
	want := []RankRun{{0, 1, "a"}, {2, 1, "a"}, {5, 1, "a"}}
	if diff := cmp.Diff(want, set.Held()); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
}

func TestFingerprint(t *testing.T) {
	base := func() Spec {
		return Spec{PodSets: []PodSet{{Count: 4, Requests: map[string]int64{"cpu": 1, "gpu": 2}, Slices: []Slice{{"l", 2}}}}}
	}
	for _, w := range []struct {
		change func(*Spec)
		want   []string
	}{
		{func(*Spec) {}, nil},
		{func(s *Spec) { s.PodSets[0].Name = OnlyPodSet }, nil},
		{func(s *Spec) { s.PodSets[0].MinCount = 4 }, nil},
		{func(s *Spec) { s.PodSets[0].Filter.Terms = []Term{} }, nil},
		{func(s *Spec) { s.PodSets[0].Requests["cpu"] = 2 }, []string{"pod_sets[0].requests"}},
		{func(s *Spec) { s.Constraint = &Constraint{Required: "l"} }, []string{"constraint"}},
		{func(s *Spec) { s.PodSets[0].Constraint = &Constraint{} }, []string{"pod_sets[0].constraint"}},
		{func(s *Spec) { s.Policy, s.Labels = Tightest, map[string]string{"a": "b"} }, []string{"policy", "labels"}},
		{func(s *Spec) { s.PodSets[0].Filter.Terms = []Term{{{Key: "k", Operator: "Exists"}}} }, []string{"pod_sets[0].filter.terms"}},
		{func(s *Spec) { s.PodSets = append(s.PodSets, PodSet{Name: "b"}) }, []string{"pod_sets"}},
	} {
		a, b := base().Normal(), base()
		w.change(&b)
		b = b.Normal()
		if diff := cmp.Diff(w.want, Diff(a, b)); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
		if same := a.Fingerprint() == b.Fingerprint(); same != (w.want == nil) {
			t.Errorf("%v: one fingerprint: %v", w.want, same)
		}
	}
}

func TestRevision(t *testing.T) {
	r := Revision{3, 14}
	got, err := ParseRevision(r.String())
	if err != nil || got != r || !r.Before(Revision{3, 15}) || !r.Before(Revision{4, 1}) || r.Before(r) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "1", "a-1", "1-", "-1", "1-2-3"} {
		if _, err := ParseRevision(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
