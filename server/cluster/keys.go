package cluster

import (
	"slices"

	"github.com/hopwise/hopwise/server/ledger"
)

func searchKeys(block []ledger.Key, key ledger.Key) (int, bool) {
	return slices.BinarySearchFunc(block, key, ledger.Key.Compare)
}

func (l *keyList) insert(key ledger.Key) {
	b, i, found := l.block(key)
	switch {
	case found:
		return
	case len(l.blocks) == 0:
		l.blocks = [][]ledger.Key{{key}}
		return
	case b == len(l.blocks): // above all: it goes to the end of the last block
		b--
		i = len(l.blocks[b])
	}
	l.blocks[b] = slices.Insert(l.blocks[b], i, key)
	if n := len(l.blocks[b]); n > keyBlock {
		half := slices.Clone(l.blocks[b][n/2:])
		l.blocks[b] = l.blocks[b][:n/2]
		l.blocks = slices.Insert(l.blocks, b+1, half)
	}
}

func (l *keyList) remove(key ledger.Key) {
	b, i, found := l.block(key)
	if !found {
		return
	}
	l.blocks[b] = slices.Delete(l.blocks[b], i, i+1)
	if len(l.blocks[b]) == 0 {
		l.blocks = slices.Delete(l.blocks, b, b+1)
	}
}

// after yields the keys above key, in order, until yield says stop.
func (l *keyList) after(key ledger.Key, yield func(ledger.Key) bool) {
	b, i, found := l.block(key)
	if found {
		i++
	}
	for ; b < len(l.blocks); b, i = b+1, 0 {
		for _, k := range l.blocks[b][i:] {
			if !yield(k) {
				return
			}
		}
	}
}
