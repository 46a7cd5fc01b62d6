package gang

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	batchv1 "k8s.io/api/batch/v1"
	sigsjson "sigs.k8s.io/json"
)

// readJob reads a batch/v1 Job as one gang of one pod set, "main", Kueue's name for
// it. Its size is the lesser of parallelism and completions, as in Kueue
// (pkg/controller/jobs/job).
func readJob(d document) (Gang, error) {
	j := jobDocument{document: d, who: describe(d)}
	if err := j.placeholders(); err != nil {
		return Gang{}, err
	}
	job, err := j.decode()
	if err != nil {
		return Gang{}, err
	}
	count, err := j.count(job)
	if err != nil {
		return Gang{}, err
	}
	requests, filter, err := PodShape(&job.Spec.Template.Spec)
	if err != nil {
		return Gang{}, j.fail(podSpecPath, "%s", err)
	}
	if err := j.unmodelled(&job.Spec.Template.Spec); err != nil {
		return Gang{}, err
	}
	asked, err := j.annotations(job.Spec.Template.Annotations)
	if err != nil {
		return Gang{}, err
	}
	g := Gang{
		Ref:    Ref{Namespace: job.Namespace, Name: job.Name, UID: string(job.UID)},
		Policy: asked.policy,
		PodSets: []PodSet{{
			Name: "main", Count: count, Requests: requests, Filter: filter,
			Constraint: asked.constraint, Slices: asked.slices, MaxPerNode: portLimit(&job.Spec.Template.Spec),
		}},
		Origin: Origin{File: d.file, Convention: "job", Kind: "Job", lines: j.lines()},
	}
	if g.Ref.Name == "" {
		g.Origin.GenerateName = job.GenerateName
	}
	g.Origin.Notes = j.notes(job)
	return g, nil
}

const (
	specPath     = "spec"
	templatePath = "spec.template"
	podSpecPath  = "spec.template.spec"
)

// jobDocument is a Job's YAML and how a message names it.
type jobDocument struct {
	document
	who string
}

// fail is an error about a field of the Job, by its path.
func (j jobDocument) fail(path, format string, args ...any) error {
	return &Error{File: j.file, Line: lineOfPath(j.root, path), Msg: j.who + ": " + path + ": " + fmt.Sprintf(format, args...)}
}

// decode is strict, as kubectl is: a misspelt parallelism would be a gang of one.
func (j jobDocument) decode() (*batchv1.Job, error) {
	var tree any
	if err := j.root.Decode(&tree); err != nil {
		return nil, &Error{File: j.file, Line: j.root.Line, Msg: j.who + ": " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return nil, &Error{File: j.file, Line: j.root.Line, Msg: j.who + ": a key is no word: " + err.Error()}
	}
	var job batchv1.Job
	unknown, err := sigsjson.UnmarshalStrict(raw, &job)
	if err != nil {
		return nil, j.decodeError(err)
	}
	if len(unknown) > 0 {
		path := fieldIn(unknown[0])
		return nil, &Error{File: j.file, Line: lineOfPath(j.root, path), Msg: j.who + ": " + unknown[0].Error()}
	}
	return &job, nil
}

var quoted = regexp.MustCompile(`field "([^"]+)"`)

func fieldIn(err error) string {
	if m := quoted.FindStringSubmatch(err.Error()); m != nil {
		return m[1]
	}
	return ""
}

// decodeError puts a wrong type into words with the field's path.
func (j jobDocument) decodeError(err error) error {
	if typeError, ok := err.(*json.UnmarshalTypeError); ok { //nolint:errorlint // the decoder returns it bare
		return j.fail(typeError.Field, "expected %s, got a %s", typeWord(typeError.Type.String()), typeError.Value)
	}
	msg := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "error unmarshaling JSON: ")
	return &Error{File: j.file, Line: j.root.Line, Msg: j.who + ": " + msg}
}

func typeWord(goType string) string {
	switch {
	case strings.HasPrefix(goType, "int"):
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

func (j jobDocument) count(job *batchv1.Job) (int32, error) {
	count := int32(1)
	if p := job.Spec.Parallelism; p != nil {
		count = *p
	}
	if count < 1 {
		return 0, j.fail("spec.parallelism", "%d makes no gang; expected 1 or more", count)
	}
	if c := job.Spec.Completions; c != nil && *c < count {
		count = *c
	}
	if count < 1 {
		return 0, j.fail("spec.completions", "%d makes no gang; expected 1 or more", count)
	}
	return count, nil
}

// placeholders refuses a manifest whose template was not rendered.
func (j jobDocument) placeholders() error {
	var find func(n *yaml.Node, depth int) *yaml.Node
	find = func(n *yaml.Node, depth int) *yaml.Node {
		if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "{{") && strings.Contains(n.Value, "}}") {
			return n
		}
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && mayHoldBraces(n.Content[i-1].Value) {
				continue
			}
			if found := find(c, depth+1); found != nil {
				return found
			}
		}
		return nil
	}
	if n := find(j.root, 0); n != nil {
		return &Error{File: j.file, Line: n.Line, Msg: fmt.Sprintf("%s: a template placeholder is left: %q", j.who, n.Value),
			Hint: "render it first, for example with helm template"}
	}
	return nil
}

// mayHoldBraces are keys whose text is a program's own business.
func mayHoldBraces(key string) bool {
	switch key {
	case "command", "args", "env", "description":
		return true
	}
	return false
}

// lines says where the Job says what the contract's fields say, so that an error
// about a field finds its line.
func (j jobDocument) lines() map[string]int {
	lines := map[string]int{
		"":                               j.root.Line,
		"gang":                           lineOfPath(j.root, "metadata"),
		"gang.namespace":                 lineOfPath(j.root, "metadata.namespace"),
		"gang.name":                      lineOfPath(j.root, "metadata.name"),
		"pod_sets":                       lineOfPath(j.root, specPath),
		"pod_sets[0].count":              lineOfPath(j.root, "spec.parallelism"),
		"pod_sets[0].filter":             lineOfPath(j.root, podSpecPath),
		"pod_sets[0]":                    lineOfPath(j.root, templatePath),
		"pod_sets[0].filter.tolerations": lineOfPath(j.root, podSpecPath+".tolerations"),
		"pod_sets[0].filter.labels":      lineOfPath(j.root, podSpecPath+".nodeSelector"),
		"pod_sets[0].filter.terms":       lineOfPath(j.root, podSpecPath+".affinity"),
		"pod_sets[0].filter.preferred":   lineOfPath(j.root, podSpecPath+".affinity"),
		"pod_sets[0].requests":           lineOfPath(j.root, podSpecPath+".containers"),
	}
	for field, keys := range map[string][]string{
		"pod_sets[0].constraint.required_layer":  {ownRequired, kueueRequired},
		"pod_sets[0].constraint.preferred_layer": {ownPreferred, kueuePreferred},
		"pod_sets[0].constraint.unconstrained":   {kueueUnconstrained},
		"pod_sets[0].slices":                     {kueueSliceRequired, kueueSliceConstraints, kueueSliceSize},
		"policy":                                 {ownPolicy},
	} {
		for _, key := range keys {
			if n := at(j.root, "spec", "template", "metadata", "annotations", key); n != nil {
				lines[field] = n.Line
				break
			}
		}
	}
	return lines
}

// lineOfPath follows a dotted path as far as it goes; list indices and what follows
// them are left out.
func lineOfPath(root *yaml.Node, path string) int {
	path, _, _ = strings.Cut(path, "[")
	return lineAt(root, strings.Split(path, ".")...)
}
