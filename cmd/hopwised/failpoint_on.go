//go:build failpoint

package main

import (
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/ledger/bolt"
	"github.com/hopwise/hopwise/server/ledger/ledgertest"
)

func storeOptions(o bolt.Options) bolt.Options { return ledgertest.Break(o) }

func wrapStore(s *bolt.Store) ledger.Store { return ledgertest.Wrap(s) }
