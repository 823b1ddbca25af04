package rows

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"talbot/dataset"
	"talbot/formats/scored"
)

var (
	errBars     = errors.New("not of the form FEN | score | result")
	errResult   = errors.New("a result must be 1.0, 0.5 or 0.0")
	errNoScore  = errors.New("32002 stands for no score")
	textResults = map[string]dataset.Result{
		"1.0": dataset.WhiteWins, "1": dataset.WhiteWins, "1-0": dataset.WhiteWins,
		"0.5": dataset.Draw, "1/2": dataset.Draw, "1/2-1/2": dataset.Draw,
		"0.0": dataset.BlackWins, "0": dataset.BlackWins, "0-1": dataset.BlackWins,
	}
)

const noScore = "32002" // Stockfish's VALUE_NONE

// ScoreTextReader reads “FEN | score | result”, a position a row, as bullet and many engines have it. The FEN has four
// to six fields, the score is in centipawns and of the view that is stated, the result is White's: 1.0, 0.5 or 0.0,
// also in brackets, or as 1, 1/2 and 0. Blanks around the bars may be missing, and blank lines and remarks are skipped.
//
// Each position is a line of the data without moves, with the result and an imported label ([scored.Reader]). A mate is
// no number here: what is beyond ±30000 becomes that. Number counts all rows but blank ones and remarks.
//
// A ScoreTextReader starts no goroutine and is not safe for concurrent use. Its memory is bounded by the rows ahead.
type ScoreTextReader struct {
	scored.Reader
	rows       rowReader
	convention dataset.Convention
}

// NewScoreTextReader returns a reader of the text in r. The view must be stated; the unit is centipawns unless it is.
func NewScoreTextReader(r io.Reader, stated Stated) *ScoreTextReader {
	t := &ScoreTextReader{rows: newRowReader(r), convention: dataset.Convention{Mate: dataset.MateMoves},
		Reader: scored.Reader{Engine: "text " + cmp.Or(stated.Origin, "eval"), MustState: stated.View == nil,
			Unchecked: stated.Unchecked}}
	if stated.View != nil {
		t.View, t.convention.View = *stated.View, *stated.View
	}
	if stated.Unit != nil {
		t.convention.Unit = *stated.Unit
	}
	t.Unit, t.Read = t.convention.Unit.String(), t.read
	return t
}

// CheckScoreText returns [dataset.ErrView] if the text that begins with head shows that its scores cannot be read so.
func CheckScoreText(head []byte, stated Stated) error {
	if i := bytes.LastIndexByte(head, '\n'); i > 0 { // the last row may be cut
		head = head[:i+1]
	}
	return NewScoreTextReader(bytes.NewReader(head), stated).Check()
}

// read adds the next row.
func (t *ScoreTextReader) read() error {
	var label dataset.Label
	line, err := t.rows.line(nil, func(row []byte) (line dataset.Line, reject *dataset.Reject) {
		line, label, reject = t.row(string(row))
		return line, reject
	})
	return t.Add(line, []dataset.Label{label}, err)
}

// row reads a row.
func (t *ScoreTextReader) row(text string) (line dataset.Line, label dataset.Label, reject *dataset.Reject) {
	fields := strings.Split(text, "|")
	if len(fields) != 3 {
		return line, label, bad(dataset.BadRow, text, errBars)
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	p, left, reject := ParseFEN(fields[0])
	if reject != nil {
		return line, label, reject
	}
	result, ok := textResults[strings.TrimSuffix(strings.TrimPrefix(fields[2], "["), "]")]
	if !ok {
		return line, label, bad(dataset.BadRow, fields[2], errResult)
	}
	if strings.TrimLeft(fields[1], "+-") == noScore {
		return line, label, bad(dataset.BadEval, fields[1], errNoScore)
	}
	line = scored.Position(p)
	line.Result, line.LeftRights = result, left
	label, reject = labelOf(&p, t.convention, fields[1])
	return line, label, reject
}

// LooksLikeScoreText reports whether a text begins with a row of a FEN, a bar, something, and another bar.
func LooksLikeScoreText(head []byte) bool {
	fen, rest, ok := bytes.Cut(firstRow(head), []byte{'|'})
	fields := bytes.Fields(fen)
	return ok && bytes.IndexByte(rest, '|') >= 0 && len(fields) >= 2 && len(fields) <= 6 &&
		bytes.Count(fields[0], []byte("/")) == 7 && (string(fields[1]) == "w" || string(fields[1]) == "b") &&
		!bytes.ContainsAny(fen, ",\t;{")
}
