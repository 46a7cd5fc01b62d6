package bolt

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"github.com/hopwise/hopwise/server/ledger"
)

// The file's buckets: records by key, holds by place, and what it says of itself.
var (
	recordBucket = []byte("records")
	holdBucket   = []byte("holds") // of maintenance, by place
	aboutBucket  = []byte("about")

	formatKey    = []byte("format")
	epochKey     = []byte("epoch")
	heartbeatKey = []byte("heartbeat")
	countKey     = []byte("count") // of records, so that a missing one shows
)

// castagnoli's polynomial has hardware behind it.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const sumBytes = 4

// keyBytes orders records by namespace, then name; neither holds a zero byte.
func keyBytes(k ledger.Key) []byte { return []byte(k.Namespace + "\x00" + k.Name) }

func keyOf(b []byte) (ledger.Key, error) {
	namespace, name, ok := strings.Cut(string(b), "\x00")
	if !ok {
		return ledger.Key{}, damaged("key %q names no gang", b)
	}
	return ledger.Key{Namespace: namespace, Name: name}, nil
}

// seal appends a value to b: the checksum of key and message, then the message.
func seal[T stored](b, key []byte, r *T) []byte {
	at := len(b)
	b = encode(append(b, 0, 0, 0, 0), r)
	binary.BigEndian.PutUint32(b[at:], checksum(key, b[at+sumBytes:]))
	return b
}

func checksum(key, message []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, message)
}

// checkSum says whether the value is the one that was written under the key.
func checkSum(key, value []byte) error {
	if len(value) < sumBytes || binary.BigEndian.Uint32(value) != checksum(key, value[sumBytes:]) {
		return damaged("the checksum of record %s is wrong", printable(key))
	}
	return nil
}

// unseal reads a record and holds it to its checksum and its key.
func unseal(key, value []byte) (*ledger.Record, error) {
	if err := checkSum(key, value); err != nil {
		return nil, err
	}
	k, err := keyOf(key)
	if err != nil {
		return nil, err
	}
	r, err := decode[ledger.Record](value[sumBytes:])
	switch {
	case err != nil:
		return nil, fmt.Errorf("record %s: %w", k, err)
	case r.Gang.Key() != k:
		return nil, damaged("under %s stands the record of %s", k, r.Gang.Key())
	}
	return r, nil
}

// unsealHold is unseal for a hold.
func unsealHold(key, value []byte) (*ledger.Hold, error) {
	if err := checkSum(key, value); err != nil {
		return nil, err
	}
	h, err := decode[ledger.Hold](value[sumBytes:])
	if err == nil && h.Place.Key() != string(key) {
		err = damaged("under %s stands the hold of %s", printable(key), printable([]byte(h.Place.Key())))
	}
	return h, err
}

func printable(key []byte) string { return strings.ReplaceAll(string(key), "\x00", "/") }

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func numberOf(b []byte) (uint64, bool) {
	if len(b) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64(b), true
}

// about is what the file says of itself.
type about struct {
	format    string
	epoch     uint64
	heartbeat time.Time
	count     uint64
}

// take reads one entry of the bucket.
func (a *about) take(key, value []byte) error {
	n, ok := numberOf(value)
	switch string(key) {
	case string(formatKey):
		a.format, ok = string(value), true
	case string(epochKey):
		a.epoch = n
	case string(countKey):
		a.count = n
	case string(heartbeatKey):
		a.heartbeat = time.Unix(0, int64(n)).UTC() //nolint:gosec // bits are kept
	}
	if !ok {
		return damaged("%q is %q", key, value)
	}
	return nil
}

func formatText() string { return fmt.Sprintf("%s %d", formatName, formatNumber) }

// checkFormat refuses by name what this version cannot read.
func (a *about) checkFormat() error {
	var n int
	switch _, err := fmt.Sscanf(a.format, formatName+" %d", &n); {
	case a.format == "":
		return fmt.Errorf("%w: a bbolt file that says no format", ErrForeign)
	case err != nil:
		return fmt.Errorf("%w: its format is %q; expected %q", ErrForeign, a.format, formatText())
	case n > formatNumber:
		return fmt.Errorf("%w: it is of format %d, which a newer hopwise wrote; this version reads up to %d", ErrNewer, n, formatNumber)
	case n < 1:
		return fmt.Errorf("%w: it is of format %d", ErrForeign, n)
	}
	return nil
}
