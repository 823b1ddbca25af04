package parquet

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/formats/scored"
)

var errManyScores = errors.New("a score of more than 32 bits")

// Evaluations reads positions with evaluations in the columns of Lichess's dataset and of what talbot exports. Scores
// are from White's view unless another is stated. Rows that follow one another with the same FEN are one position: of
// its searches, which differ in depth or nodes, the deepest becomes the label, with all its variations, as of Lichess's
// lines of JSON ([rows.Analysis]).
//
// Of a position, Number is that of its first row in the file, and Offset is where its row group begins.
type Evaluations struct {
	table
	scored.Reader
	group *group
}

// newScored returns what reads scores of a view, unless another one is stated.
func newScored(stated rows.Stated, view dataset.View, origin string) scored.Reader {
	if stated.View != nil {
		view = *stated.View
	}
	return scored.Reader{Engine: "parquet " + cmp.Or(stated.Origin, origin), View: view, Unchecked: stated.Unchecked}
}

// group is the rows of a position.
type group struct {
	rows.Analysis
	number, offset int64
	result         string
	bad            *dataset.Reject // of one of them
}

func newEvaluations(f *file, stated rows.Stated) (*Evaluations, error) {
	t, err := newTable(f, []string{"fen"}, []string{"cp"}, []string{"mate"}, []string{"line"}, []string{"best"},
		[]string{"depth"}, []string{"knodes"}, []string{"nodes"}, []string{"result"})
	e := &Evaluations{table: t, Reader: newScored(stated, dataset.WhiteView, "eval")}
	if stated.Origin == "" && f.find("line") >= 0 && f.find("knodes") >= 0 {
		e.Engine = rows.EvalLineEngine
	}
	e.Unit, e.Read = dataset.CentipawnUnit.String(), e.read
	return e, err
}

// read reads a row, which may end a position.
func (e *Evaluations) read() error {
	if err := e.next(); err != nil {
		e.end()
		return e.Add(dataset.Line{}, nil, err)
	}
	fen := e.text("fen")
	if e.group == nil || e.group.FEN != fen {
		e.end()
		e.group = &group{number: e.rows.number, offset: e.rows.offset, result: e.text("result")}
		e.group.FEN = fen
	}
	if err := e.add(); err != nil && e.group.bad == nil {
		e.group.bad = &dataset.Reject{Reason: dataset.BadEval, Err: fmt.Errorf("row %d: %w", e.rows.number, err)}
	}
	return nil
}

// add adds a row to its position.
func (e *Evaluations) add() error {
	var numbers [5]*int64
	for i, name := range [...]string{"cp", "mate", "depth", "knodes", "nodes"} {
		n, ok, err := e.number(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if ok {
			numbers[i] = &n
		}
	}
	var s rows.Searches
	if depth := numbers[2]; depth != nil {
		s.Depth = int(max(0, min(*depth, 1<<16)))
	}
	switch {
	case numbers[3] != nil:
		s.Nodes = thousand(*numbers[3])
	case numbers[4] != nil:
		s.Nodes = *numbers[4]
	}
	var pv rows.Variation
	var err error
	if pv.CP, err = small(numbers[0]); err != nil {
		return err
	}
	if pv.Mate, err = small(numbers[1]); err != nil {
		return err
	}
	if pv.Line = e.text("line"); pv.Line == "" {
		pv.Line = e.text("best")
	}
	if len(pv.Line) > maxText {
		return errLong
	}
	e.group.add(s, pv)
	return nil
}

func thousand(n int64) int64 { return min(max(n, 0), 1<<43) * 1000 }

func small(n *int64) (*int, error) {
	if n == nil {
		return nil, nil
	}
	if int64(int32(*n)) != *n {
		return nil, errManyScores
	}
	v := int(*n)
	return &v, nil
}

// add adds a variation: to the search before if it is of the same depth and nodes and its first move is another. Of all
// searches before, the deepest stays.
func (g *group) add(s rows.Searches, pv rows.Variation) {
	if n := len(g.Evals); n > 0 {
		last := &g.Evals[n-1]
		if last.Depth == s.Depth && last.Nodes == s.Nodes && len(last.PVs) < 255 && !last.Has(pv.Line) {
			last.PVs = append(last.PVs, pv)
			return
		}
		if n == 2 {
			if last.DeeperThan(&g.Evals[0]) {
				g.Evals[0] = *last
			}
			g.Evals = g.Evals[:1]
		}
	}
	s.PVs = []rows.Variation{pv}
	g.Evals = append(g.Evals, s)
}

// end makes a line of the current position.
func (e *Evaluations) end() {
	g := e.group
	if e.group = nil; g == nil {
		return
	}
	line, label, reject := dataset.Line{}, dataset.Label{}, g.bad
	if reject == nil {
		line, label, reject = g.Line(e.View)
	}
	var err error
	if reject != nil {
		err = reject.Place(g.number, g.offset)
	}
	line.Number, line.Offset = g.number, g.offset
	line.Result, _ = dataset.ParseResult(strings.TrimSpace(g.result))
	_ = e.Add(line, []dataset.Label{label}, err) // a reject at most
}
