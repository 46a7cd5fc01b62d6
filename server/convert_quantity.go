package server

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxAmount bounds one request, in base units (thousandths for cpu): sums over
// the largest gang stay far from overflow in anything that is compared.
const maxAmount = 1 << 53

// quantityForm is what may be parsed at all. Kubernetes' own parser would work
// out exponents of any size; two digits are more than any resource needs.
var quantityForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?$`)

// cpuResource counts in thousandths; "pods" every pod takes one of by itself.
const (
	cpuResource  = "cpu"
	podsResource = "pods"
)

// amounts converts requests to base units. Zero amounts are left out: a pod that
// asks for none of a resource fits where there is none.
func amounts(path string, requests map[string]string) (map[string]int64, error) {
	var wrong []violation
	out := make(map[string]int64, len(requests))
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		n, what := amount(name, requests[name])
		if what != "" {
			wrong = append(wrong, violation{fmt.Sprintf("%s[%q]", path, name), what})
			continue
		}
		if n > 0 {
			out[name] = n
		}
	}
	if len(wrong) > 0 {
		return nil, violated(wrong)
	}
	return out, nil
}

// amount is one quantity in base units, or what is wrong with it.
func amount(name, text string) (n int64, wrong string) {
	if name == podsResource {
		return 0, "each pod takes one of pods by itself; leave it out"
	}
	if !quantityForm.MatchString(text) {
		return 0, fmt.Sprintf("%q is no quantity; expected a number with an optional unit, such as 8, 500m, 64Gi or 1e3", text)
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, fmt.Sprintf("%q is no quantity: %v", text, err)
	}
	if q.Sign() < 0 {
		return 0, fmt.Sprintf("%q is negative; expected zero or more", text)
	}
	unit, scale := "1", resource.Scale(0)
	if name == cpuResource {
		unit, scale = "1m", resource.Milli
	}
	if q.CmpInt64(maxAmount) > 0 || q.ScaledValue(scale) > maxAmount {
		return 0, fmt.Sprintf("%q is too large; expected at most %d of %s", text, int64(maxAmount), unit)
	}
	n = q.ScaledValue(scale)
	if q.Cmp(*resource.NewScaledQuantity(n, scale)) != 0 {
		return 0, fmt.Sprintf("%q is finer than %s; expected whole multiples of it", text, unit)
	}
	return n, ""
}

// quantity is an amount in base units in Kubernetes' notation, without the
// decimal suffixes that make a count of devices hard to read.
func quantity(name string, n int64) string {
	switch {
	case name == cpuResource && n%1000 != 0:
		return strconv.FormatInt(n, 10) + "m"
	case name == cpuResource:
		return strconv.FormatInt(n/1000, 10)
	case n%1024 == 0 && (name == "memory" || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-")):
		return resource.NewQuantity(n, resource.BinarySI).String()
	}
	return strconv.FormatInt(n, 10)
}
