//go:build !failpoint

package main

import (
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// storeOptions and wrapStore are where the crash test breaks the ledger on
// purpose, in a build of its own.
func storeOptions(o bolt.Options) bolt.Options { return o }

func wrapStore(s *bolt.Store) ledger.Store { return s }
