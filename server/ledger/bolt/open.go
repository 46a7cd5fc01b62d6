package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// FileName is the ledger's name in its data folder.
const FileName = "ledger.db"

var (
	// ErrNewer says that a newer hopwise wrote the file.
	ErrNewer = errors.New("the ledger is too new")
	// ErrHeld says that another process has the file open.
	ErrHeld = errors.New("another process holds the ledger")
	// ErrMissing says that there is no file.
	ErrMissing = errors.New("there is no ledger")
)

// restoreHint ends each refusal of a file that was whole once.
const restoreHint = "nothing was changed. To go on: put back a backup (hopwised ledger import into an empty data_dir, " +
	"or the copied file itself), or move this file away to begin with an empty ledger; docs/ledger.md says how"

// firstMap is the address space that is mapped at first, so that few commits
// have to wait for a backup that reads while the file grows. It costs no memory.
const firstMap = 256 << 20

// growBytes is by how much the file grows: a thousand records or so share the
// sync of its length.
const growBytes = 1 << 20

// Options are how a store is opened.
type Options struct {
	// Dir is the data folder; it is made where it is missing.
	Dir string
	// Faults is called at named points of a commit, and what it returns is taken
	// for the disk's word; nil in production.
	Faults func(Point) error
	// NoSync leaves out what makes a commit last: for tests that show that it is
	// missed.
	NoSync bool

	mustExist bool
	readOnly  bool
}

// Point is a moment of a commit.
type Point string

// The points: before anything is written; with pages and header written and the
// last sync under way; after it.
const (
	BeforeWrite Point = "before-write"
	InSync      Point = "in-sync"
	AfterSync   Point = "after-sync"
)

// Store is a ledger.Store in a file. Its methods may be called from anywhere;
// the ledger's writer is the only one that commits.
type Store struct {
	opts Options
	path string

	mu     sync.Mutex  // held for a commit, and for the beginning of a backup
	file   os.FileInfo // of the open file
	db     *bbolt.DB   // nil while what the disk holds is not known
	failed *failure    // the commit that failed last; nil once healed
	count  uint64      // records
	tx     uint64      // bbolt's number of the last commit that succeeded
	buf    []byte      // of one commit
	stats  Stats
}

// Stats count what the store did since it was opened.
type Stats struct {
	Commits, Syncs, Failures, Heals uint64
	Bytes                           int64 // the file's size
}

// Open opens the ledger in a folder and holds it to its checksums; it makes an
// empty one where there is none. Errors: ErrHeld, ErrForeign, ErrNewer,
// ErrDamaged, and the system's.
func Open(opts Options) (*Store, error) {
	s := &Store{opts: opts, path: filepath.Join(opts.Dir, FileName)}
	if !opts.mustExist {
		if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
			return nil, fmt.Errorf("making the ledger's folder: %w", err)
		}
	}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// open locks the file, reads it through, and only then has bbolt map it.
func (s *Store) open() error {
	flags := os.O_RDWR
	if s.opts.readOnly {
		flags = os.O_RDONLY
	}
	f, err := os.OpenFile(s.path, flags, 0)
	if errors.Is(err, fs.ErrNotExist) && !s.opts.mustExist {
		if err := create(s.opts.Dir); err != nil {
			return err
		}
		f, err = os.OpenFile(s.path, flags, 0)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", s.path, ErrMissing)
	case err != nil:
		return fmt.Errorf("opening the ledger: %w", err)
	}
	if err := s.openLocked(f); err != nil {
		_ = f.Close() // what went wrong is told already
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

func (s *Store) openLocked(f *os.File) error {
	if err := lock(f, s.opts.readOnly); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("looking at the ledger: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is no regular file", ErrForeign)
	}
	h, found, err := survey(f, info.Size())
	if err != nil {
		return hinted(err)
	}
	db, err := mapFile(f, s.opts)
	if err != nil {
		return err
	}
	s.db, s.file, s.count, s.tx = db, info, found.count, h.tx
	return nil
}

// mapFile has bbolt open the file that is locked and was read through, not
// whatever has its name by now. Later openings, of backups, are of their own.
func mapFile(f *os.File, opts Options) (*bbolt.DB, error) {
	given := false
	db, err := bbolt.Open(f.Name(), 0o600, &bbolt.Options{
		Timeout: time.Second, ReadOnly: opts.readOnly, NoSync: opts.NoSync,
		NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, NoStatistics: true, InitialMmapSize: firstMap,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			if given {
				return os.OpenFile(name, flag, mode)
			}
			given = true
			return f, nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("mapping the ledger: %w", err)
	}
	db.AllocSize = growBytes
	return db, nil
}

func hinted(err error) error {
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%w; %s", err, restoreHint)
	}
	return err
}

// create makes an empty ledger beside its place and links it there once it is
// whole, so that a kill leaves no half of one.
func create(dir string) error {
	path := filepath.Join(dir, FileName)
	f, err := os.CreateTemp(dir, FileName+".new-*")
	if err != nil {
		return fmt.Errorf("making an empty ledger: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // only its other name stays
	db, err := mapFile(f, Options{})
	if err != nil {
		_ = f.Close() // what went wrong is told already
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error { return initialise(tx) })
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("making an empty ledger: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making an empty ledger: %w", err)
	}
	return syncDir(dir)
}

func initialise(tx *bbolt.Tx) error {
	for _, name := range [][]byte{recordBucket, holdBucket} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	b, err := tx.CreateBucket(aboutBucket)
	if err != nil {
		return err
	}
	return errors.Join(b.Put(formatKey, []byte(formatText())), b.Put(epochKey, number(0)), b.Put(countKey, number(0)))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("opening the ledger's folder: %w", err)
	}
	defer func() { _ = d.Close() }() // only synced
	if err := d.Sync(); err != nil {
		return fmt.Errorf("syncing the ledger's folder: %w", err)
	}
	return nil
}

// Close lets go of the file. What was committed is there already.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	if err != nil {
		return fmt.Errorf("closing the ledger: %w", err)
	}
	return nil
}

// Path is the file.
func (s *Store) Path() string { return s.path }

// Stats are what was done so far.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	if info, err := os.Stat(s.path); err == nil {
		s.stats.Bytes = info.Size()
	}
	return s.stats
}
