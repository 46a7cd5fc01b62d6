// Package telemetry is what hopwised measures and traces: the instruments, by
// name, and where they are read. docs/metrics.md documents each.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Options say where spans go; nowhere while Endpoint is empty.
type Options struct {
	Version  string
	Endpoint string  // host:port of an OTLP receiver over gRPC
	Insecure bool    // without TLS
	Ratio    float64 // share of calls traced where the caller does not say
}

// Telemetry is the providers of one server. Nothing is registered globally, so
// that several servers live in one process.
type Telemetry struct {
	registry *prometheus.Registry
	meters   *sdkmetric.MeterProvider
	tracers  *sdktrace.TracerProvider // nil where nothing is traced
	exporter sdktrace.SpanExporter    // of tracers
}

// New sets up metrics, and tracing where an endpoint is given. The exporter
// dials in the background: a receiver that is away keeps nothing from starting.
func New(ctx context.Context, o Options) (*Telemetry, error) {
	t := &Telemetry{registry: prometheus.NewRegistry()}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	reader, err := otelprom.New(otelprom.WithRegisterer(t.registry), otelprom.WithoutScopeInfo())
	if err != nil {
		return nil, fmt.Errorf("setting up the Prometheus exporter: %w", err)
	}
	who := resource.NewSchemaless(
		attribute.String("service.name", "hopwised"), attribute.String("service.version", o.Version))
	t.meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader), sdkmetric.WithResource(who))
	if o.Endpoint == "" {
		return t, nil
	}
	dial := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(o.Endpoint)}
	if o.Insecure {
		dial = append(dial, otlptracegrpc.WithInsecure())
	}
	exporter, err := otlptracegrpc.New(ctx, dial...)
	if err != nil {
		return nil, fmt.Errorf("setting up the OTLP exporter to %s: %w", o.Endpoint, err)
	}
	t.exporter = exporter
	t.tracers = sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(who),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(o.Ratio))))
	return t, nil
}

// MeterProvider is where instruments are made.
func (t *Telemetry) MeterProvider() metric.MeterProvider { return t.meters }

// TracerProvider is where spans are made.
func (t *Telemetry) TracerProvider() trace.TracerProvider {
	if t.tracers == nil {
		return noop.NewTracerProvider()
	}
	return t.tracers
}

// Handler serves the metrics in Prometheus' format.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{Registry: t.registry})
}

// Stop flushes what is left and ends the exporters, until ctx ends: what is not
// sent by then is dropped.
func (t *Telemetry) Stop(ctx context.Context) error {
	err := t.meters.Shutdown(ctx)
	if t.tracers != nil {
		flushed := t.tracers.Shutdown(ctx)
		if ctx.Err() != nil {
			// The provider gave up waiting, and its exporter is trying still: the
			// context that has ended makes it stop.
			flushed = errors.Join(flushed, t.exporter.Shutdown(ctx))
		}
		err = errors.Join(err, flushed)
	}
	if err != nil {
		return fmt.Errorf("flushing telemetry: %w", err)
	}
	return nil
}
