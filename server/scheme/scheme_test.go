package scheme_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hopwise/hopwise/server/scheme"
)

const aws = "topology.k8s.aws/network-node-layer-"

func preset(t *testing.T, name string) scheme.Scheme {
	t.Helper()
	s, err := scheme.Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// nodes makes nodes of labels written "key=value key=value", type first after "@".
func nodes(lines ...string) []scheme.Node {
	var out []scheme.Node
	for i, line := range lines {
		n := scheme.Node{Name: fmt.Sprintf("n%d", i), Labels: map[string]string{}}
		for _, word := range strings.Fields(line) {
			if kind, ok := strings.CutPrefix(word, "@"); ok {
				n.InstanceType = kind
				continue
			}
			key, value, _ := strings.Cut(word, "=")
			n.Labels[key] = value
		}
		out = append(out, n)
	}
	return out
}

// The order is documented: it breaks ties.
func TestPresetsInOrder(t *testing.T) {
	var got []string
	for _, p := range scheme.Presets() {
		got = append(got, p.Name)
		if _, err := scheme.Custom(p.Layers, p.Node); err != nil {
			t.Errorf("preset %s: %v", p.Name, err)
		}
	}
	want := []string{"aws", "gke", "oci", "oci-host", "topograph", "topograph-older", "coreweave-ib", "coreweave"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("presets (-want +got):\n%s", diff)
	}
	if _, err := scheme.Preset("coreweve"); err == nil || !strings.Contains(err.Error(), "did you mean coreweave?") {
		t.Errorf("error %v; want the nearest preset", err)
	}
}

func TestPresetsAreCopies(t *testing.T) {
	scheme.Presets()[0].Layers[0] = "x"
	if got := preset(t, "aws").Layers[0]; got != aws+"1" {
		t.Errorf("a caller changed the preset: %q", got)
	}
}

func TestPath(t *testing.T) {
	s := preset(t, "aws")
	for labels, want := range map[string]string{
		"": "[]",
		aws + "1=a " + aws + "2=b " + aws + "3=c": "[a b c]",
		aws + "1=a " + aws + "3=c":                "[a]",
		aws + "1= " + aws + "2=b":                 "[]",
	} {
		if got := fmt.Sprint(s.Path(nodes(labels)[0].Labels)); got != want {
			t.Errorf("%q: path %s; want %s", labels, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	const oci, tg, cw = "oci.oraclecloud.com/", "fabric.topograph.run/tier-", "backend.coreweave.cloud/"
	tests := map[string]struct {
		nodes []scheme.Node
		name  string
		first string // layer
		depth int
		note  string
	}{
		"nothing labelled": {nodes("a=b", ""), "aws", aws + "1", 4, "none of 2 nodes"},
		"no nodes":         {nil, "aws", aws + "1", 4, "none of 0 nodes"},
		"empty is absent":  {nodes(aws+"1=", cw+"fabric=f"), "coreweave", cw + "fabric", 3, "1 of 2"},
		"most nodes win":   {nodes(aws+"1=a", cw+"fabric=f", cw+"fabric=f"), "coreweave", cw + "fabric", 3, "2 of 3"},
		"a tie":            {nodes(aws+"1=a", tg+"0=f"), "aws", aws + "1", 4, "1 of 2"},
		"two oci schemes": {nodes(oci + "rdma.hpc_island_id=i " + oci + "rdma.network_block_id=n " + oci + "rdma.local_block_id=l " + oci + "host.rack_id=r"),
			"oci", oci + "rdma.hpc_island_id", 3, "1 of 1"},
		"tiers are counted":  {nodes(tg+"0=a "+tg+"1=b "+tg+"2=c "+tg+"3=d", tg+"0=a"), "topograph", tg + "3", 4, "2 of 2"},
		"two tiers":          {nodes(tg + "0=a " + tg + "1=b"), "topograph", tg + "1", 2, "1 of 1"},
		"tiers out of reach": {nodes(tg + "0=a " + tg + "99=b " + tg + "x=c"), "topograph", tg + "0", 1, "1 of 1"},
		"a root nobody has":  {nodes(oci + "rdma.network_block_id=n " + oci + "rdma.local_block_id=l"), "oci", oci + "rdma.network_block_id", 2, "left out, since no node carries them: oci.oraclecloud.com/rdma.hpc_island_id"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := scheme.Detect(tt.nodes)
			if d.Scheme.Name != tt.name || d.Scheme.Layers[0] != tt.first || len(d.Scheme.Layers) != tt.depth {
				t.Errorf("scheme %+v; want %s from %s, %d layers", d.Scheme, tt.name, tt.first, tt.depth)
			}
			if !strings.Contains(d.Note, tt.note) {
				t.Errorf("note %q lacks %q", d.Note, tt.note)
			}
		})
	}
}

func TestCustom(t *testing.T) {
	s, err := scheme.Custom([]string{"block", "rack", scheme.Hostname}, "")
	if err != nil || !cmp.Equal(s, scheme.Scheme{Name: "custom", Layers: []string{"block", "rack"}, Node: scheme.Hostname}) {
		t.Errorf("%+v, %v; want the host name folded into the node", s, err)
	}
	for name, tt := range map[string]struct {
		layers []string
		want   string
	}{
		"none":          {nil, "no layers"},
		"host only":     {[]string{scheme.Hostname}, "no layers"},
		"twice":         {[]string{"a", "b", "a"}, `layers[2]: label key "a" is already layers[0]`},
		"empty":         {[]string{"a", ""}, "layers[1]: the label key is empty"},
		"host in it":    {[]string{scheme.Hostname, "a"}, "always the last"},
		"too many":      {strings.Split("a b c d e f g h i", " "), "at most 8"},
		"escape":        {[]string{"a\x1b"}, `"a\x1b"`},
		"blank":         {[]string{"a b"}, "blank"},
		"far too long":  {[]string{strings.Repeat("a", 400)}, "400 bytes"},
		"no UTF-8 text": {[]string{"a\xff"}, "cannot be printed"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := scheme.Custom(tt.layers, ""); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v; want %q", err, tt.want)
			}
		})
	}
}

func TestGaps(t *testing.T) {
	s := preset(t, "aws")
	three := aws + "1=a " + aws + "2=b " + aws + "3=c"
	got := scheme.Gaps(s, nodes(
		"@ml.p5.48xlarge "+three,
		"@p6-b200.48xlarge "+three,
		"@m5.large",
		"@x9.large "+aws+"1=a",
		"@x9.large "+aws+"1=a "+aws+"2=b",
		"@p5.48xlarge "+aws+"1=a "+aws+"3=c",
		"@y1.large "+aws+"1=a",
	))
	want := []scheme.Gap{
		{Node: "n1", InstanceType: "p6-b200.48xlarge", Has: 3, Wants: 4, Missing: []string{aws + "4"}},
		{Node: "n2", InstanceType: "m5.large"},
		{Node: "n3", InstanceType: "x9.large", Has: 1, Wants: 2, Missing: []string{aws + "2"}},
		{Node: "n5", InstanceType: "p5.48xlarge", Has: 1, Wants: 3, Missing: []string{aws + "2"}, Unbelieved: []string{aws + "3"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

func TestSideLayers(t *testing.T) {
	got := scheme.SideLayers(nodes(
		"nvidia.com/gpu.clique=c.1 accelerator.mine.example/domain=d",
		"nvidia.com/gpu.clique=c.2 accelerator.mine.example/domain=d",
		"nvidia.com/gpu.clique= topology.k8s.aws/ultraserver-id=u other.example/domain=x"))
	want := []scheme.SideLayer{
		{Key: "accelerator.mine.example/domain", Domains: 1, Nodes: 2},
		{Key: "nvidia.com/gpu.clique", Domains: 2, Nodes: 2},
		{Key: "topology.k8s.aws/ultraserver-id", Domains: 1, Nodes: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("side layers (-want +got):\n%s", diff)
	}
}

func TestResolve(t *testing.T) {
	s := preset(t, "aws")
	for name, want := range map[string]int{aws + "1": 0, aws + "4": 3, scheme.Hostname: 4} {
		if got, err := s.Resolve(name); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"network-node-layer-3":                  aws + "3",
		"layer-2":                               aws + "2",
		"topology.k8s.aws/network-node-layer-9": aws + "1", // all are as near: the first
		"topology.k8s.aws/network-nod-layer-3":  aws + "3",
		"hostname":                              scheme.Hostname,
		"":                                      "",
		"something.else/entirely":               "",
		"layer":                                 "",
		strings.Repeat("network-node-layer-", 99): "",
	} {
		_, err := s.Resolve(name)
		var unknown *scheme.UnknownLayerError
		if !errors.As(err, &unknown) || unknown.Nearest != want || len(unknown.Known) != 5 {
			t.Errorf("%.60s: %v; want nearest %q", name, err, want)
		}
	}
}

func TestShort(t *testing.T) {
	for _, tt := range []struct {
		preset, want string
		layer        int
	}{{"aws", "layer-3", 2}, {"aws", "node", 4}, {"gke", "gce-topology-block", 0}, {"coreweave", "leafgroup", 2}} {
		if got := preset(t, tt.preset).Short(tt.layer); got != tt.want {
			t.Errorf("%s layer %d: %q; want %q", tt.preset, tt.layer, got, tt.want)
		}
	}
}
