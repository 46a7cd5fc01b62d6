package main

import (
	"fmt"

	"github.com/hopwise/hopwise/server/config"
	"github.com/hopwise/hopwise/server/ledger"
	"github.com/hopwise/hopwise/server/source/file"
)

// auditFor knows the nodes' room where the configuration names a source that can
// be read; note says where it does not, for a check that has seen less.
func auditFor(at *ledgerAt, c config.Config) (audit *ledger.Audit, note string) {
	if at.file == "" {
		return &ledger.Audit{}, "; nodes' room was not compared: give --config"
	}
	source, err := file.Open(c.Source.Paths, file.Options{MaxBytes: c.Source.MaxBytes})
	if err != nil {
		return &ledger.Audit{}, fmt.Sprintf("; nodes' room was not compared: %v", err)
	}
	room := map[string]map[string]int64{}
	for _, n := range source.First().Nodes {
		room[n.Name] = n.Total
	}
	return &ledger.Audit{Room: room}, ""
}
