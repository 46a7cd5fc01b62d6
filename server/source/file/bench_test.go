package file

import (
	"fmt"
	"strings"
	"testing"
)

// list is a NodeList of so many nodes as kubectl prints them in JSON, cut to what is
// read, with so many GPUs on the first.
func list(nodes, gpus int) []byte {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i := range nodes {
		if i > 0 {
			b.WriteString(",\n")
			gpus = 8
		}
		fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-%d","labels":{"kubernetes.io/hostname":"node-%d",`+
			`"node.kubernetes.io/instance-type":"p5.48xlarge","topology.k8s.aws/network-node-layer-1":"nn-1",`+
			`"topology.k8s.aws/network-node-layer-2":"nn-%d","topology.k8s.aws/network-node-layer-3":"nn-%d"}},"spec":{"providerID":"aws:///z/i-%d"},`+
			`"status":{"allocatable":{"cpu":"191450m","memory":"2062607Mi","nvidia.com/gpu":"%d","pods":"100"},"conditions":[{"type":"Ready","status":"True"}]}}`,
			i, i, i/1024, i/64, i, gpus)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// BenchmarkReload is what a changed file costs: reading it, and the delta of one node.
func BenchmarkReload(b *testing.B) {
	for _, nodes := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			data := list(nodes, 7)
			before, err := parse("bench", list(nodes, 8))
			if err != nil {
				b.Fatal(err)
			}
			old, err := join([]*content{before}, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				c, err := parse("bench", data)
				if err != nil {
					b.Fatal(err)
				}
				next, err := join([]*content{c}, old)
				if err != nil {
					b.Fatal(err)
				}
				if d := next.since(old); len(d.Nodes) != 1 {
					b.Fatalf("%d nodes in the delta; want 1", len(d.Nodes))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
		})
	}
}
