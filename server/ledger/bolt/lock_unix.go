//go:build unix

package bolt

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPatience is how long a server that was just stopped may take to let go.
const lockPatience = time.Second

// lock takes the file for this process, as bbolt does a moment later: the file
// is read through before bbolt maps it, and nobody may write meanwhile.
func lock(f *os.File, shared bool) error {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	for until := time.Now().Add(lockPatience); ; time.Sleep(lockPatience / 20) {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return fmt.Errorf("locking the ledger: %w", err)
		case time.Now().After(until):
			return fmt.Errorf("%w: stop the hopwised that uses this data_dir first, or give this one another", ErrHeld)
		}
	}
}
