// Package bolt keeps the ledger in one file that outlives the process.
//
// A commit is one bbolt transaction: the records' pages are written and synced,
// then the header that makes them count, synced again; only then does Commit
// return. A kill or a power cut leaves the state before or after a commit, never
// a part of it. Records are protobuf (schema.go numbers their fields), each with
// a checksum of its own. What cannot be read as it was written is refused with
// the reason (open.go), never taken for an empty ledger.
//
// After a failed write nobody knows what the disk holds; heal.go says what is
// done about it. offline.go is what commands do with the file while no server
// runs. Rules about placements do not belong here.
package bolt
