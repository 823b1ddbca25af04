package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/chart"
	"talbot/internal/splitmix"
	"talbot/internal/table"
)

// Example is a sample that is shown as a board. Which ones are depends on the lines alone, not on their order.
type Example struct {
	Source string `json:"source"`
	Game   string `json:"game"` // the players, or the puzzle; may be empty
	FEN    string `json:"fen"`
	Played string `json:"played"` // UCI, "" where none was
	SAN    string `json:"san"`
	Label  string `json:"label"` // score of the label that counts, for the side to move: "+0.31", "#3"; "" without
	Best   string `json:"best"`  // SAN of that label's move; "" without

	hash uint64
	at   board.Position
	move board.Move // that was played
}

// examples is how many boards are shown.
const examples = 12

// exampleTally keeps the samples with the lowest hashes, one of a line.
type exampleTally []Example

// chosen returns which sample of a line may be shown, and its hash; false if there are better ones already.
func (t exampleTally) chosen(key uint64, samples int) (sample int, hash uint64, ok bool) {
	hash = splitmix.Mix(key)
	if samples == 0 || len(t) == examples && hash > t[examples-1].hash {
		return 0, 0, false
	}
	return int(splitmix.Mix(hash) % uint64(samples)), hash, true
}

// add keeps a sample at position p, the ply of its line.
func (t *exampleTally) add(hash uint64, l *dataset.Line, ply int, p *board.Position, label dataset.Label) {
	e := Example{Source: l.Source.String(), Game: strings.Clone(gameName(l)), FEN: p.FEN(), hash: hash,
		at: *p}
	if ply < len(l.Moves) && p.IsLegal(l.Moves[ply]) {
		e.move = l.Moves[ply]
		e.Played, e.SAN = e.move.String(), p.SAN(e.move)
	}
	if label.Status == dataset.Labelled {
		e.Label = label.Lines[0].Score.Pawns()
		if label.Best != board.NoMove && p.IsLegal(label.Best) {
			e.Best = p.SAN(label.Best)
		}
	}
	t.merge(exampleTally{e})
}

// merge adds examples. Of equal hashes, which are copies of a line, one is kept.
func (t *exampleTally) merge(o exampleTally) {
	list := append(*t, o...)
	slices.SortFunc(list, func(a, b Example) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.Game, b.Game), cmp.Compare(a.FEN, b.FEN),
			cmp.Compare(a.Label, b.Label), cmp.Compare(a.Best, b.Best))
	})
	list = slices.CompactFunc(list, func(a, b Example) bool { return a.hash == b.hash })
	*t = list[:min(len(list), examples)]
}

// list returns the examples by source.
func (t exampleTally) list() []Example {
	order, list := dataset.SourceNames(), append([]Example{}, t...)
	slices.SortStableFunc(list, func(a, b Example) int {
		return cmp.Compare(slices.Index(order, a.Source), slices.Index(order, b.Source))
	})
	return list
}

// gameName is what the tags call a line; "" if they do not.
func gameName(l *dataset.Line) string {
	if id := l.Tag(rows.TagPuzzleID); id != "" {
		return "puzzle " + chart.Plain(id)
	}
	white, black := l.Tag("White"), l.Tag("Black")
	if white == "" || black == "" {
		return ""
	}
	text := chart.Plain(white) + " – " + chart.Plain(black)
	if day, _, ok := l.Dates(); ok {
		text += fmt.Sprintf(", %04d", day.Year)
	}
	return text
}

// position lays an example out.
func (e *Example) position() table.Position {
	d := table.Position{Board: chart.NewBoard(&e.at), Aside: e.Label, Where: []string{e.Source}}
	d.Head = d.Board.Turn + " to move"
	if e.Game != "" {
		d.Where[0] += " · " + e.Game
	}
	if e.Best != "" {
		d.Where = append(d.Where, "engine "+e.Best)
	}
	if e.Played != "" {
		d.Board.Arrow("target", e.move)
		d.Head, d.Class = d.Board.Number+" "+e.SAN, table.Better
	}
	return d
}
