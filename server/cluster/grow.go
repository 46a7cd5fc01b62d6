package cluster

import (
	"fmt"
	"slices"

	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// growth is a gang's seats on their way from what it has to what it wants.
type growth struct {
	*reseating
	floor []int32 // per pod set, the fewest that will do; never fewer than stay
	want  []int32
	least int64 // over all pod sets
	left  int64 // steps
	// sure says that every size that was refused is known not to fit.
	sure bool
}

// grow finds seats for as many ranks as fit beside those that stay: all that are
// wanted, else the most, earlier pod sets first, in whole slices. A refusal says
// why not even the floors are reached.
func (r *reseating) grow(floor, want []int32, least int64) (seatsWanted, *placer.Answer) {
	budget := r.budget
	if budget == 0 {
		budget = placer.DefaultBudget
	}
	g := &growth{reseating: r, floor: floor, want: want, least: least, left: budget, sure: true}
	seats, all := g.try(want)
	if all.Refusal == nil {
		return seats, all
	}
	counts := slices.Clone(floor)
	if slices.Equal(counts, want) {
		return seats, all
	}
	best, ans := g.try(counts)
	if ans.Refusal != nil {
		return seats, all
	}
	for i := range counts {
		if more, found := g.most(counts, i); found != nil {
			best, ans = more, found
		}
	}
	if total(counts) < least {
		return seats, all
	}
	// Of several sets the earlier took what it could, which need not be the most.
	ans.Proven = ans.Proven && g.sure && len(counts) == 1
	return best, ans
}

// most raises one pod set's count as far as there is room.
func (g *growth) most(counts []int32, i int) (best seatsWanted, ans *placer.Answer) {
	low, high := counts[i], g.want[i]
	for low < high && g.left > 0 {
		n := g.whole(i, low+(high-low+1)/2, low)
		if n == low { // less than a slice more: all of it or nothing
			n = high
		}
		counts[i] = n
		seats, found := g.try(counts)
		if found.Refusal == nil {
			low, best, ans = n, seats, found
			continue
		}
		high = g.whole(i, n-1, low)
	}
	counts[i] = low
	return best, ans
}

// whole rounds a count down to whole slices, not below least.
func (g *growth) whole(i int, n, least int32) int32 {
	if sl := g.ask.gang.PodSets[i].Slices; len(sl) > 0 && n != g.want[i] {
		n -= n % sl[0].Size
	}
	return max(n, least)
}

func (g *growth) try(counts []int32) (seatsWanted, *placer.Answer) {
	g.ask.gang.Budget = max(g.left, 1)
	seats := kept(g.g.rec, counts, nil)
	ans := g.fill(seats, false)
	g.left -= max(ans.Steps, 1)
	g.sure = g.sure && (ans.Refusal == nil || ans.Refusal.Proven)
	return seats, ans
}

func total(counts []int32) int64 {
	sum := int64(0)
	for _, n := range counts {
		sum += int64(n)
	}
	return sum
}

// wantedOf is what a spec asks for, per pod set.
func wantedOf(spec *ledger.Spec) []int32 {
	counts := make([]int32, len(spec.PodSets))
	for i := range spec.PodSets {
		counts[i] = spec.PodSets[i].Count
	}
	return counts
}

// later gives ranks that still wait for a seat one in the same domains, where
// there is room by now; nil where none has.
func (p *placing) later(g *gang) *ledger.Record {
	rec := g.rec
	have, want := seatsHad(rec), wantedOf(&rec.Spec)
	if p.req.DryRun || rec.State == ledger.Degraded || rec.Owner >= ledger.OwnerSuspended || slices.Equal(have, want) {
		return nil
	}
	r := p.reseating(g, g.ask, p.req.Budget)
	seats, ans := r.grow(have, want, total(have))
	if ans.Refusal != nil {
		return nil
	}
	next := r.next(nil, seats, ans, false)
	if gained := total(seatsHad(next)) - total(have); gained > 0 {
		p.put(next, g.ask)
		p.notes = append(p.notes, fmt.Sprintf("%s gained a seat; the others kept theirs", plural(gained, "more pod")))
		return next
	}
	return nil
}
