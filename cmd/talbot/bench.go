package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/builtin"
	"talbot/network/predict"
	"talbot/play/engine"
)

type benchOptions struct {
	run     string
	backend string
	batches []int
	each    time.Duration
	json    bool
}

// benchResult is what `talbot bench --json` prints.
type benchResult struct {
	Evaluations []engine.Speed `json:"evaluations"`
	// NodesPerSecond is that of the search on the first backend at its default batch.
	NodesPerSecond float64 `json:"nodes_per_second"`
	// Choices are those of the network that comes with talbot, on each backend.
	Choices []engine.Choices `json:"choices,omitempty"`
}

func newBench() *cobra.Command {
	o := benchOptions{each: time.Second}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast a network plays on each backend",
		Long: `Bench measures how many positions a second a network evaluates, on each backend that
this machine has and at several batch sizes: in full batches that are ready in memory,
and in a search that starts with an empty tree and keeps no evaluations. "fill" is how
full the batches of the search are.

Without --run it is the network that comes with talbot. It then also searches fixed
positions, 100 nodes each, and prints nodes a second and a hash of the moves chosen, which
shows whether a build plays as another one does.

Each figure takes --seconds; full batches and searches take turns. Close other programs
before you measure. See docs/12-play.md.`,
		Example: `  talbot bench
  talbot bench --run run1
  talbot bench --run run1 --backend go --batch 1,8,16 --seconds 5s --json`,
		SuggestFor: []string{"benchmark", "speed"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.bench(cmd.Context()) },
	}
	f := flags.Of(cmd)
	addNetwork(f, &o.run)
	addBackendFlag(f, &o.backend, answering, "compute backend: "+
		strings.TrimPrefix(backendNames(answering), "auto, ")+" (default: all available)")
	flags.List(f, &o.batches, "batch", "1,8,16", parseBatch,
		"batch `SIZES`, separated by commas; the default one is added (default: 1,4,8,16,32)")
	flags.Above(f, &o.each, "seconds", 0, "time for each figure")
	addJSON(f, &o.json)
	return cmd
}

func parseBatch(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > engine.MaxBatch {
		return 0, fmt.Errorf("%q is not a number from 1 to %d", text, engine.MaxBatch)
	}
	return n, nil
}

func (o *benchOptions) bench(ctx context.Context) error {
	which, sizes := engine.Backends(), o.batches
	if o.backend != "" {
		which = []string{o.backend}
	}
	if sizes == nil {
		sizes = []int{1, 4, 8, 16, 32}
	}
	if _, err := engine.Look(o.run); err != nil {
		return err
	}
	ctx, stop := cli.Stops(ctx)
	defer stop()
	var result benchResult
backends:
	for i, name := range which {
		if !o.json {
			printf("%-10s %5s  %12s  %12s  %8s  %5s\n", name, "batch", "positions/s", "in search", "nodes/s", "fill")
		}
		usual := engine.DefaultBatch(name)
		for _, size := range withUsual(sizes, usual) {
			s, err := engine.Bench(ctx, engine.Config{Path: o.run, Backend: name, Batch: size}, o.each)
			if errors.Is(err, context.Canceled) {
				return cli.ErrRepeat
			}
			if errors.Is(err, predict.ErrNoInt8) && len(which) > 1 {
				if !o.json {
					printf("%-10s not for this network: nothing in it is computed in 8 bits\n", "")
				}
				continue backends
			}
			if err != nil {
				return err
			}
			result.Evaluations = append(result.Evaluations, s)
			if i == 0 && size == usual {
				result.NodesPerSecond = s.Nodes
			}
			if !o.json {
				printf("%-10s %5d  %12.0f  %12.0f  %8.0f  %4.0f%%\n", "", s.Batch, s.PerSecond, s.InSearch, s.Nodes,
					100*s.Fill)
			}
		}
		if o.run == builtin.Name {
			c, err := engine.Choose(ctx, engine.Config{Path: o.run, Backend: name})
			if errors.Is(err, context.Canceled) {
				return cli.ErrRepeat
			}
			if err != nil {
				return err
			}
			result.Choices = append(result.Choices, c)
			if !o.json {
				printf("%-10s choices %s: %s, %s at %.0f nodes/s\n", "", c.Hash,
					humanize.Count(int64(c.Positions), "position"), humanize.Count(c.Nodes, "node"), c.NodesPerSecond)
			}
		}
	}
	if o.json {
		return printJSON(result)
	}
	return nil
}

// withUsual returns the sizes with the default one in its place.
func withUsual(sizes []int, usual int) (all []int) {
	for _, n := range sizes {
		if usual > 0 && n >= usual {
			all = append(all, usual)
			if usual = 0; n == all[len(all)-1] {
				continue
			}
		}
		all = append(all, n)
	}
	if usual > 0 {
		all = append(all, usual)
	}
	return all
}
