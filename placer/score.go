package placer

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

// Score compares seats with TIGHTEST's own answers for the same pod sets. Where
// own is set the seats are held, and are freed while deciding.
func (e *Engine) Score(g *Gang, sets []SetPlacement, own bool) Score {
	ask := Gang{Budget: g.Budget, SpanFabrics: true}
	for _, ps := range g.PodSets {
		// What is judged is distance, so constraints don't bind the comparison.
		ask.PodSets = append(ask.PodSets, PodSet{
			Name: ps.Name, Count: ps.Count, Requests: ps.Requests, Exclusive: ps.Exclusive,
			MaxPerNode: ps.MaxPerNode, Filter: ps.Filter, Required: NoLayer, Preferred: NoLayer,
		})
	}
	if own {
		for i := range sets {
			e.Release(&g.PodSets[i], sets[i].Seats)
		}
	}
	sc := Score{List: e.Quality(sets)}
	sc.AnswerNow = e.Decide(&ask)
	if own {
		for i := range sets {
			e.Hold(&g.PodSets[i], sets[i].Seats)
		}
	}
	ask.empty = true
	for i := range ask.PodSets {
		ask.PodSets[i].shape = nil
	}
	sc.AnswerEmpty = e.Decide(&ask)
	sc.Now, sc.BestNow = e.ratio(sc.AnswerNow, sc.List)
	sc.Empty, sc.BestEmpty = e.ratio(sc.AnswerEmpty, sc.List)
	return sc
}

func (e *Engine) ratio(best *Answer, list Quality) (float64, Quality) {
	if best.Refusal != nil {
		return -1, Quality{}
	}
	q := e.Quality(best.Sets)
	return min(1, (1+q.MeanHops)/(1+list.MeanHops)), q
}
