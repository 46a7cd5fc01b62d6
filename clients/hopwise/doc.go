// Package hopwise is the Go client of a hopwise server: it dials, puts a deadline
// on calls that have none, tries again what may be tried again, and turns a failed
// call into an error that says what to do.
//
// It links the contract and gRPC, and nothing of the server.
package hopwise
