package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/scheme"
)

// Config is what a Cluster is made with. Zero values take the defaults named.
type Config struct {
	// Scheme is the layers in force, fixed for the cluster's life.
	Scheme scheme.Scheme
	// Guessed says that no node carried labels to choose the scheme by.
	Guessed bool
	// Disconnected says that several roots are networks of their own.
	Disconnected bool
	Store        ledger.Store  // nil = memory
	DefaultTTL   time.Duration // of reservations; 5 min
	Grace        time.Duration // a dead pod's slot waits so long; 10 min
	KeepEnded    time.Duration // ended records are kept so long; 24 h
	// NodeLossAfter is how long a node may be not ready before it is lost; 5 min.
	NodeLossAfter time.Duration
	MaxStale      time.Duration // a source out of reach for longer stops writes; 60 s
	// DefaultPolicy rules where a request names none; Tightest.
	DefaultPolicy ledger.Policy
	DefaultBudget int64 // search steps; 0 = the engine's
	// Queue is how many calls may wait: about what one writer does in the second
	// after which callers should rather be told to come back; 1,024.
	Queue int
	// Batch is how many calls may share one commit; 64.
	Batch      int
	GangGauges int // live gangs with gauges of their own; 0 = none
	Observer   Observer
	Log        *slog.Logger
}

func (c Config) withDefaults() Config {
	defaults := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	defaults(&c.DefaultTTL, 5*time.Minute)
	defaults(&c.Grace, 10*time.Minute)
	defaults(&c.KeepEnded, 24*time.Hour)
	defaults(&c.NodeLossAfter, 5*time.Minute)
	defaults(&c.MaxStale, time.Minute)
	if c.Store == nil {
		c.Store = ledger.NewMemory(1)
	}
	if c.DefaultPolicy == ledger.DefaultPolicy {
		c.DefaultPolicy = ledger.Tightest
	}
	if c.Queue <= 0 {
		c.Queue = 1024
	}
	if c.Batch <= 0 {
		c.Batch = 64
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Cluster is the live state. Its methods may be called from anywhere: each hands
// its work to the one writer goroutine, which is Run's, and waits. Answers are
// copies and do not change afterwards. A call whose context ends while its work
// waits may still take effect.
type Cluster struct {
	cfg      Config
	state    *state // the writer's alone once Run has begun
	queue    chan *op
	stopping chan struct{} // closed when no more work is taken
	stopped  chan struct{} // closed when no more work is done
	running  atomic.Bool
	gate     gate

	mu       sync.Mutex // sources and storeErr
	sources  []SourceStatus
	storeErr error
}

// New loads the ledger. The graph is empty until the first Apply; until then
// nothing is placed. An error is the store's.
func New(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = cfg.withDefaults()
	c := &Cluster{
		cfg:      cfg,
		queue:    make(chan *op, cfg.Queue), // see Config.Queue
		stopping: make(chan struct{}),
		stopped:  make(chan struct{}),
	}
	c.gate.init()
	c.state = newState(&c.cfg)
	var records []*ledger.Record
	start, err := cfg.Store.Load(ctx, func(rec *ledger.Record) { records = append(records, rec) })
	if err != nil {
		return nil, fmt.Errorf("load the ledger: %w", err)
	}
	c.state.resume(records, start, time.Now())
	c.gate.set(c.state.rev, false)
	return c, nil
}

// kind is how an operation is run.
type kind uint8

const (
	reading kind = iota // after the batch's commit; changes nothing
	writing             // in the batch; acknowledged after its commit
	telling             // a source's delta: a batch of its own
)

// op is one call's work. The writer runs it, or fails it, and then closes done.
type op struct {
	ctx    context.Context //nolint:containedctx // a call's work carries the call's end with it through the queue
	kind   kind
	queued time.Time
	run    func(*tx)
	fail   func(error)
	done   chan struct{}
}

// call has f run by the writer and gives what it gives.
func call[T any](ctx context.Context, c *Cluster, k kind, f func(*tx) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	a := new(answer)
	o := &op{ctx: ctx, kind: k, queued: time.Now(), done: make(chan struct{})}
	o.run = func(t *tx) { a.value, a.err = f(t) }
	o.fail = func(err error) { a.err = err }
	var zero T
	if err := c.submit(o); err != nil {
		return zero, err
	}
	select {
	case <-o.done:
	case <-ctx.Done():
		return zero, ctx.Err()
	case <-c.stopped:
		select {
		case <-o.done:
		default:
			return zero, errStopping()
		}
	}
	if a.err != nil {
		return zero, a.err
	}
	return a.value, nil
}

// submit hands over an operation. Calls are turned away when the queue is full;
// what a source says is never lost, so that it waits.
func (c *Cluster) submit(o *op) error {
	select {
	case <-c.stopping:
		return errStopping()
	default:
	}
	select {
	case c.queue <- o:
		return nil
	default:
	}
	if o.kind != telling {
		return fail(Overloaded, "%d calls wait already; try again later", cap(c.queue))
	}
	select {
	case c.queue <- o:
		return nil
	case <-o.ctx.Done():
		return o.ctx.Err()
	case <-c.stopping:
		return errStopping()
	}
}

func errStopping() *Error { return fail(Stopping, "the server is stopping") }

// Run is the writer. It returns once ctx has ended and the calls that wait have
// been answered; nil then. It may be called once.
func (c *Cluster) Run(ctx context.Context) error {
	if c.running.Swap(true) {
		return errors.New("cluster: Run was called before")
	}
	w := &writer{c: c, s: c.state, ctx: context.WithoutCancel(ctx), timer: time.NewTimer(time.Hour)}
	defer w.timer.Stop()
	w.alive()
	for {
		w.arm()
		select {
		case <-ctx.Done():
			close(c.stopping)
			w.drain()
			w.alive() // so that the down time is known to the moment
			close(c.stopped)
			return nil
		case o := <-c.queue:
			w.batch(o)
		case <-w.timer.C:
			w.tick()
		}
	}
}

// Durable says whether acknowledged placements outlive the process.
func (c *Cluster) Durable() bool { return c.cfg.Store.Durable() }

// Scheme is the layers in force.
func (c *Cluster) Scheme() scheme.Scheme { return c.cfg.Scheme }

// Synced says whether a source has been read.
func (c *Cluster) Synced() bool { return c.gate.isSynced() }

// Writes says whether placements are taken: nil, or the *Error that calls get.
func (c *Cluster) Writes() error {
	select {
	case <-c.stopping:
		return errStopping()
	default:
	}
	if err := c.ready(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.storeErr != nil {
		return storeFailed(c.storeErr)
	}
	return nil
}

// ready says why nothing can be promised on what the sources said.
func (c *Cluster) ready() error {
	if !c.gate.isSynced() {
		return fail(NotSynced, "no source has been read yet")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sources {
		if age := time.Since(s.Updated); s.Stale && age > c.cfg.MaxStale {
			return fail(SourceStale, "%s %s has been out of reach for %s: %s", s.Kind, s.Detail, age.Round(time.Second), s.Error)
		}
	}
	return nil
}

// SetSource says how a source is doing; Kind and Detail tell sources apart. It
// raises no revision.
func (c *Cluster) SetSource(s SourceStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.sources {
		if c.sources[i].Kind == s.Kind && c.sources[i].Detail == s.Detail {
			c.sources[i] = s
			return
		}
	}
	c.sources = append(c.sources, s)
}

func (c *Cluster) sourceList() []SourceStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]SourceStatus(nil), c.sources...)
}
