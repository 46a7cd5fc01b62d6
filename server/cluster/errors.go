package cluster

import "fmt"

// Reason is why a call failed; it never means two things. Its text is the
// contract's word.
type Reason string

// The reasons that this package gives.
const (
	InvalidRequest     Reason = "INVALID_REQUEST"
	PageTokenInvalid   Reason = "PAGE_TOKEN_INVALID"
	NotBuilt           Reason = "NOT_BUILT"
	PlacementNotFound  Reason = "PLACEMENT_NOT_FOUND"
	SlotNotFound       Reason = "SLOT_NOT_FOUND"
	NodeNotFound       Reason = "NODE_NOT_FOUND"
	DomainNotFound     Reason = "DOMAIN_NOT_FOUND"
	UnknownLayer       Reason = "UNKNOWN_LAYER"
	UnknownResource    Reason = "UNKNOWN_RESOURCE"
	GangReleased       Reason = "GANG_RELEASED"
	GangExpired        Reason = "GANG_EXPIRED"
	GangReplaced       Reason = "GANG_REPLACED"
	SlotTaken          Reason = "SLOT_TAKEN"
	RevisionUnknown    Reason = "REVISION_UNKNOWN"
	NodeUsable         Reason = "NODE_USABLE"
	SizeBelowBound     Reason = "SIZE_BELOW_BOUND"
	GangChanged        Reason = "GANG_CHANGED"
	EtagMismatch       Reason = "ETAG_MISMATCH"
	Overloaded         Reason = "OVERLOADED"
	NotSynced          Reason = "NOT_SYNCED"
	SourceStale        Reason = "SOURCE_STALE"
	StoreFailed        Reason = "STORE_FAILED"
	Stopping           Reason = "STOPPING"
	RevisionNotReached Reason = "REVISION_NOT_REACHED"
	Internal           Reason = "INTERNAL"
)

// Error is a failed call: why, in words, and what a program needs of it. A gang
// that does not fit is no error. Contexts that end give their own error.
type Error struct {
	Reason  Reason
	Message string
	// Field is the path of the request's field, where one is at fault.
	Field string
	// Metadata is what the contract promises beside the reason.
	Metadata map[string]string
	Err      error // the cause, where there is one
}

// Error is the message alone: the reason travels beside it.
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

func fail(r Reason, format string, args ...any) *Error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}

// with adds metadata in pairs.
func (e *Error) with(pairs ...string) *Error {
	if e.Metadata == nil {
		e.Metadata = map[string]string{}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		e.Metadata[pairs[i]] = pairs[i+1]
	}
	return e
}

func (e *Error) at(field string) *Error {
	e.Field = field
	return e
}
