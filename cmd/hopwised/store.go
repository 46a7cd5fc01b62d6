package main

import (
	"fmt"

	"github.com/hopwise/hopwise/server/config"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/ledger/bolt"
)

// openStore opens the ledger that the configuration names; nil for memory. close
// is called once nothing uses it any more.
func openStore(cfg config.Ledger) (store ledger.Store, closeIt func() error, err error) {
	if cfg.Kind == config.MemoryLedger {
		return nil, func() error { return nil }, nil
	}
	s, err := bolt.Open(storeOptions(bolt.Options{Dir: cfg.DataDir}))
	if err != nil {
		return nil, nil, fmt.Errorf("opening the ledger: %w", err)
	}
	return wrapStore(s), s.Close, nil
}
