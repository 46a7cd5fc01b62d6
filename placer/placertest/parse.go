package placertest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hopwise/hopwise/placer"
)

// ParseCases reads a file of cases in the text form:
//
//	case two leaves, one too small        # starts a case; the rest is its name
//	scheme spine rack : host              # layers root first, then the node
//	disconnected                          # the roots are networks of their own
//	node n1 a/b gpu=8 cpu=4000 used:gpu=2 taint:k=v:NoSchedule label:pool=x
//	node n2 -   notready                  # "-": no topology label at all
//	gang policy=bestfit min=4
//	set main count=4 gpu=2 required=rack slice=rack:2 tolerate:k
//	ranks main n1 n1 - n3                 # placed in part: each rank's node, or none
//	expect ...                            # the answer, as Outcome.Lines writes it
//
// Node words: RESOURCE=AMOUNT (base units, cpu in thousandths), used:R=N,
// usedpods=N, empty (capacities known, all none; without any capacity word
// they are unknown), notready, cordoned, unhealthy, label:K=V,
// taint:K=V:EFFECT. Set words are in the comment of parseSet. A name that
// holds more than letters, digits and "._-" is written with %XX. Errors name
// the file and the line.
func ParseCases(file, text string) ([]*Case, error) {
	var cases []*Case
	var c *Case
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(beforeComment(line))
		if len(words) > 0 && words[0] == "case" {
			c = &Case{Name: strings.Join(words[1:], " ")}
			cases = append(cases, c)
		}
		if c == nil {
			if len(words) > 0 {
				return nil, fmt.Errorf("%s:%d: %q before the first case", file, i+1, words[0])
			}
			continue
		}
		if err := c.parseLine(line, words); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	for _, c := range cases {
		if err := c.finish(); err != nil {
			return nil, fmt.Errorf("%s: case %q: %w", file, c.Name, err)
		}
	}
	return cases, nil
}

// beforeComment cuts a comment: a # that begins the line or follows a blank.
func beforeComment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

func (c *Case) parseLine(line string, words []string) error {
	if len(words) == 0 {
		c.input = append(c.input, line)
		return nil
	}
	if words[0] == "expect" {
		c.Expect = append(c.Expect, strings.Join(words, " "))
		return nil
	}
	c.input = append(c.input, line)
	switch words[0] {
	case "case":
		return nil
	case "scheme":
		return c.parseScheme(words[1:])
	case "disconnected":
		c.Disconnected = true
		return nil
	case "node":
		return c.parseNode(words[1:])
	case "gang":
		return c.parseGang(words[1:])
	case "set":
		return c.parseSet(words[1:])
	case "ranks":
		return c.parseRanks(words[1:])
	}
	return fmt.Errorf("unknown word %q: want case, scheme, disconnected, node, gang, set, ranks or expect", words[0])
}

// parseRanks reads where the ranks of one pod set are; a line for each set, in
// their order.
func (c *Case) parseRanks(words []string) error {
	if len(words) == 0 || len(c.Ranks) >= len(c.Gang.PodSets) || c.Gang.PodSets[len(c.Ranks)].Name != words[0] {
		return fmt.Errorf("ranks: want SET NODE..., the sets in their order")
	}
	ranks := make([]string, len(words)-1)
	for r, w := range words[1:] {
		if w == "-" {
			continue
		}
		name, err := unescape(w)
		if err != nil {
			return err
		}
		ranks[r] = name
	}
	c.Ranks = append(c.Ranks, ranks)
	return nil
}

func (c *Case) parseScheme(words []string) error {
	if len(words) < 2 || words[len(words)-2] != ":" {
		return fmt.Errorf("scheme: want LAYER... : NODE")
	}
	for _, w := range words[:len(words)-2] {
		name, err := unescape(w)
		if err != nil {
			return err
		}
		c.Scheme.Layers = append(c.Scheme.Layers, name)
	}
	node, err := unescape(words[len(words)-1])
	c.Scheme.Node = node
	return err
}

// layer finds a layer by its name in the scheme.
func (c *Case) layer(word string) (placer.Layer, error) {
	name, err := unescape(word)
	if err != nil {
		return placer.NoLayer, err
	}
	for l := range placer.Layer(len(c.Scheme.Layers) + 1) {
		if c.Scheme.Name(l) == name {
			return l, nil
		}
	}
	return placer.NoLayer, fmt.Errorf("layer %q is not in the scheme %v : %s", name, c.Scheme.Layers, c.Scheme.Node)
}

var policies = map[string]placer.Policy{
	"tightest": placer.Tightest, "bestfit": placer.BestFit,
	"leastfree": placer.LeastFree, "balanced": placer.Balanced,
}

func (c *Case) parseGang(words []string) error {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		var err error
		switch key {
		case "policy":
			policy, known := policies[value]
			if !known {
				err = fmt.Errorf("unknown policy %q", value)
			}
			c.Gang.Policy = policy
		case "min":
			c.Gang.MinCount, err = parseCount(value)
		case "budget":
			c.Gang.Budget, err = strconv.ParseInt(value, 10, 64)
		case "span":
			c.Gang.SpanFabrics = true
		default:
			err = fmt.Errorf("unknown word of a gang %q", w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func parseCount(value string) (int32, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	return int32(n), err
}

// finish checks what only a whole case shows.
func (c *Case) finish() error {
	for len(c.input) > 0 && strings.TrimSpace(c.input[len(c.input)-1]) == "" {
		c.input = c.input[:len(c.input)-1]
	}
	seen := map[string]bool{}
	for _, n := range c.Nodes {
		if seen[n.Name] {
			return fmt.Errorf("node %q twice", n.Name)
		}
		seen[n.Name] = true
	}
	if c.Scheme.Node == "" {
		return fmt.Errorf("no scheme")
	}
	if len(c.Gang.PodSets) == 0 {
		return fmt.Errorf("no set")
	}
	return nil
}
