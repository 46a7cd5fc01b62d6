package telemetry

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Placed is the quality of one new placement.
type Placed struct {
	Leaves    int64
	Crossings int64
	Score     float64 // 0 to 1; negative where it was not worked out
}

// Decisions are the instruments of PlaceGang.
type Decisions struct {
	duration  metric.Float64Histogram
	outcomes  metric.Int64Counter
	leaves    metric.Int64Histogram
	crossings metric.Int64Histogram
	score     metric.Float64Histogram
	phases    map[string]metric.MeasurementOption // made once: nothing is built per call
}

// Phases of a call to PlaceGang, in their order.
const (
	PhaseConvert = "convert" // request to the cluster's own types, rules checked
	PhaseQueue   = "queue"   // waiting for the writer
	PhaseDecide  = "decide"  // the engine's search
	PhaseHold    = "hold"    // taking the seats
	PhaseCommit  = "commit"  // the ledger's; several decisions may share one
	PhaseExplain = "explain" // a refusal's node counts, holders, suggestions
	PhaseAnswer  = "answer"  // placement to the contract's types
)

// NewDecisions makes the instruments.
func NewDecisions(t *Telemetry) (*Decisions, error) {
	b := builder{meter: t.meters.Meter("hopwise")}
	d := &Decisions{
		duration: b.seconds("hopwise.decision.duration", "Time of a PlaceGang call, by phase.",
			1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 1e-1, 1),
		outcomes: b.counter("hopwise.decisions", "Answers to PlaceGang, by outcome and reason."),
		leaves:   b.counts("hopwise.placement.leaves", "Distinct leaves of a new placement."),
		crossings: b.counts("hopwise.placement.crossings",
			"Edges of a new placement's rank ring that cross leaves."),
		score: b.ratio("hopwise.placement.score",
			"How tight a new placement is against the tightest one of its moment; 1 is as tight."),
		phases: map[string]metric.MeasurementOption{},
	}
	for _, p := range []string{PhaseConvert, PhaseQueue, PhaseDecide, PhaseHold, PhaseCommit, PhaseExplain, PhaseAnswer} {
		d.phases[p] = metric.WithAttributeSet(attribute.NewSet(attribute.String("phase", p)))
	}
	return d, b.err
}

// Phase records how long one phase took.
func (d *Decisions) Phase(ctx context.Context, phase string, took time.Duration) {
	d.duration.Record(ctx, took.Seconds(), d.phases[phase])
}

// Outcome counts an answer: outcome is placed, existing, dry_run, refused or
// error; reason is the refusal's or error's, else empty.
func (d *Decisions) Outcome(ctx context.Context, outcome, reason string) {
	d.outcomes.Add(ctx, 1, metric.WithAttributes(
		attribute.String("outcome", outcome), attribute.String("reason", reason)))
}

// Quality records a new placement's.
func (d *Decisions) Quality(ctx context.Context, p Placed) {
	d.leaves.Record(ctx, p.Leaves)
	d.crossings.Record(ctx, p.Crossings)
	if p.Score >= 0 {
		d.score.Record(ctx, p.Score)
	}
}

// builder makes instruments and keeps the first error.
type builder struct {
	meter metric.Meter
	err   error
}

func (b *builder) note(name string, err error) {
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("making the metric %s: %w", name, err)
	}
}

func (b *builder) seconds(name, what string, bounds ...float64) metric.Float64Histogram {
	h, err := b.meter.Float64Histogram(name, metric.WithDescription(what), metric.WithUnit("s"),
		metric.WithExplicitBucketBoundaries(bounds...))
	b.note(name, err)
	return h
}

func (b *builder) ratio(name, what string) metric.Float64Histogram {
	h, err := b.meter.Float64Histogram(name, metric.WithDescription(what),
		metric.WithExplicitBucketBoundaries(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1))
	b.note(name, err)
	return h
}

func (b *builder) counts(name, what string) metric.Int64Histogram {
	h, err := b.meter.Int64Histogram(name, metric.WithDescription(what),
		metric.WithExplicitBucketBoundaries(0, 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256))
	b.note(name, err)
	return h
}

func (b *builder) counter(name, what string) metric.Int64Counter {
	c, err := b.meter.Int64Counter(name, metric.WithDescription(what))
	b.note(name, err)
	return c
}

func (b *builder) gauge(name, what string) metric.Float64ObservableGauge {
	g, err := b.meter.Float64ObservableGauge(name, metric.WithDescription(what))
	b.note(name, err)
	return g
}
