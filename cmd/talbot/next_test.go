package main

import (
	"strings"
	"testing"

	"talbot/dataset"
)

// What is proposed fits the data and the machine, and is a command that talbot takes.
func TestProposed(t *testing.T) {
	aggregated := []dataset.Input{{Aggregate: &dataset.Aggregate{}}}
	for _, c := range []struct {
		samples int64
		inputs  []dataset.Input
		gpu     bool
		want    string
	}{
		{20_000, nil, false, "--recipe talbotbot --preset small --steps 2500"},
		{30_000_000, nil, false, "--recipe lynx --blocks 6 --filters 64 --steps 10000"},
		{30_000_000, nil, true, "--recipe talbotbot --blocks 20 --filters 128"},
		{30_000_000, aggregated, false, "--recipe prior --blocks 4 --filters 48 --batch 256 --steps 2600"},
		{30_000_000, aggregated, true, "--recipe prior"},
	} {
		m := &dataset.Manifest{Inputs: c.inputs, Splits: dataset.DefaultSplits}
		m.Counts.Samples = c.samples
		got := strings.Join(proposed(m, c.gpu), " ")
		if got != c.want {
			t.Errorf("%d samples, GPU %v: %q, want %q", c.samples, c.gpu, got, c.want)
		}
		if err := checkUsage("talbot train --data lines --run run1 " + got); err != nil {
			t.Error(err)
		}
	}
}
