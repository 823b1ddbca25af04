package selfplay

import (
	"context"
	"sync"

	"talbot/board"
	"talbot/dataset"
	"talbot/play/match"
)

// Tables end games whose result they know. They are asked after each move and waited for, so that no game depends on
// how busy a machine is; searches do not ask them.
type Tables struct {
	Identity string // of their content, a setting as any other
	Pieces   int    // kings included; positions with more are not asked about
	// Probe returns the result of a position under the 50-move rule, for the side to move; false where it is not known.
	// It is called by one goroutine at a time.
	Probe func(ctx context.Context, p *board.Position) (dataset.Class, bool, error)

	mu sync.Mutex
}

// result is how a game ends with best play from a position; false where the tables do not know it.
func (t *Tables) result(ctx context.Context, p *board.Position) (r dataset.Result, known bool, err error) {
	if t == nil || p.Occupied().Len() > t.Pieces {
		return r, false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	class, known, err := t.Probe(ctx, p)
	if r = dataset.Draw; class != dataset.Drawn {
		r = match.Winner(p.Turn(), class == dataset.Won)
	}
	return r, known, err
}
