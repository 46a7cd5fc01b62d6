package file

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Looks happen once files have been quiet, not at each event, and at last even if
// they never are; and now and then without any event.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		notices := make(chan struct{}) // the test's events are taken one by one
		var looks []time.Duration
		done := make(chan struct{})
		go func() {
			defer close(done)
			follow(ctx, notices, Options{Settle: 100 * time.Millisecond, Poll: time.Minute}, func() {
				looks = append(looks, time.Since(start))
			})
		}()
		for range 3 { // a burst
			notices <- struct{}{}
			time.Sleep(50 * time.Millisecond)
		}
		time.Sleep(850 * time.Millisecond)
		for range 30 { // a file that is written on and on, from 1 s to 2.5 s
			notices <- struct{}{}
			time.Sleep(50 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		cancel()
		<-done
		want := []time.Duration{0, 200 * time.Millisecond, 2 * time.Second, 2550 * time.Millisecond, time.Minute}
		if diff := cmp.Diff(want, looks); diff != "" {
			t.Errorf("looks (-want +got):\n%s", diff)
		}
	})
}
