package server

import (
	"errors"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

// failureOf is the failure that an error carries: this package's own, or the
// live state's in the contract's words. False: the error says no reason.
func failureOf(err error) (*failure, bool) {
	var own *failure
	if errors.As(err, &own) {
		return own, true
	}
	var from *cluster.Error
	if !errors.As(err, &from) {
		return nil, false
	}
	number, known := hopwisev1.ErrorReason_value["ERROR_REASON_"+string(from.Reason)]
	reason := hopwisev1.ErrorReason(number)
	if !known || reason == hopwisev1.ErrorReason_ERROR_REASON_INTERNAL {
		return nil, false // its text is for the log
	}
	f := &failure{reason: reason, message: from.Error(), metadata: map[string]string{}}
	for k, v := range from.Metadata {
		f.metadata[k] = v
	}
	if from.Field == "" {
		return f, true
	}
	f.metadata["field"] = from.Field
	if reasonCodes[reason] == reasonCodes[hopwisev1.ErrorReason_ERROR_REASON_INVALID_REQUEST] {
		f.violations = []violation{{from.Field, from.Message}}
	}
	return f, true
}
