package gang

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	sigsjson "sigs.k8s.io/json"
)

// template is one pod template, of whatever kind of object.
type template struct {
	labels, annotations map[string]string
	spec                corev1.PodSpec
	// Where they stand, for messages.
	annotationsAt, specAt, at cursor
}

// template reads a pod template, or a Pod, which has the same two parts. A template
// that is not given is a fault: its pods would have no shape.
func (c cursor) template() template {
	if !c.given() {
		c.fail("expected a pod template (metadata, spec)")
		return template{annotationsAt: c, specAt: c, at: c}
	}
	t := c.at("spec").podSpec()
	t.at = c
	t.annotationsAt = c.at("metadata", "annotations")
	t.annotations = t.annotationsAt.words()
	t.labels = c.at("metadata", "labels").words()
	return t
}

// podSpec reads a pod spec strictly, as kubectl does: a misspelt nodeSelector would
// let the pods go anywhere.
func (c cursor) podSpec() template {
	t := template{specAt: c, annotationsAt: c, at: c}
	if len(c.at("containers").items()) == 0 {
		c.fail("expected one container or more")
	}
	for _, key := range []string{"initContainers", "containers"} {
		for _, container := range c.at(key).items() {
			container.at("resources").quantities()
		}
	}
	c.at("resources").quantities()
	c.selector()
	if c.in.err != nil {
		return t
	}
	raw, err := json.Marshal(c.v)
	if err != nil {
		c.fail("%s", err)
		return t
	}
	c.decode(raw, &t.spec)
	return t
}

// decode fills a Kubernetes type and refuses fields that it has not.
func (c cursor) decode(raw []byte, into any) {
	unknown, err := sigsjson.UnmarshalStrict(raw, into)
	var typeError *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typeError):
		c.under(typeError.Field).fail("expected %s, got a %s", typeWord(typeError.Type.String()), typeError.Value)
	case err != nil:
		c.fail("%s", strings.TrimPrefix(err.Error(), "json: "))
	case len(unknown) > 0:
		field := fieldIn(unknown[0])
		c.under(field).fail("unknown field %q", field)
	}
}

// under follows a dotted path as the decoder writes it, up to its first index.
func (c cursor) under(dotted string) cursor {
	dotted, _, _ = strings.Cut(dotted, "[")
	here := c
	here.v = nil // only the place is wanted
	for _, key := range strings.Split(dotted, ".") {
		if key != "" {
			here = here.at(key)
		}
	}
	return here
}

var quoted = regexp.MustCompile(`field "([^"]+)"`)

func fieldIn(err error) string {
	if m := quoted.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

func typeWord(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "uint"):
		return "a whole number"
	case goType == "bool":
		return "true or false"
	case goType == "string":
		return "a string"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	}
	return "a mapping"
}

// quantities looks at each amount before the decoder, which would not say which one
// is wrong.
func (c cursor) quantities() {
	for _, list := range []string{"requests", "limits"} {
		for _, q := range c.at(list).entries() {
			if !q.given() {
				q.fail("expected a quantity such as 8, 500m or 64Gi, got nothing")
				return
			}
			text := valueWord(q.v)
			if s, ok := q.v.(string); ok {
				text = s
			} else if raw, err := json.Marshal(q.v); err == nil {
				text = string(raw)
			}
			if err := CheckQuantity(text); err != nil {
				q.fail("%s", err)
				return
			}
		}
	}
}

// named holds an object's name to what the API server takes: anything else mostly is
// a template's leftover, such as $NAME.
func (c cursor) named() {
	for _, key := range []string{"name", "namespace"} {
		name := c.at(key)
		if !name.given() {
			continue
		}
		if errs := validation.IsDNS1123Subdomain(name.text()); len(errs) > 0 {
			name.fail("%q is no name: %s", name.text(), errs[0])
		}
	}
}

// selector holds the node selector to what a label may be: anything else matches no
// node, and mostly is a template's leftover.
func (c cursor) selector() {
	for _, e := range c.at("nodeSelector").entries() {
		if errs := validation.IsQualifiedName(e.key()); len(errs) > 0 {
			e.fail("is no label key: %s", errs[0])
		}
		if errs := validation.IsValidLabelValue(e.text()); len(errs) > 0 {
			e.fail("%q is no label value: %s", e.text(), errs[0])
		}
	}
}
