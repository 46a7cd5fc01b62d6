// Package cluster is the live state: the topology graph, what every node has
// free and every placement, behind one writer.
//
// One goroutine, Run's, owns graph, engine and ledger. Calls hand it closures
// over a bounded queue; it runs what waits as one batch, commits once, and only
// then answers, so that nothing is promised which a crash could take back. Reads
// run between commits, each bounded by its page, and give copies. Records are
// immutable, so that a commit that fails is undone by putting the old ones back.
//
// Requests and answers are plain Go: no type of the engine, of the contract or of
// Kubernetes crosses this package's edge. Where pods may go is the engine's
// matter (package placer), how a placement lives the ledger's (package ledger).
package cluster
