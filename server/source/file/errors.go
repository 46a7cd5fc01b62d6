package file

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says what is wrong with an input and where.
type Error struct {
	File   string
	Line   int    // 1-based; 0 where unknown
	Column int    // 1-based, in bytes; 0 where unknown
	Where  string // the place inside the document, "items[3] (Node \"a\")"; may be empty
	Err    error
}

// Error is "file:line:column: where: what".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(safe(e.File))
	if e.Line > 0 {
		b.WriteString(":" + strconv.Itoa(e.Line))
		if e.Column > 0 {
			b.WriteString(":" + strconv.Itoa(e.Column))
		}
	}
	if e.Where != "" {
		b.WriteString(": " + e.Where)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap gives what is wrong without the place.
func (e *Error) Unwrap() error { return e.Err }

// at puts a place inside the document before err's own.
func at(where string, err error) error {
	var inner *Error
	if errors.As(err, &inner) {
		joined := *inner
		joined.Where = strings.TrimSuffix(where+": "+inner.Where, ": ")
		return &joined
	}
	return &Error{Where: where, Err: err}
}

// inFile names the file that err is about, and the line where its document starts if
// the error knows no line of its own.
func inFile(name string, line int, err error) error {
	var inner *Error
	if !errors.As(err, &inner) {
		return &Error{File: name, Line: line, Err: err}
	}
	placed := *inner
	placed.File = name
	if placed.Line == 0 {
		placed.Line = line
	}
	return &placed
}

// safe is text that a terminal may show: quoted where it holds a control
// character, an escape or bytes that are no text.
func safe(text string) string {
	for _, r := range text {
		if !shows(r) {
			return strconv.Quote(text)
		}
	}
	if !utf8.ValidString(text) {
		return strconv.Quote(text)
	}
	return text
}

// shows says that a character stands for itself: no control, no direction mark.
func shows(r rune) bool {
	return r != utf8.RuneError && (unicode.IsPrint(r))
}

const (
	maxName = 253              // Kubernetes' bound for the names of objects
	maxKey  = maxName + 1 + 63 // and for label keys: a prefix, a slash, a name
	maxText = 4096             // for label values; Kubernetes allows 63, annotations are longer
)

// checkName refuses names that could not be told apart or printed.
func checkName(what, name string) error { return checkWord(what, name, maxName) }

func checkWord(what, name string, most int) error {
	switch {
	case name == "":
		return fmt.Errorf("%s is empty", what)
	case len(name) > most:
		return fmt.Errorf("%s is %d bytes long, at most %d are allowed: %.40q…", what, len(name), most, name)
	case !utf8.ValidString(name):
		return fmt.Errorf("%s %q is not UTF-8 text", what, name)
	}
	for _, r := range name {
		if !shows(r) || unicode.IsSpace(r) {
			return fmt.Errorf("%s %q holds a blank or control character", what, name)
		}
	}
	return nil
}

// checkLabels refuses keys and values that cannot be printed safely.
func checkLabels(what string, labels map[string]string) error {
	for key, value := range labels {
		if err := checkWord(what+" key", key, maxKey); err != nil {
			return err
		}
		if len(value) > maxText {
			return fmt.Errorf("%s %s: the value is %d bytes long, at most %d are allowed", what, key, len(value), maxText)
		}
		if safe(value) != value {
			return fmt.Errorf("%s %s: the value %q holds a control character", what, key, value)
		}
	}
	return nil
}

// clip bounds a list in a message.
func clip(names []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for i, name := range names {
		if i == most {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d more", len(names)-most)
		}
		quoted = append(quoted, safe(name))
	}
	return strings.Join(quoted, ", ")
}
