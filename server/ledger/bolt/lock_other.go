//go:build !unix

package bolt

import "os"

// lock leaves it to bbolt, which locks where the system can.
func lock(*os.File, bool) error { return nil }
