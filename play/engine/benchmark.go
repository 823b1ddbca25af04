package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"talbot/internal/humanize"
	"talbot/network/builtin"
	"talbot/network/predict"
)

// Benchmark measures a network on several backends and at several batch sizes.
type Benchmark struct {
	Path     string                             // of the network
	Backends []string                           // nil: all that this machine has
	Sizes    []int                              // of batches, beside the default one; nil: some
	Each     time.Duration                      // time for each figure
	Print    func(format string, values ...any) // gets the figures as text; may be nil
}

// Benchmarks are the figures of a [Benchmark].
type Benchmarks struct {
	Evaluations []Speed `json:"evaluations"`
	// NodesPerSecond is that of the search on the first backend at its default batch.
	NodesPerSecond float64 `json:"nodes_per_second"`
	// Choices are those of the network that comes with talbot, on each backend.
	Choices []Choices `json:"choices,omitempty"`
}

// Run measures.
func (b Benchmark) Run(ctx context.Context) (result Benchmarks, err error) {
	if b.Backends == nil {
		b.Backends = Backends()
	}
	if b.Sizes == nil {
		b.Sizes = []int{1, 4, 8, 16, 32}
	}
	if b.Print == nil {
		b.Print = func(string, ...any) {}
	}
	for i, name := range b.Backends {
		b.Print("%-10s %5s  %12s  %12s  %8s  %5s\n", name, "batch", "positions/s", "in search", "nodes/s", "fill")
		err := b.backend(ctx, &result, name, i == 0)
		if errors.Is(err, predict.ErrNoInt8) && len(b.Backends) > 1 {
			b.Print("%-10s not for this network: nothing in it is computed in 8 bits\n", "")
			continue
		}
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// backend measures one backend.
func (b *Benchmark) backend(ctx context.Context, result *Benchmarks, name string, first bool) error {
	usual := defaultBatch(name)
	for _, size := range withUsual(b.Sizes, usual) {
		s, err := Bench(ctx, Config{Path: b.Path, Backend: name, Batch: size}, b.Each)
		if err != nil {
			return err
		}
		result.Evaluations = append(result.Evaluations, s)
		if first && size == usual {
			result.NodesPerSecond = s.Nodes
		}
		b.Print("%-10s %5d  %12.0f  %12.0f  %8.0f  %4.0f%%\n", "", s.Batch, s.PerSecond, s.InSearch, s.Nodes,
			100*s.Fill)
	}
	if b.Path != builtin.Name {
		return nil
	}
	c, err := Choose(ctx, Config{Path: b.Path, Backend: name})
	if err != nil {
		return err
	}
	result.Choices = append(result.Choices, c)
	b.Print("%-10s choices %s: %s, %s at %.0f nodes/s\n", "", c.Hash, humanize.Count(int64(c.Positions), "position"),
		humanize.Count(c.Nodes, "node"), c.NodesPerSecond)
	return nil
}

// withUsual returns the sizes with the default one in its place.
func withUsual(sizes []int, usual int) []int {
	if usual == 0 || slices.Contains(sizes, usual) {
		return sizes
	}
	all := append([]int{usual}, sizes...)
	slices.Sort(all)
	return all
}
