package ledgertest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

var (
	kills = flag.Int("kills", 5, "how often the server is killed")
	seed  = flag.Uint64("seed", 0, "of the run; 0: the time's")
)

const callers, jobsEach = 8, 6

// score is what a run counts.
type score struct {
	kills                                int
	acknowledged                         atomic.Int64
	lost, doubled, overCommitted, solved int
	backwards                            atomic.Int64 // revisions
	seenOver                             atomic.Int64 // under load, at one revision each
	wrong                                atomic.Int64 // answers that do not follow from what was known
	said                                 []string     // the first of what was wrong
	mu                                   sync.Mutex   // said
}

func (s *score) bad() bool {
	return s.lost+s.doubled+s.overCommitted > 0 || s.backwards.Load()+s.seenOver.Load()+s.wrong.Load() > 0
}

func (s *score) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.said) < 8 {
		s.said = append(s.said, fmt.Sprintf(format, args...))
	}
}

// run kills the server so many times, or until something is wrong.
func run(t *testing.T, times int, seed uint64, env ...string) *score {
	t.Helper()
	w, s := newWorld(t, seed, env...), &score{}
	var all [callers][]*job
	for i := range all {
		for j := range jobsEach {
			each := gpus
			if j%2 == 1 {
				each = gpus / 4
			}
			all[i] = append(all[i], &job{name: fmt.Sprintf("c%d-%d", i, j), each: each})
		}
	}
	epoch := uint64(0)
	for s.kills <= times && !s.bad() {
		w.start(w.failpoint())
		now, settled := s.check(w, all[:], epoch)
		epoch = max(epoch, now)
		switch {
		case !settled: // it died at its failpoint meanwhile: the next start goes on
			w.kill()
		case s.kills == times:
			w.kill()
			return s
		default:
			s.load(w, all[:])
		}
		s.kills++
	}
	return s
}

// failpoint is where the next server dies: half of them at a random moment.
func (w *world) failpoint() string {
	points := []string{"", "", "", "", "before-write", "in-write", "in-sync", "after-sync", "before-reply"}
	p := points[w.rand.IntN(len(points))]
	if p == "" {
		return ""
	}
	return p + ":" + strconv.Itoa(2+w.rand.IntN(60))
}

// load has the callers call until the server is dead.
func (s *score) load(w *world, all [][]*job) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i, jobs := range all {
		r := rand.New(rand.NewPCG(w.rand.Uint64(), uint64(i)))
		wg.Go(func() { s.caller(ctx, w, jobs, r) })
	}
	wg.Go(func() { s.watch(ctx, w) })
	if w.rand.IntN(3) == 0 {
		w.writeNodes()
	}
	w.dies(time.Duration(10+w.rand.IntN(90)) * time.Millisecond)
	w.kill()
	cancel()
	wg.Wait()
}

// caller works through its jobs until a call fails: then the server is gone.
func (s *score) caller(ctx context.Context, w *world, jobs []*job, r *rand.Rand) {
	last := uint64(0)
	for ctx.Err() == nil {
		j := jobs[r.IntN(len(jobs))]
		c := j.next(r)
		placed, revision, err := j.do(ctx, w.client, c)
		switch {
		case err != nil && unknown(err):
			j.pending = &c
			return
		case err != nil && c.action == resize && absent(err):
			continue
		case err != nil:
			s.wrong.Add(1)
			s.say("%s %s: %v", c.action, j.name, err)
			return
		}
		s.acknowledged.Add(1)
		if n := numberOf(revision); n < last {
			s.backwards.Add(1)
			s.say("%s %s: revision %s after %d", c.action, j.name, revision, last)
		} else {
			last = n
		}
		if placed == nil { // refused: there is no room
			continue
		}
		if after := viewOf(placed); !c.fits(j.known, after) {
			s.wrong.Add(1)
			s.say("%s %s of %d: %s became %s", c.action, j.name, c.pods, j.known, after)
		} else {
			j.known = after
		}
	}
}

// watch looks at the whole at one revision after another.
func (s *score) watch(ctx context.Context, w *world) {
	for ctx.Err() == nil {
		placements, _, err := list(ctx, w.client)
		if err != nil {
			return
		}
		doubled, over := overbooked(placements)
		s.seenOver.Add(int64(doubled + over))
		select {
		case <-ctx.Done():
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// check compares what is there after a start with what was acknowledged, and
// settles what was not. It gives the epoch; settled is false where the server died
// meanwhile.
func (s *score) check(w *world, all [][]*job, epoch uint64) (now uint64, settled bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	placements, revision, err := list(ctx, w.client)
	if err != nil && unknown(err) {
		return 0, false
	}
	if err != nil {
		w.t.Fatalf("after %d kills: %v", s.kills, err)
	}
	first, _, _ := strings.Cut(revision, "-")
	now, _ = strconv.ParseUint(first, 10, 64) // 0 is no epoch
	if now <= epoch {
		s.backwards.Add(1)
		s.say("epoch %d after %d", now, epoch)
	}
	doubled, over := overbooked(placements)
	s.doubled += doubled
	s.overCommitted += over
	there := map[string]view{}
	settled = true
	for _, p := range placements {
		there[p.GetGang().GetName()] = viewOf(p)
	}
	for _, jobs := range all {
		for _, j := range jobs {
			settled = s.settle(ctx, w, j, there[j.name]) && settled
			delete(there, j.name)
		}
	}
	for name, v := range there {
		s.lost++
		s.say("nobody asked for %s: %s", name, v)
	}
	return now, settled
}

// settle holds one job to what was acknowledged; a call that was not must have
// happened whole or not at all, and its repeat gives the same.
func (s *score) settle(ctx context.Context, w *world, j *job, there view) bool {
	c := j.pending
	if there != j.known && (c == nil || !c.fits(j.known, there)) {
		s.lost++
		s.say("%s: acknowledged %s, pending %v, found %s", j.name, j.known, c, there)
		return true
	}
	if c == nil {
		return true
	}
	happened := there != j.known
	placed, _, err := j.do(ctx, w.client, *c)
	if err != nil && unknown(err) {
		return false
	}
	j.pending = nil
	switch {
	case err != nil && c.action == resize && absent(err):
		j.known = there
	case err != nil:
		s.wrong.Add(1)
		s.say("repeat of %s %s: %v", c.action, j.name, err)
	case placed == nil:
		j.known = there
		if happened {
			s.lost++
			s.say("repeat of %s %s is refused, and it is there: %s", c.action, j.name, there)
		}
	default:
		again := viewOf(placed)
		if happened && again != there || !c.fits(j.known, again) {
			s.lost++
			s.say("repeat of %s %s gives %s, not %s", c.action, j.name, again, there)
		}
		j.known = again
	}
	s.solved++
	return true
}

// list reads all placements at one revision.
func list(ctx context.Context, client hopwisev1.PlacementServiceClient) ([]*hopwisev1.Placement, string, error) {
	resp, err := client.ListPlacements(ctx, &hopwisev1.ListPlacementsRequest{
		Namespace: "crash", PageSize: 1000, States: []hopwisev1.PlacementState{
			hopwisev1.PlacementState_PLACEMENT_STATE_RESERVED, hopwisev1.PlacementState_PLACEMENT_STATE_BOUND,
			hopwisev1.PlacementState_PLACEMENT_STATE_DEGRADED, hopwisev1.PlacementState_PLACEMENT_STATE_RELEASED,
			hopwisev1.PlacementState_PLACEMENT_STATE_EXPIRED,
		},
	})
	if err == nil && resp.GetNextPageToken() != "" {
		err = fmt.Errorf("more than a page")
	}
	return resp.GetPlacements(), resp.GetRevision(), err
}

// overbooked counts the nodes that two pods have to themselves, and those that
// are asked for more than they have.
func overbooked(placements []*hopwisev1.Placement) (doubled, over int) {
	asked, whole := map[string]int{}, map[string]int{}
	for _, p := range placements {
		if !viewOf(p).live() {
			continue
		}
		each := gpus
		if name := p.GetGang().GetName(); (name[len(name)-1]-'0')%2 == 1 {
			each = gpus / 4
		}
		for _, node := range nodesOf(p) {
			asked[node] += each
			if each == gpus {
				whole[node]++
			}
		}
	}
	for node, sum := range asked {
		switch {
		case whole[node] > 1:
			doubled++
		case sum > gpus:
			over++
		}
	}
	return doubled, over
}

// numberOf is a revision's number within its epoch.
func numberOf(revision string) uint64 {
	_, n, _ := strings.Cut(revision, "-")
	number, _ := strconv.ParseUint(n, 10, 64) // 0 is before all
	return number
}

func runSeed() uint64 {
	if *seed != 0 {
		return *seed
	}
	return uint64(time.Now().UnixNano())
}

// TestCrash is `make crash`.
func TestCrash(t *testing.T) {
	if _, err := build(); err != nil {
		t.Fatal(err)
	}
	from, began := runSeed(), time.Now()
	s := run(t, *kills, from)
	for _, line := range s.said {
		t.Error(line)
	}
	if s.bad() {
		t.Errorf("%d revisions went back, %d nodes overbooked under load, %d answers wrong", s.backwards.Load(), s.seenOver.Load(), s.wrong.Load())
	}
	fmt.Printf("seed %d, %s, %.1f kills/s\n%d kills, %d acknowledged, %d lost, %d doubled, %d over-committed, %d unacknowledged resolved\n",
		from, time.Since(began).Round(time.Millisecond), float64(s.kills)/time.Since(began).Seconds(),
		s.kills, s.acknowledged.Load(), s.lost, s.doubled, s.overCommitted, s.solved)
}

// TestPlantedFaults breaks the store in four ways: each is caught. A store that
// does nothing wrong stands the same power cuts.
func TestPlantedFaults(t *testing.T) {
	const most = 40
	for _, plant := range []string{"skip-sync", "early-ack", "lose-release", "double-slot"} {
		t.Run(plant, func(t *testing.T) {
			s := run(t, most, runSeed(), "HOPWISE_PLANT="+plant)
			if !s.bad() {
				t.Fatalf("not caught by %d kills", most)
			}
			t.Logf("caught after %d kills: %q", s.kills, s.said[:min(1, len(s.said))])
		})
	}
	t.Run("honest", func(t *testing.T) {
		if s := run(t, 5, runSeed(), "HOPWISE_PLANT=honest"); s.bad() {
			t.Errorf("blamed after %d kills: %q", s.kills, s.said)
		}
	})
}
