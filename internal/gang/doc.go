// Package gang reads gangs out of what people have: hopwise's own gang.yaml, and
// Kubernetes objects by every convention that says which pods belong together.
//
// There are two feeders and one reader. A file (ReadFile) and objects in memory
// (ReadObjects: a pod with its owners and pod groups) both become Objects; from
// there on nobody asks where they come from:
//
//	document ─┐                                    ┌─ groups.go: pods that name a group
//	          ├─ Object ── convention ── workload ─┤
//	cluster ──┘            (one a kind)  (sets)    └─ workload.go: the rest, their owner's gang
//
// A convention is a line in conventions.go and a function beside it that turns an
// object into pod sets with their templates. What all have in common is elsewhere:
// template.go and podspec.go (what a pod takes), annotations.go (what it asks for),
// affinity.go and unmodelled.go (what binds it besides), membership.go (which group
// it names, in the order of trust), podgroups.go and composite.go (what groups ask).
//
// Nothing is guessed. A kind without a reader that may make pods is refused by name,
// a misspelt field too; a demand that the contract has no words for is read, shown,
// and refused where the gang is placed (Placeable); a slip that binds nothing is
// warned of. An error says file, line and field.
package gang
