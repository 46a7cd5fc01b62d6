package placertest

import (
	"fmt"
	"net/url"
	"strings"
)

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// escape writes a name so that it is one token of the text form: what is not
// plain becomes %XX, and the empty name a lone %.
func escape(name string) string { return escapeBut(name, "") }

// escapeKey is escape for keys and resources, where a slash is no separator.
func escapeKey(name string) string { return escapeBut(name, "/") }

func escapeBut(name, also string) string {
	if name == "" {
		return "%"
	}
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; strings.IndexByte(plain, c) >= 0 || strings.IndexByte(also, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func unescape(token string) (string, error) {
	if token == "%" || token == "" {
		return "", nil
	}
	name, err := url.PathUnescape(token)
	if err != nil {
		return "", fmt.Errorf("name %q: %w", token, err)
	}
	return name, nil
}

// formatPath writes a path from the root down; "-" is the empty one.
func formatPath(path []string) string {
	if len(path) == 0 {
		return "-"
	}
	parts := make([]string, len(path))
	for i, name := range path {
		parts[i] = escape(name)
	}
	return strings.Join(parts, "/")
}

func parsePath(token string) ([]string, error) {
	if token == "-" {
		return nil, nil
	}
	var path []string
	for part := range strings.SplitSeq(token, "/") {
		name, err := unescape(part)
		if err != nil {
			return nil, err
		}
		path = append(path, name)
	}
	return path, nil
}
