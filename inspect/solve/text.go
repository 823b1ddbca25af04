package solve

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/internal/table"
)

// Result is what a player made of puzzles.
type Result struct {
	Player  string    `json:"player"`
	Puzzles int64     `json:"puzzles"` // of the input
	Rejects int64     `json:"rejects"` // lines of the input that could not be read
	Seed    uint64    `json:"seed"`
	Results []Figures `json:"results"` // by limit
}

// shownThemes is how many themes a text has; JSON has all.
const shownThemes = 14

// Text returns a table with two columns for each limit and a row for all puzzles, for each band of ratings and for the
// frequent themes.
func (r *Result) Text() string {
	var b strings.Builder
	first := &r.Results[0]
	plain.Fprintf(&b, "%s: %s of %s", r.Player, humanize.Thousands(first.Puzzles), humanize.Count(r.Puzzles, "puzzle"))
	if r.Rejects > 0 {
		fmt.Fprintf(&b, ", %s could not be read", humanize.Count(r.Rejects, "line"))
	}
	head := []string{"", "puzzles"}
	for i := range r.Results {
		name := r.Results[i].Limit
		if name == "" {
			name = "solved"
		}
		head = append(head, name, "")
	}
	rows := [][]string{head, r.row("all", func(f *Figures) []Share { return []Share{f.Share} })}
	for _, s := range first.Bands {
		rows = append(rows, r.row(s.Name, func(f *Figures) []Share { return f.Bands }))
	}
	for _, s := range first.Themes[:min(len(first.Themes), shownThemes)] {
		rows = append(rows, r.row(s.Name, func(f *Figures) []Share { return f.Themes }))
	}
	if slices.ContainsFunc(r.Results, func(f Figures) bool { return f.Rating != nil }) {
		rating := []string{"rating", ""}
		for i := range r.Results {
			if e := r.Results[i].Rating; e != nil {
				rating = append(rating, fmt.Sprintf("%.0f", e.Elo), fmt.Sprintf("%.0f…%.0f", e.Low, e.High))
			} else {
				rating = append(rating, "-", "")
			}
		}
		rows = append(rows, rating)
	}
	b.WriteString("\n\n" + table.Align(rows, -1))
	for i := range r.Results {
		if n := r.Results[i].Faults; n > 0 {
			fmt.Fprintf(&b, "%s: %s of the player, such as illegal moves\n", r.Results[i].Limit,
				humanize.Count(n, "fault"))
		}
	}
	b.WriteString("\nranges are 95 % intervals\n")
	return b.String()
}

// row returns the cells of one share of the puzzles, which a function finds in the figures of a limit.
func (r *Result) row(name string, of func(*Figures) []Share) []string {
	cells, puzzles := []string{name, ""}, int64(0)
	for i := range r.Results {
		list := of(&r.Results[i])
		k := slices.IndexFunc(list, func(s Share) bool { return s.Name == name })
		if k < 0 || list[k].Puzzles == 0 { // interrupted before
			cells = append(cells, "-", "")
			continue
		}
		s := &list[k]
		puzzles = max(puzzles, s.Puzzles)
		cells = append(cells, fmt.Sprintf("%.1f %%", 100*float64(s.Solved)/float64(s.Puzzles)),
			fmt.Sprintf("%.0f…%.0f", 100*s.Interval[0], 100*s.Interval[1]))
	}
	cells[1] = humanize.Thousands(puzzles)
	return cells
}

// Misses returns the puzzles that were not solved as CSV, with the moves that were wrong.
func (r *Request) Misses(answers [][]Answer) ([]byte, error) {
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	_ = w.Write([]string{"number", "puzzle", "rating", "limit", "fen", "best", "played", "fault"})
	for l, list := range answers {
		for i, a := range list {
			if a.Asked && !a.Solved {
				_ = w.Write(a.miss(r.Puzzles[i], r.Limits[l].String()))
			}
		}
	}
	w.Flush()
	return table.Bytes(), w.Error()
}

// miss returns a row about a puzzle that was not solved.
func (a *Answer) miss(p *Puzzle, limit string) []string {
	step, at := &p.Steps[a.Step], p.Start
	for _, m := range p.Moves[:step.Ply] {
		at.Play(m)
	}
	played, fault := a.Move.String(), ""
	if a.Fault != nil {
		played, fault = "", a.Fault.Error()
	}
	var best []string
	for _, m := range step.Best {
		best = append(best, m.String())
	}
	for _, m := range step.Avoid {
		best = append(best, "not "+m.String())
	}
	return []string{strconv.FormatInt(p.Number, 10), p.Name, strconv.Itoa(p.Rating), limit, at.FEN(),
		strings.Join(best, " "), played, fault}
}
