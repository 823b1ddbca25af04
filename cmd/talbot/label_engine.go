package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// defaultMoveTime is the limit of a search where no flag sets one.
const defaultMoveTime = 20 * time.Millisecond

// usualDepths are those at which candidates are valued, after the move: as published for the recipe prior.
var usualDepths = []int{1, 3, 7, 10}

// engineOptions are the flags of an engine that labels.
type engineOptions struct {
	engine   string
	movetime time.Duration
	nodes    int64
	depths   []int
}

func (o *engineOptions) add(f *flags.Set, c *stockfish.Config) {
	c.Hash, c.MultiPV, o.movetime = 16, 1, defaultMoveTime
	f.Section("Engine")
	addEngine(f, &o.engine, "engine to use")
	flags.AtLeast(f, &c.Hash, "hash", 1,
		"hash of each engine in MiB; clearing it takes about 0.5 ms at 1, 1.2 ms at 16 and 27 ms at 256")
	flags.Parse(f, &c.Scope, "hash-scope", "", "line", parseScope,
		"clear the hash before each position or each line (default: line with --movetime, otherwise position)")
	f.Words("hash-scope", "position", "line")
	flags.AtLeast(f, &c.MultiPV, "multipv", 1, "number of moves to score in each position")
	f.Section("Search limit (choose one)")
	flags.Above(f, &o.movetime, "movetime", 0, "time for each position")
	flags.AtLeast(f, &o.nodes, "nodes", 1, "nodes for each position")
	flags.Parse(f, &o.depths, "depth", "", "10 or --depth 1,3,7,10", parseDepths,
		"depth for each position; a list such as 1,3,7,10 makes one label for each depth")
	f.AtMostOne("movetime", "nodes", "depth")
}

func parseScope(name string) (stockfish.HashScope, error) {
	switch name {
	case "position":
		return stockfish.PositionScope, nil
	case "line":
		return stockfish.LineScope, nil
	}
	return 0, fmt.Errorf("unknown scope %q: use position or line", name)
}

// parseDepths reads depths and returns them in ascending order.
func parseDepths(s string) ([]int, error) {
	var depths []int
	for part := range strings.SplitSeq(s, ",") {
		d, err := wholeNumber[int](strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		depths = append(depths, d)
	}
	slices.Sort(depths)
	if len(slices.Compact(slices.Clone(depths))) < len(depths) {
		return nil, fmt.Errorf("depths %q contain a number twice", s)
	}
	return depths, nil
}

// limit sets the one limit that the flags name; that of candidates is a depth after the move.
func (o *engineOptions) limit(f *pflag.FlagSet, c *stockfish.Config, candidates bool) error {
	depths := o.depths
	if candidates && depths == nil {
		depths = usualDepths
	}
	switch last := len(depths) - 1; {
	case candidates:
		c.Limit, c.Shallower = label.CandidateDepths(depths)
	case depths != nil:
		c.Limit, c.Shallower = stockfish.Depth(depths[last]), depths[:last]
	case f.Changed("nodes"):
		c.Limit = stockfish.Nodes(o.nodes)
	default:
		c.Limit = stockfish.MoveTime(o.movetime)
	}
	if err := c.Limit.Check(); err != nil {
		return fault.Usage(err, "for example --movetime 20ms, --nodes 20000 or --depth 10")
	}
	return nil
}
