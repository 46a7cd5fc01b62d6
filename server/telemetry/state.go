package telemetry

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// State is what a scrape shows of the cluster as it is.
type State struct {
	Epoch      int64            // the revision's part before the dash
	Revision   int64            // the part after it
	Queue      int64            // operations that wait for the writer
	GangsCut   int64            // live gangs that are not in Gangs
	Nodes      map[string]int64 // by health
	Placements map[string]int64 // by state
	Layers     []LayerState
	Sources    []SourceState
	Gangs      []GangState
}

// LayerState is one layer's room, in whole empty nodes.
type LayerState struct {
	Layer   string
	Free    int64 // in all its domains together
	Largest int64 // in one domain
}

// SourceState is how fresh a source is.
type SourceState struct {
	Source   string        // its kind
	Age      time.Duration // since it was last known to be good
	Failing  bool          // its last read failed
	Failures int64         // reads that failed since the start
}

// GangState is one live gang's quality.
type GangState struct {
	Namespace, Name string
	Layer           string // the deepest layer in which it is aligned; empty for none
	Crossings       int64
	Score           float64 // negative where unknown
	PreferenceMet   bool    // true where it preferred no layer
}

// gauges are the observable instruments of State.
type gauges struct {
	epoch, revision, queue                  metric.Float64ObservableGauge
	nodes, placements, gangsCut             metric.Float64ObservableGauge
	free, largest                           metric.Float64ObservableGauge
	age, failing, failures                  metric.Float64ObservableGauge
	gangScore, gangCrossings, gangPreferred metric.Float64ObservableGauge
	gangAligned                             metric.Float64ObservableGauge
}

// Observe has read called at every scrape. The context is the scrape's.
func Observe(t *Telemetry, read func(context.Context) (State, error)) error {
	b := builder{meter: t.meters.Meter("hopwise")}
	g := gauges{
		epoch:         b.gauge("hopwise.epoch", "Epoch of the revision: raised at each start."),
		queue:         b.gauge("hopwise.queue", "Operations that wait for the writer."),
		gangsCut:      b.gauge("hopwise.gangs_without_series", "Live gangs beyond metrics.gangs."),
		revision:      b.gauge("hopwise.revision", "Revision of graph and ledger, without its epoch."),
		nodes:         b.gauge("hopwise.nodes", "Nodes, by health."),
		placements:    b.gauge("hopwise.placements", "Placements in the ledger, by state."),
		free:          b.gauge("hopwise.layer.free_nodes", "Whole empty nodes in a layer's domains together."),
		largest:       b.gauge("hopwise.layer.largest_gang", "Whole empty nodes in the layer's best domain."),
		age:           b.gauge("hopwise.source.age_seconds", "Seconds since the source was last known to be good."),
		failing:       b.gauge("hopwise.source.failing", "1 while the source's last read failed."),
		failures:      b.gauge("hopwise.source.failures", "Reads of the source that failed since the start."),
		gangScore:     b.gauge("hopwise.gang.score", "Score of a live gang at its placement."),
		gangCrossings: b.gauge("hopwise.gang.crossings", "Ring crossings of a live gang."),
		gangAligned:   b.gauge("hopwise.gang.aligned", "1; the label says in which layer a live gang is aligned."),
		gangPreferred: b.gauge("hopwise.gang.preference_met", "Whether a live gang's preferred layer was reached."),
	}
	if b.err != nil {
		return b.err
	}
	_, err := b.meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		s, err := read(ctx)
		if err != nil {
			return fmt.Errorf("reading the cluster for a scrape: %w", err)
		}
		g.observe(o, s)
		return nil
	}, g.epoch, g.revision, g.queue, g.gangsCut, g.nodes, g.placements, g.free, g.largest, g.age, g.failing, g.failures,
		g.gangScore, g.gangCrossings, g.gangAligned, g.gangPreferred)
	if err != nil {
		return fmt.Errorf("registering the state's metrics: %w", err)
	}
	return nil
}

func (g gauges) observe(o metric.Observer, s State) {
	o.ObserveFloat64(g.revision, float64(s.Revision))
	o.ObserveFloat64(g.epoch, float64(s.Epoch))
	o.ObserveFloat64(g.queue, float64(s.Queue))
	o.ObserveFloat64(g.gangsCut, float64(s.GangsCut))
	for health, n := range s.Nodes {
		o.ObserveFloat64(g.nodes, float64(n), with("health", health))
	}
	for state, n := range s.Placements {
		o.ObserveFloat64(g.placements, float64(n), with("state", state))
	}
	for _, l := range s.Layers {
		o.ObserveFloat64(g.free, float64(l.Free), with("layer", l.Layer))
		o.ObserveFloat64(g.largest, float64(l.Largest), with("layer", l.Layer))
	}
	for _, src := range s.Sources {
		o.ObserveFloat64(g.age, src.Age.Seconds(), with("source", src.Source))
		o.ObserveFloat64(g.failing, one(src.Failing), with("source", src.Source))
		o.ObserveFloat64(g.failures, float64(src.Failures), with("source", src.Source))
	}
	for _, gang := range s.Gangs {
		g.observeGang(o, gang)
	}
}

func (g gauges) observeGang(o metric.Observer, s GangState) {
	who := with("namespace", s.Namespace, "gang", s.Name)
	o.ObserveFloat64(g.gangCrossings, float64(s.Crossings), who)
	o.ObserveFloat64(g.gangAligned, 1, with("namespace", s.Namespace, "gang", s.Name, "layer", s.Layer))
	if s.Score >= 0 {
		o.ObserveFloat64(g.gangScore, s.Score, who)
	}
	o.ObserveFloat64(g.gangPreferred, one(s.PreferenceMet), who)
}

// with makes labels of keys and values in turn.
func with(pairs ...string) metric.ObserveOption {
	attributes := make([]attribute.KeyValue, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		attributes = append(attributes, attribute.String(pairs[i], pairs[i+1]))
	}
	return metric.WithAttributeSet(attribute.NewSet(attributes...))
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
