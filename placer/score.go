package placer

import "slices"

// Score judges a list of ordered seats against what could be had.
type Score struct {
	// Now compares with the best answer on the cluster as it is, Empty with the
	// best on the healthy cluster without any usage: (1 + its mean hops) / (1 +
	// the list's), cut to 1. Negative where the best answer does not exist.
	Now, Empty float64
	// List is the quality of the seats given; BestNow and BestEmpty those of the
	// best answers.
	List, BestNow, BestEmpty Quality
	// AnswerNow and AnswerEmpty are the best answers themselves.
	AnswerNow, AnswerEmpty *Answer
}

// Score compares seats with TIGHTEST's own answers for the same pod sets. What
// the pods use where they are is freed while deciding: as much as they request,
// or, for exclusive ones, all that is used on their nodes.
func (e *Engine) Score(g *Gang, sets []SetPlacement) Score {
	ask := Gang{Budget: g.Budget, SpanFabrics: true}
	for _, ps := range g.PodSets {
		// What is judged is distance, so constraints don't bind the comparison.
		ask.PodSets = append(ask.PodSets, PodSet{
			Name: ps.Name, Count: ps.Count, Requests: ps.Requests, Exclusive: ps.Exclusive,
			MaxPerNode: ps.MaxPerNode, Filter: ps.Filter, Required: NoLayer, Preferred: NoLayer,
		})
	}
	sc := Score{List: e.Quality(sets)}
	e.Prepare(&ask)
	restore := e.vacate(&ask, sets)
	sc.AnswerNow = e.Decide(&ask)
	restore()
	ask.empty = true
	sc.AnswerEmpty = e.Decide(&ask)
	sc.Now, sc.BestNow = e.ratio(sc.AnswerNow, sc.List)
	sc.Empty, sc.BestEmpty = e.ratio(sc.AnswerEmpty, sc.List)
	return sc
}

// vacate frees what the seats use and returns what puts everything back.
func (e *Engine) vacate(g *Gang, sets []SetPlacement) (restore func()) {
	type saved struct {
		id   NodeID
		rec  node
		free []int64
	}
	kept := map[NodeID]bool{}
	var before []saved
	for i := range sets {
		s := e.shapeOf(&g.PodSets[i])
		for _, seat := range sets[i].Seats {
			row := e.free[int(seat.Node)*e.res.n : (int(seat.Node)+1)*e.res.n]
			rec := &e.nodes[seat.Node]
			if !kept[seat.Node] {
				kept[seat.Node] = true
				before = append(before, saved{seat.Node, *rec, slices.Clone(row)})
			}
			rec.exclusive = 0
			if s.spec.exclusive {
				rec.usedPods, rec.heldPods = 0, 0
			}
			for r := range row {
				total := e.totalOf(rec.total, int32(r))
				if s.spec.exclusive {
					row[r] = total
				} else {
					row[r] = min(total, row[r]+s.asks(int32(r))*int64(seat.Pods))
				}
			}
		}
	}
	for _, b := range before {
		e.refit(b.id)
	}
	return func() {
		for _, b := range before {
			e.nodes[b.id] = b.rec
			copy(e.free[int(b.id)*e.res.n:], b.free)
			e.refit(b.id)
		}
	}
}

func (e *Engine) ratio(best *Answer, list Quality) (float64, Quality) {
	if best.Refusal != nil {
		return -1, Quality{}
	}
	q := e.Quality(best.Sets)
	return min(1, (1+q.MeanHops)/(1+list.MeanHops)), q
}
