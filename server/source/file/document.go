package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// document is one YAML document or JSON value of a file, as JSON.
type document struct {
	line int // where it starts in its file
	json json.RawMessage
	yaml []byte // the document's text where it is YAML
}

// split cuts a file into documents: JSON values one after another (the answers of
// a paged command, concatenated), or YAML documents between "---". Empty documents
// are left out; a file without any is an error, since half-written files look so.
func split(data []byte) ([]document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("the file is UTF-16 (a Windows shell's redirection writes so); expected UTF-8")
	}
	if !utf8.Valid(data) {
		return nil, &Error{Line: badLine(data), Err: errors.New("not UTF-8 text; expected YAML or JSON")}
	}
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, errors.New("the file is empty; expected Kubernetes nodes or pods, an EC2 instance topology or a topograph model")
	}
	var docs []document
	var err error
	if trimmed[0] == '{' || trimmed[0] == '[' {
		docs, err = splitJSON(data)
		if err != nil { // YAML may begin with a brace too
			if flow, yamlErr := splitYAML(data); yamlErr == nil {
				docs, err = flow, nil
			}
		}
	} else {
		docs, err = splitYAML(data)
	}
	if err == nil && len(docs) == 0 {
		err = errors.New("the file holds no document, only comments or separators")
	}
	return docs, err
}

func badLine(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}

func splitJSON(data []byte) ([]document, error) {
	var docs []document
	dec := json.NewDecoder(bytes.NewReader(data))
	lines := &lineCounter{data: data}
	for {
		start := int(dec.InputOffset())
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, jsonError(data, err)
		}
		for start < len(data) && bytes.IndexByte([]byte(" \t\r\n"), data[start]) >= 0 {
			start++
		}
		docs = append(docs, document{line: lines.at(start), json: raw})
	}
}

// lineCounter tells the line of rising offsets in one pass.
type lineCounter struct {
	data []byte
	pos  int
	seen int
}

func (c *lineCounter) at(offset int) int {
	c.seen += bytes.Count(c.data[c.pos:offset], []byte{'\n'})
	c.pos = offset
	return c.seen + 1
}

// jsonError puts line and column to a decoder's offset.
func jsonError(data []byte, err error) error {
	offset := int64(-1)
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset, err = int64(len(data)), errors.New("the JSON ends in the middle; is the file still being written?")
	case errors.As(err, &syntax):
		offset = syntax.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return fmt.Errorf("not JSON: %w", err)
	}
	before := data[:offset]
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return &Error{Line: bytes.Count(before, []byte{'\n'}) + 1, Column: max(column, 1), Err: fmt.Errorf("not JSON: %w", err)}
}

// splitYAML cuts at lines that begin with "---".
func splitYAML(data []byte) ([]document, error) {
	var docs []document
	start, line, first := 0, 1, 1
	flush := func(end int) error {
		doc, err := convertYAML(data[start:end], first)
		if err == nil && doc != nil {
			docs = append(docs, document{line: first, json: doc, yaml: data[start:end]})
		}
		return err
	}
	for pos := 0; pos < len(data); line++ {
		next := len(data)
		if i := bytes.IndexByte(data[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		if separates(data[pos:next]) {
			if err := flush(pos); err != nil {
				return nil, err
			}
			// What follows the dashes on their line belongs to the new document.
			start, first = pos+3, line
		}
		pos = next
	}
	if err := flush(len(data)); err != nil {
		return nil, err
	}
	return docs, nil
}

func separates(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\r\n"), line[3]) >= 0)
}

var yamlLine = regexp.MustCompile(`line (\d+)(: )?`)

// convertYAML is nil for a document without content. A key given twice is an error.
func convertYAML(text []byte, first int) (json.RawMessage, error) {
	raw, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return nil, yamlError(err, first)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return raw, nil
}

// yamlError moves the parser's line, which counts from the document's start, into
// the file.
func yamlError(err error, first int) error {
	text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	text = strings.TrimPrefix(text, "yaml: ")
	placed := &Error{Line: first}
	if m := yamlLine.FindStringSubmatchIndex(text); m != nil {
		if n, convErr := strconv.Atoi(text[m[2]:m[3]]); convErr == nil {
			placed.Line = first + n - 1
			text = text[:m[0]] + text[m[1]:]
			if strings.HasPrefix(text, "did not find expected") {
				placed.Line++ // the parser, unlike the scanner, counts lines from 0
			}
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	placed.Err = fmt.Errorf("not YAML: %s", safe(text))
	return placed
}
