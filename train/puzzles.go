package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/rows"
	"talbot/train/model"
)

// ErrNoPuzzles says that there was nothing to solve.
var ErrNoPuzzles = errors.New("no puzzles")

// Solved counts puzzles and how many were solved.
type Solved struct {
	Puzzles   int64   `json:"puzzles"`
	FirstMove float64 `json:"first_move"` // share whose first move was right
	WholeLine float64 `json:"whole_line"` // share whose moves all were
}

// PuzzleReport is what a network makes of puzzles. At each of the solver's turns it plays the legal move of the highest
// logit; the opponent's moves are those of the puzzle. A move is right if it is the puzzle's, or if it mates, which
// ends the puzzle solved.
type PuzzleReport struct {
	Solved
	// HeldOut are the puzzles that are not in the train split: no network has learnt from them. Nil if the splits are
	// not known.
	HeldOut   *Solved           `json:"held_out"`
	Rejects   int64             `json:"rejects"`   // rows that were no puzzle
	Mates     int64             `json:"mates"`     // turns in which some move mates
	MateInOne *float64          `json:"mate_in_1"` // share of them in which the network's does
	ByRating  map[string]Solved `json:"by_rating"` // the lower end of a band of 200 points; "unknown"
	ByTheme   map[string]Solved `json:"by_theme"`
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

func (t *puzzleTally) solved() Solved {
	n := float64(max(t.puzzles, 1))
	return Solved{t.puzzles, float64(t.first) / n, float64(t.whole) / n}
}

// turn is a position in which a puzzle is to be solved. The turns of a puzzle follow each other.
type turn struct {
	puzzle   *dataset.Line
	position board.Position
	move     board.Move // the puzzle's
}

// SolvePuzzles asks a network for the moves of puzzles: lines whose samples are the solver's turns, as
// [dataset.PuzzleReader] gives them. A *[dataset.Reject] is counted, any other error ends it, as ctx does. Without any
// puzzle the error is [ErrNoPuzzles]. splits are those of the data that the network learnt from, nil if they are not
// known.
func SolvePuzzles(ctx context.Context, p *Predictor, lines iter.Seq2[dataset.Line, error], splits *dataset.Splits,
	done func(puzzles int64)) (PuzzleReport, error) {
	e, err := encode.ByName(p.Config.Recipe)
	if err != nil {
		return PuzzleReport{}, err
	}
	s := &puzzles{splits: splits, ratings: map[string]*puzzleTally{}, themes: map[string]*puzzleTally{}}
	var turns []turn
	var planes []uint64
	flush := func() error {
		logits, _, err := p.Predict(planes, len(turns))
		if err == nil {
			s.judge(e, turns, logits)
		}
		turns, planes = turns[:0], planes[:0]
		return err
	}
	var w dataset.Walker
	for line, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		var reject *dataset.Reject
		if errors.As(err, &reject) {
			s.rejects++
			continue
		}
		if err != nil {
			return PuzzleReport{}, err
		}
		for w.Reset(&line); w.Next(); {
			planes = append(planes, make([]uint64, model.Planes)...)
			e.Encode(planes[len(planes)-model.Planes:], w.Game())
			turns = append(turns, turn{puzzle: &line, position: *w.Position(), move: line.Moves[w.Ply()]})
		}
		if len(turns) >= p.batch {
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

// judge counts whole puzzles.
func (s *puzzles) judge(e encode.Encoder, turns []turn, logits []float32) {
	for i := 0; i < len(turns); {
		puzzle := turns[i].puzzle
		first, whole, solved := int64(0), int64(1), false
		for n := 0; i < len(turns) && turns[i].puzzle == puzzle; i, n = i+1, n+1 {
			t := &turns[i]
			choice := firstOf(encode.LegalIndices(nil, e, &t.position), logits[i*model.Moves:][:model.Moves])
			legal := t.position.LegalMoves(nil)
			mates, mated := mateInOne(&t.position, choice)
			s.mates, s.mated = s.mates+mates, s.mated+mated
			switch right := legal[choice] == t.move || mated > 0; {
			case solved: // a mate has ended it
			case !right:
				whole = 0
			case n == 0:
				first = 1
			}
			solved = solved || mated > 0 && whole == 1
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
	count(in(s.ratings, ratingBand(rating)))
	for _, theme := range strings.Fields(puzzle.Tag(rows.TagThemes)) {
		count(in(s.themes, theme))
	}
}

func (s *puzzles) report() PuzzleReport {
	r := PuzzleReport{Solved: s.all.solved(), Rejects: s.rejects, Mates: s.mates,
		MateInOne: ratio(s.mated, float64(s.mates)),
		ByRating:  map[string]Solved{}, ByTheme: map[string]Solved{}}
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
