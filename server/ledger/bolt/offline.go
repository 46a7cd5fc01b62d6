package bolt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/hopwise/hopwise/server/ledger"
)

// Summary is what a command tells of a ledger.
type Summary struct {
	Format    string    `json:"format"`
	Epoch     uint64    `json:"epoch"`
	Heartbeat time.Time `json:"heartbeat,omitzero"`
	Records   uint64    `json:"records"`
}

// Check verifies a ledger that no server has open: every page, checksum and
// record, and with audit, which may be nil, what they hold together. Problems are
// what is wrong; err is what kept it from looking.
func Check(dir string, audit *ledger.Audit) (sum Summary, problems []string, err error) {
	s, err := Open(Options{Dir: dir, mustExist: true, readOnly: true})
	if errors.Is(err, ErrDamaged) {
		return sum, []string{err.Error()}, nil
	}
	if err != nil {
		return sum, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if audit == nil {
		audit = &ledger.Audit{}
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		if sum, err = summaryOf(tx); err != nil {
			return err
		}
		audit.Epoch = sum.Epoch
		for e := range tx.Check() {
			problems = append(problems, "bbolt: "+e.Error())
		}
		return tx.Bucket(recordBucket).ForEach(func(key, value []byte) error {
			r, err := unseal(key, value)
			if err != nil {
				problems = append(problems, err.Error())
				return nil
			}
			audit.Add(r)
			return nil
		})
	})
	return sum, append(problems, audit.Problems()...), err
}

func summaryOf(tx *bbolt.Tx) (Summary, error) {
	var a about
	err := tx.Bucket(aboutBucket).ForEach(a.take)
	return Summary{Format: a.format, Epoch: a.epoch, Heartbeat: a.heartbeat, Records: a.count}, err
}

// Export writes a ledger that no server has open as JSON lines: a Summary, then
// the records by key.
func Export(dir string, w io.Writer) (sum Summary, err error) {
	s, err := Open(Options{Dir: dir, mustExist: true, readOnly: true})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	buffered := bufio.NewWriter(w)
	lines := json.NewEncoder(buffered)
	err = s.db.View(func(tx *bbolt.Tx) error {
		if sum, err = summaryOf(tx); err != nil {
			return err
		}
		if err := lines.Encode(sum); err != nil {
			return err
		}
		return tx.Bucket(recordBucket).ForEach(func(key, value []byte) error {
			r, err := unseal(key, value)
			if err != nil {
				return err
			}
			return lines.Encode(r)
		})
	})
	return sum, errors.Join(err, buffered.Flush())
}

// ErrNotEmpty says that an import would overwrite what is there.
var ErrNotEmpty = errors.New("the ledger holds records already")

// Import reads what Export wrote into a folder without a ledger, or with an empty
// one; all or nothing.
func Import(dir string, r io.Reader) (sum Summary, err error) {
	records, sum, err := readLines(r)
	if err != nil {
		return sum, err
	}
	s, err := Open(Options{Dir: dir})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.count > 0 {
		return sum, fmt.Errorf("%s: %w (%d); import into another data_dir", s.path, ErrNotEmpty, s.count)
	}
	changes := make([]ledger.Change, len(records))
	for i, rec := range records {
		changes[i] = ledger.Change{Key: rec.Gang.Key(), Record: rec}
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		st := staged{}
		if err := st.apply(tx, changes); err != nil {
			return err
		}
		var was about
		b := tx.Bucket(aboutBucket)
		if err := b.ForEach(was.take); err != nil {
			return err
		}
		if err := b.Put(epochKey, number(max(sum.Epoch, was.epoch))); err != nil {
			return err
		}
		if sum.Heartbeat.IsZero() {
			return b.Delete(heartbeatKey)
		}
		return b.Put(heartbeatKey, number(uint64(sum.Heartbeat.UnixNano()))) //nolint:gosec // bits are kept
	})
	if err == nil {
		err = twice(s.db)
	}
	return sum, err
}

// readLines reads and audits all lines before anything is written.
func readLines(r io.Reader) ([]*ledger.Record, Summary, error) {
	var sum Summary
	var records []*ledger.Record
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var into any = &sum
			if n > 1 {
				records = append(records, new(ledger.Record))
				into = records[len(records)-1]
			}
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(into); err != nil {
				return nil, sum, fmt.Errorf("line %d: %w; expected what hopwised ledger export writes", n, err)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, sum, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if sum == (Summary{}) && len(records) == 0 {
		return nil, sum, errors.New("there is nothing to import: the input is empty")
	}
	a := about{format: sum.Format}
	if err := a.checkFormat(); err != nil {
		return nil, sum, fmt.Errorf("line 1: %w", err)
	}
	if uint64(len(records)) != sum.Records {
		return nil, sum, fmt.Errorf("%d records are there, line 1 says %d: the export is not whole", len(records), sum.Records)
	}
	audit := ledger.Audit{Epoch: sum.Epoch}
	for _, rec := range records {
		audit.Add(rec)
	}
	if p := audit.Problems(); len(p) > 0 {
		return nil, sum, fmt.Errorf("%s (%d problems); nothing was imported", p[0], len(p))
	}
	return records, sum, nil
}

// Compact writes a ledger that no server has open anew, without what removed
// records left, and out of one whole header where the other is damaged. It gives
// the file's sizes.
func Compact(dir string) (before, after int64, err error) {
	s := &Store{opts: Options{Dir: dir, mustExist: true}, path: filepath.Join(dir, FileName)}
	info, err := os.Stat(s.path)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", s.path, ErrMissing)
	}
	if _, err := s.rewrite(nil); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", s.path, err)
	}
	return info.Size(), s.Stats().Bytes, s.Close()
}

// Backup writes a consistent copy of the file as it is now, while commits go on:
// a ledger that can be put in place as it is.
func (s *Store) Backup(begin func(bytes int64), w io.Writer) error {
	s.mu.Lock()
	if s.db == nil {
		defer s.mu.Unlock()
		if s.failed != nil {
			return s.failed.err
		}
		return errClosed
	}
	tx, err := s.db.Begin(false)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // it only read
	begin(tx.Size())
	if _, err := tx.WriteTo(w); err != nil {
		return fmt.Errorf("copying the ledger: %w", err)
	}
	return nil
}
