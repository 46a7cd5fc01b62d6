// Package ledger is what was promised: one record per gang, the rules by which
// it lives, and the small interface behind which records are stored.
//
// The rules are pure: each takes a record and the time and gives the next
// record; none reads a clock, and a record is never changed once it is made, so
// that a failed write is undone by keeping the old one. Where pods go is the
// engine's matter, and which records are in force is the live state's. Stores
// live below this package.
package ledger
