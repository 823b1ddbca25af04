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
)

// Actions reads positions with the chance to win of each legal move, in the columns of chess-av-mates: lists of moves,
// chances and mates of one length. A position becomes a label with a searched line for each legal move, the best first.
// Chances are the mover's unless another view is stated. The first 10,000 positions are read ahead, and the signs of
// their best scores compared with the material on the board ([dataset.Signs]).
type Actions struct {
	table
	view   dataset.View
	form   rows.TableForm
	engine string
	sizes  dataset.Sizes

	ahead []result
	done  error // behind ahead
	begun bool
}

var (
	errChance  = errors.New("a chance to win that is not from 0 to 1")
	errLengths = errors.New("lists of different lengths")
)

func newActions(f *file, form rows.TableForm) (*Actions, error) {
	columns := [][]string{{"fen"}, {"moves"}, {"p_win"}}
	if f.find("mate") >= 0 {
		if !f.isList("mate", format.Int64) && !f.isList("mate", format.Int32) {
			return nil, fmt.Errorf("%w: column \"mate\" has no lists of whole numbers", ErrUnsupported)
		}
		columns = append(columns, []string{"mate"})
	}
	t, err := newTable(f, columns...)
	a := &Actions{table: t, form: form, view: dataset.MoverView, engine: "parquet action values"}
	if form.View != nil {
		a.view = *form.View
	}
	if form.Origin != "" {
		a.engine = "parquet " + form.Origin
	}
	return a, err
}

// Next returns the next position with its label as [Evaluations.Next] does.
func (a *Actions) Next() (l dataset.Line, labels dataset.Imported, err error) {
	if err := a.check(); err != nil {
		return l, labels, err
	}
	if len(a.ahead) == 0 && a.done == nil {
		a.ahead = a.ahead[:0]
		a.read()
	}
	if len(a.ahead) == 0 {
		return l, labels, a.done
	}
	r := &a.ahead[0]
	a.ahead = a.ahead[1:]
	if r.reject != nil {
		return l, labels, r.reject
	}
	if len(r.label.Lines) > 0 {
		a.sizes.Add(r.label.Lines[0].Score)
	}
	return r.line, dataset.Imported{Engine: a.engine, Labels: []dataset.Label{r.label}}, nil
}

// check reads ahead and compares signs.
func (a *Actions) check() error {
	if a.begun {
		return nil
	}
	a.begun = true
	var signs dataset.Signs
	for len(a.ahead) < lookAhead && a.done == nil {
		a.read()
	}
	for i := range a.ahead {
		if r := &a.ahead[i]; len(r.label.Lines) > 0 {
			signs.AddScore(&r.line.Start, r.label.Lines[0].Score, r.line.Result)
		}
	}
	if a.form.Unchecked {
		return nil
	}
	return signs.Check(a.view, len(a.ahead))
}

// read reads a row.
func (a *Actions) read() {
	err := a.next()
	var r result
	if errors.As(err, &r.reject) {
		a.ahead = append(a.ahead, r)
		return
	}
	if a.done = err; err != nil {
		return
	}
	if r.line, r.label, err = a.position(); err != nil {
		if !errors.As(err, &r.reject) {
			r.reject = &dataset.Reject{Reason: dataset.BadEval, Err: fmt.Errorf("row %d: %w", a.rows.number, err)}
		}
		r.reject.Number, r.reject.Offset, r.reject.At = a.rows.number, a.rows.offset, a.rows.offset
	}
	r.line.Number, r.line.Offset = a.rows.number, a.rows.offset
	a.ahead = append(a.ahead, r)
}

// position returns what a row says.
func (a *Actions) position() (line dataset.Line, label dataset.Label, err error) {
	fen := a.text("fen")
	if len(fen) > 128 {
		return line, label, &dataset.Reject{Reason: dataset.BadFEN, Token: fen[:64]}
	}
	p, err := board.ParseFEN(fen)
	if err != nil {
		return line, label, &dataset.Reject{Reason: dataset.BadFEN, Token: fen, Err: err}
	}
	line = dataset.Line{Source: dataset.SourceTable, Start: p, Samples: dataset.LastPosition()}
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
	if a.view == dataset.WhiteView && p.Turn() == board.Black {
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

// Table says how the chances were read so far.
func (a *Actions) Table() dataset.Table { return a.sizes.Table("win chance", a.view) }
