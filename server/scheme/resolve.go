package scheme

import (
	"fmt"
	"strings"
)

// UnknownLayerError names a layer that the scheme does not have.
type UnknownLayerError struct {
	Name    string
	Known   []string // the scheme's layers, root first, the node last
	Nearest string   // what may have been meant; empty where nothing is near
}

// Error lists the known layers and the nearest one.
func (e *UnknownLayerError) Error() string {
	return fmt.Sprintf("%q is no layer of this topology; layers here: %s%s",
		e.Name, strings.Join(e.Known, ", "), didYouMean(e.Nearest))
}

// Resolve is a layer's index by its full key; len(Layers) for the node itself.
// Anything else, a key's ending too, is an *UnknownLayerError: a short name that
// is clear today may not be once the scheme changes.
func (s Scheme) Resolve(name string) (int, error) {
	for i, key := range s.Layers {
		if key == name {
			return i, nil
		}
	}
	if name == s.Node || name == Hostname {
		return len(s.Layers), nil
	}
	known := append(append([]string(nil), s.Layers...), s.Node)
	return 0, &UnknownLayerError{Name: name, Known: known, Nearest: nearest(name, known)}
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", name)
}

// nearest is the one known word that ends in name at a word's boundary, else the one
// with the least edits, if these are at most a third of the name.
func nearest(name string, known []string) string {
	if name == "" || len(name) > 256 { // edits of long nonsense are not worth the time
		return ""
	}
	ending := ""
	for _, k := range known {
		rest, ok := strings.CutSuffix(strings.ToLower(k), strings.ToLower(name))
		if !ok || (rest != "" && !strings.ContainsAny(rest[len(rest)-1:], "/-._")) {
			continue
		}
		if ending != "" {
			return "" // two end alike: naming one would mislead
		}
		ending = k
	}
	if ending != "" {
		return ending
	}
	best, least := "", len(name)/3+1
	for _, k := range known {
		_, tail, _ := strings.Cut(k, "/")
		d := edits(name, k)
		if tail != "" {
			d = min(d, edits(name, tail))
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			above := row[j]
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, above, row[j-1])
			}
			row[j], diagonal = cost, above
		}
	}
	return row[len(b)]
}
