package report

import (
	"fmt"

	"talbot/board"
	"talbot/evaluate"
	"talbot/internal/chart"
	"talbot/internal/table"
)

// Miss is a position that the network got wrong, with its board.
type Miss struct {
	evaluate.Miss
	Board chart.Board // with the network's move and the target
	Phase string      // as [evaluate.Report.ByPhase] has it
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

// shownMisses is how many misses are shown at once; the others unfold.
const shownMisses = 12

// addMisses adds the boards of the worst misses.
func (e *Eval) addMisses(p *table.Page) error {
	boards := &table.Boards{Shown: shownMisses, Filter: true}
	for i := range e.Misses {
		m, err := NewMiss(&e.Misses[i])
		if err != nil {
			return err
		}
		boards.List = append(boards.List, m.position(e.words("label")))
	}
	if len(boards.List) > 0 {
		p.Add(table.Section{Title: "The worst misses", Blocks: []table.Block{boards}, Note: "The targets that the " +
			"network finds least probable, at most one from each line and position; the side to move is below. " +
			"Green: the target and its probability among the legal moves. Red: the network's move; its first " +
			"three are below. Values are the mover's. Names link to the game if it is on Lichess, positions " +
			"to an analysis board."})
	}
	return nil
}

// position is the miss on a page; word is what its value is compared with, "label" or "result".
func (m *Miss) position(word string) table.Position {
	p := table.Position{Board: m.Board, Head: m.Board.Number + " " + m.Target.SAN, Class: table.Better,
		Aside: share(&m.Target.Probability), Where: []string{chart.Plain(m.Source) + " · " + chart.Plain(m.Game)},
		Link:   m.Link,
		Source: m.Source, Phase: m.Phase}
	if m.Rating > 0 {
		p.Where[0] += fmt.Sprintf(" · %d", m.Rating)
	}
	p.Below = &table.Table{Columns: table.Columns("", "", "")}
	p.Below.Columns[1].Drawn = true
	for i, move := range m.Moves {
		bar := table.Bar(move.Probability, 0)
		name := table.Cell{Text: move.SAN}
		if i == 0 && move.UCI != m.Target.UCI {
			name.Class, bar.Marks[1].Class = table.Worse, "lost"
		}
		p.Below.Add(name, bar, table.Cell{Text: share(&move.Probability)})
	}
	if m.Value != nil {
		text := signed(*m.Value, 2)
		if m.Label != nil {
			text += " · " + word + " " + signed(*m.Label, 2)
		}
		p.Below.Add(table.Cell{Text: "value"}, table.Cell{}, table.Cell{Text: text})
	}
	return p
}
