package rows

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"talbot/board"
	"talbot/dataset"
)

// tableGroup is a position and what its rows say.
type tableGroup struct {
	fen, engine string
	line        dataset.Line
	label       dataset.Label
}

// row reads one row. It returns the group before it if that is complete. A row that contradicts the unit sets t.err.
func (t *TableReader) row(text string, offset int64) (done *tableGroup, reject *dataset.Reject) {
	fields, err := t.split(text)
	if err == nil && len(fields) <= max(t.column[tableFEN], t.column[tableEval], t.column[tableMate]) {
		err = errEvalColumns
	}
	if err != nil {
		return nil, &dataset.Reject{Reason: dataset.BadRow, Token: excerpt([]byte(text)), Err: err}
	}
	fen, engine := t.field(fields, tableFEN), TableEngine
	if name := t.field(fields, tableEngine); name != "" {
		engine += " (" + strings.ToValidUTF8(name, string(utf8.RuneError)) + ")"
	}
	g := t.group
	hasMove := t.field(fields, tableMove) != "" || t.field(fields, tablePV) != ""
	if g == nil || g.fen != fen || g.engine != engine || t.column[tableMove] < 0 || len(g.label.Lines) == 255 ||
		// only rows of moves are one search
		g.label.Status != dataset.Labelled || !hasMove || g.label.Best == board.NoMove {
		start, err := board.ParseFEN(fen)
		if err != nil {
			return nil, &dataset.Reject{Reason: dataset.BadFEN, Token: excerpt([]byte(fen)), Err: err}
		}
		g = &tableGroup{fen: fen, engine: engine, line: dataset.Line{
			Source: dataset.SourceTable, Number: t.number, Offset: offset, Start: start,
			Samples: dataset.LastPosition(),
		}}
	}
	evaluation := t.field(fields, tableEval)
	if t.err = t.agrees(evaluation, offset); t.err != nil {
		return nil, nil
	}
	if reject := t.evaluation(g, evaluation, fields); reject != nil {
		return nil, reject
	}
	if g != t.group {
		done, t.group = t.group, g
	}
	return done, nil
}

// evaluation adds what a row says to its group.
func (t *TableReader) evaluation(g *tableGroup, text string, fields []string) *dataset.Reject {
	p := &g.line.Start
	if mate := trimZeroDecimals(t.field(fields, tableMate)); !isEmptyValue(mate) && mate != "0" && isEmptyValue(text) {
		text = "#" + mate
	}
	score, err := t.convention.Parse(text, p.Turn())
	if err != nil {
		return &dataset.Reject{Reason: dataset.BadEval, Token: excerpt([]byte(text)), Err: err}
	}
	if !p.HasLegalMove() {
		g.label = dataset.Label{Status: dataset.Terminal}
		return nil
	}
	if n, ok := score.Mate(); ok && n == 0 {
		return &dataset.Reject{Reason: dataset.BadEval, Token: excerpt([]byte(text)), Err: errMateNow}
	}
	s := dataset.Searched{Score: score, Depth: parseUpTo(t.field(fields, tableDepth), 1<<16-1),
		Nodes: int64(parseUpTo(t.field(fields, tableNodes), 1<<53))}
	after := *p
	for text := range strings.FieldsSeq(t.field(fields, tablePV)) {
		m, err := after.ParseSAN([]byte(text))
		if err != nil {
			return &dataset.Reject{Reason: dataset.IllegalMove, Ply: len(s.PV), Token: excerpt([]byte(text)), Err: err}
		}
		after.Play(m)
		s.PV = append(s.PV, m)
	}
	if text := t.field(fields, tableMove); text != "" {
		m, err := p.ParseSAN([]byte(text))
		if err != nil {
			return &dataset.Reject{Reason: dataset.IllegalMove, Token: excerpt([]byte(text)), Err: err}
		}
		if len(s.PV) == 0 || s.PV[0] != m {
			s.PV = []board.Move{m}
		}
	}
	t.sizes.Add(score)
	if len(g.label.Lines) == 0 {
		g.label.Status = dataset.Labelled
		if len(s.PV) > 0 {
			g.label.Best = s.PV[0]
		}
	}
	g.label.Lines = append(g.label.Lines, s)
	return nil
}

// isEmptyValue reports whether a column has no value, as programs write it.
func isEmptyValue(text string) bool {
	switch strings.ToLower(text) {
	case "", "none", "nan", "null":
		return true
	}
	return false
}

// trimZeroDecimals takes off the decimals that programs write after whole numbers in columns with gaps.
func trimZeroDecimals(text string) string { return strings.TrimSuffix(text, ".0") }

// parseUpTo reads a whole number up to most, 0 if there is none.
func parseUpTo(text string, most int) int {
	n, err := strconv.Atoi(trimZeroDecimals(text))
	if err != nil || n < 0 || n > most {
		return 0
	}
	return n
}

func (g *tableGroup) done() (dataset.Line, dataset.Imported, error) {
	return g.line, dataset.Imported{Engine: g.engine, Labels: []dataset.Label{g.label}}, nil
}
