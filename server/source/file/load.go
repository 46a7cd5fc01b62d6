package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// stamp tells whether a path still leads to the same bytes: another file in its
// place, another length or another time is a change.
type stamp struct{ info fs.FileInfo }

func (s stamp) same(o stamp) bool {
	return s.info != nil && o.info != nil && os.SameFile(s.info, o.info) &&
		s.info.Size() == o.info.Size() && s.info.ModTime().Equal(o.info.ModTime())
}

// loaded is a file as last read.
type loaded struct {
	path    string
	stamp   stamp
	failed  *stamp   // bytes that could not be read as they were; not tried again
	err     error    // why
	content *content // of the last good reading
}

var errReplaced = errors.New("the file was changed while it was read; it will be read again")

// refresh reads the file anew if it is another than last time. It returns whether
// it read, and what is wrong with the file as it now is.
func (l *loaded) refresh(limit int64) (read bool, err error) {
	info, err := os.Stat(l.path)
	if err != nil {
		l.failed = nil
		return false, inFile(l.path, 0, bare(err))
	}
	now := stamp{info}
	if l.content != nil && now.same(l.stamp) {
		l.failed = nil // back to what was read well
		return false, nil
	}
	if l.failed != nil && now.same(*l.failed) {
		return false, l.err
	}
	c, got, err := readFile(l.path, limit)
	if err != nil {
		l.err, l.failed = err, &got
		if errors.Is(err, errReplaced) {
			l.failed = nil
		}
		return true, err
	}
	l.content, l.stamp, l.failed, l.err = c, got, nil, nil
	return true, nil
}

// readFile reads and parses; the stamp is that of the bytes that were read.
func readFile(path string, limit int64) (*content, stamp, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, stamp{}, inFile(path, 0, bare(err))
	}
	defer func() { _ = f.Close() }() // only read from: nothing to lose
	before, err := f.Stat()
	if err != nil {
		return nil, stamp{}, inFile(path, 0, bare(err))
	}
	s := stamp{before}
	if before.IsDir() {
		return nil, s, inFile(path, 0, errors.New("it is a directory; expected a file"))
	}
	data, err := readAll(f, limit)
	if err != nil {
		return nil, s, inFile(path, 0, err)
	}
	after, err := os.Stat(path)
	if before.Mode().IsRegular() && (err != nil || !s.same(stamp{after})) {
		return nil, s, inFile(path, 0, errReplaced)
	}
	c, err := parse(path, data)
	return c, s, err
}

// readAll reads at most limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, bare(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes, the limit for one file", limit)
	}
	return data, nil
}

// bare takes the path out of the system's error: inFile tells it, printed safely.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("cannot be read: %w", p.Err)
	}
	return err
}
