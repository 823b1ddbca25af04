package people

import (
	"context"
	"errors"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// Judge says what moves cost: each is searched by itself with the same number of nodes and an empty memory, so that
// what is said of it does not depend on the others.
type Judge struct{ pool *stockfish.Pool }

// NewJudge starts an engine, as [stockfish.Find] takes it. Errors are those of [stockfish.NewPool].
func NewJudge(ctx context.Context, path string, nodes int64) (*Judge, error) {
	pool, err := stockfish.NewPool(ctx, stockfish.Config{Path: path, Limit: stockfish.Nodes(nodes)}, 1)
	if err != nil {
		return nil, err
	}
	return &Judge{pool}, nil
}

// Close ends the engine.
func (j *Judge) Close() error { return j.pool.Close() }

// Name is the engine's.
func (j *Judge) Name() string { return j.pool.Fingerprints()[0].Engine }

// errNoScore says that an engine was asked about a position in which there is nothing to search.
var errNoScore = errors.New("the engine gives no score: the position is dead")

// Best searches the position after moves, and judges the move of the view that the engine prefers.
func (j *Judge) Best(ctx context.Context, v *View, start board.Position, moves []board.Move) error {
	return j.search(ctx, v, start, moves, nil)
}

// Move searches a move of the position after moves, and judges it in the view. One that was judged already keeps the
// better of the two scores: the engine chose it among all.
func (j *Judge) Move(ctx context.Context, v *View, start board.Position, moves []board.Move, m board.Move) error {
	return j.search(ctx, v, start, moves, []board.Move{m})
}

func (j *Judge) search(ctx context.Context, v *View, start board.Position, moves, only []board.Move) error {
	labels, err := j.pool.Search(ctx, 0, start, moves, only)
	if err != nil {
		return err
	}
	label := &labels[0]
	if label.Status != dataset.Labelled || len(label.Lines) == 0 {
		return errNoScore
	}
	line := &label.Lines[0]
	if m := v.Find(line.PV[0]); m != nil && (!m.Judged || better(line.Score, m.Score)) {
		m.judge(line.Score, line.PV)
		v.weigh()
	}
	return nil
}
