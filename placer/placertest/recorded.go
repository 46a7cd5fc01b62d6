package placertest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// hostname is the label by which recorded cases name nodes.
const hostname = "kubernetes.io/hostname"

// Recorded is a case with the answer that another placer gave to it.
type Recorded struct {
	*Case
	ID   string
	Kind string // "place" or "repair"
	// Peer is the other placer's answer, Unranked; Refused where any of the
	// pod sets was refused or not reached.
	Peer *Outcome
	// Placed and Lost are set where Kind is "repair": the placement before, and
	// the nodes that it lost, as indices.
	Placed [][]Seat
	Lost   []int
}

type recordedCase struct {
	ID      string                    `json:"id"`
	Kind    string                    `json:"kind"`
	Scheme  []string                  `json:"scheme"`
	Nodes   []recordedNode            `json:"nodes"`
	PodSets []recordedSet             `json:"pod_sets"`
	Policy  string                    `json:"policy"`
	Peer    map[string]recordedAnswer `json:"peer"`
	Placed  map[string]recordedPlaced `json:"placed"`
	Lost    []string                  `json:"lost"`
}

type recordedNode struct {
	Name          string            `json:"name"`
	Labels        map[string]string `json:"labels"`
	Free          map[string]int64  `json:"free"`
	Ready         *bool             `json:"ready"`
	Unschedulable bool              `json:"unschedulable"`
	Taints        []recordedTaint   `json:"taints"`
}

type recordedTaint struct {
	Key      string `json:"key"`
	Value    string `json:"value"`
	Effect   string `json:"effect"`
	Operator string `json:"operator"`
}

type recordedSet struct {
	Name      string           `json:"name"`
	Count     int32            `json:"count"`
	Requests  map[string]int64 `json:"requests"`
	Required  string           `json:"required"`
	Preferred string           `json:"preferred"`
	Slices    []struct {
		Layer string `json:"layer"`
		Size  *int32 `json:"size"`
	} `json:"slices"`
	Group        string            `json:"group"`
	NodeSelector map[string]string `json:"nodeSelector"`
	NodeAffinity *recordedAffinity `json:"nodeAffinity"`
	Tolerations  []recordedTaint   `json:"tolerations"`
}

type recordedAffinity struct {
	Required *struct {
		Terms []recordedTerm `json:"nodeSelectorTerms"`
	} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	Preferred []struct {
		Weight     int32        `json:"weight"`
		Preference recordedTerm `json:"preference"`
	} `json:"preferredDuringSchedulingIgnoredDuringExecution"`
}

type recordedTerm struct {
	MatchFields      []any `json:"matchFields"`
	MatchExpressions []struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values"`
	} `json:"matchExpressions"`
}

type recordedAnswer struct {
	Refused bool             `json:"refused"`
	Nodes   map[string]int32 `json:"nodes"`
}

type recordedPlaced struct {
	Domains []struct {
		Count  int32    `json:"count"`
		Values []string `json:"values"`
	} `json:"domains"`
}

// ReadRecorded reads a file of recorded cases, a JSON object a line, gzipped
// where the name ends in .gz. What a case asks for and the types have no word
// for is an error that names the case; other errors name the line.
func ReadRecorded(file string) ([]*Recorded, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	var list []*Recorded
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var rc recordedCase
		if err := json.Unmarshal(lines.Bytes(), &rc); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		rec, err := rc.convert()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: case %s: %w", file, n, rc.ID, err)
		}
		list = append(list, rec)
	}
	return list, lines.Err()
}

func (rc *recordedCase) convert() (*Recorded, error) {
	c := &Case{Name: rc.ID, Scheme: placer.Scheme{Layers: rc.Scheme, Node: hostname}}
	if n := len(rc.Scheme); n > 0 && rc.Scheme[n-1] == hostname {
		c.Scheme.Layers = rc.Scheme[:n-1]
	}
	for i := range rc.Nodes {
		n, err := rc.Nodes[i].convert(c.Scheme.Layers)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", rc.Nodes[i].Name, err)
		}
		c.Nodes = append(c.Nodes, n)
	}
	for i := range rc.PodSets {
		ps, err := rc.PodSets[i].convert(c)
		if err != nil {
			return nil, fmt.Errorf("pod set %q: %w", rc.PodSets[i].Name, err)
		}
		c.Gang.PodSets = append(c.Gang.PodSets, ps)
	}
	policy, known := policies[strings.ToLower(strings.ReplaceAll(rc.Policy, "_", ""))]
	if !known && rc.Policy != "" {
		return nil, fmt.Errorf("policy %q", rc.Policy)
	}
	c.Gang.Policy = policy
	rec := &Recorded{Case: c, ID: rc.ID, Kind: rc.Kind}
	return rec, rc.answers(rec)
}

// answers reads what the peer said, and for a repair what was placed before.
func (rc *recordedCase) answers(rec *Recorded) error {
	index := map[string]int{}
	for i, n := range rc.Nodes {
		name, labelled := n.Labels[hostname]
		if !labelled {
			name = n.Name
		}
		index[name] = i
	}
	rec.Peer = &Outcome{Unranked: true}
	for _, ps := range rc.PodSets {
		a, reached := rc.Peer[ps.Name]
		rec.Peer.Refused = rec.Peer.Refused || a.Refused || !reached
		var seats, placed []Seat
		for _, host := range sortedNames(a.Nodes) {
			i, known := index[host]
			if !known {
				return fmt.Errorf("the peer's node %q is not in the case", host)
			}
			seats = append(seats, Seat{Node: i, Pods: a.Nodes[host]})
		}
		for _, d := range rc.Placed[ps.Name].Domains {
			if i, known := index[d.Values[len(d.Values)-1]]; known {
				placed = append(placed, Seat{Node: i, Pods: d.Count})
			}
		}
		rec.Peer.Sets = append(rec.Peer.Sets, seats)
		rec.Placed = append(rec.Placed, placed)
	}
	for _, host := range rc.Lost {
		if i, known := index[host]; known {
			rec.Lost = append(rec.Lost, i)
		}
	}
	if rec.Kind == "repair" {
		rec.placeRanks()
	}
	return nil
}

// placeRanks deals the pods placed before to ranks in path order, without those
// on lost nodes. What a node has free it has beside them, so that it gets that
// much more in all.
func (r *Recorded) placeRanks() {
	counts := (&Outcome{Sets: r.Placed}).Counts(len(r.Nodes))
	r.Ranks = namesOf(r.Case, &Outcome{Sets: Rank(r.Case, counts)})
	for s, ranks := range r.Ranks {
		for k, name := range ranks {
			i := slices.IndexFunc(r.Nodes, func(n placer.Node) bool { return n.Name == name })
			if slices.Contains(r.Lost, i) {
				ranks[k] = ""
				continue
			}
			for resource, qty := range r.Gang.PodSets[s].Requests {
				r.Nodes[i].Total[resource] += qty
			}
			if _, counted := r.Nodes[i].Total[placer.PodsResource]; counted {
				r.Nodes[i].Total[placer.PodsResource]++
			}
		}
	}
}
