package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// listedPod is a pod as a list shows it.
type listedPod struct {
	namespace, name, status, node string
	line                          int
}

// readPods reads what kubectl prints about pods: JSON if it begins like that, else
// the wide table.
func readPods(data []byte) (*judged, error) {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, fmt.Errorf("standard input: is empty; expected what kubectl get pods -o wide (or -o json) prints")
	}
	if trimmed[0] == '{' {
		return podsFromJSON(trimmed)
	}
	pods, err := parsePodTable(string(data))
	if err != nil {
		return nil, err
	}
	return judgeTable(pods)
}

var (
	// since is what kubectl puts behind the number of restarts.
	since = regexp.MustCompile(`\(([^()\s]+) ago\)`)
	// twoWords are the table's column names with a blank in them.
	twoWords = strings.NewReplacer("NOMINATED NODE", "NOMINATED_NODE", "READINESS GATES", "READINESS_GATES")
)

// parsePodTable reads `kubectl get pods -o wide`, with or without -A. No cell but
// RESTARTS ("3 (5m ago)") has a blank in it, so columns may be squeezed.
func parsePodTable(text string) ([]listedPod, error) {
	var columns []string
	var pods []listedPod
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if columns == nil {
			columns = strings.Fields(twoWords.Replace(line))
			if !slices.Contains(columns, "NAME") || !slices.Contains(columns, "NODE") {
				return nil, fmt.Errorf("standard input:%d: no header with NAME and NODE; expected what kubectl get pods -o wide prints", i+1)
			}
			continue
		}
		pod, err := podRow(columns, strings.Fields(since.ReplaceAllString(line, "")), i+1)
		if err != nil {
			return nil, err
		}
		if pod.name == "NAME" && pod.node == "NODE" {
			continue // several lists in one go
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

func podRow(columns, cells []string, line int) (listedPod, error) {
	node := slices.Index(columns, "NODE")
	// Columns of labels, behind the node, may be empty; those before it never are.
	if len(cells) <= node || len(cells) > len(columns)+2 {
		return listedPod{}, fmt.Errorf("standard input:%d: %d columns under a header of %d", line, len(cells), len(columns))
	}
	pod := listedPod{line: line, node: cells[node]}
	for i, column := range columns {
		if i >= len(cells) {
			break
		}
		switch column {
		case "NAME":
			pod.name = cells[i]
		case "NAMESPACE":
			pod.namespace = cells[i]
		case "STATUS":
			pod.status = cells[i]
		}
	}
	return pod, nil
}

// over are the states of pods that hold no node any more.
var over = []string{"Completed", "Succeeded", "Failed", "Error", "Evicted", "OOMKilled", "NodeLost", "Preempted"}

// judgeTable turns rows into slots, and says what it took for granted.
func judgeTable(pods []listedPod) (*judged, error) {
	j := &judged{req: &hopwisev1.ScorePlacementRequest{}}
	var placed []listedPod
	ended, waiting := 0, 0
	for _, p := range pods {
		switch {
		case slices.Contains(over, p.status):
			ended++
		case p.node == "" || p.node == "<none>":
			waiting++
		default:
			placed = append(placed, p)
		}
	}
	if len(placed) == 0 {
		return nil, fmt.Errorf("standard input: no pod that runs on a node (%d ended, %d without a node)", ended, waiting)
	}
	if ended > 0 {
		j.taken = append(j.taken, count(ended, "pod")+" that ended left out")
	}
	if waiting > 0 {
		j.taken = append(j.taken, count(waiting, "pod")+" without a node left out")
	}
	names := make([]string, len(placed))
	for i, p := range placed {
		names[i] = p.name
	}
	ranks, sets := j.ranks(names)
	for i, p := range placed {
		slot := &hopwisev1.ScoreSlot{Node: p.node, PodName: p.name, PodSet: sets[i], Rank: ranks[i]}
		j.req.Slots = append(j.req.Slots, slot)
	}
	j.title = commonTitle(names)
	return j, nil
}

var (
	trailing = regexp.MustCompile(`^(.*?)-?(\d{1,9})$`)
	// indexed is an Indexed Job's pod: name, index, five letters of Kubernetes'
	// own alphabet (apimachinery util/rand).
	indexed = regexp.MustCompile(`^(.+)-(\d{1,9})-[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	letters = regexp.MustCompile(`-[^-]*[a-z][^-]*$`)
)

// ranks reads ranks off names, and pod sets where names differ before the number.
func (j *judged) ranks(names []string) (ranks []*int32, sets []string) {
	pattern, what := trailing, "rank = the number that ends the name"
	if all(names, indexed.MatchString) && slices.ContainsFunc(names, letters.MatchString) {
		pattern, what = indexed, "rank = the index in the name, as an Indexed Job makes them"
	}
	ranks, sets = make([]*int32, len(names)), make([]string, len(names))
	if !all(names, pattern.MatchString) {
		j.taken = append(j.taken, "read from text: rank = order of the list (not every name ends in a number), one whole node a pod")
		for i := range names {
			rank := int32(i)
			ranks[i] = &rank
		}
		return ranks, sets
	}
	distinctSets := make(map[string]bool)
	for i, name := range names {
		m := pattern.FindStringSubmatch(name)
		n, _ := strconv.ParseInt(m[2], 10, 32)
		rank := int32(n)
		ranks[i], sets[i] = &rank, m[1]
		distinctSets[m[1]] = true
	}
	j.taken = append(j.taken, "read from text: "+what+", one whole node a pod")
	if len(distinctSets) == 1 {
		return ranks, make([]string, len(names))
	}
	j.taken = append(j.taken, fmt.Sprintf("%d pod sets, by what stands before the number", len(distinctSets)))
	return ranks, sets
}

func all(names []string, is func(string) bool) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !is(n) })
}

// commonTitle is what all names begin with, cut at a dash.
func commonTitle(names []string) string {
	prefix := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	if len(names) > 1 {
		prefix = strings.TrimRight(prefix, "0123456789")
	} else if m := trailing.FindStringSubmatch(prefix); m != nil {
		prefix = m[1]
	}
	if prefix = strings.Trim(prefix, "-"); prefix == "" {
		return "these pods"
	}
	return prefix
}
