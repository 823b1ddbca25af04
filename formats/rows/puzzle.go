package rows

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"talbot/board"
	"talbot/dataset"
)

// The columns of the Lichess puzzle database, in the order of a file without header.
const (
	colID = iota
	colFEN
	colMoves
	colRating
	colThemes = 7
	colURL    = 8
)

// PuzzleColumns are the names of the columns of the Lichess puzzle database, in their order.
var PuzzleColumns = [...]string{
	"PuzzleId", "FEN", "Moves", "Rating", "RatingDeviation", "Popularity", "NbPlays", "Themes", "GameUrl",
	"OpeningTags",
}

// The tags of a puzzle's line.
const (
	TagPuzzleID     = "PuzzleId"
	TagPuzzleRating = "PuzzleRating"
	TagThemes       = "Themes"
	TagGameURL      = "GameUrl"
)

var errColumns = errors.New("too few columns for a puzzle")

// PuzzleReader reads puzzles from CSV text in the columns of the Lichess puzzle database, with or without header
// line. A header may name the columns in another order; PuzzleId, FEN and Moves must be among them.
//
// A row ends with its line: quoted fields may hold commas and doubled quotes but no line ends, so that an
// unbalanced quote costs one row. Blank lines and remarks (see [EPDReader]) are skipped, as are headers further down.
// Memory is bounded by MaxRow.
//
// A PuzzleReader starts no goroutine and is not safe for concurrent use.
type PuzzleReader struct {
	rowReader
	column [len(PuzzleColumns)]int // place of each known column in a row, −1 if missing
}

// NewPuzzleReader returns a reader of the puzzles in r.
func NewPuzzleReader(r io.Reader) *PuzzleReader {
	p := &PuzzleReader{rowReader: newRowReader(r)}
	for i := range p.column {
		p.column[i] = i
	}
	return p
}

// Next returns the next puzzle, without evaluations, or io.EOF after the last. A row that is no puzzle gives a
// *[dataset.Reject], and reading can go on; every other error is final.
//
// The line starts from the FEN, before the opponent's move that is the first one listed, and has all the moves
// listed; its samples are the solver's moves, the odd plies. Number counts the rows without headers and blank lines.
func (p *PuzzleReader) Next() (line dataset.Line, none dataset.Imported, err error) {
	line, err = p.line(p.header, p.puzzle)
	return line, none, err
}

// header reports whether the row is a header, and takes the places of the columns from it.
func (p *PuzzleReader) header(row []byte) bool {
	if !bytes.Contains(row, []byte(PuzzleColumns[colID])) {
		return false
	}
	fields, err := p.split(string(row), ',')
	if err != nil {
		return false
	}
	for _, name := range PuzzleColumns[:colMoves+1] {
		if !slices.Contains(fields, name) {
			return false
		}
	}
	for c, name := range PuzzleColumns {
		p.column[c] = slices.Index(fields, name)
	}
	return true
}

// puzzle checks one row and turns it into a line.
func (p *PuzzleReader) puzzle(row []byte) (dataset.Line, *dataset.Reject) {
	fields, err := p.split(string(row), ',')
	if err != nil {
		return dataset.Line{}, badRow(row, err)
	}
	if len(fields) <= max(p.column[colID], p.column[colFEN], p.column[colMoves]) {
		return dataset.Line{}, bad(dataset.BadRow, strings.Join(fields, ","), errColumns)
	}
	field := func(column int) string { return cell(fields, p.column[column]) }
	puzzle := Puzzle{ID: field(colID), FEN: field(colFEN), Moves: field(colMoves), Rating: field(colRating),
		Themes: field(colThemes), URL: field(colURL)}
	return puzzle.Line()
}

// Puzzle is a puzzle as Lichess publishes it.
type Puzzle struct {
	ID, FEN string // the position before the opponent's move
	Moves   string // UCI: the opponent's, then the solution
	// Rating, Themes and URL become tags, if they are not empty.
	Rating, Themes, URL string
}

// Line returns the puzzle as [PuzzleReader.Next] does, without its place.
func (p *Puzzle) Line() (dataset.Line, *dataset.Reject) {
	start, left, reject := ParseFEN(p.FEN)
	if reject != nil {
		return dataset.Line{}, reject
	}
	if list := strings.Fields(p.Moves); len(list) < 2 {
		return dataset.Line{}, bad(dataset.NoMoves, strings.Join(list, " "), nil)
	}
	moves, reject := variation(start, p.Moves)
	if reject != nil {
		return dataset.Line{}, reject
	}
	line := dataset.Line{Source: dataset.SourcePuzzle, Start: start, Moves: moves, LeftRights: left,
		Samples: dataset.OddPlies()}
	for _, tag := range [...]dataset.Tag{{Name: TagPuzzleID, Value: p.ID}, {Name: TagPuzzleRating, Value: p.Rating},
		{Name: TagThemes, Value: p.Themes}, {Name: TagGameURL, Value: p.URL}} {
		if tag.Value != "" {
			tag.Value = strings.ToValidUTF8(tag.Value, string(utf8.RuneError))
			line.Tags = append(line.Tags, tag)
		}
	}
	return line, nil
}

// LooksLikePuzzles reports whether a text holds puzzles: by the name of its first column, or by a first row whose
// second field has the form of a FEN and whose third begins with a move in coordinates.
func LooksLikePuzzles(head []byte) bool {
	fields := bytes.SplitN(firstRow(head), []byte(","), 4)
	if len(fields) < 3 {
		return false
	}
	for i, f := range fields {
		fields[i] = bytes.Trim(f, `" `)
	}
	if string(fields[0]) == "PuzzleId" {
		return true
	}
	return bytes.Count(fields[1], []byte("/")) == 7 && board.LooksLikeUCI(fields[2])
}
