// Package placer decides where a gang goes: which nodes, in which rank order,
// or exactly why not.
//
// It is a pure library. It imports the standard library alone, takes no
// context, reads no clock and writes no log, so the same state and the same
// request always give the same answer. README.md in this folder draws the
// phases of a decision and the layout of the data.
//
// An Engine holds the graph (a tree of domains with nodes below them), what
// each node has free, and, per live Shape, how many pods of that shape every
// domain can hold. All of it is kept incrementally: a change to a node updates
// that node's path and nothing else, and a decision reads counts that are
// already there.
//
// What belongs here: the graph, the counts, the search, the explanation and
// the score. What does not: identities, time to live, storage, transport.
package placer
