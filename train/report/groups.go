package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"talbot/train"
)

// group is a table of figures.
type group struct {
	Title, Note string
	Rows        []row
}

type row struct {
	Name string
	train.Figures
}

// inOrder are names that have an order of their own.
var inOrder = []string{"opening", "middlegame", "endgame", "white", "black"}

// groups are the tables that have more than one row; the first has all positions and the unseen ones.
func (e *Eval) groups() []group {
	all := group{Title: "All and unseen", Note: "unseen: positions that do not occur in the training data",
		Rows: []row{{"all", e.Figures}}}
	if e.Unseen != nil {
		all.Rows = append(all.Rows, row{"unseen", *e.Unseen})
	}
	list := []group{all}
	for _, g := range []struct {
		title, note string
		figures     map[string]train.Figures
		name        func(string) string
	}{
		{"Source", "source of the line", e.BySource, nil},
		{"Phase", "endgame: at most 6 pieces in addition to kings and pawns; opening: more than 10, and one of the " +
			"first ten moves", e.ByPhase, nil},
		{"Pieces", "on the board, kings included", e.ByPieces,
			func(s string) string { return strings.Replace(s, "-", "–", 1) }},
		{"Rating", "of the player to move, or of the puzzle", e.ByRating, band},
		{"Side to move", "", e.BySide, nil},
	} {
		if len(g.figures) < 2 {
			continue
		}
		one := group{Title: g.title, Note: g.note}
		for _, name := range ordered(g.figures) {
			shown := name
			if g.name != nil {
				shown = g.name(name)
			}
			one.Rows = append(one.Rows, row{shown, g.figures[name]})
		}
		list = append(list, one)
	}
	if e.LegalMask {
		for _, g := range list {
			for i := range g.Rows {
				g.Rows[i].IllegalMass = nil // it means nothing
			}
		}
	}
	return list
}

// band writes a band of ratings.
func band(from string) string {
	if n, err := strconv.Atoi(from); err == nil {
		return fmt.Sprintf("%d–%d", n, n+199)
	}
	return from
}

// ordered sorts names by the number they begin with, phases as in a game, White first, the rest by letters and behind.
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

// solved is a table of puzzles.
type solved struct {
	Title, Note string
	Rows        []solvedRow
}

type solvedRow struct {
	Name string
	train.Solved
}

// mostThemes is how many themes are shown, those with the most puzzles.
const mostThemes = 24

func (e *Eval) solved() []solved {
	if e.Puzzles == nil {
		return nil
	}
	ratings := solved{Title: "Puzzles by rating", Note: fmt.Sprintf("%s puzzles; any mate counts",
		thousands(e.Puzzles.Puzzles))}
	for _, name := range ordered(e.Puzzles.ByRating) {
		ratings.Rows = append(ratings.Rows, solvedRow{band(name), e.Puzzles.ByRating[name]})
	}
	list := []solved{ratings}
	names := slices.SortedFunc(maps.Keys(e.Puzzles.ByTheme), func(a, b string) int {
		return cmp.Or(cmp.Compare(e.Puzzles.ByTheme[b].Puzzles, e.Puzzles.ByTheme[a].Puzzles), cmp.Compare(a, b))
	})
	if len(names) > 0 {
		themes := solved{Title: "Puzzles by theme", Note: "the most frequent themes"}
		for _, name := range names[:min(len(names), mostThemes)] {
			themes.Rows = append(themes.Rows, solvedRow{name, e.Puzzles.ByTheme[name]})
		}
		list = append(list, themes)
	}
	return list
}
