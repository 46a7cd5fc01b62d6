package file

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hopwise/hopwise/server/cluster"
)

// DefaultMaxBytes is the most that one file may hold unless Options say otherwise:
// some ten thousand whole node objects as kubectl prints them.
const DefaultMaxBytes = 256 << 20

// Options are how files are read and followed. The zero value is good.
type Options struct {
	MaxBytes int64         // the most one file may hold; 0 means DefaultMaxBytes
	Settle   time.Duration // how long files must be quiet before they are read; 0 means 100 ms
	Poll     time.Duration // how often files are looked at where no notice comes (network file systems); 0 means 15 s
	Stdin    io.Reader     // what the path "-" reads; nil means the process's
	// OnStatus is called from Run's goroutine when files were read anew, well or not,
	// and when one vanished or came back.
	OnStatus func(Status)
}

// Status is how a source is doing, for health, log and metric.
type Status struct {
	Files    []string
	LastGood time.Time // when the state in force was last confirmed by the files
	// Err says why the files as they now are cannot be used, with file and place;
	// nil while all is well. The state of LastGood stays in force.
	Err      error
	Failures int // readings that ended in an error, since the start
	Nodes    int
	Pods     int
	Warnings []string
}

// Source is nodes and pods out of files. Its files and state belong to Open and then
// to Run's goroutine; Status may be called from anywhere.
type Source struct {
	opts  Options
	files []*loaded
	start *state // as at Open: the scheme in force is its
	now   *state

	mu     sync.Mutex
	status Status
}

// Open reads all files, "-" being standard input, which is read once. Any file that
// cannot be used is an error (*Error, with its place), and nothing is opened then.
func Open(paths []string, opts Options) (*Source, error) {
	if len(paths) == 0 {
		return nil, errors.New("no files given; expected at least one with nodes")
	}
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.Settle <= 0 {
		opts.Settle = 100 * time.Millisecond
	}
	if opts.Poll <= 0 {
		opts.Poll = 15 * time.Second
	}
	if opts.Stdin == nil {
		opts.Stdin = os.Stdin
	}
	s := &Source{opts: opts}
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			return nil, inFile(path, 0, errors.New("the file is given twice"))
		}
		if err := s.open(path); err != nil {
			return nil, err
		}
	}
	first, err := join(s.contents(), nil)
	if err != nil {
		return nil, err
	}
	s.start, s.now = first, first
	s.status.Files = slices.Clone(paths)
	s.note(nil, nil)
	return s, nil
}

func (s *Source) open(path string) error {
	l := &loaded{path: path}
	if path != "-" {
		if _, err := l.refresh(s.opts.MaxBytes); err != nil {
			return err
		}
		s.files = append(s.files, l)
		return nil
	}
	const name = "standard input"
	data, err := readAll(s.opts.Stdin, s.opts.MaxBytes)
	if err != nil {
		return inFile(name, 0, err)
	}
	l.content, err = parse(name, data)
	s.files = append(s.files, l)
	return err
}

// First is the whole state as Open found it.
func (s *Source) First() cluster.Delta { return s.start.whole() }

// Status is how the source is doing now.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	status.Warnings = slices.Clone(status.Warnings)
	status.Files = slices.Clone(status.Files)
	return status
}

func (s *Source) contents() []*content {
	all := make([]*content, len(s.files))
	for i, l := range s.files {
		all[i] = l.content
	}
	return all
}

// look reads what changed. It delivers what is new only if every file is good: a
// state of one new and one broken file was never anybody's.
func (s *Source) look(deliver func(cluster.Delta)) {
	var firstErr error
	anyRead := false
	for _, l := range s.files {
		if l.path == "-" {
			continue
		}
		read, err := l.refresh(s.opts.MaxBytes)
		anyRead = anyRead || read
		if firstErr == nil {
			firstErr = err
		}
	}
	hadErr := s.Status().Err
	if firstErr == nil && !anyRead && hadErr == nil {
		s.note(nil, nil)
		return
	}
	var next *state
	if firstErr == nil {
		next, firstErr = join(s.contents(), s.start)
	}
	if firstErr == nil {
		d := next.since(s.now)
		told := slices.Equal(next.warnings, s.now.warnings)
		s.now = next
		if !empty(d) || !told {
			deliver(d)
		}
	}
	if !anyRead && firstErr != nil && hadErr != nil && firstErr.Error() == hadErr.Error() {
		return // told already
	}
	s.note(firstErr, s.opts.OnStatus)
}

// note records a look's end and tells of it.
func (s *Source) note(err error, tell func(Status)) {
	s.mu.Lock()
	s.status.Err = err
	if err == nil {
		s.status.LastGood = time.Now()
	} else {
		s.status.Failures++
	}
	s.status.Nodes, s.status.Pods, s.status.Warnings = len(s.now.nodes), len(s.now.pods), s.now.warnings
	s.mu.Unlock()
	if tell != nil {
		tell(s.Status())
	}
}
