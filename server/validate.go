package server

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
)

// mostViolations bounds what a refusal lists: the first ones are what a person
// reads.
const mostViolations = 20

// checkRules holds a request to the contract's own rules.
func checkRules(v protovalidate.Validator, m proto.Message) error {
	err := v.Validate(m)
	if err == nil {
		return nil
	}
	var broken *protovalidate.ValidationError
	if !errors.As(err, &broken) {
		return fmt.Errorf("validating %s: %w", m.ProtoReflect().Descriptor().FullName(), err)
	}
	all := make([]violation, 0, len(broken.Violations))
	for _, b := range broken.Violations[:min(len(broken.Violations), mostViolations)] {
		all = append(all, violation{protovalidate.FieldPathString(b.Proto.GetField()), ruleMessage(b.Proto)})
	}
	return violated(all)
}

// ruleMessage is the rule in words; patterns, which nobody wants to read, are
// said in prose.
func ruleMessage(v *validate.Violation) string {
	path := v.GetField().GetElements()
	switch {
	case v.GetRuleId() == "duration.gte_lte":
		return durationMessage(v.GetMessage())
	case v.GetRuleId() != "string.pattern":
		return v.GetMessage()
	case len(path) > 0 && path[len(path)-1].GetFieldName() == "min_revision":
		return "is no revision; expected one from an earlier answer, such as 4-118"
	}
	return "holds a control character; expected plain text"
}

// boundsInWords finds the two bounds of a duration's rule, in seconds.
var boundsInWords = regexp.MustCompile(`equal to (\d+)s and less than or equal to (\d+)s`)

// durationMessage says a duration's bounds as people write durations.
func durationMessage(rule string) string {
	m := boundsInWords.FindStringSubmatch(rule)
	if m == nil {
		return rule
	}
	least, err1 := strconv.Atoi(m[1])
	most, err2 := strconv.Atoi(m[2])
	if err1 != nil || err2 != nil || most < 86400 {
		return rule
	}
	return fmt.Sprintf("is out of bounds; expected at least %s, at most %d days", time.Duration(least)*time.Second, most/86400)
}
