package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// style is how text may look: box drawing and colour only where a person reads it.
type style struct {
	box    bool // may hold box drawing and other typography
	colour bool
}

func newStyle(terminal bool, env func(string) string) style {
	return style{box: terminal, colour: terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"}
}

// paint is an ANSI colour.
type paint string

const (
	plain  paint = ""
	bold   paint = "1"
	dim    paint = "2"
	red    paint = "31"
	green  paint = "32"
	yellow paint = "33"
	cyan   paint = "36"
)

func (s style) paint(p paint, text string) string {
	if !s.colour || p == plain || text == "" {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}

// typography are the few signs that hopwise's own texts use, and their plain form.
var typography = strings.NewReplacer("…", "...", "·", "|", "–", "-", "—", "-", "→", "->", "×", "x",
	"├─", "|-", "└─", "`-", "│", "|", "“", `"`, "”", `"`, "’", "'", "≥", ">=", "≤", "<=")

// ascii is text as it may be written: typography only with box.
func (s style) ascii(text string) string {
	if s.box {
		return text
	}
	text = typography.Replace(text)
	return escape(text, func(r rune) bool { return r < utf8.RuneSelf })
}

// separator stands between parts of one line.
func (s style) separator() string {
	if s.box {
		return "   ·   "
	}
	return "   |   "
}

// safe is a name as it may be shown: no control character, terminal escape or sign
// that turns the direction of the text gets through.
func safe(name string) string { return escape(name, printable) }

// safeLines is safe for text of several lines.
func safeLines(text string) string {
	return escape(text, func(r rune) bool { return r == '\n' || printable(r) })
}

func printable(r rune) bool { return unicode.IsPrint(r) || r == ' ' }

func escape(text string, keep func(rune) bool) string {
	clean := true
	for _, r := range text {
		if r == utf8.RuneError || !keep(r) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case keep(r) && r != utf8.RuneError:
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
