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
	"talbot/network/run"
)

// group is a table of figures.
type group struct {
	Title, Note string
	Columns     []column
	Rows        []row
	measures    []*evaluate.Measure
}

type column struct {
	Title string
	Meter bool // there is a meter beside it
}

type row struct {
	Name    string
	Samples int64
	Cells   []cell
}

// cell is a figure in a table.
type cell struct {
	Text  string
	Of    string // number of its samples, where that differs from the row's
	Hover string // the verdict, with interval and baselines
	Worse bool   // than the baseline
	Meter *meter
}

// meter shows a share as a strong bar, and a greater share that includes it as a pale one.
type meter struct {
	Strong, Pale float64
	Hover        string
}

// pale maps a measure to the one shown as its pale bar.
var pale = map[string]string{"top1": "top3"}

func newGroup(title, note string, measures []*evaluate.Measure) *group {
	g := &group{Title: title, Note: note, measures: measures}
	for _, m := range measures {
		g.Columns = append(g.Columns, column{m.Column.Title, pale[m.Name] != ""})
	}
	return g
}

func (g *group) add(name string, f evaluate.Figures, intervals evaluate.Intervals) {
	r := row{Name: name, Samples: f.Count("samples")}
	for _, m := range g.measures {
		x := f.Of(m.Name)
		c := cell{Text: show(m, 3)(x)}
		if n := m.Samples(f); x != nil && m.Head == evaluate.ValueHead && n != r.Samples {
			c.Of = "of " + humanize.Thousands(n)
		}
		if j, ok := m.Judge(f, intervals); ok {
			c.Hover, c.Worse = beside(m, &j, f), j.Verdict == evaluate.Worse
		}
		if of, ok := pale[m.Name]; ok {
			c.Meter = &meter{run.OrZero(x), run.OrZero(f.Of(of)),
				"first " + share(x) + ", of the first three " + share(f.Of(of))}
		}
		r.Cells = append(r.Cells, c)
	}
	g.Rows = append(g.Rows, r)
}

// beside is the text shown by pointing at a figure: the verdict, its interval, and all baselines.
func beside(m *evaluate.Measure, j *evaluate.Judgement, f evaluate.Figures) string {
	show := show(m, 3)
	parts := []string{j.Verdict.Phrase() + " " + j.BaselineMeasure().As}
	if i := j.Interval; i != nil {
		parts = append(parts, "95 % interval "+show(&i[0])+" to "+show(&i[1]))
	} else if j.Verdict == evaluate.Unclear {
		parts = append(parts, "too few games for an interval")
	}
	return strings.Join(append(parts, baselines(m, f, ": ", show)...), "; ")
}

// baselines are the figures of a measure's baselines after their names.
func baselines(m *evaluate.Measure, f evaluate.Figures, sign string, show func(*float64) string) (parts []string) {
	for _, name := range []string{m.Baseline, m.Fitted} {
		if b := evaluate.ByName(name); b != nil && f.Of(name) != nil {
			parts = append(parts, b.As+sign+show(f.Of(name)))
		}
	}
	return parts
}

// columns returns the measures that are columns of the tables. What a network says of illegal moves is none if it was
// trained over the legal ones only.
func (e *Eval) columns() []*evaluate.Measure {
	return slices.DeleteFunc(evaluate.Columns(), func(m *evaluate.Measure) bool {
		return !e.Abilities.Has(m.Needs) || e.LegalMask && m.Needs.Others
	})
}

// inOrder are names with an order of their own.
var inOrder = []string{"opening", "middlegame", "endgame", "white", "black"}

// groups returns the tables with more than one row; the first has all positions and the unseen ones.
func (e *Eval) groups() []*group {
	columns := e.columns()
	all := newGroup("All and unseen", "unseen: positions that do not occur in the training data", columns)
	all.add("all", e.Figures, e.Intervals)
	if e.Unseen != nil {
		all.add("unseen", e.Unseen, e.UnseenIntervals)
	}
	list := []*group{all}
	for _, g := range []struct {
		title, note string
		member      string
		figures     map[string]evaluate.Figures
		name        func(string) string
	}{
		{"Source", "source of the line", "by_source", e.BySource, nil},
		{"Phase", "endgame: at most 6 pieces in addition to kings and pawns; opening: more than 10, and one of the " +
			"first ten moves", "by_phase", e.ByPhase, nil},
		{"Pieces", "on the board, kings included", "by_pieces", e.ByPieces,
			func(s string) string { return strings.Replace(s, "-", "–", 1) }},
		{"Rating", "of the player to move, or of the puzzle", "by_rating", e.ByRating, band},
		{"Side to move", "", "by_side", e.BySide, nil},
	} {
		if len(g.figures) < 2 {
			continue
		}
		one := newGroup(g.title, g.note, columns)
		for _, name := range ordered(g.figures) {
			shown := name
			if g.name != nil {
				shown = g.name(name)
			}
			one.add(shown, g.figures[name], e.GroupIntervals[g.member][name])
		}
		list = append(list, one)
	}
	return list
}

// band writes a band of ratings by its lower end.
func band(from string) string {
	if n, err := strconv.Atoi(from); err == nil {
		return fmt.Sprintf("%d–%d", n, n+199)
	}
	return from
}

// ordered sorts names by the number they begin with, phases as in a game, White first; other names follow by letters.
func ordered[V any](groups map[string]V) []string {
	rank := func(name string) int {
		if i := slices.Index(inOrder, name); i >= 0 {
			return i
		}
		digits, _, _ := strings.Cut(name, "-")
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
		return 1 << 30
	}
	return slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// puzzleTable is a table of puzzles.
type puzzleTable struct {
	Title, Note string
	Rows        []puzzleRow
}

type puzzleRow struct {
	Name string
	evaluate.PuzzleScore
}

// mostThemes is the number of themes shown: those with the most puzzles.
const mostThemes = 24

func (e *Eval) solved() []puzzleTable {
	if e.Puzzles == nil {
		return nil
	}
	ratings := puzzleTable{Title: "Puzzles by rating", Note: fmt.Sprintf("%s; any mate counts",
		humanize.Count(e.Puzzles.Puzzles, "puzzle"))}
	for _, name := range ordered(e.Puzzles.ByRating) {
		ratings.Rows = append(ratings.Rows, puzzleRow{band(name), e.Puzzles.ByRating[name]})
	}
	list := []puzzleTable{ratings}
	names := slices.SortedFunc(maps.Keys(e.Puzzles.ByTheme), func(a, b string) int {
		return cmp.Or(cmp.Compare(e.Puzzles.ByTheme[b].Puzzles, e.Puzzles.ByTheme[a].Puzzles), cmp.Compare(a, b))
	})
	if len(names) > 0 {
		themes := puzzleTable{Title: "Puzzles by theme", Note: "the most frequent themes"}
		for _, name := range names[:min(len(names), mostThemes)] {
			themes.Rows = append(themes.Rows, puzzleRow{name, e.Puzzles.ByTheme[name]})
		}
		list = append(list, themes)
	}
	return list
}
