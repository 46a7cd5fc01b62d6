package main

import (
	"bytes"
	"regexp"
	"sync"
	"testing"
	"time"
)

// watched is an output that another goroutine waits on.
type watched struct {
	mu     sync.Mutex
	buffer bytes.Buffer
	wrote  chan struct{} // one place: a note that something came, however much
}

func newWatched() *watched { return &watched{wrote: make(chan struct{}, 1)} }

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.wrote <- struct{}{}:
	default:
	}
	return w.buffer.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buffer.String()
}

// wait returns the first group of what is printed sooner or later.
func (w *watched) wait(t *testing.T, what *regexp.Regexp) string {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		if m := what.FindStringSubmatch(w.String()); m != nil {
			return m[1]
		}
		select {
		case <-w.wrote:
		case <-limit:
			t.Fatalf("%s was not printed:\n%s", what, w.String())
		}
	}
}
