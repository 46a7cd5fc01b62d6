package gang

import "strings"

// Policy is the contract's policy without its prefix; empty where not given.
type Policy string

// OnUnrepairable is the contract's value without its prefix; empty where not given.
type OnUnrepairable string

// Operator is a node selector's operator, in Kubernetes' spelling.
type Operator string

// TolerationOperator is Equal or Exists; empty means Equal.
type TolerationOperator string

// Effect is a taint's effect, in Kubernetes' spelling; empty means every effect.
type Effect string

// worded is a string with a fixed list of values.
type worded interface{ words() []string }

func (Policy) words() []string { return []string{"TIGHTEST", "BEST_FIT", "LEAST_FREE", "BALANCED"} }

func (OnUnrepairable) words() []string { return []string{"WAIT", "RELAX", "REPLACE"} }

func (Operator) words() []string {
	return []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}
}

func (TolerationOperator) words() []string { return []string{"Equal", "Exists"} }

func (Effect) words() []string { return []string{"NoSchedule", "NoExecute", "PreferNoSchedule"} }

// Policies are the policies' words, for flags and their completion.
func Policies() []string { return Policy("").words() }

// ParsePolicy reads a policy however its letters' case and its dashes are.
func ParsePolicy(word string) (Policy, bool) {
	w, ok := canonical(Policy(""), strings.ReplaceAll(word, "-", "_"))
	return Policy(w), ok
}

// OnUnrepairables are the words for what becomes of ranks that no repair can move.
func OnUnrepairables() []string { return OnUnrepairable("").words() }

// ParseOnUnrepairable reads one of them however its letters' case is.
func ParseOnUnrepairable(word string) (OnUnrepairable, bool) {
	w, ok := canonical(OnUnrepairable(""), word)
	return OnUnrepairable(w), ok
}

// canonical finds a word in its list, whatever the case of its letters.
func canonical(list worded, word string) (string, bool) {
	for _, w := range list.words() {
		if strings.EqualFold(w, word) {
			return w, true
		}
	}
	return "", false
}

// Nearest is the candidate that a mistyped word most likely means; empty where
// none is near: more than a third of the word, or two letters, would have to change.
func Nearest(word string, candidates []string) string {
	best, least := "", max(len(word)/3, min(len(word)-2, 2))+1
	for _, c := range candidates {
		if strings.HasSuffix(c, "/"+word) {
			return c
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is Levenshtein's, in bytes; words are cut at 400 bytes so that a hostile
// file cannot make it long.
func distance(a, b string) int {
	a, b = a[:min(len(a), 400)], b[:min(len(b), 400)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
