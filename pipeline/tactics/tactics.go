// Package tactics finds, in labelled games, the positions where only one move holds the advantage.
//
// [Request] reads a labelled dataset and writes another one of the games with such positions. It starts no goroutines.
package tactics

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
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/shards"
)

// The reasons for which a sample of a game is no tactic, in the order in which they are looked for.
const (
	Unlabelled  dataset.Reason = "unlabelled"   // no label of the fingerprint
	OnlyMove    dataset.Reason = "only_move"    // there is one legal move
	OneLine     dataset.Reason = "one_line"     // the engine scored no second move
	Uncertain   dataset.Reason = "uncertain"    // the engine's move is not that of its best line
	NoAdvantage dataset.Reason = "no_advantage" // the best move's score is below Advantage
	OthersHold  dataset.Reason = "others_hold"  // the second best move's score is above Second
	SmallGap    dataset.Reason = "small_gap"    // the two differ by less than Gap
	NoTactic    dataset.Reason = "no_tactic"    // of a line: none of its samples is one
	NotAGame    dataset.Reason = "not_a_game"   // of a line: an endgame or a position of a table
)

// Request asks to find, in labelled games, the positions where exactly one move holds the advantage. Scores
// are centipawns from the side to move's view, clipped to ±1500; mates count as ±2000.
type Request struct {
	output.Job
	In        string
	Label     string // fingerprint of the labels; "" is of each sample the last that compares all moves
	Advantage int    // the best move's score is at least this,
	Second    int    // the second best move's at most this,
	Gap       int    // and at least so much less
}

// Summary is what tactics reports: lines are games, and samples tactics.
type Summary struct {
	output.Summary
	Fingerprint string `json:"fingerprint"`
}

// ErrNoTactics says that no position was found.
var ErrNoTactics = fault.New(fault.ExitFailed, "no tactics found",
	"lower --advantage and --gap, raise --second, or label more games")

// Run keeps the games with such positions as lines of the source puzzle: whole, so that history and split are the
// game's, with these positions as samples, the engine's move as their policy, and their labels. Errors:
// [dataset.ErrNoLabels], [ErrNoTactics] with the counts, those of [shards.OpenDataset].
func (t Request) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	in, err := shards.OpenDataset(t.In)
	if err != nil {
		return Summary{}, err
	}
	defer in.Close()
	if err := output.CheckApart(t.In, t.Out); err != nil {
		return Summary{}, err
	}
	counting, last, err := dataset.CountingSeveral(in.Manifest.Fingerprints, t.Label)
	if err != nil {
		return Summary{}, fmt.Errorf("%q: %w", t.In, err)
	}
	id := in.Manifest.Fingerprints[last].ID()
	parent := in.Manifest
	number := func(name string, n int) dataset.Tag { return dataset.Tag{Name: name, Value: strconv.Itoa(n)} }
	var state struct {
		Input int `json:"input"` // shards that are done
	}
	m := parent.Child(t.In, "tactics", number("advantage", t.Advantage), number("gap", t.Gap),
		dataset.Tag{Name: "label", Value: id}, number("second", t.Second))
	out, err := output.Open(m, parent.Hash(), output.Options{Job: t.Job, State: &state})
	if err != nil {
		return Summary{}, err
	}
	defer out.Close()
	for state.Input < len(in.Shards) {
		if err := t.shard(ctx, in.Shards[state.Input], &counting, out); err != nil {
			return Summary{}, err
		}
		state.Input++
		if err := out.EndShard(); err != nil {
			return Summary{}, err
		}
		samples := out.Manifest().Counts.Samples
		t.Report(progress.Progress{Verb: "tactics", Unit: "tactics", Count: samples, Rate: samples,
			Done: int64(state.Input), Total: int64(len(in.Shards))})
	}
	if c := out.Manifest().Counts; c.Samples == 0 {
		// The hint is to try other flags, which an unfinished folder would not take.
		err := fmt.Errorf("%q: %w in %s (games left out: %s; samples left out: %s)", t.In, ErrNoTactics,
			humanize.Count(c.GamesRead, "game"), humanize.Reasons(c.Rejects), humanize.Reasons(c.SamplesDropped))
		return Summary{out.Summary(start), id}, errors.Join(err, out.Discard())
	}
	if err := out.Finish(nil); err != nil {
		return Summary{}, err
	}
	return Summary{out.Summary(start), id}, nil
}

// shard finds the tactics of a shard.
func (t Request) shard(ctx context.Context, r *shards.Reader, counting *dataset.Counting,
	out *output.Folder) error {
	c := &out.Manifest().Counts
	var w dataset.Walker
	for line, err := range r.Lines() {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		reason := NotAGame
		if line.Source == dataset.SourceGame || line.Source == dataset.SourcePuzzle {
			found, drops := t.find(&w, line, counting)
			c.SamplesDropped = c.SamplesDropped.Add(drops)
			if found != nil {
				if err := out.Write(found); err != nil {
					return err
				}
				continue
			}
			reason = NoTactic
		}
		c.GamesRead++
		c.Rejects[reason]++
	}
	return nil
}

// find returns the line with its tactics as samples, nil if there are none, and counts the other samples.
func (t Request) find(w *dataset.Walker, line *dataset.Line, counting *dataset.Counting) (*dataset.Line,
	dataset.Drops) {
	var kept []int
	var policies [][]dataset.WeightedMove
	drops := dataset.Drops{}
	for w.Reset(line); w.Next(); {
		label := counting.Of(line, w.Sample()).Moves
		if reason := t.judge(w.Position(), &label); reason != "" {
			drops[reason]++
			continue
		}
		kept = append(kept, w.Sample())
		policies = append(policies, []dataset.WeightedMove{{Move: label.Best, Weight: 1}})
	}
	if kept == nil {
		return nil, drops
	}
	l := *line
	l.Keep(kept)
	l.Source, l.Policies = dataset.SourcePuzzle, policies
	return &l, drops
}

// judge returns why a sample is no tactic; empty if it is one.
func (t Request) judge(p *board.Position, l *dataset.Label) dataset.Reason {
	if l.Status != dataset.Labelled {
		return Unlabelled
	}
	if len(l.Lines) < 2 {
		var moves [board.MaxMoves]board.Move
		if len(p.LegalMoves(moves[:0])) == 1 {
			return OnlyMove
		}
		return OneLine
	}
	best, second := centipawns(l.Lines[0].Score), centipawns(l.Lines[1].Score)
	switch {
	case len(l.Lines[0].PV) == 0 || l.Lines[0].PV[0] != l.Best:
		return Uncertain
	case best < t.Advantage:
		return NoAdvantage
	case second > t.Second:
		return OthersHold
	case best-second < t.Gap:
		return SmallGap
	}
	return ""
}

// centipawns puts scores on one scale.
func centipawns(s dataset.Score) int {
	if cp, ok := s.Centipawns(); ok {
		return max(-1500, min(1500, cp))
	}
	if n, _ := s.Mate(); n > 0 {
		return 2000
	}
	return -2000
}

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s in %s of %s, %s, %.1f s\n", out, humanize.Count(sum.Samples, "tactic"),
		humanize.Thousands(sum.GamesKept), humanize.Count(sum.GamesRead, "game"), humanize.Size(float64(sum.Bytes)),
		sum.Seconds)
	humanize.Counts(&t, "games left out as", sum.Rejects)
	humanize.Counts(&t, "positions left out as", sum.SamplesDropped)
	return t.String()
}
