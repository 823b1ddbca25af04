package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/stockfish"
)

// defaultMoveTime is the limit of a search where no flag sets one.
const defaultMoveTime = 20 * time.Millisecond

// engineOptions are the flags of commands that search.
type engineOptions struct {
	engine   string
	movetime time.Duration
	nodes    int64
	depth    string
	hash     int
	multipv  int
	scope    string
}

func (o *engineOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.engine, "engine", "stockfish", "engine to use: a path, or a name to look up")
	f.DurationVar(&o.movetime, "movetime", defaultMoveTime, "time for each position")
	f.Int64Var(&o.nodes, "nodes", 0, "nodes for each position")
	f.StringVar(&o.depth, "depth", "",
		"depth for each position; a list such as 1,3,7,10 makes one label for each depth")
	f.IntVar(&o.hash, "hash", 16,
		"hash of each engine in MiB; clearing it takes about 0.5 ms at 1, 1.2 ms at 16 and 27 ms at 256")
	f.IntVar(&o.multipv, "multipv", 1, "number of moves to score in each position")
	f.StringVar(&o.scope, "hash-scope", "",
		"clear the hash before each position or each line (default: line with --movetime, otherwise position)")
}

// config turns the flags into an engine's configuration with the one limit that they name.
func (o *engineOptions) config(cmd *cobra.Command) (stockfish.Config, error) {
	c := stockfish.Config{Limit: stockfish.MoveTime(o.movetime), Hash: o.hash, MultiPV: o.multipv}
	f, given := cmd.Flags(), 0
	for _, name := range []string{"movetime", "nodes", "depth"} {
		if f.Changed(name) {
			given++
		}
	}
	if given > 1 {
		return c, usage(errors.New("more than one search limit"), "use only one of --movetime, --nodes and --depth")
	}
	if o.multipv < 1 || o.hash < 1 {
		return c, usage(fmt.Errorf("--multipv %d --hash %d: both must be at least 1", o.multipv, o.hash), "")
	}
	switch {
	case f.Changed("nodes"):
		c.Limit = stockfish.Nodes(o.nodes)
	case f.Changed("depth"):
		depths, err := parseDepths(o.depth)
		if err != nil {
			return c, usage(err, "for example --depth 10 or --depth 1,3,7,10")
		}
		last := len(depths) - 1
		c.Limit, c.Shallower = stockfish.Depth(depths[last]), depths[:last]
	}
	if err := c.Limit.Check(); err != nil {
		return c, usage(err, "for example --movetime 20ms, --nodes 20000 or --depth 10")
	}
	switch o.scope {
	case "":
	case "position":
		c.Scope = stockfish.PositionScope
	case "line":
		c.Scope = stockfish.LineScope
	default:
		return c, usage(fmt.Errorf("unknown --hash-scope %q", o.scope), "use position or line")
	}
	return c, nil
}

// find sets the engine's executable.
func (o *engineOptions) find(c *stockfish.Config) error {
	var err error
	c.Path, err = stockfish.Find(o.engine)
	return err
}

// parseDepths reads ascending depths.
func parseDepths(s string) ([]int, error) {
	var depths []int
	for part := range strings.SplitSeq(s, ",") {
		d, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || d < 1 {
			return nil, fmt.Errorf("depth %q is not a positive number", part)
		}
		depths = append(depths, d)
	}
	slices.Sort(depths)
	if len(slices.Compact(slices.Clone(depths))) < len(depths) {
		return nil, fmt.Errorf("depths %q contain a number twice", s)
	}
	return depths, nil
}

// parseShare reads a share of the samples: 0.001 or 0.1%.
func parseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v <= 1) {
		return 0, fmt.Errorf("share %q must be above 0 and at most 1 (or 100%%)", s)
	}
	return v, nil
}

// partOf reads --part.
func partOf(s string) (dataset.Part, error) {
	if s == "" {
		return dataset.Part{}, nil
	}
	part, err := dataset.ParsePart(s)
	if err != nil {
		return part, usage(err, "for example --part 1/4 on the first of four machines")
	}
	return part, nil
}
