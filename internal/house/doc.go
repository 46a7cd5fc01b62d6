// Package house holds the tests that hold the house: which package may import
// which, how long a file may be, which licences come along, and that the rules
// of the contract compile. It has no code of its own, and no product code
// belongs here.
package house
