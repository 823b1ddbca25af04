package evaluate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/formats/rows"
	"talbot/internal/fault"
	"talbot/network/predict"
	"talbot/network/run"
)

var (
	// ErrNoPuzzles reports that there was nothing to solve.
	ErrNoPuzzles = errors.New("no puzzles")
	// ErrNoPolicy reports that a network chooses no moves.
	ErrNoPolicy = fault.New(fault.ExitFailed, "the network has no policy",
		"leave out --puzzles: only a network with a policy chooses moves")
)

// PuzzleScore counts puzzles and how many were solved.
type PuzzleScore struct {
	Puzzles   int64   `json:"puzzles"`
	FirstMove float64 `json:"first_move"` // share whose first move was right
	WholeLine float64 `json:"whole_line"` // share whose moves all were
}

// PuzzleReport is what a network makes of puzzles. At each of the solver's turns it plays its most probable legal
// move; the opponent's moves are those of the puzzle. A move is right if it is the puzzle's, or if it mates, which
// ends the puzzle solved.
type PuzzleReport struct {
	PuzzleScore
	// HeldOut are the puzzles that are not in the train split: no network was trained on them. Nil if the splits are
	// not known.
	HeldOut   *PuzzleScore           `json:"held_out"`
	Rejects   int64                  `json:"rejects"`   // rows that were no puzzle
	Mates     int64                  `json:"mates"`     // turns in which some move mates
	MateInOne *float64               `json:"mate_in_1"` // share of them in which the network's does
	ByRating  map[string]PuzzleScore `json:"by_rating"` // the lower end of a band of 200 points; "unknown"
	ByTheme   map[string]PuzzleScore `json:"by_theme"`
}

// puzzles are sums over puzzles.
type puzzles struct {
	all, heldOut    puzzleTally
	splits          *dataset.Splits
	mates           int64
	mated           float64
	rejects         int64
	ratings, themes map[string]*puzzleTally
}

type puzzleTally struct{ puzzles, first, whole int64 }

func newPuzzleTally() *puzzleTally { return new(puzzleTally) }

func (t *puzzleTally) solved() PuzzleScore {
	n := float64(max(t.puzzles, 1))
	return PuzzleScore{t.puzzles, float64(t.first) / n, float64(t.whole) / n}
}

// turn is a position in which a puzzle is to be solved. The turns of a puzzle follow each other.
type turn struct {
	puzzle   *dataset.Line
	position board.Position
	move     board.Move // the puzzle's
	Sample              // the position as the recipe sees it
}

// SolvePuzzles asks a network for the moves of puzzles: lines whose samples are the solver's turns, as
// [rows.PuzzleReader] gives them. A *[dataset.Reject] is counted, any other error ends it, as ctx does. Without any
// puzzle the error is [ErrNoPuzzles], and of a network without a policy [ErrNoPolicy]. splits are those of the data
// that the network was trained on, nil if they are not known.
func SolvePuzzles(ctx context.Context, network Network, e encode.Encoder, lines iter.Seq2[dataset.Line, error],
	splits *dataset.Splits, done func(puzzles int64)) (PuzzleReport, error) {
	if !network.Capabilities().Prior || e.Layout().Candidates > 0 {
		return PuzzleReport{}, ErrNoPolicy
	}
	s := &puzzles{splits: splits, ratings: map[string]*puzzleTally{}, themes: map[string]*puzzleTally{}}
	var turns []turn
	flush := func() error {
		err := s.solve(ctx, network, turns)
		turns = turns[:0]
		return err
	}
	var view encode.View
	for line, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		if _, ok := errors.AsType[*dataset.Reject](err); ok {
			s.rejects++
			continue
		}
		if err != nil {
			return PuzzleReport{}, err
		}
		turns = turnsOf(turns, e, &view, &line)
		if len(turns) >= network.Batch() {
			if err := flush(); err != nil {
				return PuzzleReport{}, err
			}
			if done != nil {
				done(s.all.puzzles)
			}
		}
	}
	if len(turns) > 0 {
		if err := flush(); err != nil {
			return PuzzleReport{}, err
		}
	}
	if s.all.puzzles == 0 {
		return PuzzleReport{}, fmt.Errorf("%w; %d rows are not puzzles", ErrNoPuzzles, s.rejects)
	}
	return s.report(), nil
}

// turnsOf appends the turns of a puzzle.
func turnsOf(turns []turn, e encode.Encoder, view *encode.View, puzzle *dataset.Line) []turn {
	layout := e.Layout()
	var w dataset.Walker
	for w.Reset(puzzle); w.Next(); {
		view.Visit(&w, dataset.Counted{})
		t := turn{puzzle: puzzle, position: *w.Position(), move: puzzle.Moves[w.Ply()]}
		t.Legal = slices.Clone(view.Legal())
		t.Packed, t.Codes = make([]uint64, layout.Words), make([]int32, len(t.Legal)*layout.Codes)
		e.Pack(t.Packed, view)
		for i, m := range t.Legal {
			e.EncodeMove(t.Codes[i*layout.Codes:][:layout.Codes], view, m)
		}
		turns = append(turns, t)
	}
	return turns
}

// solve asks the network about turns of whole puzzles and counts them.
func (s *puzzles) solve(ctx context.Context, network Network, turns []turn) error {
	choices := make([]int, 0, len(turns))
	for part := range slices.Chunk(turns, max(network.Batch(), 1)) {
		questions, answers := make([]predict.Input, len(part)), make([]predict.Output, len(part))
		for i := range part {
			questions[i] = predict.Input{Packed: part[i].Packed, Codes: part[i].Codes}
		}
		if err := network.Predict(ctx, questions, answers); err != nil {
			return err
		}
		for i := range part {
			if len(answers[i].Prior) != len(part[i].Legal) {
				return fmt.Errorf("the network answers with %d moves, %d are legal", len(answers[i].Prior),
					len(part[i].Legal))
			}
			choices = append(choices, first(&part[i].Sample, answers[i].Prior))
		}
	}
	s.judge(turns, choices)
	return nil
}

// judge counts whole puzzles. A choice is the index of the legal move that the network plays.
func (s *puzzles) judge(turns []turn, choices []int) {
	for i := 0; i < len(turns); {
		puzzle := turns[i].puzzle
		first, whole, solved := int64(0), int64(1), false
		for n := 0; i < len(turns) && turns[i].puzzle == puzzle; i, n = i+1, n+1 {
			t := &turns[i]
			mates, mated := mateInOne(&t.position, t.Legal, choices[i])
			s.mates, s.mated = s.mates+int64(indicator(mates)), s.mated+indicator(mated)
			switch right := t.Legal[choices[i]] == t.move || mated; {
			case solved: // a mate has ended it
			case !right:
				whole = 0
			case n == 0:
				first = 1
			}
			solved = solved || mated && whole == 1
		}
		s.add(puzzle, puzzleTally{1, first, whole})
	}
}

func (s *puzzles) add(puzzle *dataset.Line, t puzzleTally) {
	count := func(to *puzzleTally) {
		to.puzzles, to.first, to.whole = to.puzzles+t.puzzles, to.first+t.first, to.whole+t.whole
	}
	count(&s.all)
	if s.splits != nil && s.splits.Of(dataset.SplitKey(puzzle)) != dataset.Train {
		count(&s.heldOut)
	}
	rating, _ := strconv.Atoi(puzzle.Tag(rows.TagPuzzleRating))
	count(in(s.ratings, ratingBand(rating), newPuzzleTally))
	for theme := range strings.FieldsSeq(puzzle.Tag(rows.TagThemes)) {
		count(in(s.themes, theme, newPuzzleTally))
	}
}

func (s *puzzles) report() PuzzleReport {
	r := PuzzleReport{PuzzleScore: s.all.solved(), Rejects: s.rejects, Mates: s.mates,
		MateInOne: run.Ratio(s.mated, float64(s.mates)),
		ByRating:  map[string]PuzzleScore{}, ByTheme: map[string]PuzzleScore{}}
	if s.splits != nil {
		held := s.heldOut.solved()
		r.HeldOut = &held
	}
	for name, t := range s.ratings {
		r.ByRating[name] = t.solved()
	}
	for name, t := range s.themes {
		r.ByTheme[name] = t.solved()
	}
	return r
}
