package rows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"talbot/board"
	"talbot/dataset"
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

const (
	textLookAhead = 10_000  // positions that show whose view the scores are from
	noScore       = "32002" // Stockfish's VALUE_NONE
)

// ScoreTextReader reads “FEN | score | result”, a position a row, as bullet and many engines have it. The FEN has four
// to six fields, the score is in centipawns and of the view that is stated, the result is White's: 1.0, 0.5 or 0.0,
// also in brackets, or as 1, 1/2 and 0. Blanks around the bars may be missing, and blank lines and remarks are skipped.
//
// Each position is a line of the data without moves, with the result and an imported label. A mate is no number here:
// what is beyond ±30000 becomes that. The first 10,000 positions are read ahead, and their signs compared with results
// and material ([dataset.Signs]).
//
// A ScoreTextReader starts no goroutine and is not safe for concurrent use. Its memory is bounded by the rows ahead.
type ScoreTextReader struct {
	scoredRows
	begun bool
	ahead []textRow
	done  error // returned after them
}

// textRow is a row that was read: a line with its score, or a reject.
type textRow struct {
	line   dataset.Line
	label  dataset.Label
	reject *dataset.Reject
}

// NewScoreTextReader returns a reader of the text in r. The view must be stated; the unit is centipawns unless it is.
func NewScoreTextReader(r io.Reader, stated TableForm) *ScoreTextReader {
	t := &ScoreTextReader{scoredRows: scoredRows{rows: newRows(r), stated: stated,
		convention: dataset.Convention{Unit: dataset.CentipawnUnit, Mate: dataset.MateMoves}}}
	if stated.View != nil {
		t.convention.View = *stated.View
	}
	if stated.Unit != nil {
		t.convention.Unit = *stated.Unit
	}
	return t
}

// CheckScoreText returns [dataset.ErrView] if the text that begins with head shows that its scores cannot be read so.
func CheckScoreText(head []byte, stated TableForm) error {
	if i := bytes.LastIndexByte(head, '\n'); i > 0 { // the last row may be cut
		head = head[:i+1]
	}
	return NewScoreTextReader(bytes.NewReader(head), stated).check()
}

// check reads ahead and compares signs.
func (t *ScoreTextReader) check() error {
	if t.begun {
		return nil
	}
	t.begun = true
	for range textLookAhead {
		if t.done != nil {
			break
		}
		t.read()
	}
	if t.stated.Unchecked {
		return nil
	}
	var signs dataset.Signs
	positions := 0
	for i := range t.ahead {
		r := &t.ahead[i]
		if r.label.Status != dataset.Labelled {
			continue
		}
		positions++
		signs.AddScore(&r.line.Start, r.label.Lines[0].Score, r.line.Result)
	}
	if t.stated.View == nil && positions > 0 {
		return fmt.Errorf("%w: not stated; if they are from %s view, then of its first %d positions, %v",
			dataset.ErrView, dataset.WhiteView.Whose(), positions, &signs)
	}
	return signs.Check(t.convention.View, positions)
}

// Next returns the next position with its score, or io.EOF after the last. A row that cannot be used gives a
// *[dataset.Reject], and reading can go on; every other error is final, [dataset.ErrView] among them. Number counts all
// rows but blank ones and remarks.
func (t *ScoreTextReader) Next() (l dataset.Line, labels dataset.Imported, err error) {
	if err := t.check(); err != nil {
		return l, labels, err
	}
	if len(t.ahead) == 0 && t.done == nil {
		t.ahead = t.ahead[:0]
		t.read()
	}
	if len(t.ahead) == 0 {
		return l, labels, t.done
	}
	r := t.ahead[0]
	t.ahead = t.ahead[1:]
	if r.reject != nil {
		return l, labels, r.reject
	}
	for i := range r.label.Lines {
		t.sizes.Add(r.label.Lines[i].Score)
	}
	engine := "text eval"
	if t.stated.Origin != "" {
		engine = "text " + t.stated.Origin
	}
	return r.line, dataset.Imported{Engine: engine, Labels: []dataset.Label{r.label}}, nil
}

// read appends the next row, or sets done.
func (t *ScoreTextReader) read() {
	for {
		text, offset, err := t.rows.next()
		if err != nil && err != errRowLength {
			t.done = err
			return
		}
		if err == nil && (len(text) == 0 || isCommentRow(text)) {
			continue
		}
		t.number++
		var r textRow
		if r.reject = badRow(text, err); r.reject == nil {
			r = t.row(string(text))
		}
		if r.reject != nil {
			r.reject.Number, r.reject.Offset, r.reject.At = t.number, offset, offset
		}
		r.line.Number, r.line.Offset = t.number, offset
		t.ahead = append(t.ahead, r)
		return
	}
}

// row reads a row.
func (t *ScoreTextReader) row(text string) (r textRow) {
	bad := func(reason dataset.Reason, token string, err error) textRow {
		return textRow{reject: &dataset.Reject{Reason: reason, Token: excerpt([]byte(token)), Err: err}}
	}
	fields := strings.Split(text, "|")
	if len(fields) != 3 {
		return bad(dataset.BadRow, text, errBars)
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	p, err := board.ParseFEN(fields[0])
	if err != nil {
		return bad(dataset.BadFEN, fields[0], err)
	}
	result, ok := textResults[strings.TrimSuffix(strings.TrimPrefix(fields[2], "["), "]")]
	if !ok {
		return bad(dataset.BadRow, fields[2], errResult)
	}
	if strings.TrimLeft(fields[1], "+-") == noScore {
		return bad(dataset.BadEval, fields[1], errNoScore)
	}
	score, err := t.convention.Parse(fields[1], p.Turn())
	if err != nil {
		return bad(dataset.BadEval, fields[1], err)
	}
	r.line = dataset.Line{Source: dataset.SourceTable, Start: p, Samples: dataset.LastPosition(), Result: result}
	if !p.HasLegalMove() {
		r.label.Status = dataset.Terminal
		return r
	}
	if n, mate := score.Mate(); mate && n == 0 {
		return bad(dataset.BadEval, fields[1], errMateNow)
	}
	r.label = dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: score}}}
	return r
}

// LooksLikeScoreText reports whether a text begins with a row of a FEN, a bar, something, and another bar.
func LooksLikeScoreText(head []byte) bool {
	fen, rest, ok := bytes.Cut(firstRow(head), []byte{'|'})
	fields := bytes.Fields(fen)
	return ok && bytes.IndexByte(rest, '|') >= 0 && len(fields) >= 2 && len(fields) <= 6 &&
		bytes.Count(fields[0], []byte("/")) == 7 && (string(fields[1]) == "w" || string(fields[1]) == "b") &&
		!bytes.ContainsAny(fen, ",\t;{")
}
