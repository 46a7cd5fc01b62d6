package hopwise

import (
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// DefaultAddress is where a server listens unless it is configured otherwise.
const DefaultAddress = "127.0.0.1:7433"

// Limits of a call that says nothing else.
const (
	DefaultTimeout = 30 * time.Second
	maxAnswer      = 64 << 20 // a placement of a million ranks is some 50 MB
)

// Client calls one server. It is safe for concurrent use.
type Client struct {
	hopwisev1.PlacementServiceClient
	hopwisev1.TopologyServiceClient

	conn *grpc.ClientConn
}

// options are what Dial can be told.
type options struct {
	timeout time.Duration
	retries int
	dial    []grpc.DialOption
}

// Option changes how Dial connects.
type Option func(*options)

// WithTimeout bounds a call whose context has no deadline, retries included.
func WithTimeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// WithRetries is how often a call is tried again; 0 is never. Unset is 3.
func WithRetries(n int) Option { return func(o *options) { o.retries = n } }

// WithDialOptions adds gRPC's own, such as a dialer for an in-memory connection or
// transport credentials.
func WithDialOptions(dial ...grpc.DialOption) Option {
	return func(o *options) { o.dial = append(o.dial, dial...) }
}

// Dial prepares a connection to address (host:port, or any gRPC target). It does
// not wait for the server: a server that is not there shows at the first call, as
// an *Error whose Unreachable is true.
func Dial(address string, opts ...Option) (*Client, error) {
	o := options{timeout: DefaultTimeout, retries: 3}
	for _, opt := range opts {
		opt(&o)
	}
	dial := append([]grpc.DialOption{
		// Loopback only until the server speaks TLS.
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		// gRPC's own retries go by the status code alone; these go by its reason.
		grpc.WithDisableRetry(),
		grpc.WithChainUnaryInterceptor(explain(address), deadline(o.timeout), retry(o.retries)),
	}, o.dial...)
	conn, err := grpc.NewClient(address, dial...)
	if err != nil {
		return nil, fmt.Errorf("dial %q: %w", address, err)
	}
	return &Client{
		PlacementServiceClient: hopwisev1.NewPlacementServiceClient(conn),
		TopologyServiceClient:  hopwisev1.NewTopologyServiceClient(conn),
		conn:                   conn,
	}, nil
}

// Close ends the connection and the calls on it.
func (c *Client) Close() error { return c.conn.Close() }
