package gang

import (
	"math"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// product is replicas times pods of each, refused where a gang cannot be so large.
func (w *workload) product(at cursor, a, b int32) int32 {
	n := int64(a) * int64(b)
	if n > math.MaxInt32 {
		at.fail("%d pods are more than a gang can have", n)
		return 0
	}
	return int32(n) //nolint:gosec // checked above
}

func (w *workload) sum(at cursor, a, b int32) int32 {
	n := int64(a) + int64(b)
	if n > math.MaxInt32 {
		at.fail("%d pods are more than a gang can have", n)
		return 0
	}
	return int32(n) //nolint:gosec // checked above
}

// maxCopies is the most gangs that one object may make: far above any cluster.
const maxCopies = 100_000

func (w *workload) holdCopies(at cursor) {
	if w.copies < 1 || w.copies > maxCopies {
		at.fail("%d makes no gang; expected 1 to %d", w.copies, maxCopies)
	}
}

// count reads a whole number from 1 up that stands in an annotation, as text.
func (c cursor) count(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		c.fail("expected a whole number from 1 up, got %q", text)
		return 0
	}
	return int32(n) //nolint:gosec // ParseInt holds it to 32 bits
}

// labelKey is a field whose value is a node label's key.
func (c cursor) labelKey() string {
	value := c.text()
	switch {
	case value == "":
	case strings.Contains(value, "="):
		c.fail("%q is a key=value pair; expected a node's label key alone", value)
	default:
		if errs := validation.IsQualifiedName(value); len(errs) > 0 {
			c.fail("%q is no label key", value)
		}
	}
	return value
}

// lower is how Kueue names pod sets.
func lower(s string) string { return strings.ToLower(s) }

func itoa(n int) string { return strconv.Itoa(n) }
