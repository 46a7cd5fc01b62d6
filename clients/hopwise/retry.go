package hopwise

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Waits between tries double from the first to the longest, and are cut at random
// by up to half so that clients which failed together do not come back together.
const (
	firstWait   = 50 * time.Millisecond
	longestWait = 5 * time.Second
)

// deadline bounds a call that has none.
func deadline(timeout time.Duration) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if _, has := ctx.Deadline(); !has && timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, timeout)
			defer cancel()
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
}

// retry tries a call again, up to so many times, where the contract says that it
// may be: every call of the contract is idempotent.
func retry(times int) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		for try := 0; ; try++ {
			err := invoke(ctx, method, req, reply, cc, opts...)
			wait, again := retryable(err, try)
			if !again || try == times || !sleep(ctx, wait) {
				return err
			}
		}
	}
}

// retryable says whether a failed call may be tried again, and how long to wait
// first: UNAVAILABLE, and RESOURCE_EXHAUSTED where its reason is OVERLOADED. Other
// exhaustion, such as an answer too large, would only repeat itself.
func retryable(err error, try int) (time.Duration, bool) {
	s := status.Convert(err)
	switch s.Code() {
	case codes.Unavailable:
	case codes.ResourceExhausted:
		if reasonOf(s) != "OVERLOADED" {
			return 0, false
		}
	default:
		return 0, false
	}
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok && info.GetRetryDelay() != nil {
			return min(max(info.GetRetryDelay().AsDuration(), 0), longestWait), true
		}
	}
	wait := min(firstWait<<min(try, 10), longestWait)
	return wait - rand.N(wait/2), true
}

// sleep is false where the context would end first: then the call's own error says
// more than the deadline's.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, has := ctx.Deadline(); has && time.Until(end) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
