// Package config is hopwised's configuration: one strict YAML file. Defaults
// stand in default.yaml, commented, and nowhere else.
package config

import (
	_ "embed"
	"fmt"
	"log/slog"
	"time"
)

//go:embed default.yaml
var defaults string

// Config is everything that hopwised can be told. The zero value is not valid:
// begin with Default.
type Config struct {
	GRPCAddress string    `yaml:"grpc_address"`
	HTTPAddress string    `yaml:"http_address"` // empty: no HTTP listener
	Insecure    bool      `yaml:"insecure"`
	Source      Source    `yaml:"source"`
	Ledger      Ledger    `yaml:"ledger"`
	Scheme      Scheme    `yaml:"scheme"`
	Placement   Placement `yaml:"placement"`
	Limits      Limits    `yaml:"limits"`
	Metrics     Metrics   `yaml:"metrics"`
	Log         Log       `yaml:"log"`
	Tracing     Tracing   `yaml:"tracing"`
	StopAfter   Duration  `yaml:"stop_after"`
}

// Source is where nodes and pods come from.
type Source struct {
	Kind     string   `yaml:"kind"`
	Paths    []string `yaml:"paths"`
	MaxBytes int64    `yaml:"max_bytes"` // the most one file may hold
	Poll     Duration `yaml:"poll"`
	MaxStale Duration `yaml:"max_stale"`
}

// Ledger is where placements are kept.
type Ledger struct {
	Kind    string `yaml:"kind"` // MemoryLedger or BoltLedger
	DataDir string `yaml:"data_dir"`
}

// The kinds of ledger. Of a program that embeds the service the program gives
// the store.
const (
	MemoryLedger = "memory"
	BoltLedger   = "bolt"
)

// AutoScheme is the preset that says to look at the nodes' labels.
const AutoScheme = "auto"

// Scheme is the layers in force: a preset's or, where given, a list.
type Scheme struct {
	Preset string   `yaml:"preset"`
	Layers []string `yaml:"layers"`
}

// Placement is what requests may leave open.
type Placement struct {
	DefaultPolicy string   `yaml:"default_policy"`
	DefaultTTL    Duration `yaml:"default_ttl"`
	StepBudget    int64    `yaml:"step_budget"` // 0: the engine's own
	Grace         Duration `yaml:"grace"`
	NodeLossAfter Duration `yaml:"node_loss_after"`
}

// Limits bound what one caller can ask for.
type Limits struct {
	RequestBytes int `yaml:"request_bytes"`
	Waiting      int `yaml:"waiting"` // writes that may wait for the writer
}

// Metrics says what is measured beside the ordinary.
type Metrics struct {
	Gangs int `yaml:"gangs"` // live gangs with series of their own; 0: none
}

// Log is how and how much is logged.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"`
}

// Tracing is where spans go; nowhere while Endpoint is empty.
type Tracing struct {
	Endpoint string  `yaml:"endpoint"`
	Insecure bool    `yaml:"insecure"`
	Ratio    float64 `yaml:"ratio"`
}

// Duration is a time.Duration that reads and prints as "5m".
type Duration time.Duration

// UnmarshalText reads Go's duration syntax.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no duration; expected one such as 30s, 5m or 1h30m", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText prints Go's duration syntax.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Std is the duration as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Default is the configuration of an empty file.
func Default() Config {
	var c Config
	if err := decode("default.yaml", []byte(defaults), &c); err != nil {
		panic(err) // embedded, and read by a test
	}
	return c
}

// Print is every key with its default and what it means, as a configuration file.
func Print() string { return defaults }

// SlogLevel is Log.Level in slog's terms; Check has seen that it is one.
func (l Log) SlogLevel() slog.Level {
	var level slog.Level
	_ = level.UnmarshalText([]byte(l.Level)) // Check refuses what this cannot read
	return level
}
