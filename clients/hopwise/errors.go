package hopwise

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errorDomain marks the server's own reasons.
const errorDomain = "hopwise.dev"

// Error is a failed call.
type Error struct {
	// Address is what was dialled.
	Address string
	Code    codes.Code
	// Reason is the contract's ErrorReason without its prefix, such as
	// "UNKNOWN_LAYER"; empty where the failure is not the server's own.
	Reason string
	// Message is what the server said.
	Message string
	// Metadata is the reason's; ErrorReason lists its keys.
	Metadata map[string]string
	// Violations are the request's fields that break a rule.
	Violations []Violation
	// Unreachable is true where nothing answered at Address.
	Unreachable bool

	status *status.Status
}

// Violation is one field of a request and the rule that it breaks.
type Violation struct{ Field, Description string }

// Error says what failed; for a server that does not answer, how to start one.
func (e *Error) Error() string {
	if e.Unreachable {
		return fmt.Sprintf("no server answers at %s: %s\n"+
			"  start one:        hopwised --config hopwised.yaml\n"+
			"  another address:  --server HOST:PORT, or HOPWISE_SERVER\n"+
			"  without a server: --topology nodes.yaml", e.Address, cause(e.Message))
	}
	if e.Code == codes.DeadlineExceeded && e.Reason == "" {
		return "no answer from " + e.Address + " in time"
	}
	return e.Message
}

// GRPCStatus makes status.Code and its kin work on an *Error.
func (e *Error) GRPCStatus() *status.Status { return e.status }

// cause is the innermost reason of a broken connection, which gRPC wraps.
func cause(message string) string {
	message = strings.TrimSuffix(message, `"`)
	if i := strings.LastIndex(message, `desc = "`); i >= 0 {
		message = message[i+len(`desc = "`):]
	}
	if _, after, found := strings.Cut(message, "dial tcp "); found {
		if _, reason, found := strings.Cut(after, ": "); found {
			return strings.TrimPrefix(reason, "connect: ")
		}
	}
	return message
}

// explain turns a status into an *Error. It is the outermost interceptor.
func explain(address string) grpc.UnaryClientInterceptor {
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		if err == nil {
			return nil
		}
		return newError(address, status.Convert(err))
	}
}

func newError(address string, s *status.Status) *Error {
	e := &Error{Address: address, Code: s.Code(), Message: s.Message(), status: s}
	for _, detail := range s.Details() {
		switch d := detail.(type) {
		case *errdetails.ErrorInfo:
			if d.GetDomain() == errorDomain {
				e.Reason, e.Metadata = d.GetReason(), d.GetMetadata()
			}
		case *errdetails.BadRequest:
			for _, v := range d.GetFieldViolations() {
				e.Violations = append(e.Violations, Violation{Field: v.GetField(), Description: v.GetDescription()})
			}
		}
	}
	// A server that is there gives a reason with its UNAVAILABLE.
	e.Unreachable = e.Code == codes.Unavailable && e.Reason == ""
	return e
}

// reasonOf is the server's own reason; empty where there is none.
func reasonOf(s *status.Status) string {
	for _, detail := range s.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.GetDomain() == errorDomain {
			return info.GetReason()
		}
	}
	return ""
}
