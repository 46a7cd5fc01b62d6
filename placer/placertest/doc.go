// Package placertest holds the placer to its specification from outside.
//
// It has seven parts, and none of them imports the engine's algorithms; of
// package placer they use the types alone:
//
//   - a text form for clusters, gangs and answers (ParseCases, Case.String,
//     RunText), so that tests are files that a person can draw;
//   - an exhaustive oracle (Solve), which tries every assignment of pods to
//     nodes and keeps the best by the rules of the specification; it is slow
//     and plain on purpose, and BestFitProfiles, LeastFreeProfiles and
//     BalancedCounts are its like for the other policies;
//   - its like for repairs and resizes (Complete), which tries every node for
//     every rank that has none;
//   - a dynamic program that drops nothing (Least), for one pod set on clusters
//     of some hundred nodes;
//   - a validator (Validate), which recounts an answer, the engine's or a
//     peer's, and names the first rule that it breaks;
//   - generators (Generate, GenerateFill, GenerateMiddle) of small random clusters and gangs, seeded, with a
//     table of the features and pairs of features that were drawn;
//   - a runner for recorded cases (ReadRecorded), where a peer's answer is given.
//
// What the oracle, the references and the validator share is how a node is
// read (facts.go): which nodes a pod may use, and what fits on one node. Those
// rules have hand-drawn tests of their own.
//
// Nothing that a server or a client needs belongs in here.
package placertest
