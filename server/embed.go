package server

import (
	"context"
	"net"

	"google.golang.org/grpc/test/bufconn"

	"github.com/hopwise/hopwise/server/config"
)

// pipeBytes is how much one side of an in-memory connection may be ahead.
const pipeBytes = 256 << 10

// Embedded is a service inside another program, reached without a socket.
type Embedded struct {
	pipe   *bufconn.Listener
	cancel context.CancelFunc
	done   chan error // holds Run's end: one value, so that Stop need not be called
}

// Embed starts the service that hopwised runs, over an in-memory listener. Calls
// may be made at once; Stop ends it.
func Embed(ctx context.Context, cfg config.Config, opts Options) (*Embedded, error) {
	s, err := New(cfg, opts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	e := &Embedded{pipe: bufconn.Listen(pipeBytes), cancel: cancel, done: make(chan error, 1)}
	go func() { e.done <- s.Serve(ctx, e.pipe) }()
	return e, nil
}

// Dial is a connection to the service; for grpc.WithContextDialer, which gives an
// address that means nothing here.
func (e *Embedded) Dial(ctx context.Context, _ string) (net.Conn, error) {
	return e.pipe.DialContext(ctx)
}

// Stop ends the service and waits for it. Call it once.
func (e *Embedded) Stop() error {
	e.cancel()
	return <-e.done
}
