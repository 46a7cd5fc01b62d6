package cluster

import (
	"github.com/hopwise/hopwise/placer"
	"github.com/hopwise/hopwise/server/ledger"
)

// state is graph, engine and ledger. The writer goroutine owns it: no other may
// read or change it while Run runs.
type state struct {
	cfg    *Config
	engine *placer.Engine
	rev    ledger.Revision
	synced bool // a source was read

	machines map[string]*machine
	byID     []*machine // by placer.NodeID
	names    resources
	sums     sums
	sides    map[string]map[string]int32 // side layer, domain: nodes
	warnings []string
	badNodes map[string]string // nodes that could not be taken in: why

	pods     map[string]*pod // by "namespace/name"
	podByUID map[string]*pod
	slotPods map[string]slotRef // by "namespace/name" of the slot's pod
	slotUIDs map[string]slotRef

	gangs   map[ledger.Key]*gang
	byState [ledger.Expired + 1]int
	order   keyList
	timers  timers
	// pending are the gangs whose nodes or pods changed since they were last
	// looked at, with what is to be reported of their slots.
	pending map[ledger.Key][]ledger.Report

	maint      maintenance
	waiting    []unready       // nodes that are not ready, the longest first
	lostBefore map[string]bool // nodes that the ledger called lost at the start
	// moved are the records whose deadlines this start moved and the store has not
	// written yet.
	moved []ledger.Key

	seats []placer.Seat // scratch
}

func newState(cfg *Config) *state {
	s := &state{
		cfg:      cfg,
		engine:   placer.New(placer.Scheme{Layers: cfg.Scheme.Layers, Node: cfg.Scheme.Node}),
		machines: map[string]*machine{},
		sides:    map[string]map[string]int32{},
		badNodes: map[string]string{},
		pods:     map[string]*pod{},
		podByUID: map[string]*pod{},
		slotPods: map[string]slotRef{},
		slotUIDs: map[string]slotRef{},
		gangs:    map[ledger.Key]*gang{},
		pending:  map[ledger.Key][]ledger.Report{},

		maint:      maintenance{of: map[string]*ledger.Hold{}},
		lostBefore: map[string]bool{},
	}
	s.engine.SetDisconnected(cfg.Disconnected)
	s.names.init()
	s.sums.init(len(cfg.Scheme.Layers))
	return s
}

// mark has the gang looked at once the change at hand is done.
func (s *state) mark(key ledger.Key, reports ...ledger.Report) {
	s.pending[key] = append(s.pending[key], reports...)
}
