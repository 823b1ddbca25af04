package parquet

import (
	"errors"
	"fmt"
	"strings"

	"talbot/dataset"
	"talbot/formats/rows"
)

const lookAhead = 10_000 // positions that show whose view the scores are from

var errManyScores = errors.New("a score of more than 32 bits")

// Evaluations reads positions with evaluations in the columns of Lichess's dataset and of what talbot exports. Scores
// are from White's view unless another is stated. Rows that follow one another with the same FEN are one position: of
// its searches, which differ in depth or nodes, the deepest becomes the label, with all its variations, as of Lichess's
// lines of JSON ([rows.Analysis]). The first 10,000 positions are read ahead, and the signs of their scores
// compared with the material on the board ([dataset.Signs]).
type Evaluations struct {
	table
	view   dataset.View
	form   rows.TableForm
	engine string
	sizes  dataset.Sizes

	group *group
	ahead []result
	done  error // returned after ahead
	begun bool
}

// group is the rows of a position.
type group struct {
	rows.Analysis
	number, offset int64
	result         string
	bad            *dataset.Reject // of one of them
}

// result is a position or a reject.
type result struct {
	line   dataset.Line
	label  dataset.Label
	reject *dataset.Reject
}

func newEvaluations(f *file, form rows.TableForm) (*Evaluations, error) {
	t, err := newTable(f, []string{"fen"}, []string{"cp"}, []string{"mate"}, []string{"line"}, []string{"best"},
		[]string{"depth"}, []string{"knodes"}, []string{"nodes"}, []string{"result"})
	e := &Evaluations{table: t, form: form, engine: "parquet eval"}
	if form.View != nil {
		e.view = *form.View
	}
	switch {
	case form.Origin != "":
		e.engine = "parquet " + form.Origin
	case f.find("line") >= 0 && f.find("knodes") >= 0:
		e.engine = rows.EvalLineEngine
	}
	return e, err
}

// Next returns the next position with its label, or io.EOF after the last. A row or a group of rows that cannot be used
// gives a *[dataset.Reject], and reading can go on; every other error is final, [dataset.ErrView] among them. Number
// is that of the position's first row in the file, and Offset is where its row group begins.
func (e *Evaluations) Next() (l dataset.Line, labels dataset.Imported, err error) {
	if err := e.check(); err != nil {
		return l, labels, err
	}
	for len(e.ahead) == 0 && e.done == nil {
		e.ahead = e.ahead[:0]
		e.read()
	}
	if len(e.ahead) == 0 {
		return l, labels, e.done
	}
	r := &e.ahead[0]
	e.ahead = e.ahead[1:]
	if r.reject != nil {
		return l, labels, r.reject
	}
	for i := range r.label.Lines {
		e.sizes.Add(r.label.Lines[i].Score)
	}
	return r.line, dataset.Imported{Engine: e.engine, Labels: []dataset.Label{r.label}}, nil
}

// check reads ahead and compares signs.
func (e *Evaluations) check() error {
	if e.begun {
		return nil
	}
	e.begun = true
	var signs dataset.Signs
	positions := 0
	for len(e.ahead) < lookAhead && e.done == nil {
		e.read()
	}
	for i := range e.ahead {
		r := &e.ahead[i]
		if len(r.label.Lines) == 0 {
			continue
		}
		positions++
		signs.AddScore(&r.line.Start, r.label.Lines[0].Score, r.line.Result)
	}
	if e.form.Unchecked {
		return nil
	}
	return signs.Check(e.view, positions)
}

// read reads a row, which may end a position.
func (e *Evaluations) read() {
	err := e.next()
	if reject := (*dataset.Reject)(nil); errors.As(err, &reject) {
		e.end()
		e.ahead = append(e.ahead, result{reject: reject})
		return
	}
	if err != nil {
		e.end()
		e.done = err
		return
	}
	fen := e.text("fen")
	if e.group == nil || e.group.FEN != fen {
		e.end()
		e.group = &group{number: e.rows.number, offset: e.rows.offset, result: e.text("result")}
		if e.group.FEN = fen; len(fen) > 128 {
			e.group.FEN, e.group.bad = "", &dataset.Reject{Reason: dataset.BadFEN, Token: fen[:64]}
		}
	}
	if err := e.add(); err != nil && e.group.bad == nil {
		e.group.bad = &dataset.Reject{Reason: dataset.BadEval, Err: fmt.Errorf("row %d: %w", e.rows.number, err)}
	}
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
	var r result
	if r.reject = g.bad; r.reject == nil {
		r.line, r.label, r.reject = g.Line(e.view)
	}
	if r.reject != nil {
		r.reject.Number, r.reject.Offset, r.reject.At = g.number, g.offset, g.offset
	}
	r.line.Number, r.line.Offset = g.number, g.offset
	r.line.Result, _ = dataset.ParseResult(strings.TrimSpace(g.result))
	e.ahead = append(e.ahead, r)
}

// Table says how the evaluations were read so far.
func (e *Evaluations) Table() dataset.Table {
	return e.sizes.Table(dataset.CentipawnUnit.String(), e.view)
}
