package ledger

import "time"

// Key names a gang whatever its incarnation.
type Key struct{ Namespace, Name string }

// Compare orders keys by namespace, then name, bytewise.
func (k Key) Compare(o Key) int {
	switch {
	case k.Namespace != o.Namespace && k.Namespace < o.Namespace, k.Namespace == o.Namespace && k.Name < o.Name:
		return -1
	case k == o:
		return 0
	}
	return 1
}

// String is "namespace/name".
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Gang is a gang's identity: its key and the incarnation. An empty UID is the
// current incarnation, whichever it is.
type Gang struct{ Namespace, Name, UID string }

// Key is the gang's key.
func (g Gang) Key() Key { return Key{g.Namespace, g.Name} }

// State is where a placement stands.
type State uint8

// The states. The zero value is no state: a dry run's answer has it.
const (
	NoState State = iota
	Reserved
	Bound
	Degraded
	Released
	Expired
)

// Ended says that the placement holds nothing any more.
func (s State) Ended() bool { return s == Released || s == Expired }

// String is the state's word, in capitals.
func (s State) String() string {
	return [...]string{"NONE", "RESERVED", "BOUND", "DEGRADED", "RELEASED", "EXPIRED"}[s]
}

// SlotState is where one slot stands.
type SlotState uint8

// The slot states. SlotReserved is the zero value: a slot not listed has it.
const (
	SlotReserved SlotState = iota
	SlotClaimed
	SlotBound
	SlotAwaiting
	SlotLost
	SlotEnded
)

// TroubleKind is what is wrong with a placement.
type TroubleKind uint8

// The kinds of trouble. NodeLost and ConstraintBroken make a placement
// DEGRADED; the others are told beside its state.
const (
	NodeLost TroubleKind = iota + 1
	ConstraintBroken
	Drift
	Overdue
	RoomTaken
	OwnerChanged
)

// Record is one gang's placement. It is immutable: each change makes another.
type Record struct {
	Gang        Gang     `json:"gang"`
	Earlier     []string `json:"earlier,omitempty"` // uids of incarnations before, newest last, at most maxEarlier
	Spec        Spec     `json:"spec"`
	Fingerprint string   `json:"fingerprint"`
	// Original is what was asked first, where a resize has changed Spec since; a
	// request with either fingerprint means this record.
	Original            *Spec  `json:"original,omitempty"`
	OriginalFingerprint string `json:"original_fingerprint,omitempty"`

	State    State     `json:"state"`
	Sets     []Set     `json:"sets"` // one per pod set of Spec
	Troubles []Trouble `json:"troubles,omitempty"`
	// Owner is what was last told of the job behind the gang.
	Owner OwnerState `json:"owner,omitempty"`
	// Whole says that the floor of bound pods was reached once.
	Whole    bool          `json:"whole,omitempty"`
	Priority int32         `json:"priority,omitempty"`
	PlacedBy string        `json:"placed_by"`
	Policy   Policy        `json:"policy"` // the one used, never DefaultPolicy
	Quality  Quality       `json:"quality"`
	Decision Decision      `json:"decision"`
	TTL      time.Duration `json:"ttl"`
	Created  time.Time     `json:"created"`
	Updated  time.Time     `json:"updated"`
	// Expires is when the reservation lapses; zero once it no longer can.
	Expires time.Time `json:"expires,omitzero"`
	// Ended is when it was released or expired; zero while it lives.
	Ended time.Time `json:"ended,omitzero"`
	// Version counts the record's changes, from 1; Revision is the state's
	// revision at the last one.
	Version  uint64   `json:"version"`
	Revision Revision `json:"revision"`
}

// Decision is what the search said of its answer.
type Decision struct {
	Proven     bool    `json:"proven"`
	Vector     []int32 `json:"vector"`                // distinct domains per layer, widest first, then nodes
	LowerBound []int32 `json:"lower_bound,omitempty"` // only where not proven
	Steps      int64   `json:"steps"`
}

// Set is where one pod set's ranks are.
type Set struct {
	// Runs lists the node of each rank in rank order, from rank 0, ended slots
	// included; bound pods count where they run.
	Runs []Run `json:"runs"`
	// Slots are the slots that are not simply reserved as planned, by rank.
	Slots   []Slot  `json:"slots,omitempty"`
	Quality Quality `json:"quality"`
	// Prefers says that a preferred layer was asked for; PreferenceMet whether it
	// was reached, and MissPath and MissFits which domain of it came nearest.
	Prefers       bool     `json:"prefers,omitempty"`
	PreferenceMet bool     `json:"preference_met,omitempty"`
	MissPath      []string `json:"miss_path,omitempty"`
	MissFits      int64    `json:"miss_fits,omitempty"`
}

// Run is consecutive ranks on one node.
type Run struct {
	Node string `json:"node"`
	Pods int32  `json:"pods"`
}

// Slot is one rank's seat.
type Slot struct {
	Rank    int32     `json:"rank"`
	State   SlotState `json:"state"`
	Planned string    `json:"planned,omitempty"` // the node planned, where the pod runs elsewhere
	PodName string    `json:"pod_name,omitempty"`
	PodUID  string    `json:"pod_uid,omitempty"`
	Updated time.Time `json:"updated"`
	// Was is the state before SlotLost, to go back to when the node is back.
	Was SlotState `json:"was,omitempty"`
	// KeepUntil is until when an awaiting slot is kept for a successor.
	KeepUntil time.Time `json:"keep_until,omitzero"`
	// From is the node from which a repair moved the rank.
	From string `json:"from,omitempty"`
}

// Quality is how tight ordered ranks lie. Hops are edges of the tree.
type Quality struct {
	// AlignedPath is the deepest domain that holds all; empty for the whole
	// cluster. AlignedNode is that node where one node does.
	AlignedPath   []string `json:"aligned_path,omitempty"`
	AlignedNode   string   `json:"aligned_node,omitempty"`
	Vector        []int32  `json:"vector,omitempty"`
	Leaves        int      `json:"leaves"`
	Crossings     int      `json:"crossings"`
	BestCrossings int      `json:"best_crossings"`
	MeanHops      float64  `json:"mean_hops"`
	WorstHops     int      `json:"worst_hops"`
	// Score is 1 where the tightest answer is no nearer together; -1 where it
	// was not worked out.
	Score float64 `json:"score"`
}

// Trouble is one thing wrong and the ranks that it concerns.
type Trouble struct {
	Kind   TroubleKind `json:"kind"`
	Set    int         `json:"set"` // index; -1 = the whole gang
	Ranks  []RankRun   `json:"ranks,omitempty"`
	Detail string      `json:"detail,omitempty"`
	Since  time.Time   `json:"since"`
}

// RankRun is consecutive ranks of a pod set on one node.
type RankRun struct {
	First int32  `json:"first"`
	Count int32  `json:"count"`
	Node  string `json:"node"`
}
