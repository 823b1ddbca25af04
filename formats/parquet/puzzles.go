package parquet

import (
	"errors"

	"talbot/dataset"
	"talbot/formats/rows"
)

// maxText is the longest text of a row that is read, in bytes.
const maxText = 64 << 10

var errLong = errors.New("a text of more than 64 KiB")

// Puzzles reads puzzles in the columns of Lichess's dataset.
type Puzzles struct{ table }

func newPuzzles(f *file) (*Puzzles, error) {
	t, err := newTable(f, []string{"PuzzleId"}, []string{"FEN"}, []string{"Moves"}, []string{"Rating"},
		[]string{"Themes"}, []string{"GameUrl"})
	return &Puzzles{t}, err
}

// Next returns the next puzzle as [rows.PuzzleReader.Next] does. Number counts the rows of the file, and Offset
// is where the row group begins.
func (p *Puzzles) Next() (line dataset.Line, none dataset.Imported, err error) {
	if err := p.next(); err != nil {
		return line, none, err
	}
	puzzle := rows.Puzzle{ID: p.text("PuzzleId"), FEN: p.text("FEN"), Moves: p.text("Moves"),
		Rating: p.text("Rating"), Themes: p.text("Themes"), URL: p.text("GameUrl")}
	if len(puzzle.ID)+len(puzzle.FEN)+len(puzzle.Moves)+len(puzzle.Themes)+len(puzzle.URL) > maxText {
		reject := &dataset.Reject{Reason: dataset.BadRow, Err: errLong}
		return line, none, reject.Place(p.rows.number, p.rows.offset)
	}
	line, reject := puzzle.Line()
	if reject != nil {
		return line, none, reject.Place(p.rows.number, p.rows.offset)
	}
	line.Number, line.Offset = p.rows.number, p.rows.offset
	return line, none, nil
}
