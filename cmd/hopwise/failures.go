package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hopwise/hopwise/clients/hopwise"
	"github.com/hopwise/hopwise/internal/gang"
)

// told puts a failed call into words that a person can act on.
func (a *app) told(err error) error {
	var e *hopwise.Error
	if !errors.As(err, &e) || e.Unreachable {
		return err
	}
	switch e.Reason {
	case "UNKNOWN_LAYER", "UNKNOWN_RESOURCE":
		return errors.New(unknownName(e))
	case "NOT_BUILT":
		return errors.New(withField(e.Metadata["field"], e.Message))
	case "INVALID_REQUEST":
		lines := make([]string, len(e.Violations))
		for i, v := range e.Violations {
			lines[i] = withField(v.Field, v.Description)
		}
		if len(lines) > 0 {
			return errors.New(strings.Join(lines, "\n"))
		}
	case "PLACEMENT_NOT_FOUND":
		return fmt.Errorf("%w\n  hopwise list shows what is placed", err)
	case "GANG_RELEASED":
		return fmt.Errorf("%w\n  place it as another incarnation: --uid ANY-NEW-WORD", err)
	case "GANG_CHANGED":
		return fmt.Errorf("%w\n  release it first, or ask for another name", err)
	}
	return err
}

// unknownName is what was asked for, what there is, and the likeliest one meant.
func unknownName(e *hopwise.Error) string {
	what, name := "layer of this topology", e.Metadata["layer"]
	if e.Reason == "UNKNOWN_RESOURCE" {
		what, name = "resource of this cluster", e.Metadata["resource"]
	}
	if name == "" {
		return e.Message
	}
	known := splitKnown(e.Metadata["known"])
	text := withField(e.Metadata["field"], fmt.Sprintf("%q is no %s", name, what))
	if len(known) == 0 {
		return text + "\n  there are none here"
	}
	text += "\n  there are: " + abbreviate(known)
	near := e.Metadata["nearest"]
	if near == "" {
		near = gang.Nearest(name, known)
	}
	if near != "" {
		text += " (did you mean " + near + "?)"
	}
	return text
}

func splitKnown(list string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }),
		func(s string) bool { return s == "" })
}

// abbreviate lists names in full up to a screenful.
func abbreviate(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func withField(field, text string) string {
	if field == "" || strings.HasPrefix(text, field) {
		return text
	}
	return field + ": " + text
}

// inFile puts the file's line before an error about a field of a request that was
// read from a file.
func (a *app) inFile(err error, o gang.Origin) error {
	var e *hopwise.Error
	if !errors.As(err, &e) || o.File == "" {
		return err
	}
	field := e.Metadata["field"]
	if field == "" && len(e.Violations) > 0 {
		field = e.Violations[0].Field
	}
	if field == "" {
		return err
	}
	line := o.Line(field)
	if line == 0 {
		return fmt.Errorf("%s: %w", o.File, a.told(err))
	}
	return fmt.Errorf("%s:%d: %w", o.File, line, a.told(err))
}
