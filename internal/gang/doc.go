// Package gang reads gangs out of files that people have: hopwise's own gang.yaml
// and a batch/v1 Job that carries Kueue's topology annotations.
//
// Each convention is one reader in readers; another one is another file and one
// more line there. A kind that makes pods and has no reader is refused by name,
// with the flags that would do, and never read as something else.
package gang
