package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/play/engine"
)

type benchOptions struct {
	run     string
	backend string
	batches []int
	each    time.Duration
	json    bool
}

func newBench() *cobra.Command {
	o := benchOptions{each: time.Second}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast a network plays on each backend",
		Long: `Bench measures how many positions a second a network evaluates, on each of this
machine's backends and at several batch sizes: in full batches ready in memory, and in a
search from an empty tree. "fill" is how full the search's batches are.

For the network that comes with talbot, it also searches fixed positions, and prints nodes
a second and a hash of the moves chosen, which shows whether two builds play alike. Close
other programs first. See docs/12-play.md.`,
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
		"batch `SIZES`, separated by commas; the backend's own is added (default: 1,4,8,16,32)")
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
	if _, err := engine.Describe(o.run); err != nil {
		return err
	}
	ctx, stop := cli.Stops(ctx)
	defer stop()
	b := engine.Benchmark{Path: o.run, Sizes: o.batches, Each: o.each}
	if o.backend != "" {
		b.Backends = []string{o.backend}
	}
	if !o.json {
		b.Print = func(format string, values ...any) { cli.Printf(format, values...) }
	}
	result, err := b.Run(ctx)
	if err != nil {
		return cli.Repeatable(err)
	}
	if o.json {
		return cli.PrintJSON(result)
	}
	return nil
}
