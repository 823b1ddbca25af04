package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
)

// endgames is the part on endgames: the verdicts of the value, and tables by pieces and material.
type endgames struct {
	*evaluate.EndgameReport
	Verdicts []verdicts
	Tables   []endgameTable
}

// verdicts is what the value says about the positions with one result.
type verdicts struct {
	Result string
	Count  int64
	Counts []verdictCount
}

type verdictCount struct {
	Count int64
	Share float64 // of the positions of the result
	Right bool
}

type endgameTable struct {
	Title, Note string
	Judged      bool // moves were judged too
	Rows        []endgameRow
}

type endgameRow struct {
	Name string
	evaluate.EndgameFigures
}

// worstMaterials is the number of materials shown.
const worstMaterials = 16

func (e *Eval) endgames() *endgames {
	r := e.Report.Endgames
	if r == nil {
		return nil
	}
	g := &endgames{EndgameReport: r}
	for _, result := range []int{2, 1, 0} {
		row := verdicts{Result: [...]string{"lost", "drawn", "won"}[result]}
		for _, n := range r.Verdicts[result] {
			row.Count += n
		}
		for _, verdict := range []int{2, 1, 0} {
			n := r.Verdicts[result][verdict]
			row.Counts = append(row.Counts, verdictCount{n, float64(n) / float64(max(row.Count, 1)), verdict == result})
		}
		g.Verdicts = append(g.Verdicts, row)
	}
	judged := r.Moves.Positions > 0
	pieces := endgameTable{Title: "By pieces", Note: "on the board, kings included", Judged: judged,
		Rows: []endgameRow{{"all", r.EndgameFigures}}}
	if r.Unseen != nil {
		pieces.Rows = append(pieces.Rows, endgameRow{"unseen", *r.Unseen})
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	for _, name := range slices.SortedFunc(maps.Keys(r.ByPieces),
		func(a, b string) int { return cmp.Compare(number(a), number(b)) }) {
		pieces.Rows = append(pieces.Rows, endgameRow{name, r.ByPieces[name]})
	}
	g.Tables = append(g.Tables, pieces)
	worst := endgameTable{Title: "The worst materials",
		Note: fmt.Sprintf("the stronger side first, whoever moves; of at least %d positions",
			evaluate.FewestEndgames), Judged: judged}
	for _, name := range r.Worst(worstMaterials) {
		worst.Rows = append(worst.Rows, endgameRow{name, r.ByMaterial[name]})
	}
	if len(worst.Rows) > 1 {
		g.Tables = append(g.Tables, worst)
	}
	return g
}

// leaning is how much the answers change when the network sees the same positions without their past, or with colours
// swapped.
type leaning struct {
	Table   *group // with the past and without it
	Samples int64  // that the table is over
	Swapped string // the effect of swapping the colours
	Note    string // says what was measured
	Noise   *evaluate.Noise
}

// leaning returns nil if there is nothing to show.
func (e *Eval) leaning() *leaning {
	l := &leaning{Swapped: e.swapped(), Noise: e.Noise}
	if h := e.History; h != nil {
		columns := slices.DeleteFunc(e.columns(), func(m *evaluate.Measure) bool { return m.Needs.Others })
		l.Table, l.Samples = newGroup("", "", columns), h.With.Count("samples")
		l.Table.add("with the past", h.With, h.WithIntervals)
		l.Table.add("without it", h.Without, h.WithoutIntervals)
	}
	switch {
	case l.Table != nil && l.Swapped != "":
		l.Note = "the same positions without their past, and with colours swapped"
	case l.Table != nil:
		l.Note = "the same positions without their past"
	case l.Swapped != "":
		l.Note = "the same positions with colours swapped"
	case l.Noise == nil:
		return nil
	}
	return l
}

// swapped describes how the answers change when colours are swapped; "" if that was not measured.
func (e *Eval) swapped() string {
	s := e.Symmetry
	if s == nil {
		return ""
	}
	var parts []string
	if s.ValueGap != nil {
		parts = append(parts, fmt.Sprintf("values change by %.3f on average", *s.ValueGap))
	}
	if s.PolicyGap != nil {
		parts = append(parts, humanize.Percent(*s.PolicyGap)+" of the probability goes to other moves")
	}
	if s.SameMove != nil {
		parts = append(parts, humanize.Percent(*s.SameMove)+" play the same move")
	}
	return fmt.Sprintf("Colours swapped, %s: %s.", humanize.Count(s.Samples, "sample"), strings.Join(parts, ", "))
}
