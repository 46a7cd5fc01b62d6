package file

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// mostHosts bounds what one file's host lists may name: a few characters can ask for
// billions.
const mostHosts = 1_000_000

// expand is the names of a host list: names divided by commas, with ranges in
// brackets ("node[1101-1118]", "r[1-2]n[01-08]", "a,b[3,5-7]"). Numbers keep the
// width in which a range's start is written. The names come in the written order.
func expand(list string, most int) ([]string, error) {
	var names []string
	for _, part := range commas(list) {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, fmt.Errorf("host list %q has an empty name", list)
		}
		some, err := expandOne(part, most-len(names))
		if err != nil {
			return nil, fmt.Errorf("host list %q: %w", list, err)
		}
		names = append(names, some...)
	}
	return names, nil
}

// commas cuts at commas outside brackets.
func commas(list string) []string {
	var parts []string
	start, inside := 0, false
	for i, r := range list {
		switch {
		case r == '[':
			inside = true
		case r == ']':
			inside = false
		case r == ',' && !inside:
			parts = append(parts, list[start:i])
			start = i + 1
		}
	}
	return append(parts, list[start:])
}

func expandOne(pattern string, most int) ([]string, error) {
	names := []string{""}
	for pattern != "" {
		open := strings.IndexAny(pattern, "[]")
		if open < 0 {
			open = len(pattern)
		}
		values, rest := []string{""}, ""
		if open < len(pattern) {
			if pattern[open] == ']' {
				return nil, errors.New(`"]" without "[" before it`)
			}
			inner, after, closed := strings.Cut(pattern[open+1:], "]")
			if !closed {
				return nil, errors.New(`"[" is not closed`)
			}
			var err error
			if values, err = ranges(inner, most); err != nil {
				return nil, err
			}
			rest = after
		}
		if len(names)*len(values) > most {
			return nil, fmt.Errorf("it names more than %d hosts", mostHosts)
		}
		grown := make([]string, 0, len(names)*len(values))
		for _, head := range names {
			for _, value := range values {
				grown = append(grown, head+pattern[:open]+value)
			}
		}
		names, pattern = grown, rest
	}
	for _, name := range names[:1] { // the rest differ in digits only
		if err := checkName("name", name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func ranges(inner string, most int) ([]string, error) {
	var values []string
	for _, part := range strings.Split(inner, ",") {
		low, high, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			high = low
		}
		from, errLow := strconv.ParseUint(low, 10, 63)
		to, errHigh := strconv.ParseUint(high, 10, 63)
		if errLow != nil || errHigh != nil {
			return nil, fmt.Errorf("%q is no number and no range as 01-08", part)
		}
		if to < from {
			return nil, fmt.Errorf("the range %q runs backwards", part)
		}
		if most <= len(values) || to-from >= uint64(most-len(values)) {
			return nil, fmt.Errorf("it names more than %d hosts", mostHosts)
		}
		for n := from; n <= to; n++ {
			values = append(values, fmt.Sprintf("%0*d", len(low), n))
		}
	}
	return values, nil
}
