package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/hopwise/hopwise/server/ledger"
)

// Load gives the records in key order and raises the epoch, lastingly, before it
// returns. Errors: ErrDamaged, ErrNewer, and the disk's.
func (s *Store) Load(ctx context.Context, yield func(*ledger.Record)) (ledger.Start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return ledger.Start{}, errClosed
	}
	var holds []*ledger.Hold
	err := s.db.View(func(tx *bbolt.Tx) error {
		err := tx.Bucket(holdBucket).ForEach(func(key, value []byte) error {
			h, err := unsealHold(key, value)
			holds = append(holds, h)
			return err
		})
		if err != nil {
			return err
		}
		return tx.Bucket(recordBucket).ForEach(func(key, value []byte) error {
			r, err := unseal(key, value)
			if err != nil {
				return err
			}
			yield(r)
			return ctx.Err()
		})
	})
	if err != nil {
		return ledger.Start{}, fmt.Errorf("%s: %w", s.path, hinted(err))
	}
	start, err := s.begin()
	if err != nil {
		return ledger.Start{}, fmt.Errorf("%s: beginning an epoch: %w", s.path, err)
	}
	start.Holds = holds
	return start, nil
}

// begin raises the epoch.
func (s *Store) begin() (ledger.Start, error) {
	var was about
	err := s.db.Update(func(tx *bbolt.Tx) error {
		s.tx = uint64(tx.ID()) //nolint:gosec // counts up from 0
		b := tx.Bucket(aboutBucket)
		if err := b.ForEach(was.take); err != nil {
			return err
		}
		return errors.Join(b.Put(epochKey, number(was.epoch+1)), b.Put(heartbeatKey, stamp()))
	})
	return ledger.Start{Epoch: was.epoch + 1, Heartbeat: was.heartbeat}, err
}

// stamp is the heartbeat's value now.
func stamp() []byte { return number(uint64(time.Now().UnixNano())) } //nolint:gosec // bits are kept

var errClosed = errors.New("the ledger is closed")

// Commit writes the changes and the heartbeat in one transaction. After an error
// it is not known what the disk holds: the next Commit finds out first and takes
// back what was not acknowledged (heal.go). Errors are the disk's.
func (s *Store) Commit(_ context.Context, changes []ledger.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		if err := s.heal(); err != nil {
			return err
		}
	}
	if s.db == nil {
		return errClosed
	}
	if err := s.commit(changes); err != nil {
		s.stats.Failures++
		return err
	}
	s.stats.Commits++
	s.stats.Syncs += syncsPerCommit
	return nil
}

// syncsPerCommit is what bbolt does: pages, then the header.
const syncsPerCommit = 2

func (s *Store) commit(changes []ledger.Change) error {
	if err := errors.Join(s.fault(BeforeWrite), s.inPlace(changes)); err != nil {
		return s.fail(err, nil, true)
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return s.fail(err, nil, true)
	}
	st := staged{count: s.count, buf: s.buf[:0]}
	if err := st.apply(tx, changes); err != nil {
		_ = tx.Rollback() // what went wrong is told already
		return s.fail(err, nil, true)
	}
	id := uint64(tx.ID()) //nolint:gosec // counts up from 0
	if err := tx.Commit(); err != nil {
		return s.fail(err, st.before, untouched(err))
	}
	if err := s.fault(InSync); err != nil {
		return s.fail(err, st.before, false)
	}
	if err := s.fault(AfterSync); err != nil {
		return s.fail(err, st.before, false)
	}
	s.count, s.tx, s.buf = st.count, id, st.buf
	return nil
}

// inPlace says, at each heartbeat, whether the open file is still the one at its
// path: what goes into a removed file is gone at the next start.
func (s *Store) inPlace(changes []ledger.Change) error {
	if len(changes) > 0 {
		return nil
	}
	now, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("looking at the ledger: %w", err)
	}
	if !os.SameFile(now, s.file) {
		return fmt.Errorf("%s: another file has taken the ledger's place", s.path)
	}
	return nil
}

func (s *Store) fault(p Point) error {
	if s.opts.Faults == nil {
		return nil
	}
	return s.opts.Faults(p)
}

// image is what stood under a key; a nil value for nothing.
type image struct{ bucket, key, value []byte }

// staged is a transaction being put together.
type staged struct {
	count  uint64
	buf    []byte  // values that bbolt holds on to until the commit
	before []image // of each changed key, first change first
}

func (st *staged) apply(tx *bbolt.Tx, changes []ledger.Change) error {
	for _, c := range changes {
		bucket, key, value := recordBucket, keyBytes(c.Key), []byte(nil)
		at := len(st.buf)
		switch {
		case c.Place != "":
			bucket, key = holdBucket, []byte(c.Place)
			if c.Hold != nil {
				st.buf = seal(st.buf, key, c.Hold)
			}
		case c.Record != nil:
			st.buf = seal(st.buf, key, c.Record)
		}
		if len(st.buf) > at {
			value = st.buf[at:len(st.buf):len(st.buf)]
		}
		if err := st.put(tx, image{bucket, key, value}); err != nil {
			return fmt.Errorf("writing %s: %w", printable(key), err)
		}
	}
	about := tx.Bucket(aboutBucket)
	return errors.Join(about.Put(countKey, number(st.count)), about.Put(heartbeatKey, stamp()))
}

// put makes next what stands under its key, and remembers what stood there.
func (st *staged) put(tx *bbolt.Tx, next image) error {
	b := tx.Bucket(next.bucket)
	old := b.Get(next.key)
	st.before = append(st.before, image{next.bucket, next.key, cloneBytes(old)})
	if bytes.Equal(next.bucket, recordBucket) {
		if old != nil {
			st.count--
		}
		if next.value != nil {
			st.count++
		}
	}
	if next.value == nil {
		return b.Delete(next.key)
	}
	return b.Put(next.key, next.value)
}

// cloneBytes copies what bbolt lends, telling nothing from an empty value.
func cloneBytes(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b...)
}

// Durable is true.
func (s *Store) Durable() bool { return true }
