package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Place is where a maintenance hold is: a domain, or a node.
type Place struct {
	// Layer is the layer's name; the node layer's for a node.
	Layer string `json:"layer"`
	// Path is the domain's names from the widest layer down. A node's is its name
	// alone: its hold stays with it when its labels move.
	Path []string `json:"path"`
}

// Key tells places apart. Names hold no control characters.
func (p Place) Key() string { return p.Layer + "\x00" + strings.Join(p.Path, "\x00") }

// Hold keeps new pods away from a place, for maintenance. Like a Record it is
// immutable: a change makes another.
type Hold struct {
	Place Place  `json:"place"`
	Note  string `json:"note,omitempty"` // why, in the words of who put it
	By    string `json:"by,omitempty"`   // who; empty = unknown
	// Until is when it lapses by itself, by the wall clock: maintenance goes on
	// while the server is down. Zero: not before it is lifted.
	Until   time.Time `json:"until,omitzero"`
	Created time.Time `json:"created"`
}

// Lapsed says that the hold's time is up.
func (h *Hold) Lapsed(now time.Time) bool { return !h.Until.IsZero() && !h.Until.After(now) }

// Same says that two holds say the same of one place.
func (h *Hold) Same(o *Hold) bool {
	return h.Place.Key() == o.Place.Key() && h.Note == o.Note && h.By == o.By && h.Until.Equal(o.Until)
}

// SortHolds puts holds into the order of their places.
func SortHolds(holds []*Hold) {
	slices.SortFunc(holds, func(a, b *Hold) int { return cmp.Compare(a.Place.Key(), b.Place.Key()) })
}
