package bolt

import (
	"errors"
	"fmt"
	"io"
)

// survey reads a file through, as it lies on the disk: headers, every page,
// every record's checksum, their number. Nothing is decoded. It gives what the
// file says of itself.
func survey(f io.ReaderAt, size int64) (header, *about, error) {
	if size == 0 {
		return header{}, nil, damaged("the file is empty")
	}
	h, lame, err := readHeaders(f, size)
	if err != nil {
		return h, nil, err
	}
	if lame {
		return h, nil, damaged("one of its two headers is not whole, so that its last commit may be missing; " +
			"hopwised ledger compact makes a whole file out of what is left")
	}
	a, err := surveyTree(f, h)
	return h, a, err
}

func surveyTree(f io.ReaderAt, h header) (*about, error) {
	var a about
	records := uint64(0)
	var bad []error
	err := walk(f, h, func(bucket string, key, value []byte) error {
		switch bucket {
		case string(recordBucket), string(holdBucket):
			if bucket == string(recordBucket) {
				records++
			}
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
