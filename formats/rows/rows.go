package rows

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// MaxRow is the longest row of a table, puzzle file or EPD that is read, in bytes.
const MaxRow = 64 << 10

var errRowLength = fmt.Errorf("row over %d bytes", MaxRow)

// rowReader reads a text line by line. Its memory is bounded by MaxRow.
type rowReader struct {
	r      *bufio.Reader
	offset int64 // of the next row
	number int64 // of rows that were counted
	fields []string
}

func newRowReader(r io.Reader) rowReader { return rowReader{r: bufio.NewReaderSize(r, MaxRow)} }

// next returns the next line without its end, blanks and NUL bytes around it and a byte order mark before it, valid
// until the next call, and its byte offset. Of a line over the limit it returns the start, with errRowLength.
func (p *rowReader) next() (row []byte, offset int64, err error) {
	row, err = p.r.ReadSlice('\n')
	offset = p.offset
	p.offset += int64(len(row))
	switch {
	case err == bufio.ErrBufferFull:
		row = bytes.Clone(row[:min(len(row), 256)])
		for err == bufio.ErrBufferFull {
			var more []byte
			more, err = p.r.ReadSlice('\n')
			p.offset += int64(len(more))
		}
		if err == nil || err == io.EOF {
			err = errRowLength
		}
	case err == io.EOF && len(row) > 0:
		err = nil
	}
	if err != nil && err != io.EOF && !errors.Is(err, errRowLength) {
		err = fmt.Errorf("reading rows at byte %d: %w", p.offset, err)
	}
	if trimmed := bytes.TrimPrefix(row, []byte("\ufeff")); len(trimmed) < len(row) {
		offset += 3
		row = trimmed
	}
	return bytes.Trim(row, " \t\r\n\x00\x1a"), offset, err
}

// line returns what read makes of the next row: a line or a *[dataset.Reject]. Blank rows, remarks and those that are
// skipped are passed over; the others are counted. Other errors, such as io.EOF, are final.
func (p *rowReader) line(skip func(row []byte) bool, read func(row []byte) (dataset.Line, *dataset.Reject)) (
	line dataset.Line, err error) {
	for {
		row, offset, err := p.next()
		if err != nil && err != errRowLength {
			return line, err
		}
		if err == nil && (len(row) == 0 || isCommentRow(row) || skip != nil && skip(row)) {
			continue
		}
		p.number++
		var reject *dataset.Reject
		if err != nil {
			reject = badRow(row, err)
		} else {
			line, reject = read(row)
		}
		if reject != nil {
			return dataset.Line{}, reject.Place(p.number, offset)
		}
		line.Number, line.Offset = p.number, offset
		return line, nil
	}
}

// split cuts a row of CSV into its fields, valid until the next call. A field in quotes begins with its quote: blanks
// before it make the row a bad one.
func (p *rowReader) split(row string, comma rune) ([]string, error) {
	if strings.IndexByte(row, '"') >= 0 {
		r := csv.NewReader(strings.NewReader(row))
		r.Comma = comma
		return r.Read()
	}
	p.fields = slices.AppendSeq(p.fields[:0], strings.SplitSeq(row, string(comma)))
	return p.fields, nil
}

// cell returns the i-th field of a row without spaces around it, or "" if there is none.
func cell(fields []string, i int) string {
	if i >= 0 && i < len(fields) {
		return strings.TrimSpace(fields[i])
	}
	return ""
}

// badRow returns the reject of a row that cannot be taken apart.
func badRow(row []byte, err error) *dataset.Reject { return bad(dataset.BadRow, string(row), err) }

// bad returns a reject with the text that is wrong, cut to 64 bytes.
func bad(reason dataset.Reason, text string, err error) *dataset.Reject {
	return &dataset.Reject{Reason: reason, Token: text[:min(len(text), 64)], Err: err}
}

// illegal returns the reject of a move that is illegal after a number of plies.
func illegal(ply int, text string, err error) *dataset.Reject {
	reject := bad(dataset.IllegalMove, text, err)
	reject.Ply = ply
	return reject
}

var errMateNow = errors.New("mate in 0 in a position with legal moves")

// labelOf returns the label of a position that is evaluated so, or is over.
func labelOf(p *board.Position, c dataset.Convention, text string) (label dataset.Label, reject *dataset.Reject) {
	score, err := c.Parse(text, p.Turn())
	if err != nil {
		return label, bad(dataset.BadEval, text, err)
	}
	if !p.HasLegalMove() {
		return dataset.Label{Status: dataset.Terminal}, nil
	}
	if n, mate := score.Mate(); mate && n == 0 {
		return label, bad(dataset.BadEval, text, errMateNow)
	}
	return dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: score}}}, nil
}

// ParseFEN reads the FEN of a row; left is true if castling rights were left out: see [board.ReadFEN].
func ParseFEN(text string) (p board.Position, left bool, reject *dataset.Reject) {
	p, rights, err := board.ReadFEN(text, false)
	switch {
	case errors.Is(err, board.ErrChess960):
		return p, false, bad(dataset.Chess960, text, err)
	case err != nil:
		return p, false, bad(dataset.BadFEN, text, err)
	}
	return p, rights != "", nil
}

// isCommentRow reports whether a row starts like a comment, and unlike any FEN, puzzle or number.
func isCommentRow(row []byte) bool {
	return len(row) > 0 && (row[0] == '#' || row[0] == ';' || row[0] == '%') || bytes.HasPrefix(row, []byte("//"))
}

// firstRow returns the first line of a text that is neither blank nor a comment; empty if there is none.
func firstRow(head []byte) []byte {
	rest := bytes.TrimPrefix(head, []byte("\ufeff"))
	for len(rest) > 0 {
		rest = bytes.TrimLeft(rest, " \t\r\n\v\f\x00")
		line := rest
		if i := bytes.IndexAny(rest, "\n\r"); i >= 0 {
			line = rest[:i]
		}
		if !isCommentRow(line) {
			return line
		}
		rest = rest[len(line):]
	}
	return nil
}
