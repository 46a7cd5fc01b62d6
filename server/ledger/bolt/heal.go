package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// What a failed write leaves behind is not known: its pages may or may not be on
// the disk, and after a failed sync the system's cache shows them as if they were
// (the lesson of PostgreSQL's fsync bug of 2018). So nothing is built on the file
// as the cache shows it. Where the header was not touched the file is read
// through and taken up again. Otherwise it is written anew, whole, into another
// file, with what the failed commit changed put back as it was; that file takes
// the old one's place once it is synced.

// healPause is how long after a failure the next attempt is made: each reads the
// file through.
const healPause = time.Second

// failure is a commit that failed.
type failure struct {
	err       error
	at        time.Time
	before    []image // what it would have changed
	untouched bool    // it did not get as far as the header
}

// fail lets go of the file and remembers what to put back.
func (s *Store) fail(err error, before []image, untouched bool) error {
	s.failed = &failure{err: err, at: time.Now(), before: before, untouched: untouched}
	if s.db != nil {
		_ = s.db.Close() // nothing of it is trusted any more
		s.db = nil
	}
	s.buf = nil // bbolt may hold parts of it
	return err
}

// untouched says whether a commit failed before it wrote the header: writes name
// themselves, syncs give the bare error. Where it is the header's own write that
// failed, the header is found broken, or the commit's, afterwards.
func untouched(err error) bool {
	var write *fs.PathError
	return errors.As(err, &write) && write.Op == "write"
}

// heal takes the file up again as it was before the commit that failed.
func (s *Store) heal() error {
	if wait := healPause - time.Since(s.failed.at); wait > 0 {
		return s.failed.err
	}
	if err := s.reopen(); err != nil {
		s.failed.at, s.failed.err = time.Now(), err
		return err
	}
	s.failed = nil
	s.stats.Heals++
	return nil
}

func (s *Store) reopen() error {
	s.opts.mustExist = true // a ledger that is gone is no empty one
	if s.failed.untouched {
		count, tx := s.count, s.tx
		if err := s.open(); err == nil && s.count == count && s.tx == tx {
			return nil
		}
		if s.db != nil {
			_ = s.db.Close() // it is not what was committed
			s.db = nil
		}
		s.count, s.tx = count, tx
	}
	count, err := s.rewrite(s.failed.before)
	if err == nil && count != s.count {
		_ = s.db.Close() // it is not what was acknowledged
		s.db = nil
		return damaged("%d records are left of %d", count, s.count)
	}
	return err
}

// rewrite copies the file, with images put back, and puts the copy in its place.
// It gives how many records are in it.
func (s *Store) rewrite(images []image) (uint64, error) {
	old, err := os.Open(s.path)
	if err != nil {
		return 0, fmt.Errorf("opening the ledger: %w", err)
	}
	defer func() { _ = old.Close() }() // only read
	if err := lock(old, true); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(s.opts.Dir, FileName+".new-*")
	if err != nil {
		return 0, fmt.Errorf("making a new file for the ledger: %w", err)
	}
	db, count, err := copyInto(f, old, images)
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err == nil {
		err = syncDir(s.opts.Dir)
	}
	if err != nil {
		if db != nil {
			_ = db.Close() // given up
		}
		_ = os.Remove(f.Name()) // given up
		return 0, fmt.Errorf("writing the ledger anew: %w", err)
	}
	s.db = db
	if s.file, err = f.Stat(); err != nil {
		return 0, fmt.Errorf("looking at the ledger: %w", err)
	}
	return count, db.View(func(tx *bbolt.Tx) error {
		s.tx = uint64(tx.ID()) //nolint:gosec // counts up from 0
		return nil
	})
}

// copyInto writes what old holds, with images put back, into f; synced.
func copyInto(f, old *os.File, images []image) (*bbolt.DB, uint64, error) {
	info, err := old.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("looking at the ledger: %w", err)
	}
	h, _, err := readHeaders(old, info.Size())
	if err != nil {
		return nil, 0, err
	}
	db, err := mapFile(f, Options{})
	if err != nil {
		_ = f.Close() // what went wrong is told already
		return nil, 0, err
	}
	count := uint64(0)
	err = db.Update(func(tx *bbolt.Tx) error {
		if err := initialise(tx); err != nil {
			return err
		}
		if err := copyTree(tx, old, h); err != nil {
			return err
		}
		// The first image of a key is the oldest: it is put back last.
		for i := len(images) - 1; i >= 0; i-- {
			if err := putBack(tx.Bucket(images[i].bucket), images[i]); err != nil {
				return err
			}
		}
		count, err = countOf(tx.Bucket(recordBucket))
		return errors.Join(err, tx.Bucket(aboutBucket).Put(countKey, number(count)))
	})
	if err == nil {
		err = twice(db)
	}
	if err == nil {
		err = f.Sync() // the length too
	}
	if err != nil {
		_ = db.Close() // what went wrong is told already
		return nil, 0, err
	}
	return db, count, nil
}

// twice commits once more what is there, so that both headers of a file written
// in one commit lead to it: the other one would lead to an empty ledger.
func twice(db *bbolt.DB) error {
	return db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(aboutBucket)
		return b.Put(formatKey, bytes.Clone(b.Get(formatKey)))
	})
}

func copyTree(tx *bbolt.Tx, old *os.File, h header) error {
	tx.Bucket(recordBucket).FillPercent = 0.9 // room for records that grow
	said := false
	err := walk(old, h, func(bucket string, key, value []byte) error {
		to := tx.Bucket([]byte(bucket))
		if to == nil {
			return damaged("bucket %q is unknown", bucket)
		}
		if bucket != string(aboutBucket) {
			if err := checkSum(key, value); err != nil {
				return err
			}
		}
		said = said || bucket == string(aboutBucket) && string(key) == string(formatKey)
		return to.Put(key, value)
	})
	if err == nil && !said {
		// A whole header that leads to nothing is what a new file begins with.
		return damaged("the header that is left is of an empty file: its other header led to the ledger; restore a copy")
	}
	return err
}

func putBack(to *bbolt.Bucket, was image) error {
	if was.value == nil {
		return to.Delete(was.key)
	}
	return to.Put(was.key, was.value)
}

func countOf(records *bbolt.Bucket) (uint64, error) {
	n := uint64(0)
	err := records.ForEach(func(_, _ []byte) error { n++; return nil })
	return n, err
}
