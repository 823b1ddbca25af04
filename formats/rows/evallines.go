package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/scored"
)

// EvalLineEngine is the name of the evaluations of Lichess's database of positions.
const EvalLineEngine = "lichess analysis"

var (
	errNoEvals  = errors.New("no evaluation with a variation")
	errEvalBoth = errors.New("neither centipawns nor a mate, or both")
)

// Analysis is what Lichess's database says of a position.
type Analysis struct {
	FEN   string     `json:"fen"` // four fields
	Evals []Searches `json:"evals"`
}

// Searches are the variations of one search, best first.
type Searches struct {
	PVs    []Variation `json:"pvs"`
	KNodes int64       `json:"knodes"` // thousands
	Nodes  int64       `json:"-"`      // if not 0, in place of KNodes
	Depth  int         `json:"depth"`
}

// Variation is a line of a search.
type Variation struct {
	CP   *int   `json:"cp"`   // centipawns; nil if there is a mate
	Mate *int   `json:"mate"` // moves
	Line string `json:"line"` // UCI, castling as the king's move to the rook
}

// DeeperThan reports whether a search is deeper than another, or as deep and of more nodes.
func (s *Searches) DeeperThan(o *Searches) bool {
	return s.Depth > o.Depth || s.Depth == o.Depth && s.nodes() > o.nodes()
}

func (s *Searches) nodes() int64 {
	if s.Nodes != 0 {
		return max(0, min(s.Nodes, 1<<53))
	}
	return int64(inRange(s.KNodes, 1<<43)) * 1000
}

// Has reports whether a variation begins with the first move of a line; all do that have no move.
func (s *Searches) Has(line string) bool {
	first, _, _ := strings.Cut(line, " ")
	return slices.ContainsFunc(s.PVs, func(v Variation) bool {
		move, _, _ := strings.Cut(v.Line, " ")
		return move == first
	})
}

// EvalLineReader reads the lines of JSON in which Lichess publishes evaluations of positions: {"fen": …, "evals":
// [{"pvs": [{"cp" or "mate": …, "line": …}, …], "knodes": …, "depth": …}, …]}. Numbers are from White's view.
//
// Each position is a line of the data without moves, labelled by its deepest evaluation (of several, the one of most
// nodes, then the first) with all variations of that, best first; a second one that has no moves is left out. Blank
// lines and remarks are skipped.
//
// An EvalLineReader starts no goroutine and is not safe for concurrent use. Its memory is bounded by a few times
// [MaxRow].
type EvalLineReader struct {
	rowReader
	sizes dataset.Sizes
}

// NewEvalLineReader returns a reader of the lines in r.
func NewEvalLineReader(r io.Reader) *EvalLineReader {
	return &EvalLineReader{rowReader: newRowReader(r)}
}

// Next returns the next position with its evaluation, or io.EOF after the last. A row that cannot be used gives a
// *[dataset.Reject], and reading can go on; every other error is final.
func (e *EvalLineReader) Next() (line dataset.Line, imported dataset.Imported, err error) {
	var label dataset.Label
	line, err = e.line(nil, func(text []byte) (line dataset.Line, reject *dataset.Reject) {
		var row Analysis
		if err := json.Unmarshal(text, &row); err != nil {
			return line, badRow(text, err)
		}
		line, label, reject = row.Line(dataset.WhiteView)
		return line, reject
	})
	if err != nil {
		return line, imported, err
	}
	for i := range label.Lines {
		e.sizes.Add(label.Lines[i].Score)
	}
	return line, dataset.Imported{Engine: EvalLineEngine, Labels: []dataset.Label{label}}, nil
}

// Table says how the evaluations were read so far.
func (e *EvalLineReader) Table() dataset.Table {
	return e.sizes.Table(dataset.CentipawnUnit.String(), dataset.WhiteView)
}

// Line returns the position as a line without moves, and its label: the deepest search with all its variations. The
// numbers are from that view.
func (a *Analysis) Line(view dataset.View) (line dataset.Line, label dataset.Label, reject *dataset.Reject) {
	start, left, reject := ParseFEN(a.FEN)
	if reject != nil {
		return line, label, reject
	}
	line = scored.Position(start)
	line.LeftRights = left
	if !start.HasLegalMove() {
		return line, dataset.Label{Status: dataset.Terminal}, nil
	}
	deepest := -1
	for i, v := range a.Evals {
		if len(v.PVs) > 0 && (deepest < 0 || v.DeeperThan(&a.Evals[deepest])) {
			deepest = i
		}
	}
	if deepest < 0 {
		return line, label, &dataset.Reject{Reason: dataset.BadEval, Err: errNoEvals}
	}
	v := &a.Evals[deepest]
	label.Status = dataset.Labelled
	c := dataset.Convention{View: view, Unit: dataset.CentipawnUnit, Mate: dataset.MateMoves}
	for _, pv := range v.PVs[:min(len(v.PVs), 255)] {
		text := ""
		switch {
		case (pv.CP == nil) == (pv.Mate == nil):
			return line, label, bad(dataset.BadEval, "", errEvalBoth)
		case pv.Mate != nil:
			text = "#" + strconv.Itoa(*pv.Mate)
		default:
			text = strconv.Itoa(*pv.CP)
		}
		one, reject := labelOf(&start, c, text)
		if reject != nil {
			return line, label, reject
		}
		s := one.Lines[0]
		s.Depth, s.Nodes = inRange(int64(v.Depth), 1<<16-1), v.nodes()
		if s.PV, reject = variation(start, pv.Line); reject != nil {
			return line, label, reject
		}
		if len(label.Lines) > 0 && (len(s.PV) == 0 || len(label.Lines[0].PV) == 0) {
			continue // of several, each must say its move
		}
		label.Lines = append(label.Lines, s)
	}
	if pv := label.Lines[0].PV; len(pv) > 0 {
		label.Best = pv[0]
	}
	return line, label, nil
}

// variation reads moves in UCI form from a position on.
func variation(pos board.Position, text string) (moves []board.Move, reject *dataset.Reject) {
	for word := range strings.FieldsSeq(text) {
		m, err := pos.ParseUCI(word)
		if err != nil {
			return nil, illegal(len(moves), word, err)
		}
		pos.Play(m)
		moves = append(moves, m)
	}
	return moves, nil
}

// inRange returns n, or 0 if it is not in 0 … most.
func inRange(n, most int64) int {
	if n < 0 || n > most {
		return 0
	}
	return int(n)
}

// LooksLikeEvalLines reports whether a text begins with one of Lichess's lines of JSON, of which the end may be
// missing. A comment of a PGN file begins with a brace too.
func LooksLikeEvalLines(head []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(firstRow(head)), []byte("{"))
	if !ok || !bytes.HasPrefix(bytes.TrimSpace(rest), []byte{'"'}) {
		return false
	}
	return bytes.Contains(rest, []byte(`"fen"`)) && bytes.Contains(rest, []byte(`"evals"`))
}
