package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var digits = regexp.MustCompile(`\d+`)

// cut divides a name into text and numbers in turn: text first and last.
func cut(name string) (texts, numbers []string) {
	return digits.Split(name, -1), digits.FindAllString(name, -1)
}

// fold writes names in their order as ranges: "ip-10-1-0-[11-13,20]". Only one
// number of a name varies within one pair of brackets, as in Slurm's host lists.
func fold(names []string) []string {
	var out []string
	for i := 0; i < len(names); {
		end, place := sameButOne(names[i:])
		if end < 2 {
			out = append(out, names[i])
			i++
			continue
		}
		out = append(out, bracket(names[i:i+end], place))
		i += end
	}
	return out
}

// sameButOne is how many of the first names differ in one number only, and which.
func sameButOne(names []string) (count, place int) {
	texts, numbers := cut(names[0])
	place = -1
	for i := 1; i < len(names); i++ {
		t, n := cut(names[i])
		if !slices.Equal(t, texts) {
			return i, place
		}
		for k := range n {
			if n[k] == numbers[k] {
				continue
			}
			// A longer number is the same kind only without leading zeros.
			padded := len(n[k]) != len(numbers[k]) && (n[k][0] == '0' || numbers[k][0] == '0')
			if (place >= 0 && place != k) || padded || len(n[k]) > 18 {
				return i, place
			}
			place = k
		}
		if place < 0 || n[place] == numbers[place] {
			return i, place // the same name again
		}
	}
	return len(names), place
}

func bracket(names []string, place int) string {
	values := make([]string, len(names))
	for i, name := range names {
		_, numbers := cut(name)
		values[i] = numbers[place]
	}
	at := digits.FindAllStringIndex(names[0], -1)[place]
	return names[0][:at[0]] + "[" + ranges(values) + "]" + names[0][at[1]:]
}

// ranges joins numbers in their order: 3, 5, 6, 7 is "3,5-7".
func ranges(values []string) string {
	var parts []string
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && follows(values[j], values[j+1]) {
			j++
		}
		if j > i {
			parts = append(parts, values[i]+"-"+values[j])
		} else {
			parts = append(parts, values[i])
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func follows(a, b string) bool {
	x, err1 := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	return err1 == nil && err2 == nil && y == x+1
}

// span writes ranks from first on, count of them.
func span(first, count int32) string {
	if count == 1 {
		return strconv.Itoa(int(first))
	}
	return fmt.Sprintf("%d-%d", first, first+count-1)
}

// maxUnfolded bounds what a list of nodes may open to.
const maxUnfolded = 100_000

var bracketed = regexp.MustCompile(`^([^\[\]]*)\[([0-9,-]+)\]([^\[\]]*)$`)

// unfold reads what fold writes, names and ranges separated by commas.
func unfold(list string) ([]string, error) {
	var names []string
	for _, part := range splitOutside(list) {
		part = strings.TrimSpace(part)
		m := bracketed.FindStringSubmatch(part)
		switch {
		case part == "":
			return nil, usage("an empty name in the list of nodes %q", list)
		case m == nil && strings.ContainsAny(part, "[]"):
			return nil, usage("%q is no range of nodes; expected one such as ip-10-1-0-[11-13,20]", part)
		case m == nil:
			names = append(names, part)
			continue
		}
		numbers, err := unrange(m[2], part)
		if err != nil {
			return nil, err
		}
		for _, n := range numbers {
			names = append(names, m[1]+n+m[3])
		}
		if len(names) > maxUnfolded {
			return nil, usage("more than %d nodes in the list", maxUnfolded)
		}
	}
	return names, nil
}

// splitOutside splits at the commas that are in no brackets.
func splitOutside(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i, r := range list {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, list[start:i])
			start = i + 1
		}
	}
	return append(parts, list[start:])
}

func unrange(list, whole string) ([]string, error) {
	var out []string
	for _, part := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, err1 := strconv.ParseInt(from, 10, 64)
		b, err2 := strconv.ParseInt(to, 10, 64)
		if err1 != nil || err2 != nil || b < a || b-a >= maxUnfolded {
			return nil, usage("%q in %q is no range of numbers", part, whole)
		}
		for n := a; n <= b; n++ {
			out = append(out, fmt.Sprintf("%0*d", len(from), n))
		}
	}
	return out, nil
}
