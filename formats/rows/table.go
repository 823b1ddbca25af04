package rows

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// TableEngine is the name of the evaluations of a table that names no engine.
const TableEngine = "table eval"

// The columns of a table of evaluations, by any of their names.
const (
	tableFEN = iota
	tableEval
	tableMate
	tableMove
	tableDepth
	tableNodes
	tablePV
	tableEngine
	tableColumns
)

var tableNames = [tableColumns][]string{
	tableFEN:    {"fen", "epd", "position"},
	tableEval:   nil, // see evaluationColumn
	tableMate:   {"mate"},
	tableMove:   {"move", "best", "bestmove", "best_move"},
	tableDepth:  {"depth"},
	tableNodes:  {"nodes"},
	tablePV:     {"pv", "line"},
	tableEngine: {"engine"},
}

var errEvalColumns = errors.New("fewer columns than the header")

// TableReader reads positions with evaluations from CSV, semicolon or tab separated text, with or without a header
// line. Columns are found by their names (FEN or epd; Evaluation, eval, score, cp or pawns; mate, move, depth, nodes,
// pv or line, engine); without header they are FEN and evaluation. Of several columns of evaluations the first is read
// that names its unit. Blank lines and remarks (see [EPDReader]) are skipped.
//
// Each position is a line of the data without moves, already labelled: [dataset.Imported] holds one label with one
// searched line, or as many as there are rows in a row about the same position by the same engine, best first as the
// table has them.
//
// A TableReader starts no goroutine and is not safe for concurrent use. Its memory is bounded by a few times [MaxRow].
type TableReader struct {
	rowReader
	stated     Stated
	convention dataset.Convention
	sizes      dataset.Sizes

	source   unitSource
	started  bool
	comma    rune
	column   [tableColumns]int // −1 if missing
	evalName string            // of the column of evaluations; empty without header
	named    *dataset.Unit     // by that name; nil: by none

	queue []*tableEntry // by ascending number
	group *tableEntry   // of them, the position that the next row may add to
	err   error         // what ended the text
}

// Table says how the scores were read so far.
func (t *TableReader) Table() dataset.Table {
	return t.sizes.Table(t.convention.Unit.String(), t.convention.View)
}

// NewTableReader returns a reader of the table in r. What is not stated is found from the form of the table:
//
//   - View: that of the side to move in tables with the columns of the Strategic Test Suite's (epd, move, eval, depth,
//     pv, engine), else White's.
//   - Unit: what the name of the column says (cp, centipawns; pawns; also as “eval_cp”). Under another name the first
//     64 KiB decide. Whole numbers make centipawns, if one is 50 or more or half of them are 20 or more; written as
//     “68.0”, only if one is 50 or more. Decimals make pawns, if one number in ten has them, half of the numbers are
//     below 10, and no whole one is 50 or more. Otherwise [TableReader.Next] returns [ErrUnit].
//
// A row that contradicts a unit that was not stated ends the table with [ErrMixedUnits].
func NewTableReader(r io.Reader, stated Stated) *TableReader {
	t := &TableReader{rowReader: newRowReader(r), stated: stated, comma: ','}
	for i := range t.column {
		t.column[i] = -1
	}
	t.column[tableFEN], t.column[tableEval] = 0, 1
	return t
}

// Next returns the next position with its evaluation, or io.EOF after the last. A row that cannot be used gives a
// *[dataset.Reject], and reading can go on; every other error is final. Number counts the rows without header and blank
// lines; a position has the number of its first row.
func (t *TableReader) Next() (dataset.Line, dataset.Imported, error) {
	if !t.started {
		t.started = true
		t.err = t.begin()
	}
	for t.err == nil && (len(t.queue) == 0 || t.queue[0] == t.group && len(t.queue) < maxQueue) {
		t.err = t.readRow()
	}
	if len(t.queue) == 0 {
		return dataset.Line{}, dataset.Imported{}, t.err
	}
	e := t.queue[0]
	t.queue = t.queue[1:]
	if e == t.group {
		t.group = nil
	}
	if e.reject != nil {
		return dataset.Line{}, dataset.Imported{}, e.reject
	}
	return e.line, dataset.Imported{Engine: e.engine, Labels: []dataset.Label{e.label}}, nil
}

// maxQueue bounds a position and the rejects that wait for its end.
const maxQueue = 65

// readRow reads a row, which may add an entry.
func (t *TableReader) readRow() error {
	row, offset, err := t.next()
	switch {
	case err == errRowLength:
		t.number++
		t.queue = append(t.queue, &tableEntry{reject: badRow(row, err).Place(t.number, offset)})
		return nil
	case err != nil:
		return err
	case len(row) == 0 || isCommentRow(row) && row[0] != byte(t.comma):
		return nil
	case t.header(row):
		return t.headerAgrees(offset)
	}
	t.number++
	e, err := t.row(string(row), offset)
	if e != nil {
		t.queue = append(t.queue, e)
	}
	return err
}

// header reports whether the row is a header, and takes the places of the columns from it.
func (t *TableReader) header(row []byte) bool {
	if bytes.IndexByte(row, '/') >= 0 {
		return false
	}
	fields, err := t.split(string(row), t.comma)
	if err != nil {
		return false
	}
	place := [tableColumns]int{}
	for c := range place {
		place[c] = slices.IndexFunc(fields, func(f string) bool {
			return slices.Contains(tableNames[c], strings.ToLower(strings.TrimSpace(f)))
		})
	}
	name, named := "", (*dataset.Unit)(nil)
	for i, f := range fields {
		unit, ok := evaluationColumn(f)
		if ok && (place[tableEval] < 0 || named == nil && unit != nil) {
			place[tableEval], name, named = i, strings.TrimSpace(f), unit
		}
	}
	if place[tableFEN] < 0 || place[tableEval] < 0 && place[tableMate] < 0 {
		return false
	}
	t.column, t.evalName, t.named = place, name, named
	return true
}

// field returns a column of a row, or "" if it is missing.
func (t *TableReader) field(fields []string, column int) string {
	return cell(fields, t.column[column])
}

// LooksLikeTable reports whether a text begins with the header of a table, which names a column of evaluations or
// mates, or with a row of a FEN and an evaluation.
func LooksLikeTable(head []byte) bool {
	line := bytes.Trim(firstRow(head), " \t\r\x00")
	for _, comma := range [...]rune{'\t', ',', ';'} {
		t := NewTableReader(strings.NewReader(""), Stated{})
		t.comma = comma
		if t.header(line) {
			return true
		}
		fields, err := t.split(string(line), comma)
		if err != nil || len(fields) < 2 || strings.Count(fields[0], "/") != 7 || len(strings.Fields(fields[0])) < 4 {
			continue
		}
		if _, err := dataset.LichessConvention.Parse(strings.TrimSpace(fields[1]), board.White); err == nil {
			return true
		}
	}
	return false
}
