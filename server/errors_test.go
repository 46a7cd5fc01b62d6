package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hopwisev1 "github.com/hopwise/hopwise/proto/hopwise/v1"
	"github.com/hopwise/hopwise/server/cluster"
)

// documented reads each reason's code off the contract's comments.
func documented(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../proto/hopwise/v1/errors.proto")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	code := ""
	first := regexp.MustCompile(`^\s*// ([A-Z_]{3,})\. `)
	value := regexp.MustCompile(`^\s*(ERROR_REASON_[A-Z_]+) = `)
	for line := range strings.Lines(string(text)) {
		if m := first.FindStringSubmatch(line); m != nil && code == "" {
			code = m[1]
		}
		if m := value.FindStringSubmatch(line); m != nil {
			found[m[1]], code = code, ""
		}
	}
	return found
}

// TestReasonCodes holds the table to the contract: one code for each reason,
// the one that its comment names.
func TestReasonCodes(t *testing.T) {
	words := documented(t)
	for number, name := range hopwisev1.ErrorReason_name {
		reason := hopwisev1.ErrorReason(number)
		code, listed := reasonCodes[reason]
		if reason == hopwisev1.ErrorReason_ERROR_REASON_UNSPECIFIED {
			if listed {
				t.Error("UNSPECIFIED has a code")
			}
			continue
		}
		var want codes.Code
		if err := want.UnmarshalJSON([]byte(`"` + words[name] + `"`)); err != nil {
			t.Errorf("%s: the contract's comment names no code: %v", name, err)
			continue
		}
		if !listed || code != want {
			t.Errorf("%s: %v, documented as %v", name, code, want)
		}
		s := (&failure{reason: reason, message: "m", metadata: map[string]string{"k": "v"}}).status()
		info := detailOf[*errdetails.ErrorInfo](s)
		if s.Code() != want || info == nil || "ERROR_REASON_"+info.Reason != name || info.Domain != "hopwise.dev" || info.Metadata["k"] != "v" {
			t.Errorf("%s: status %v with %v", name, s, info)
		}
	}
}

// detailOf is a status's detail of one type; nil where it has none.
func detailOf[D any](s *status.Status) D {
	for _, d := range s.Details() {
		if found, ok := d.(D); ok {
			return found
		}
	}
	var none D
	return none
}

// TestFailureOf: the live state's reasons are the contract's, and what has none
// is internal, its text kept from the caller.
func TestFailureOf(t *testing.T) {
	for _, reason := range []cluster.Reason{
		cluster.InvalidRequest, cluster.PageTokenInvalid, cluster.NotBuilt, cluster.PlacementNotFound,
		cluster.SlotNotFound, cluster.NodeNotFound, cluster.DomainNotFound, cluster.UnknownLayer,
		cluster.UnknownResource, cluster.GangReleased, cluster.GangExpired, cluster.GangReplaced,
		cluster.SlotTaken, cluster.RevisionUnknown, cluster.GangChanged, cluster.EtagMismatch,
		cluster.Overloaded, cluster.NotSynced, cluster.SourceStale, cluster.StoreFailed,
		cluster.Stopping, cluster.RevisionNotReached,
	} {
		err := fmt.Errorf("placing: %w", &cluster.Error{
			Reason: reason, Message: "why", Field: "a.b", Metadata: map[string]string{"k": "v"},
		})
		s := statusOf(err, "id")
		info := detailOf[*errdetails.ErrorInfo](s)
		if info == nil || info.Reason != string(reason) || info.Metadata["field"] != "a.b" || info.Metadata["k"] != "v" {
			t.Errorf("%s: %v", reason, info)
		}
		if bad := detailOf[*errdetails.BadRequest](s); (bad != nil) != (s.Code() == codes.InvalidArgument) {
			t.Errorf("%s: BadRequest %v with %v", reason, bad, s.Code())
		}
		if retry := detailOf[*errdetails.RetryInfo](s); (retry != nil) != (reason == cluster.Overloaded) {
			t.Errorf("%s: RetryInfo %v", reason, retry)
		}
	}
	for _, c := range []struct {
		err  error
		code codes.Code
	}{
		{errors.New("secret"), codes.Internal},
		{&cluster.Error{Reason: cluster.Internal, Message: "secret"}, codes.Internal},
		{&cluster.Error{Reason: "MADE_UP", Message: "secret"}, codes.Internal},
		{fmt.Errorf("waiting: %w", context.Canceled), codes.Canceled},
		{context.DeadlineExceeded, codes.DeadlineExceeded},
	} {
		if s := statusOf(c.err, "id7"); s.Code() != c.code || strings.Contains(s.Message(), "secret") {
			t.Errorf("%v: %v", c.err, s)
		} else if c.code == codes.Internal && detailOf[*errdetails.ErrorInfo](s).Metadata["id"] != "id7" {
			t.Errorf("%v: no id", c.err)
		}
	}
}
