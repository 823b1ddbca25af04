package rows

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// The tags of a line that was read from EPD.
const (
	TagEPDID      = "EpdId"      // operation id
	TagAvoidMoves = "AvoidMoves" // operation am: the moves to avoid in UCI form, separated by blanks
)

var errNoOperation = errors.New("neither bm nor am")

// EPDReader reads EPD text: positions and operations, of which bm (best moves), am (avoid moves) and id count. Each
// line of text is a line of the data:
//
//   - with bm: the first best move is played, and the position before it is the sample; several best moves are its
//     policy, with equal weights;
//   - with am alone: no move is played and the position is a sample without policy target, for an engine to label.
//     Nothing is known of the moves that am does not name, so no policy is made from them. The moves to avoid are kept
//     as a tag.
//
// Tolerated: NUL bytes and blanks at line ends, “startpos” for a FEN, four-field FENs, moves with blanks in them
// (“Qd1 +”, “a8 = B”), glyphs, further moves as operations of their own (“bm Be3; Bd2”), operations without a semicolon
// between them (“bm Rc8+ dm 26 id "x"”), and an en passant dash that runs into the clock (“w - -1 12”). Blank lines and
// remarks, which start with “#”, “;”, “%” or “//”, are skipped.
//
// An EPDReader starts no goroutine and is not safe for concurrent use. Its memory is bounded by [MaxRow].
type EPDReader struct {
	rowReader
	alone bool // positions without operations will do
}

// NewEPDReader returns a reader of the EPD text in r.
func NewEPDReader(r io.Reader) *EPDReader { return &EPDReader{rowReader: newRowReader(r)} }

// NewPositionReader returns a reader of the positions in r, EPD or FEN, whose rows need neither bm nor am.
func NewPositionReader(r io.Reader) *EPDReader {
	return &EPDReader{rowReader: newRowReader(r), alone: true}
}

// Next returns the next position, without evaluations, or io.EOF after the last. A line that cannot be used gives a
// *[dataset.Reject], and reading can go on; every other error is final. Number counts all lines but blank ones and
// remarks.
func (e *EPDReader) Next() (line dataset.Line, none dataset.Imported, err error) {
	line, err = e.line(nil, e.position)
	return line, none, err
}

// position turns one line of text into a line.
func (e *EPDReader) position(text []byte) (line dataset.Line, reject *dataset.Reject) {
	fen, operations := cutFEN(string(text))
	start, left, reject := ParseFEN(fen)
	if reject != nil {
		return line, reject
	}
	ops := readOperations(&start, operations)
	if n := len(strings.Fields(fen)); n < 6 && (ops.clocks[1] != "" || n < 5 && ops.clocks[0] != "") {
		// counters of the FEN's own fields come first
		if start, left, reject = ParseFEN(withClocks(fen, n, ops.clocks)); reject != nil {
			return line, reject
		}
	}
	best, reject := epdMoves(&start, ops.best)
	if reject != nil {
		return line, reject
	}
	avoid, reject := epdMoves(&start, ops.avoid)
	if reject != nil {
		return line, reject
	}
	line = dataset.Line{Source: dataset.SourcePuzzle, Start: start, LeftRights: left, Samples: dataset.LastPosition()}
	switch {
	case len(best) > 0:
		line.Moves, line.Samples = best[:1:1], dataset.AllMoves()
	case len(avoid) == 0 && !e.alone:
		return line, bad(dataset.NoMoves, operations, errNoOperation)
	}
	if len(best) > 1 {
		policy := make([]dataset.WeightedMove, len(best))
		for i, m := range best {
			policy[i] = dataset.WeightedMove{Move: m, Weight: 1}
		}
		line.Policies = [][]dataset.WeightedMove{policy}
	}
	if ops.id != "" {
		line.Tags = append(line.Tags, dataset.Tag{Name: TagEPDID, Value: ops.id})
	}
	if len(avoid) > 0 {
		names := make([]string, len(avoid))
		for i, m := range avoid {
			names[i] = m.String()
		}
		line.Tags = append(line.Tags, dataset.Tag{Name: TagAvoidMoves, Value: strings.Join(names, " ")})
	}
	return line, nil
}

// cutFEN takes the FEN, of four to six fields, off the text.
func cutFEN(text string) (fen, operations string) {
	if rest, ok := strings.CutPrefix(text, "startpos"); ok {
		start := board.StartPosition()
		return start.FEN(), rest
	}
	var fields []string
	rest := text
	for len(fields) < 6 {
		trimmed := strings.TrimLeft(rest, " \t")
		end := strings.IndexAny(trimmed, " \t;")
		if end < 0 {
			end = len(trimmed)
		}
		field := trimmed[:end]
		if field == "" || len(fields) >= 4 && !isNumber(field) {
			break
		}
		rest = trimmed[end:]
		if len(fields) == 3 && len(field) > 1 && field[0] == '-' && isNumber(field[1:]) {
			fields = append(fields, "-", field[1:])
			continue
		}
		fields = append(fields, field)
	}
	return strings.Join(fields, " "), rest
}

// withClocks appends to a FEN of n fields the counters that it lacks.
func withClocks(fen string, n int, clocks [2]string) string {
	if n == 4 {
		fen += " " + cmp.Or(clocks[0], "0")
	}
	return fen + " " + cmp.Or(clocks[1], "1")
}

func isNumber(s string) bool {
	return s != "" && len(s) <= 5 && strings.Trim(s, "0123456789") == ""
}

// epdMoves resolves moves, each once.
func epdMoves(p *board.Position, texts []string) ([]board.Move, *dataset.Reject) {
	var moves []board.Move
	for _, text := range texts {
		m, err := p.ParseSAN([]byte(text))
		if err != nil {
			return nil, illegal(0, text, err)
		}
		if !slices.Contains(moves, m) {
			moves = append(moves, m)
		}
	}
	return moves, nil
}

// LooksLikeEPD reports whether a text begins as EPD does: with a FEN's placement and side to move, without a comma, or
// with “startpos”. It excludes the other kinds that may begin so itself, since callers use it alone.
func LooksLikeEPD(head []byte) bool {
	line := firstRow(head)
	if bytes.HasPrefix(line, []byte("startpos")) {
		return true
	}
	fields := bytes.Fields(line)
	return len(fields) >= 2 && bytes.Count(fields[0], []byte("/")) == 7 && bytes.IndexByte(fields[0], ',') < 0 &&
		(string(fields[1]) == "w" || string(fields[1]) == "b") && !LooksLikeTable(head) && !LooksLikeEvalLines(head) &&
		!LooksLikeScoreText(head)
}
