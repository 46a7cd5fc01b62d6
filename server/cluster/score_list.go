package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// ranked is one pod of a list with its rank.
type ranked struct {
	rank int64
	m    *machine
	slot *ScoreSlot
}

// ofList reads a list of pods: their order, and what they take.
func (s *scoring) ofList(req ScoreRequest) error {
	var order []string
	lists := map[string][]ranked{}
	for i := range req.Slots {
		slot := &req.Slots[i]
		m, err := s.nodeNamed(i, slot.Node)
		if err != nil {
			return err
		}
		if _, seen := lists[slot.PodSet]; !seen {
			order = append(order, slot.PodSet)
		}
		lists[slot.PodSet] = append(lists[slot.PodSet], ranked{int64(i), m, slot})
	}
	whole := len(req.Shapes) == 0
	for i := range req.Shapes {
		if err := s.s.checkResources(req.Shapes[i].Requests, fmt.Sprintf("shapes[%d]", i)); err != nil {
			return err
		}
	}
	if whole {
		s.assume("WHOLE_NODES", "requests unknown: each distinct node is taken whole")
	}
	for _, name := range order {
		list := lists[name]
		s.rank(list)
		s.add(name, list, whole, req.Shapes)
	}
	return nil
}

// rank orders a pod set's pods: by the ranks given, else by the number that ends
// each name, else as listed.
func (s *scoring) rank(list []ranked) {
	given, named := true, true
	for _, r := range list {
		given = given && r.slot.Rank >= 0
		_, ok := trailing(r.slot.PodName)
		named = named && ok
	}
	switch {
	case given:
		for i := range list {
			list[i].rank = int64(list[i].slot.Rank)
		}
	case named:
		for i := range list {
			list[i].rank, _ = trailing(list[i].slot.PodName)
		}
		s.assume("RANK_FROM_NAME", "the rank is the number that ends the pod's name")
	default:
		s.assume("RANK_FROM_ORDER", "the rank is the place in the list")
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
}

// trailing is the number that ends a name.
func trailing(name string) (int64, bool) {
	digits := name[len(strings.TrimRight(name, "0123456789")):]
	n, err := strconv.ParseInt(digits, 10, 63)
	return n, err == nil
}

// add makes a pod set of the list. Of whole nodes each counts once, at its first
// rank, for the answer that the list is judged against.
func (s *scoring) add(name string, list []ranked, whole bool, shapes []ScoreShape) {
	ps := placer.PodSet{Name: name, Exclusive: whole, Required: placer.NoLayer, Preferred: placer.NoLayer}
	for _, sh := range shapes {
		if sh.PodSet == name || sh.PodSet == "" && !named(shapes, name) {
			ps.Requests, ps.Exclusive, ps.Filter = sh.Requests, sh.Exclusive, filterOf(sh.Filter)
		}
	}
	var set placer.SetPlacement
	var ranks []int32
	seen := map[placer.NodeID]bool{}
	s.pods += int32(len(list))
	for _, r := range list {
		if whole && seen[r.m.id] {
			continue
		}
		seen[r.m.id] = true
		set.Pods++
		ranks = append(ranks, int32(r.rank))
		if n := len(set.Seats); n > 0 && set.Seats[n-1].Node == r.m.id {
			set.Seats[n-1].Pods++
			continue
		}
		set.Seats = append(set.Seats, placer.Seat{Node: r.m.id, Pods: 1})
	}
	ps.Count = set.Pods
	s.gang.PodSets = append(s.gang.PodSets, ps)
	s.names = append(s.names, name)
	s.sets, s.ranks = append(s.sets, set), append(s.ranks, ranks)
}

func named(shapes []ScoreShape, name string) bool {
	return slices.ContainsFunc(shapes, func(sh ScoreShape) bool { return sh.PodSet == name })
}
