package parquet

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/formats/scored"
)

// Actions reads positions with the chance to win of each legal move, in the columns of chess-av-mates: lists of moves,
// chances and mates of one length. A position becomes a label with a searched line for each legal move, the best first.
// Chances are the mover's unless another view is stated. See [Evaluations] for what Next returns.
type Actions struct {
	table
	scored.Reader
}

var (
	errChance  = errors.New("a chance to win that is not from 0 to 1")
	errLengths = errors.New("lists of different lengths")
)

func newActions(f *file, stated rows.Stated) (*Actions, error) {
	columns := [][]string{{"fen"}, {"moves"}, {"p_win"}}
	if f.find("mate") >= 0 {
		if !f.isList("mate", format.Int64) && !f.isList("mate", format.Int32) {
			return nil, fmt.Errorf("%w: column \"mate\" has no lists of whole numbers", ErrUnsupported)
		}
		columns = append(columns, []string{"mate"})
	}
	t, err := newTable(f, columns...)
	a := &Actions{t, newScored(stated, dataset.MoverView, "action values")}
	a.Unit, a.BestAlone, a.Read = "win chance", true, a.read
	return a, err
}

// read adds a row.
func (a *Actions) read() error {
	if err := a.next(); err != nil {
		return a.Add(dataset.Line{}, nil, err)
	}
	line, label, err := a.position()
	if err != nil {
		reject, ok := err.(*dataset.Reject)
		if !ok {
			reject = &dataset.Reject{Reason: dataset.BadEval, Err: fmt.Errorf("row %d: %w", a.rows.number, err)}
		}
		err = reject.Place(a.rows.number, a.rows.offset)
	}
	line.Number, line.Offset = a.rows.number, a.rows.offset
	return a.Add(line, []dataset.Label{label}, err)
}

// position returns what a row says.
func (a *Actions) position() (line dataset.Line, label dataset.Label, err error) {
	p, left, reject := rows.ParseFEN(a.text("fen"))
	if reject != nil {
		return line, label, reject
	}
	line = scored.Position(p)
	line.LeftRights = left
	legal := p.LegalMoves(nil)
	if len(legal) == 0 {
		return line, dataset.Label{Status: dataset.Terminal}, nil
	}
	moves, chances, mates := a.cells("moves"), a.cells("p_win"), a.cells("mate")
	if len(moves) != len(chances) || len(mates) > 0 && len(mates) != len(moves) {
		return line, label, errLengths
	}
	for i := range moves {
		m, err := p.ParseUCI(string(moves[i].text))
		if err != nil {
			return line, label, &dataset.Reject{Reason: dataset.IllegalMove,
				Token: string(moves[i].text[:min(len(moves[i].text), 64)]), Err: err}
		}
		k := slices.Index(legal, m)
		if k < 0 {
			return line, label, fmt.Errorf("move %v twice", m)
		}
		legal = slices.Delete(legal, k, k+1)
		mate := int64(0)
		if len(mates) > 0 && !mates[i].null {
			mate = mates[i].number
		}
		score, err := a.score(&p, m, &chances[i], mate)
		if err != nil {
			return line, label, err
		}
		label.Lines = append(label.Lines, dataset.Searched{Score: score, PV: []board.Move{m}})
	}
	if len(legal) > 0 {
		return line, label, fmt.Errorf("no value of %d legal moves, %v among them", len(legal), legal[0])
	}
	slices.SortStableFunc(label.Lines, func(x, y dataset.Searched) int { return int(y.Score) - int(x.Score) })
	label.Status, label.Best = dataset.Labelled, label.Lines[0].PV[0]
	return line, label, nil
}

// score returns what a move is worth to the side that plays it: a mate if one is known, else the centipawns of its
// chance to win.
func (a *Actions) score(p *board.Position, m board.Move, chance *value, mate int64) (dataset.Score, error) {
	win := chance.float()
	if chance.null || !(win >= 0 && win <= 1) {
		return 0, fmt.Errorf("%v: %w", m, errChance)
	}
	sign := 1
	if a.View == dataset.WhiteView && p.Turn() == board.Black {
		win, sign = 1-win, -1
	}
	after := p.After(m)
	switch {
	case after.IsCheckmate():
		return dataset.MateIn(1), nil
	case mate != 0 && mate == int64(int16(mate)):
		return dataset.MateIn(sign * int(mate)), nil
	}
	// the inverse of 1/(1 + exp(-0.00368208 cp)); a chance of 0 or 1 is as much as a float64 can tell
	cp := math.Log(win/(1-win)) / 0.00368208
	return dataset.Centipawns(int(math.Round(min(max(cp, -saturated), saturated)))), nil
}

// saturated is the score of a chance to win of 1 without a mate that is known, in centipawns.
const saturated = 10_000
