// Package enginegames has an engine play against itself and keeps its evaluation of each position.
//
// A game begins with an opening and a few random moves. From there the engine searches every position under a limit of
// nodes, which gives the position's label. Its best move is played, but now and then a weaker one on purpose, so that
// positions after a blunder occur, too ([Style]). No game depends on another: game n is a function of the engine, the
// settings, the seed and n, so neither the number of workers nor interruptions change a byte.
//
// [Request] says what to play and returns a [Summary]. Its goroutines and engines end before it returns.
package enginegames

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/play/match"
	"talbot/stockfish"
)

// Request makes a dataset of games of an engine against itself.
type Request struct {
	output.Job
	Games    int64
	Seed     uint64
	Style    Style
	Openings []match.Opening
	Book     string // what the openings are, for the manifest
	Pool     *stockfish.Pool
	Splits   dataset.Splits
}

// Summary is what synth-games reports.
type Summary struct {
	output.Summary
	Labelled int64            `json:"labelled"`
	Ends     map[string]int64 `json:"ends"` // games by how they ended
}

// ShardGames is how many games a shard is of: what a kill costs at most, about a minute of two cores with 1,000 nodes.
const ShardGames = 512

// shardGames is [ShardGames]; tests make it small.
var shardGames int64 = ShardGames

// state is what progress.json keeps.
type state struct {
	Number int64            `json:"number"` // games up to this number are done
	Ends   map[string]int64 `json:"ends"`
}

// Run plays games 1, 2, 3, … until there are Games different ones. A game that was over before the first search is left
// out, as copies are. Memory is 26 bytes a game and some 100 MB besides.
func (r Request) Run(ctx context.Context) (Summary, error) {
	begun := time.Now()
	switch err := r.Style.Check(); {
	case err != nil:
		return Summary{}, err
	case r.Games < 1:
		return Summary{}, fmt.Errorf("number of games must be at least 1: %d", r.Games)
	case len(r.Openings) == 0:
		return Summary{}, errors.New("no openings")
	case !r.Pool.Config().Exact() || r.Pool.Config().HashScope() != stockfish.PositionScope:
		return Summary{}, errors.New("games need a limit of nodes or depth and a hash that is cleared for each " +
			"position, so that they can be played again")
	}
	p := &collection{Request: r, state: state{Ends: map[string]int64{}}}
	m := dataset.Manifest{Verb: "synth-games", Seed: r.Seed, Splits: r.Splits, Fingerprints: r.Pool.Fingerprints(),
		Flags: append(r.Style.flags(), dataset.Tag{Name: "games", Value: strconv.FormatInt(r.Games, 10)},
			dataset.Tag{Name: "openings", Value: r.Book}),
		Inputs: []dataset.Input{{Name: "games", Engine: true}}}
	var err error
	if p.out, err = output.Open(m, r.Pool.Fingerprints(), output.Options{Job: r.Job, Workers: r.Pool.Workers(),
		State: &p.state}); err != nil {
		return Summary{}, err
	}
	defer p.out.Close()
	if err := p.out.EachLine(ctx, 1, 0, func(_ int, l *dataset.Line) error {
		p.seen.Add(l.GameKey())
		return nil
	}); err != nil {
		return Summary{}, err
	}
	if err := p.play(ctx); err != nil {
		if err == errIdle && p.out.Manifest().Counts.GamesKept == 0 { // nothing to continue
			err = errors.Join(err, p.out.Discard())
		}
		return Summary{}, err
	}
	counts := &p.out.Manifest().Counts
	p.out.Manifest().Inputs[0].Games = counts.GamesRead
	if err := p.out.Finish(nil); err != nil {
		return Summary{}, err
	}
	return Summary{p.out.Summary(begun), counts.Labelled, p.state.Ends}, nil
}

// collection is the work under way.
type collection struct {
	Request
	out   *output.Folder
	state state
	seen  dataset.GameSet
	idle  int // games since the last new one
}

// mostIdle games in a row without a new one end the command: more will not come.
const mostIdle = 1000

var errIdle = fault.New(fault.ExitFailed, fmt.Sprintf("%d games in a row were copies, or over before the first search",
	mostIdle), "use a larger --max-plies, more --random-plies or --blunders, other --openings or fewer --games")

// play takes the games in the order of their numbers while the workers play the next ones.
func (p *collection) play(ctx context.Context) error {
	counts := &p.out.Manifest().Counts
	before, samples := counts.GamesKept, counts.Samples
	if before == p.Games {
		return nil
	}
	number := p.state.Number
	next := func() (int64, error) {
		number++
		return number, nil
	}
	workers := p.Pool.Workers()
	for line, err := range ordered.Each(ctx, workers, 4*workers, next, func(worker int, n int64) (dataset.Line, error) {
		return play(p.Style, p.Seed, n, p.Openings, func(start board.Position, moves, only []board.Move) (dataset.Label,
			error) {
			labels, err := p.Pool.Search(ctx, worker, start, moves, only)
			if err != nil {
				return dataset.Label{}, err
			}
			return labels[len(labels)-1], nil
		})
	}) {
		if err != nil {
			return err
		}
		if err := p.add(&line); err != nil || counts.GamesKept == p.Games {
			return err
		}
		p.Report(progress.Progress{Verb: "synth-games", Unit: "games", Count: counts.GamesKept, First: before,
			Done: counts.GamesKept, Total: p.Games, Rate: counts.GamesKept - before,
			Note: humanize.Count(counts.Samples-samples, "position")})
	}
	return nil
}

// add stores a game that is new.
func (p *collection) add(line *dataset.Line) error {
	counts := &p.out.Manifest().Counts
	p.state.Number = line.Number
	if len(line.Labels) == 0 || !p.seen.Add(line.GameKey()) {
		counts.Rejects[dataset.Duplicate]++
		counts.GamesRead++
		if p.idle++; p.idle == mostIdle {
			return errIdle
		}
		return nil
	}
	p.idle = 0
	p.state.Ends[line.Tag("End")]++
	if err := p.out.Write(line); err != nil {
		return err
	}
	if counts.GamesKept%shardGames == 0 {
		return p.out.EndShard()
	}
	return nil
}

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	sum.Head(&t, out, "labelled position")
	humanize.Counts(&t, "ended by", sum.Ends)
	if n := sum.GamesRead - sum.GamesKept; n > 0 {
		t.Line("  played again because they were copies: %s\n", humanize.Thousands(n))
	}
	return t.String()
}
