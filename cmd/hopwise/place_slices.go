package main

import (
	"strconv"
	"strings"

	"github.com/hopwise/hopwise/internal/gang"
)

// slicesOf reads LAYER=SIZE, the outermost slice first.
func slicesOf(list []string) ([]gang.Slice, error) {
	var out []gang.Slice
	for _, text := range list {
		layer, size, found := cutLast(text, "=")
		n, err := strconv.ParseInt(size, 10, 32)
		if !found || layer == "" || err != nil || n < 1 {
			return nil, usage("--slice %q: expected LAYER=SIZE, such as topology.k8s.aws/network-node-layer-3=8", text)
		}
		out = append(out, gang.Slice{Layer: layer, Size: int32(n)})
	}
	return out, nil
}

// onUnrepairable reads the flag's word, whatever the case of its letters.
func onUnrepairable(word string) (gang.OnUnrepairable, error) {
	w, ok := gang.ParseOnUnrepairable(word)
	if !ok {
		return "", usage("--on-unrepairable %q is none of %s", word, strings.Join(gang.OnUnrepairables(), ", "))
	}
	return w, nil
}
