// Package ledgertest distrusts the ledger: real servers are killed under load,
// and a model outside of them holds what was acknowledged (crash_test.go;
// `make crash`). Built with the tag failpoint, it also breaks a store on purpose
// (break.go), so that the checker is itself tested: each planted fault must be
// caught. Nothing of it is in a server that is built without the tag.
package ledgertest
