package bolt

import (
	"errors"
	"fmt"
	"io"
)

// survey reads a file through, as it lies on the disk: headers, every page,
// every record's checksum, their number. Nothing is decoded. It gives what the
// file says of itself.
func survey(f io.ReaderAt, size int64) (*about, error) {
	h, lame, err := readHeaders(f, size)
	if err != nil {
		return nil, err
	}
	if lame {
		return nil, damaged("one of its two headers is not whole, so that its last commit may be missing; " +
			"hopwised ledger compact makes a whole file out of what is left")
	}
	return surveyTree(f, h)
}

func surveyTree(f io.ReaderAt, h header) (*about, error) {
	var a about
	records := uint64(0)
	var bad []error
	err := walk(f, h, func(bucket string, key, value []byte) error {
		switch bucket {
		case string(recordBucket):
			records++
			if err := checkSum(key, value); err != nil {
				bad = append(bad, err)
			}
			return nil
		case string(aboutBucket):
			return a.take(key, value)
		}
		return nil
	})
	// The format comes first: of a file that is not ours nothing else means much.
	if formatErr := a.checkFormat(); formatErr != nil && (err == nil || a.format != "") {
		return nil, formatErr
	}
	if err == nil && records != a.count {
		err = damaged("it holds %d records; %d were committed", records, a.count)
	}
	if err = errors.Join(err, firstOf(bad)); err != nil {
		return nil, err
	}
	return &a, nil
}

// firstOf names the first and counts the rest.
func firstOf(bad []error) error {
	if len(bad) > 1 {
		return fmt.Errorf("%w, and of %d more", bad[0], len(bad)-1)
	}
	return errors.Join(bad...)
}
