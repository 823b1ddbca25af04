package rows

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxRow is the longest row of a table, puzzle file or EPD that is read, in bytes.
const MaxRow = 64 << 10

var errRowLength = fmt.Errorf("row over %d bytes", MaxRow)

// rows reads a text line by line. Its memory is bounded by MaxRow.
type rows struct {
	r      *bufio.Reader
	offset int64 // of the next row
	number int64 // of rows handed out that callers counted
}

func newRows(r io.Reader) rows { return rows{r: bufio.NewReaderSize(r, MaxRow)} }

// next returns the next line without its end, blanks and NUL bytes around it and a byte order mark before it, valid
// until the next call, and its byte offset. Of a line over the limit it returns the start, with errRowLength.
func (p *rows) next() (row []byte, offset int64, err error) {
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

// isCommentRow reports whether a row starts like a comment, and unlike any FEN, puzzle or number.
func isCommentRow(row []byte) bool {
	return len(row) > 0 && (row[0] == '#' || row[0] == ';' || row[0] == '%') || bytes.HasPrefix(row, []byte("//"))
}
