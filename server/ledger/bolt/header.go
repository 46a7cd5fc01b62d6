package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The layout of bbolt's pages, which its format version 2 fixes: a header of 16
// bytes (id 8, flags 2, count 2, overflow 4), then elements. Files are read with
// it before they are mapped, because bbolt ends the process on a damaged page.
const (
	pageHeader  = 16
	headerBytes = 64 // of a meta page behind its page header
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	branchFlag, leafFlag, metaFlag = 0x01, 0x02, 0x04
	bucketFlag                     = 0x01 // of a leaf's element

	mostOverflow = 1 << 20 // pages of one value: far above any record
)

var (
	// ErrForeign says that the file is none of this program's.
	ErrForeign = errors.New("this is no hopwise ledger")
	// ErrDamaged says that the file is not as it was written.
	ErrDamaged = errors.New("the ledger is damaged")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// header is one of the file's two headers: the newer one names the root that
// counts.
type header struct {
	pageSize uint32
	root     uint64
	end      uint64 // pages in use
	tx       uint64
}

// readHeaders gives the newer header. lame says that the other is not whole, as
// a torn write or a bad disk leaves it: then a commit may be missing.
func readHeaders(f io.ReaderAt, size int64) (h header, lame bool, err error) {
	first, err := headerAt(f, 0)
	if err == nil {
		second, err2 := headerAt(f, int64(first.pageSize))
		switch {
		case err2 != nil:
			return first, true, checkSize(first, size)
		case second.tx > first.tx:
			first = second
		}
		return first, false, checkSize(first, size)
	}
	// The first one is damaged: the second lies one page on, whatever a page is.
	for pageSize := int64(512); pageSize <= 1<<16; pageSize *= 2 {
		if second, err2 := headerAt(f, pageSize); err2 == nil && int64(second.pageSize) == pageSize {
			return second, true, checkSize(second, size)
		}
	}
	return header{}, false, err
}

func checkSize(h header, size int64) error {
	if need := int64(h.end) * int64(h.pageSize); size < need { //nolint:gosec // a file's size is far below
		return damaged("it is cut short: %d bytes of at least %d are there", size, need)
	}
	return nil
}

func headerAt(f io.ReaderAt, at int64) (header, error) {
	b := make([]byte, pageHeader+headerBytes)
	if _, err := f.ReadAt(b, at); err != nil {
		if errors.Is(err, io.EOF) {
			return header{}, damaged("it ends inside its header")
		}
		return header{}, fmt.Errorf("reading the header: %w", err)
	}
	flags, m := binary.NativeEndian.Uint16(b[8:]), b[pageHeader:]
	if flags != metaFlag || binary.NativeEndian.Uint32(m) != boltMagic {
		return header{}, fmt.Errorf("%w: its first bytes are not a bbolt file's", ErrForeign)
	}
	if v := binary.NativeEndian.Uint32(m[4:]); v != boltVersion {
		return header{}, fmt.Errorf("%w: bbolt's format %d; expected %d", ErrForeign, v, boltVersion)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(m[:headerBytes-8]) // never fails
	if sum.Sum64() != binary.NativeEndian.Uint64(m[headerBytes-8:]) {
		return header{}, damaged("the checksum of the header at byte %d is wrong", at)
	}
	h := header{
		pageSize: binary.NativeEndian.Uint32(m[8:]),
		root:     binary.NativeEndian.Uint64(m[16:]),
		end:      binary.NativeEndian.Uint64(m[40:]),
		tx:       binary.NativeEndian.Uint64(m[48:]),
	}
	if h.pageSize < 512 || h.pageSize > 1<<20 || h.end > 1<<40 {
		return header{}, damaged("a page of %d bytes, %d pages", h.pageSize, h.end)
	}
	return h, nil
}
