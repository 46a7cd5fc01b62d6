// Package scheme says which label keys are the layers of a network, root first,
// and reads a node's place in them off its labels.
//
// It is pure: no I/O, no clock, standard library only. It holds the presets,
// picks one from the labels that nodes carry, checks custom lists, and finds
// the nodes whose labels are short of what they should be. What the layers are
// used for is the engine's matter.
package scheme
