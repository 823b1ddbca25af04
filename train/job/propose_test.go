package job

import (
	"runtime"
	"strings"
	"testing"

	"talbot/dataset"
)

// What is proposed fits the data and the machine.
func TestPropose(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: how long a training takes is guessed on amd64 alone")
	}
	aggregated := []dataset.Input{{Aggregate: &dataset.Aggregate{}}}
	for _, c := range []struct {
		samples int64
		inputs  []dataset.Input
		cores   int
		gpu     bool
		want    string
	}{
		{20_000, nil, 2, false, "--recipe talbotbot --preset small --steps 2500"},
		{30_000_000, nil, 2, false, "--recipe lynx --blocks 6 --filters 64 --steps 4200"},
		{30_000_000, nil, 16, false, "--recipe lynx --blocks 6 --filters 64 --steps 34000"},
		{2_100_000, nil, 64, false, "--recipe lynx --blocks 6 --filters 64 --steps 15000"}, // four passes
		{30_000_000, nil, 2, true, "--recipe talbotbot --blocks 20 --filters 128"},
		{30_000_000, aggregated, 2, false, "--recipe prior --blocks 4 --filters 48 --batch 256 --steps 2600"},
		{30_000_000, aggregated, 2, true, "--recipe prior"},
	} {
		m := &dataset.Manifest{Inputs: c.inputs, Splits: dataset.DefaultSplits}
		m.Counts.Samples = c.samples
		if got := strings.Join(Propose(m, c.cores, c.gpu), " "); got != c.want {
			t.Errorf("%d samples, %d cores, GPU %v: %q, want %q", c.samples, c.cores, c.gpu, got, c.want)
		}
	}
}
