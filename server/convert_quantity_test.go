package server

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int64
		wrong      string
	}{
		{"nvidia.com/gpu", "8", 8, ""},
		{"nvidia.com/gpu", "0", 0, ""},
		{"nvidia.com/gpu", "1k", 1000, ""},
		{"nvidia.com/gpu", "1e3", 1000, ""},
		{"nvidia.com/gpu", "8.0", 8, ""},
		{"cpu", "96", 96000, ""},
		{"cpu", "1500m", 1500, ""},
		{"cpu", ".5", 500, ""},
		{"memory", "64Gi", 64 << 30, ""},
		{"memory", "1500M", 1_500_000_000, ""},
		{"memory", "8Pi", 8 << 50, ""},
		{"pods", "1", 0, "by itself"},
		{"nvidia.com/gpu", "-1", 0, "negative"},
		{"nvidia.com/gpu", "0.5", 0, "finer than 1"},
		{"nvidia.com/gpu", "500m", 0, "finer than 1"},
		{"cpu", "0.5m", 0, "finer than 1m"},
		{"memory", "9Pi", 0, "too large"},
		{"memory", "9e99", 0, "too large"},
		{"cpu", "9007199254740993m", 0, "too large"},
		{"cpu", "9E", 0, "too large"},
		{"memory", "1e1000000000", 0, "no quantity"},
		{"memory", "64GB", 0, "no quantity"},
		{"memory", "64 Gi", 0, "no quantity"},
		{"memory", "lots", 0, "no quantity"},
		{"memory", "", 0, "no quantity"},
		{"memory", "0x10", 0, "no quantity"},
		{"memory", "NaN", 0, "no quantity"},
		{"memory", "1e", 0, "no quantity"},
		{"memory", "99999999999999999999999999999999999999999999999999999999999", 0, "too large"},
	} {
		got, wrong := amount(c.name, c.text)
		if got != c.want || (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s %q: %d, %q; want %d, %q", c.name, c.text, got, wrong, c.want, c.wrong)
		}
	}
}

// TestAmounts: zero is left out, every wrong one is named, in order.
func TestAmounts(t *testing.T) {
	got, err := amounts("p", map[string]string{"cpu": "2", "x/y": "0"})
	if diff := cmp.Diff(map[string]int64{"cpu": 2000}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	_, err = amounts("p", map[string]string{"cpu": "-2", "b": "many", "a": "1"})
	var f *failure
	if !errors.As(err, &f) || len(f.violations) != 2 || f.violations[0].field != `p["b"]` || f.violations[1].field != `p["cpu"]` {
		t.Errorf("%v", err)
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int64
		want string
	}{
		{"cpu", 1500, "1500m"}, {"cpu", 192000, "192"}, {"cpu", 1_000_000, "1000"},
		{"memory", 64 << 30, "64Gi"}, {"memory", 1000, "1000"},
		{"nvidia.com/gpu", 1024, "1024"}, {"nvidia.com/gpu", 0, "0"}, {"hugepages-2Mi", 4 << 20, "4Mi"},
	} {
		got := quantity(c.name, c.n)
		if got != c.want {
			t.Errorf("%s %d: %q, want %q", c.name, c.n, got, c.want)
		}
		if back, wrong := amount(c.name, got); back != c.n || wrong != "" {
			t.Errorf("%s %q reads back as %d, %s", c.name, got, back, wrong)
		}
	}
}
