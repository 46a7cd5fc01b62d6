package file

import (
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"
)

// mostPlain bounds what aliases may unfold to.
const mostPlain = 4 * mostHosts

// plainJSON is a YAML document as JSON with every scalar as it is written: topograph
// reads its names so, and the other reading makes 0101 a number and n a truth value.
// It is nil for documents that only the other reading can take.
func plainJSON(yamlText []byte) (json.RawMessage, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(yamlText, &doc); err != nil || len(doc.Content) != 1 {
		return nil, nil // the other reading took it: leave it that
	}
	left := mostPlain
	value, err := plain(doc.Content[0], &left)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, nil
	}
	return json.Marshal(value)
}

var errTooMuch = errors.New("the document unfolds to more than a file may hold; expected fewer aliases")

func plain(n *yaml.Node, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, errTooMuch
	}
	switch n.Kind {
	case yaml.AliasNode:
		return plain(n.Alias, left)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			value, err := plain(item, left)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				return nil, errors.New("keys of the model must be texts, and merge keys (<<) are not read")
			}
			value, err := plain(n.Content[i+1], left)
			if err != nil {
				return nil, err
			}
			object[key.Value] = value
		}
		return object, nil
	}
	if n.Tag == "!!null" {
		return nil, nil
	}
	return n.Value, nil
}
