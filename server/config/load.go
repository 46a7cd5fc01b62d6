package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds the configuration file: far above any that a person wrote.
const maxFile = 1 << 20

// Load reads and checks a file. Keys that it leaves out keep their defaults;
// an unknown key, a second document or a value out of bounds is an error that
// says where.
func Load(path string) (Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Config{}, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(data) > maxFile {
		return Config{}, fmt.Errorf("%s: more than %d bytes; that is no configuration of hopwised", path, maxFile)
	}
	return Parse(path, data)
}

// Parse is Load for a file's content; path names it in errors and is where
// relative paths start.
func Parse(path string, data []byte) (Config, error) {
	c := Default()
	if err := decode(path, data, &c); err != nil {
		return Config{}, err
	}
	for i, p := range c.Source.Paths {
		if p != "-" && !filepath.IsAbs(p) {
			c.Source.Paths[i] = filepath.Join(filepath.Dir(path), p)
		}
	}
	if !filepath.IsAbs(c.Ledger.DataDir) {
		c.Ledger.DataDir = filepath.Join(filepath.Dir(path), c.Ledger.DataDir)
	}
	if err := c.Check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func decode(path string, data []byte, into *Config) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return reword(path, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: more than one document; expected a single one", path)
	}
	return nil
}

var (
	unknownKey = regexp.MustCompile(`^line (\d+): field (.*) not found in type (.*)$`)
	atLine     = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
)

// reword turns the YAML library's words, which name Go types, into file:line
// and what was expected.
func reword(path string, err error) error {
	lines := []string{err.Error()}
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		lines = typed.Errors
	}
	for i, l := range lines {
		switch m, n := unknownKey.FindStringSubmatch(l), atLine.FindStringSubmatch(l); {
		case m != nil:
			lines[i] = fmt.Sprintf("%s:%s: unknown key %q; known here: %s", path, m[1], m[2], strings.Join(keys(m[3]), ", "))
		case n != nil:
			lines[i] = fmt.Sprintf("%s:%s: %s", path, n[1], n[2])
		default:
			lines[i] = fmt.Sprintf("%s: %s", path, strings.TrimPrefix(l, "yaml: "))
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// keys lists the YAML keys of the section that the library calls by its Go type.
func keys(goType string) []string {
	section := reflect.TypeFor[Config]()
	for i := range section.NumField() {
		if t := section.Field(i).Type; t.String() == goType {
			section = t
			break
		}
	}
	names := make([]string, section.NumField())
	for i := range names {
		names[i] = section.Field(i).Tag.Get("yaml")
	}
	return names
}
