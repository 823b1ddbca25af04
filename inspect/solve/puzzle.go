package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/pipeline/ingest"
	"talbot/shards"
)

// Puzzle is a position to solve.
type Puzzle struct {
	Number int64 // among the puzzles of the input, from 1
	Name   string
	Rating int // as the puzzle's tags have it; 0: not rated
	Themes []string
	Start  board.Position
	Moves  []board.Move // the past, the solution and the replies to it
	Steps  []Step       // by ascending ply
}

// Step is a position of a puzzle in which the player has to find a move.
type Step struct {
	Ply   int          // moves before it
	Best  []board.Move // one of which is right; none: each but those of Avoid
	Avoid []board.Move
}

// Solves reports whether a move is right: it is one of the best, or, as on Lichess, it gives mate.
func (s *Step) Solves(p *board.Position, m board.Move) bool {
	if len(s.Best) == 0 {
		return !slices.Contains(s.Avoid, m)
	}
	if slices.Contains(s.Best, m) {
		return true
	}
	after := p.After(m)
	return after.InCheck() && !after.HasLegalMove()
}

// NewPuzzle returns the puzzle of a line; false if nothing in it can be solved: it has no sample with a move to find.
func NewPuzzle(l *dataset.Line) (*Puzzle, bool) {
	p := &Puzzle{Number: l.Number, Name: cmp.Or(l.Tag(rows.TagPuzzleID), l.Tag(rows.TagEPDID)),
		Themes: strings.Fields(l.Tag(rows.TagThemes)), Start: l.Start, Moves: l.Moves}
	p.Rating, _ = strconv.Atoi(l.Tag(rows.TagPuzzleRating))
	sample, at := -1, l.Start
	for ply := range len(l.Moves) + 1 {
		if l.Samples.Has(ply, len(l.Moves)) {
			sample++
			if step := newStep(l, sample, ply, &at); len(step.Best)+len(step.Avoid) > 0 {
				p.Steps = append(p.Steps, step)
			}
		}
		if ply < len(l.Moves) {
			at.Play(l.Moves[ply])
		}
	}
	return p, len(p.Steps) > 0
}

// newStep returns what there is to find in a sample, at a position.
func newStep(l *dataset.Line, sample, ply int, at *board.Position) Step {
	s := Step{Ply: ply}
	if sample < len(l.Policies) && len(l.Policies[sample]) > 0 {
		for _, w := range l.Policies[sample] {
			s.Best = append(s.Best, w.Move)
		}
		return s
	}
	if ply < len(l.Moves) {
		s.Best = l.Moves[ply : ply+1]
		return s
	}
	for text := range strings.FieldsSeq(l.Tag(rows.TagAvoidMoves)) {
		if m, err := at.ParseUCI(text); err == nil {
			s.Avoid = append(s.Avoid, m)
		}
	}
	return s
}

// Input is where puzzles come from: a file that talbot ingest reads, or a dataset.
type Input struct {
	Path   string
	Splits []dataset.Split // of a dataset: only these; none: all

	Rejects int64 // lines of a file that could not be read, counted by Lines
}

// ErrNoPuzzles: an input has nothing to solve.
var ErrNoPuzzles = errors.New("there is nothing to solve")

// Lines returns the puzzles, tactics and EPD positions of the input, in order. An error ends the sequence.
func (in *Input) Lines() iter.Seq2[*dataset.Line, error] {
	info, err := os.Stat(in.Path)
	switch {
	case err != nil && in.Path != "-":
		return func(yield func(*dataset.Line, error) bool) { yield(nil, err) }
	case err == nil && info.IsDir():
		return in.dataset
	case len(in.Splits) > 0:
		return func(yield func(*dataset.Line, error) bool) {
			yield(nil, fmt.Errorf("%q is a file: only datasets have splits", in.Path))
		}
	}
	return in.file
}

func (in *Input) dataset(yield func(*dataset.Line, error) bool) {
	d, err := shards.OpenDataset(in.Path)
	if err != nil {
		yield(nil, err)
		return
	}
	defer d.Close()
	for l, err := range d.Lines() {
		switch {
		case err != nil:
			yield(nil, err)
			return
		case l.Source != dataset.SourcePuzzle:
		case len(in.Splits) > 0 && !slices.Contains(in.Splits, d.Manifest.Splits.Of(dataset.SplitKey(l))):
		case !yield(l, nil):
			return
		}
	}
}

func (in *Input) file(yield func(*dataset.Line, error) bool) {
	temp, err := os.MkdirTemp("", "talbot-solve")
	if err != nil {
		yield(nil, err)
		return
	}
	defer os.RemoveAll(temp)
	text, r, err := ingest.Open(in.Path, rows.Stated{}, temp)
	if err != nil {
		yield(nil, err)
		return
	}
	defer text.Close()
	for {
		l, _, err := r.Next()
		var reject *dataset.Reject
		switch {
		case err == io.EOF:
			return
		case errors.As(err, &reject):
			in.Rejects++
		case err != nil:
			yield(nil, err)
			return
		case l.Source == dataset.SourcePuzzle && !yield(&l, nil):
			return
		}
	}
}

// Choose draws count puzzles of an input, each set of them equally likely, and returns them in order; all of them if
// count is 0 or there are no more. It reads the whole input and keeps no more than it returns.
func Choose(ctx context.Context, in *Input, count int, seed uint64) (chosen []*Puzzle, all int64, err error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for l, err := range in.Lines() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, all, err
		}
		p, ok := NewPuzzle(l)
		if !ok {
			continue
		}
		all++
		p.Number = all
		if count == 0 || len(chosen) < count {
			chosen = append(chosen, p)
		} else if place := rng.Int64N(all); place < int64(count) { // Vitter's algorithm R
			chosen[place] = p
		}
	}
	if all == 0 {
		return nil, 0, fmt.Errorf("%q: %w", in.Path, ErrNoPuzzles)
	}
	slices.SortFunc(chosen, func(a, b *Puzzle) int { return cmp.Compare(a.Number, b.Number) })
	return chosen, all, nil
}
