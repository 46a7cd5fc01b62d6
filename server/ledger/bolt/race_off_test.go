//go:build !race

package bolt

const raceOn = false
