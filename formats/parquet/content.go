package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"talbot/dataset"
	"talbot/formats/rows"
)

// Content is what a file holds: one of the four.
type Content struct {
	Actions     *Actions
	Evaluations *Evaluations
	Puzzles     *Puzzles
	Games       *Games
}

// Open reads the directory of a Parquet file of that size and finds out by the names of its columns, in any order and
// case, what it holds:
//
//   - games: movetext, and any of the tags of PGN
//   - puzzles: PuzzleId, FEN and Moves, and any of Rating, Themes and GameUrl
//   - values of all moves: fen, and the lists moves and p_win, and mate if it is there
//   - evaluations: fen, and cp or mate or both, and any of line, best, depth, knodes, nodes and result
//
// The errors are [ErrDamaged], [ErrUnsupported], [ErrColumns] with the columns that are missing, and those of in.
func Open(in io.ReaderAt, size int64, stated rows.Stated) (c Content, err error) {
	f, err := open(in, size)
	if err != nil {
		return c, err
	}
	switch {
	case f.find("movetext") >= 0:
		c.Games, err = newGames(f)
	case f.find("PuzzleId") >= 0 && f.find("FEN") >= 0 && f.find("Moves") >= 0:
		c.Puzzles, err = newPuzzles(f)
	case f.find("fen") >= 0 && f.isList("moves", format.ByteArray) && f.isList("p_win", format.Double):
		c.Actions, err = newActions(f, stated)
	case f.find("fen") >= 0 && (f.find("cp") >= 0 || f.find("mate") >= 0):
		c.Evaluations, err = newEvaluations(f, stated)
	default:
		err = fmt.Errorf("%w %s; games need movetext; puzzles need PuzzleId, FEN and Moves; evaluations need fen, and "+
			"cp or mate; values of all moves need fen, and the lists moves and p_win", ErrColumns, quoted(f.names()))
	}
	return c, err
}

// quoted lists the first names.
func quoted(names []string) string {
	more := ""
	if n := len(names) - 20; n > 0 {
		names, more = names[:20], fmt.Sprintf(" and %d more", n)
	}
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	return strings.Join(names, ", ") + more
}

// table reads columns by their names.
type table struct {
	rows  *reader
	place map[string]int // of each column in rows.columns; none: the file does not have it
}

// newTable returns a reader of those columns that the file has, each by any of its names, by the first of them.
func newTable(f *file, columns ...[]string) (table, error) {
	t := table{place: map[string]int{}}
	var leaves []int
	for _, names := range columns {
		if i := f.find(names...); i >= 0 {
			t.place[names[0]] = len(leaves)
			leaves = append(leaves, i)
		}
	}
	var err error
	t.rows, err = newReader(f, leaves)
	return t, err
}

// next reads the next row; what is lost is a *[dataset.Reject].
func (t *table) next() error {
	err := t.rows.next()
	if d := (*damage)(nil); errors.As(err, &d) {
		return (&dataset.Reject{Reason: dataset.BadGroup, Err: d}).Place(d.row, d.offset)
	}
	return err
}

// cells returns the values of a list in the row; none if the file does not have it.
func (t *table) cells(name string) []value {
	if i, ok := t.place[name]; ok {
		return t.rows.columns[i].cells
	}
	return nil
}

// Share returns how much of the file was read, 0 to 1.
func (t *table) Share() float64 { return t.rows.share() }

// text returns a value of the row as text, the elements of a list with blanks between them; "" if there is none.
func (t *table) text(name string) string {
	i, ok := t.place[name]
	if !ok {
		return ""
	}
	c := &t.rows.columns[i]
	var parts []string
	for i := range c.cells {
		if v := &c.cells[i]; !v.null {
			parts = append(parts, v.string(c.pages.leaf))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, " ")
}

// string returns a value as text.
func (v *value) string(l *leaf) string {
	switch {
	case v.text != nil:
		return string(v.text)
	case l.isFloat():
		return strconv.FormatFloat(v.float(), 'f', -1, 64)
	case l.isNumber():
		return strconv.FormatInt(v.number, 10)
	}
	return ""
}

var errNotWhole = errors.New("a number that is not whole")

// number returns a whole number of the row; ok is false if there is none. NaN is none, as where a program had to make
// decimals of a column with gaps.
func (t *table) number(name string) (n int64, ok bool, err error) {
	i, has := t.place[name]
	if !has {
		return 0, false, nil
	}
	c := &t.rows.columns[i]
	if len(c.cells) != 1 || c.cells[0].null {
		return 0, false, nil
	}
	v := &c.cells[0]
	switch l := c.pages.leaf; {
	case l.isFloat():
		if math.IsNaN(v.float()) {
			return 0, false, nil
		}
		if v.float() != math.Trunc(v.float()) || math.Abs(v.float()) > 1<<53 {
			return 0, false, errNotWhole
		}
		return int64(v.float()), true, nil
	case l.isNumber():
		return v.number, true, nil
	}
	n, err = strconv.ParseInt(strings.TrimSpace(string(v.text)), 10, 64)
	return n, err == nil, err
}
