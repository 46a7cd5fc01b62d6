package file

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/hopwise/hopwise/server/cluster"
)

// Run follows the files until ctx ends, and returns then without an error. Each delta
// holds what changed since the one before, First's to begin with; deliver is called
// from Run's goroutine, and files are not looked at meanwhile. Where the system
// cannot tell of changes, files are polled, and the error says so only if even that
// is not possible.
func (s *Source) Run(ctx context.Context, deliver func(cluster.Delta)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil { // out of inotify instances: polling is slower, not wrong
		follow(ctx, nil, s.opts, func() { s.look(deliver) })
		return nil
	}
	// One notice waiting is enough: a look sees all that happened before it.
	notices := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() { // ends when the watcher is closed, below
		defer close(done)
		forward(watcher, notices)
	}()
	s.watch(watcher)
	follow(ctx, notices, s.opts, func() {
		s.watch(watcher) // links may lead elsewhere now, folders may be new
		s.look(deliver)
	})
	closeErr := watcher.Close()
	<-done
	if closeErr != nil {
		return fmt.Errorf("end the watch of files: %w", closeErr)
	}
	return nil
}

// watch watches the folders of all files, not the files: an editor or a ConfigMap
// mount puts another file in the same place. Of a link, the folder of what it leads
// to is watched too. A folder that cannot be watched is left to polling.
func (s *Source) watch(w *fsnotify.Watcher) {
	for _, l := range s.files {
		if l.path == "-" {
			continue
		}
		_ = w.Add(filepath.Dir(l.path))
		if target, err := filepath.EvalSymlinks(l.path); err == nil {
			_ = w.Add(filepath.Dir(target))
		}
	}
}

// forward turns events and overflows into notices.
func forward(w *fsnotify.Watcher, notices chan<- struct{}) {
	events, errs := w.Events, w.Errors
	for events != nil || errs != nil {
		select {
		case _, ok := <-events:
			if !ok {
				events = nil
				continue
			}
		case _, ok := <-errs: // events were lost: look, to be sure
			if !ok {
				errs = nil
				continue
			}
		}
		select {
		case notices <- struct{}{}:
		default:
		}
	}
}

// follow calls look at once, once notices have been quiet for opts.Settle (after ten
// times that at the latest), and every opts.Poll.
func follow(ctx context.Context, notices <-chan struct{}, opts Options, look func()) {
	poll := time.NewTicker(opts.Poll)
	defer poll.Stop()
	settle := time.NewTimer(opts.Settle)
	settle.Stop()
	defer settle.Stop()
	look()
	var since time.Time // of the first notice not yet looked at
	for {
		select {
		case <-ctx.Done():
			return
		case <-notices:
			if since.IsZero() {
				since = time.Now()
			}
			settle.Reset(max(0, min(opts.Settle, time.Until(since.Add(10*opts.Settle)))))
		case <-settle.C:
			since = time.Time{}
			look()
		case <-poll.C:
			if since.IsZero() { // else the file may be half written
				look()
			}
		}
	}
}
