package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/hopwise/hopwise/server/scheme"
)

// MaxRequestBytes is the most that limits.request_bytes may be.
const MaxRequestBytes = 32 << 20

// Check says everything that is wrong with the configuration, one line each,
// with the key.
func (c Config) Check() error {
	return errors.Join(
		c.checkAddress("grpc_address", c.GRPCAddress, false),
		c.checkAddress("http_address", c.HTTPAddress, true),
		c.Source.check(),
		c.Ledger.check(),
		c.Scheme.check(),
		c.Placement.check(),
		within("limits.request_bytes", int64(c.Limits.RequestBytes), 1024, MaxRequestBytes),
		within("limits.waiting", int64(c.Limits.Waiting), 1, 1<<20),
		within("metrics.gangs", int64(c.Metrics.Gangs), 0, 10000),
		c.Log.check(),
		c.Tracing.check(),
		span("stop_after", c.StopAfter, 0, time.Hour),
	)
}

// checkAddress refuses what cannot be listened on, and what others could reach:
// without TLS nothing tells who calls.
func (c Config) checkAddress(key, address string, optional bool) error {
	if address == "" && optional {
		return nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s: %q is no address; expected host:port, such as 127.0.0.1:7433", key, address)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%s: %q is no port; expected 0 to 65535", key, port)
	}
	if c.Insecure || loopback(host) {
		return nil
	}
	return fmt.Errorf("%s: %s can be reached by others, and TLS is not built yet; "+
		"listen on 127.0.0.1, or write insecure: true", key, address)
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func (s Source) check() error {
	var errs []error
	if s.Kind != "file" {
		errs = append(errs, fmt.Errorf("source.kind: %q is not built; expected file", s.Kind))
	}
	if len(s.Paths) == 0 {
		errs = append(errs, errors.New("source.paths: empty; expected at least one file with nodes"))
	}
	return errors.Join(append(errs,
		within("source.max_bytes", s.MaxBytes, 1, 1<<34),
		span("source.poll", s.Poll, 10*time.Millisecond, 24*time.Hour),
		span("source.max_stale", s.MaxStale, time.Second, 30*24*time.Hour),
	)...)
}

func (l Ledger) check() error {
	var errs []error
	if l.Kind != BoltLedger && l.Kind != MemoryLedger {
		errs = append(errs, fmt.Errorf("ledger.kind: %q; expected %s or %s", l.Kind, BoltLedger, MemoryLedger))
	}
	if l.DataDir == "" {
		errs = append(errs, errors.New("ledger.data_dir: empty; expected a folder"))
	}
	return errors.Join(errs...)
}

func (s Scheme) check() error {
	if len(s.Layers) > 0 {
		if _, err := scheme.Custom(s.Layers, ""); err != nil {
			return fmt.Errorf("scheme.layers: %w", err)
		}
		if s.Preset != AutoScheme {
			return fmt.Errorf("scheme.layers: given beside preset %q; expected one of them", s.Preset)
		}
		return nil
	}
	if s.Preset == AutoScheme {
		return nil
	}
	if _, err := scheme.Preset(s.Preset); err != nil {
		return fmt.Errorf("scheme.preset: %w (or auto)", err)
	}
	return nil
}

func (p Placement) check() error {
	var err error
	if p.DefaultPolicy != "TIGHTEST" && p.DefaultPolicy != "BEST_FIT" {
		err = fmt.Errorf("placement.default_policy: %q; expected TIGHTEST or BEST_FIT", p.DefaultPolicy)
	}
	return errors.Join(err,
		span("placement.default_ttl", p.DefaultTTL, time.Second, 30*24*time.Hour),
		within("placement.step_budget", p.StepBudget, 0, 1_000_000_000),
		span("placement.grace", p.Grace, time.Second, 30*24*time.Hour),
		span("placement.node_loss_after", p.NodeLossAfter, time.Second, 30*24*time.Hour),
	)
}

func (l Log) check() error {
	var errs []error
	var level slog.Level
	if level.UnmarshalText([]byte(l.Level)) != nil {
		errs = append(errs, fmt.Errorf("log.level: %q; expected debug, info, warn or error", l.Level))
	}
	if l.Format != "text" && l.Format != "json" {
		errs = append(errs, fmt.Errorf("log.format: %q; expected text or json", l.Format))
	}
	return errors.Join(errs...)
}

func (t Tracing) check() error {
	if t.Endpoint != "" {
		if _, _, err := net.SplitHostPort(t.Endpoint); err != nil {
			return fmt.Errorf("tracing.endpoint: %q; expected host:port", t.Endpoint)
		}
	}
	if !(t.Ratio >= 0 && t.Ratio <= 1) {
		return fmt.Errorf("tracing.ratio: %v; expected 0 to 1", t.Ratio)
	}
	return nil
}

func within(key string, value, least, most int64) error {
	if value < least || value > most {
		return fmt.Errorf("%s: %d; expected %d to %d", key, value, least, most)
	}
	return nil
}

func span(key string, value Duration, least, most time.Duration) error {
	if v := value.Std(); v < least || v > most {
		return fmt.Errorf("%s: %s; expected %s to %s", key, v, least, most)
	}
	return nil
}
