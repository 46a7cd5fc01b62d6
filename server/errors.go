package server

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
)

// errorDomain is the domain of every ErrorInfo.
const errorDomain = "hopwise.dev"

// reasonCodes is the one status code of every reason, as the contract documents
// it; a test reads the contract's comments and compares.
var reasonCodes = map[hopwisev1.ErrorReason]codes.Code{
	hopwisev1.ErrorReason_ERROR_REASON_INVALID_REQUEST:      codes.InvalidArgument,
	hopwisev1.ErrorReason_ERROR_REASON_PAGE_TOKEN_INVALID:   codes.InvalidArgument,
	hopwisev1.ErrorReason_ERROR_REASON_NOT_BUILT:            codes.Unimplemented,
	hopwisev1.ErrorReason_ERROR_REASON_PLACEMENT_NOT_FOUND:  codes.NotFound,
	hopwisev1.ErrorReason_ERROR_REASON_SLOT_NOT_FOUND:       codes.NotFound,
	hopwisev1.ErrorReason_ERROR_REASON_NODE_NOT_FOUND:       codes.NotFound,
	hopwisev1.ErrorReason_ERROR_REASON_DOMAIN_NOT_FOUND:     codes.NotFound,
	hopwisev1.ErrorReason_ERROR_REASON_UNKNOWN_LAYER:        codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_UNKNOWN_RESOURCE:     codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_GANG_RELEASED:        codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_GANG_EXPIRED:         codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_GANG_REPLACED:        codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_SLOT_TAKEN:           codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_REVISION_UNKNOWN:     codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_NODE_USABLE:          codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_SIZE_BELOW_BOUND:     codes.FailedPrecondition,
	hopwisev1.ErrorReason_ERROR_REASON_GANG_CHANGED:         codes.AlreadyExists,
	hopwisev1.ErrorReason_ERROR_REASON_ETAG_MISMATCH:        codes.Aborted,
	hopwisev1.ErrorReason_ERROR_REASON_COMPACTED:            codes.OutOfRange,
	hopwisev1.ErrorReason_ERROR_REASON_OVERLOADED:           codes.ResourceExhausted,
	hopwisev1.ErrorReason_ERROR_REASON_SLOW_WATCHER:         codes.ResourceExhausted,
	hopwisev1.ErrorReason_ERROR_REASON_NOT_SYNCED:           codes.Unavailable,
	hopwisev1.ErrorReason_ERROR_REASON_SOURCE_STALE:         codes.Unavailable,
	hopwisev1.ErrorReason_ERROR_REASON_STORE_FAILED:         codes.Unavailable,
	hopwisev1.ErrorReason_ERROR_REASON_NO_LEADER:            codes.Unavailable,
	hopwisev1.ErrorReason_ERROR_REASON_STOPPING:             codes.Unavailable,
	hopwisev1.ErrorReason_ERROR_REASON_REVISION_NOT_REACHED: codes.DeadlineExceeded,
	hopwisev1.ErrorReason_ERROR_REASON_INTERNAL:             codes.Internal,
}

// retryAfter is how long an OVERLOADED caller is asked to wait: the writer
// drains a full queue in about that time.
const retryAfter = 200 * time.Millisecond

// failure is an error with a reason of the contract; it becomes a status at the
// edge, in statusOf, and nowhere else.
type failure struct {
	reason   hopwisev1.ErrorReason
	message  string
	metadata map[string]string
	// violations are the fields at fault, for INVALID_REQUEST.
	violations []violation
}

// violation is one field of a request that breaks a rule.
type violation struct {
	field   string // path from the request, such as "pod_sets[0].count"
	message string // what was wrong and what was expected
}

func (f *failure) Error() string { return f.message }

// invalid is the failure of one field.
func invalid(field, message string) *failure { return violated([]violation{{field, message}}) }

// violated is the failure of several fields.
func violated(all []violation) *failure {
	lines := make([]string, len(all))
	for i, v := range all {
		lines[i] = v.message
		if v.field != "" {
			lines[i] = v.field + ": " + v.message
		}
	}
	return &failure{
		reason:     hopwisev1.ErrorReason_ERROR_REASON_INVALID_REQUEST,
		message:    strings.Join(lines, "; "),
		violations: all,
	}
}

// reasonName is a reason as ErrorInfo carries it.
func reasonName(r hopwisev1.ErrorReason) string {
	return strings.TrimPrefix(r.String(), "ERROR_REASON_")
}

// statusOf turns whatever a handler failed with into a status. An error that
// says no reason is a fault of hopwise's own; the caller logs it under id.
func statusOf(err error, id string) *status.Status {
	f, ok := failureOf(err)
	switch {
	case ok:
		return f.status()
	case errors.Is(err, context.DeadlineExceeded):
		return status.New(codes.DeadlineExceeded, "the deadline passed before there was an answer")
	case errors.Is(err, context.Canceled):
		return status.New(codes.Canceled, "the caller cancelled the call")
	}
	internal := &failure{
		reason:   hopwisev1.ErrorReason_ERROR_REASON_INTERNAL,
		message:  "internal error " + id + "; the server's log has more",
		metadata: map[string]string{"id": id},
	}
	return internal.status()
}

func (f *failure) status() *status.Status {
	s := status.New(reasonCodes[f.reason], f.message)
	details := []protoadapt.MessageV1{&errdetails.ErrorInfo{
		Reason: reasonName(f.reason), Domain: errorDomain, Metadata: maps.Clone(f.metadata),
	}}
	if len(f.violations) > 0 {
		bad := &errdetails.BadRequest{}
		for _, v := range f.violations {
			bad.FieldViolations = append(bad.FieldViolations,
				&errdetails.BadRequest_FieldViolation{Field: v.field, Description: v.message})
		}
		details = append(details, bad)
	}
	if f.reason == hopwisev1.ErrorReason_ERROR_REASON_OVERLOADED {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(retryAfter)})
	}
	full, err := s.WithDetails(details...)
	if err != nil {
		return s // only messages that cannot be marshalled, which these can
	}
	return full
}
