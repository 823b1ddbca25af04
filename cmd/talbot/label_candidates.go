package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"talbot/pipeline/label"
	"talbot/stockfish"
)

// usualDepths are those at which candidates are valued, after the move: as published for the recipe prior.
const usualDepths = "1,3,7,10"

// maxCandidates is the most candidates of a sample: a label cannot have more lines.
const maxCandidates = 256

// chooseMoves checks the flags of --candidates and sets the limit of its searches.
func (o *labelOptions) chooseMoves(cmd *cobra.Command, engine *stockfish.Config) error {
	f := cmd.Flags()
	if !f.Changed("candidates") {
		if o.network != "" {
			return usage(errors.New("--network needs --candidates"), "for example --candidates 20")
		}
		return nil
	}
	if o.candidates < 1 || o.candidates > maxCandidates {
		return usage(fmt.Errorf("--candidates must be from 1 to %d: %d", maxCandidates, o.candidates),
			"for example --candidates 20")
	}
	for _, name := range []string{"movetime", "nodes", "multipv", "hash-scope", "listen", "nats", "audit",
		"calibrate"} {
		if f.Changed(name) {
			return usage(errors.New("--candidates takes no --"+name), "its limit is --depth, on this machine alone")
		}
	}
	text := o.depth
	if text == "" {
		text = usualDepths
	}
	depths, err := parseDepths(text)
	if err != nil {
		return usage(err, "for example --depth 1,3,7,10")
	}
	engine.Limit, engine.Shallower = label.CandidateDepths(depths)
	if err := engine.Limit.Check(); err != nil {
		return usage(err, "for example --depth 1,3,7,10")
	}
	return nil
}
