package report

import (
	"fmt"

	"talbot/board"
	"talbot/evaluate"
	"talbot/internal/chart"
)

// Miss is a position that the network got wrong, with its board.
type Miss struct {
	evaluate.Miss
	Board chart.Board // with the network's move and the target
	Phase string      // as [evaluate.Report.ByPhase] has it
	Word  string      // what the value is compared with: "label" or "result"
}

// NewMiss lays a miss out. An error: the position or a move of it is none.
func NewMiss(m *evaluate.Miss) (Miss, error) {
	p, err := board.ParseFEN(m.FEN)
	if err != nil {
		return Miss{}, fmt.Errorf("position of a miss: %w", err)
	}
	v := Miss{Miss: *m, Board: chart.NewBoard(&p), Phase: p.Phase().String()}
	drawn := map[string]bool{}
	add := func(class, uci string) error {
		if drawn[uci] {
			return nil
		}
		drawn[uci] = true
		move, err := p.ParseUCI(uci)
		if err != nil {
			return fmt.Errorf("move of a miss: %w", err)
		}
		v.Board.Arrow(class, move)
		return nil
	}
	if len(m.Moves) > 0 {
		if err := add("theirs", m.Moves[0].UCI); err != nil {
			return v, err
		}
	}
	return v, add("target", m.Target.UCI)
}
