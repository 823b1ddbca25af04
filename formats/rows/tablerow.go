package rows

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/scored"
)

// tableEntry is a position and what its rows say, or a reject.
type tableEntry struct {
	fen, engine string
	line        dataset.Line
	label       dataset.Label
	reject      *dataset.Reject
}

// row reads a row. It returns a new entry, nil if the row adds to the group. The error is of a row that contradicts the
// unit.
func (t *TableReader) row(text string, offset int64) (*tableEntry, error) {
	fields, err := t.split(text, t.comma)
	if err == nil && len(fields) <= max(t.column[tableFEN], t.column[tableEval], t.column[tableMate]) {
		err = errEvalColumns
	}
	rejected := func(reject *dataset.Reject) (*tableEntry, error) {
		return &tableEntry{reject: reject.Place(t.number, offset)}, nil
	}
	if err != nil {
		return rejected(badRow([]byte(text), err))
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
		start, left, reject := ParseFEN(fen)
		if reject != nil {
			return rejected(reject)
		}
		g = &tableEntry{fen: fen, engine: engine, line: scored.Position(start)}
		g.line.Number, g.line.Offset, g.line.LeftRights = t.number, offset, left
	}
	evaluation := t.field(fields, tableEval)
	if err := t.agrees(evaluation, offset); err != nil {
		return nil, err
	}
	if reject := t.evaluation(g, evaluation, fields); reject != nil {
		return rejected(reject)
	}
	if g == t.group {
		return nil, nil
	}
	t.group = g
	return g, nil
}

// evaluation adds what a row says to its group.
func (t *TableReader) evaluation(g *tableEntry, text string, fields []string) *dataset.Reject {
	p := &g.line.Start
	if mate := trimZeroDecimals(t.field(fields, tableMate)); !isEmptyValue(mate) && mate != "0" && isEmptyValue(text) {
		text = "#" + mate
	}
	label, reject := labelOf(p, t.convention, text)
	if reject != nil {
		return reject
	}
	if label.Status == dataset.Terminal {
		g.label = label
		return nil
	}
	s := label.Lines[0]
	s.Depth = parseUpTo(t.field(fields, tableDepth), 1<<16-1)
	s.Nodes = int64(parseUpTo(t.field(fields, tableNodes), 1<<53))
	after := *p
	for text := range strings.FieldsSeq(t.field(fields, tablePV)) {
		m, err := after.ParseSAN([]byte(text))
		if err != nil {
			return illegal(len(s.PV), text, err)
		}
		after.Play(m)
		s.PV = append(s.PV, m)
	}
	if text := t.field(fields, tableMove); text != "" {
		m, err := p.ParseSAN([]byte(text))
		if err != nil {
			return illegal(0, text, err)
		}
		if len(s.PV) == 0 || s.PV[0] != m {
			s.PV = []board.Move{m}
		}
	}
	t.sizes.Add(s.Score)
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
