package rows

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/fault"
)

// Errors on which callers branch.
var (
	// ErrUnit: neither the name of a table's column nor its first rows say whether its evaluations are pawns or
	// centipawns. The caller asks for the unit.
	ErrUnit = fault.New(fault.ExitUsage, "centipawns or pawns?",
		"use --eval-unit centipawns or --eval-unit pawns; the message gives the median for each")
	// ErrMixedUnits: a row contradicts the unit that the table's column or its rows before had. No row of the table
	// can be trusted.
	ErrMixedUnits = fault.New(fault.ExitFailed, "evaluations of different units in one table",
		"correct the row, or use --eval-unit (then decimals among centipawns are skipped row by row), or "+
			"--skip-bad-files to skip the table")
)

// Stated is what the caller states about the evaluations of an input of any kind before it is read; what is nil is
// found in the input.
type Stated struct {
	View *dataset.View
	Unit *dataset.Unit
	// Of training data that others publish: who made the scores, for their fingerprint, and their unit in a word.
	// Empty: what is found.
	Origin, ScoreUnit string
	// Unchecked is for those who do not use the evaluations: nothing must be stated, and nothing is compared.
	Unchecked bool
}

// What decides the unit of an ambiguous column by its first rows. Engines seldom see more than ten pawns in games, and
// hardly a table of centipawns stays below the bounds.
const (
	leastCentipawns = 50_00 // a whole number of that many hundredths is centipawns, written as “68” or “68.0”
	usualCentipawns = 20_00 // numbers without a point are centipawns if half of them are that large
	mostPawns       = 10_00 // decimals are not taken for pawns if half of the numbers are larger
	leastDecimals   = 10    // … nor if fewer than one in this many has decimals
)

// unitSource is what decided the unit of a table.
type unitSource uint8

const (
	unitOpen   unitSource = iota // no number but 0 so far
	unitStated                   // the caller
	unitNamed                    // the name of the column
	unitFound                    // the first rows
)

func (s unitSource) String() string {
	return [...]string{"no row before has a number", "as stated", "by its name", "by its first rows"}[s]
}

// evaluationWords may make up the name of a column of evaluations, together with one that says its unit.
var (
	evaluationWords = []string{"evaluation", "eval", "score", "stockfish"}
	unitWords       = map[string]dataset.Unit{
		"cp": dataset.CentipawnUnit, "centipawn": dataset.CentipawnUnit, "centipawns": dataset.CentipawnUnit,
		"pawn": dataset.PawnUnit, "pawns": dataset.PawnUnit,
	}
)

// evaluationColumn reports whether a column's name is that of evaluations, and the unit that it names, if any: “cp”,
// “Evaluation”, “eval_cp”, “Score (pawns)”.
func evaluationColumn(name string) (unit *dataset.Unit, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, word := range words {
		if u, isUnit := unitWords[word]; isUnit && unit == nil {
			unit = &u
		} else if isUnit || !slices.Contains(evaluationWords, word) {
			return nil, false
		}
	}
	return unit, len(words) > 0
}

// number is an evaluation that is no mate.
type number struct {
	size     int  // hundredths, without its sign; at most those of [dataset.MaxCentipawns] pawns
	point    bool // written with a decimal point
	fraction bool // that is not 0
}

// readNumber reads a number; ok is false for mates and everything else.
func readNumber(text string) (n number, ok bool) {
	score, err := dataset.LichessConvention.Parse(text, board.White)
	if err != nil {
		return n, false
	}
	if n.size, ok = score.Centipawns(); !ok {
		return n, false
	}
	n.size = max(n.size, -n.size)
	_, fraction, point := strings.Cut(text, ".")
	n.point, n.fraction = point, strings.Trim(fraction, "0") != ""
	return n, true
}

// isCentipawns reports whether a number is a usual one of centipawns and none of pawns.
func (n number) isCentipawns() bool { return !n.fraction && n.size >= leastCentipawns }

// begin looks at the first rows for what separates the columns, and finds the form of the table.
func (t *TableReader) begin() error {
	head, err := t.r.Peek(MaxRow)
	if i := bytes.LastIndexByte(head, '\n'); i > 0 && err == nil { // the last row may be cut
		head = head[:i]
	}
	first := bytes.Trim(firstRow(head), " \t\r\x00\x1a")
	for _, c := range [...]byte{'\t', ',', ';'} {
		if bytes.IndexByte(first, c) >= 0 {
			t.comma = rune(c)
			break
		}
	}
	t.header(first)
	t.convention = dataset.Convention{View: t.view(), Mate: dataset.MateMoves}
	switch {
	case t.stated.Unit != nil:
		t.convention.Unit, t.source = *t.stated.Unit, unitStated
	case t.stated.Unchecked:
		t.convention.Unit, t.source = dataset.PawnUnit, unitStated
	case t.named != nil:
		t.convention.Unit, t.source = *t.named, unitNamed
	default:
		return t.findUnit(head)
	}
	return nil
}

// findUnit decides the unit by the numbers in the first rows.
func (t *TableReader) findUnit(head []byte) error {
	var sizes []int // but zeros
	var largest, largestWhole, decimal string
	decimals, most, mostWhole, points, usual := 0, 0, 0, false, false
	for row := range bytes.Lines(head) {
		fields, err := t.split(string(bytes.Trim(row, " \t\r\n\x00\x1a")), t.comma)
		if err != nil || strings.Count(t.field(fields, tableFEN), "/") != 7 {
			continue
		}
		text := t.field(fields, tableEval)
		n, ok := readNumber(text)
		if !ok || n.size == 0 && !n.fraction {
			continue
		}
		sizes = append(sizes, n.size)
		points = points || n.point
		usual = usual || n.isCentipawns()
		if n.size > most {
			most, largest = n.size, text
		}
		if n.fraction {
			decimals, decimal = decimals+1, text
		} else if n.size > mostWhole {
			mostWhole, largestWhole = n.size, text
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	slices.Sort(sizes)
	median := sizes[len(sizes)/2]
	t.source = unitFound
	switch {
	case decimals > 0 && !usual && median < mostPawns && decimals*leastDecimals >= len(sizes):
		t.convention.Unit = dataset.PawnUnit
		return nil
	case decimals == 0 && (usual || !points && median >= usualCentipawns):
		t.convention.Unit = dataset.CentipawnUnit
		return nil
	}
	clue := fmt.Sprintf("its numbers are whole, the largest is %q", largest)
	if decimals > 0 && mostWhole > 0 {
		clue = fmt.Sprintf("%q has decimals, %q has none", decimal, largestWhole)
	} else if decimals > 0 {
		clue = fmt.Sprintf("%q has decimals, %q is large for pawns", decimal, largest)
	}
	return fmt.Errorf("column %s: %w %s; the median |evaluation| of its first %d numbers is %d centipawns if they are "+
		"pawns, %d if they are centipawns", t.columnName(), ErrUnit, clue, len(sizes), median, (median+50)/100)
}

// view returns whose view the evaluations are from, as stated or by the columns.
func (t *TableReader) view() dataset.View {
	switch {
	case t.stated.View != nil:
		return *t.stated.View
	case t.column[tableMove] >= 0 && t.column[tablePV] >= 0 && t.column[tableMate] < 0:
		return dataset.STSConvention.View
	}
	return dataset.KaggleConvention.View
}

// headerAgrees returns an error, which ends the table, if a header, which may stand between rows where tables were
// joined, has another view or unit than the rows before.
func (t *TableReader) headerAgrees(offset int64) error {
	switch {
	case t.view() != t.convention.View:
	case t.source == unitStated:
		return nil
	case t.named == nil:
		if t.source == unitNamed { // the name no longer decides
			t.source = unitFound
		}
		return nil
	case t.source == unitOpen || *t.named == t.convention.Unit:
		t.convention.Unit, t.source = *t.named, unitNamed
		return nil
	}
	return fmt.Errorf("header at byte %d: its unit or view differs from the earlier %v and %v: %w",
		offset, t.convention.Unit, t.convention.View, ErrMixedUnits)
}

// columnName names the column of evaluations.
func (t *TableReader) columnName() string {
	if t.evalName == "" {
		return fmt.Sprint(t.column[tableEval] + 1)
	}
	return fmt.Sprintf("%q", t.evalName)
}

// agrees returns an error, which ends the table, if an evaluation contradicts the unit: decimals in centipawns, or
// among decimals a whole number that is a usual one of centipawns. A unit that the caller stated is not checked.
func (t *TableReader) agrees(text string, offset int64) error {
	n, ok := readNumber(text)
	what := ""
	switch {
	case !ok || t.source == unitStated:
		return nil
	case t.source == unitOpen && (n.size > 0 || n.fraction):
		return fmt.Errorf("number %d at byte %d: %q in column %s is the first number other than 0, too late to decide "+
			"the unit: %w", t.number, offset, text, t.columnName(), ErrMixedUnits)
	case t.source == unitOpen:
		return nil
	case t.convention.Unit == dataset.CentipawnUnit && n.fraction:
		what = "has decimals"
	case t.source == unitFound && t.convention.Unit == dataset.PawnUnit && n.isCentipawns():
		what = "is a large whole number"
	default:
		return nil
	}
	return fmt.Errorf("number %d at byte %d: %q %s, and column %s is in %v %v: %w", t.number, offset, text, what,
		t.columnName(), t.convention.Unit, t.source, ErrMixedUnits)
}

// CheckTable returns [ErrUnit] if the unit of the table that begins with head, its first 64 KiB or all of it, has to
// be stated.
func CheckTable(head []byte, stated Stated) error {
	return NewTableReader(bytes.NewReader(head), stated).begin()
}
