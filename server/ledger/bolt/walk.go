package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// walker visits every page that the header's root reaches, once, and every key
// in it, without mapping the file.
type walker struct {
	f     io.ReaderAt
	h     header
	seen  map[uint64]bool
	visit func(bucket string, key, value []byte) error
}

// walk reads the whole of the file's tree. It returns ErrDamaged where a page is
// not what the tree says it is; visit's errors as they are.
func walk(f io.ReaderAt, h header, visit func(bucket string, key, value []byte) error) error {
	w := &walker{f: f, h: h, seen: map[uint64]bool{0: true, 1: true}, visit: visit}
	return w.tree("", h.root, nil)
}

// tree visits the page and what lies below it; first is the key under which its
// parent names it.
func (w *walker) tree(bucket string, id uint64, first []byte) error {
	page, err := w.page(id)
	if err != nil {
		return err
	}
	return w.content(bucket, id, page, first)
}

// page reads a page with its overflow.
func (w *walker) page(id uint64) ([]byte, error) {
	if id >= w.h.end {
		return nil, damaged("page %d is beyond the end, %d", id, w.h.end)
	}
	b := make([]byte, w.h.pageSize)
	at := int64(id) * int64(w.h.pageSize) //nolint:gosec // below the file's size
	if _, err := w.f.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("reading page %d: %w", id, err)
	}
	over := uint64(binary.NativeEndian.Uint32(b[12:]))
	if got := binary.NativeEndian.Uint64(b); got != id {
		return nil, damaged("page %d says that it is page %d", id, got)
	}
	if over > mostOverflow || id+over >= w.h.end {
		return nil, damaged("page %d says that it is %d pages long", id, over+1)
	}
	for i := id; i <= id+over; i++ {
		if w.seen[i] {
			return nil, damaged("page %d is used twice", i)
		}
		w.seen[i] = true
	}
	if over > 0 {
		b = make([]byte, int(over+1)*int(w.h.pageSize)) //nolint:gosec // bounded above
		if _, err := w.f.ReadAt(b, at); err != nil {
			return nil, fmt.Errorf("reading page %d: %w", id, err)
		}
	}
	return b, nil
}

func (w *walker) content(bucket string, id uint64, page, first []byte) error {
	flags, count := binary.NativeEndian.Uint16(page[8:]), int(binary.NativeEndian.Uint16(page[10:]))
	if pageHeader+16*count > len(page) {
		return damaged("page %d counts %d elements", id, count)
	}
	if flags != branchFlag && flags != leafFlag {
		return damaged("page %d is of kind %#x; expected a branch or a leaf", id, flags)
	}
	last := first
	for i := range count {
		at := pageHeader + 16*i
		key, value, below, err := element(page, at, flags == branchFlag)
		if err != nil {
			return damaged("page %d, element %d: %v", id, i, err)
		}
		// A branch's key may lie behind its child's first key after removals, never
		// before the one that its parent names.
		if order := bytes.Compare(key, last); order < 0 || order == 0 && i > 0 {
			return damaged("page %d: its keys are out of order", id)
		}
		last = key
		switch {
		case flags == branchFlag:
			err = w.tree(bucket, below, key)
		case below == bucketFlag:
			err = w.bucket(bucket, key, value)
		default:
			err = w.visit(bucket, key, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// element reads one entry: of a branch below is the child's page, of a leaf its
// flags.
func element(page []byte, at int, branch bool) (key, value []byte, below uint64, err error) {
	u32 := func(i int) int { return int(binary.NativeEndian.Uint32(page[at+i:])) }
	pos, ksize, vsize := at+u32(4), u32(8), u32(12)
	below = uint64(u32(0)) //nolint:gosec // 32 bits
	if branch {
		pos, ksize, vsize = at+u32(0), u32(4), 0
		below = binary.NativeEndian.Uint64(page[at+8:])
	}
	if pos > len(page) || ksize > len(page) || vsize > len(page) || pos+ksize+vsize > len(page) {
		return nil, nil, 0, fmt.Errorf("it lies outside of the page")
	}
	return page[pos : pos+ksize], page[pos+ksize : pos+ksize+vsize], below, nil
}

// bucket visits a bucket: a tree of its own, or, where it is small, a page
// inside the value.
func (w *walker) bucket(parent string, name, value []byte) error {
	if parent != "" || len(value) < 16 {
		return damaged("bucket %q is not where one belongs", name)
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return w.tree(string(name), root, nil)
	}
	if len(value) < 16+pageHeader {
		return damaged("bucket %q is cut short", name)
	}
	return w.content(string(name), 0, value[16:], nil)
}
