package solve

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/internal/table"
	"talbot/play/match"
)

// Share is how many of some puzzles were solved.
type Share struct {
	Name     string     `json:"name"`
	Puzzles  int64      `json:"puzzles"`
	Solved   int64      `json:"solved"`
	Interval [2]float64 `json:"interval"` // of the share, 95 %, by Wilson
}

func (s *Share) add(solved bool) {
	s.Puzzles++
	if solved {
		s.Solved++
	}
}

// Figures are the results with one limit.
type Figures struct {
	Limit string `json:"limit"`
	Share
	Faults int64 `json:"faults"`
	// Rating is the rating on the puzzles' own scale whose holder would solve as many of the rated ones, and its 95 %
	// interval; nil if all or none were solved, or none is rated.
	Rating *Rating `json:"rating"`
	Bands  []Share `json:"by_rating"` // by ascending rating; those of unrated puzzles have none
	Themes []Share `json:"by_theme"`  // the most frequent first
}

// Rating is an estimate and its 95 % interval.
type Rating struct {
	Elo  float64 `json:"elo"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// bandWidth is how many points of rating a band has.
const bandWidth = 200

// Summarise counts the answers to puzzles that were given with one limit.
func Summarise(puzzles []*Puzzle, answers []Answer, limits match.Limits) Figures {
	f := Figures{Limit: limits.String(), Share: Share{Name: "all"}}
	bands, themes := map[int]*Share{}, map[string]*Share{}
	var rated []int
	var solved int64
	for i, p := range puzzles {
		a := &answers[i]
		if !a.Asked {
			continue
		}
		f.add(a.Solved)
		if a.Fault != nil {
			f.Faults++
		}
		if p.Rating > 0 {
			low := p.Rating / bandWidth * bandWidth
			count(bands, low, fmt.Sprintf("%d-%d", low, low+bandWidth-1), a.Solved)
			if rated = append(rated, p.Rating); a.Solved {
				solved++
			}
		}
		for _, t := range p.Themes {
			count(themes, t, t, a.Solved)
		}
	}
	f.Interval = interval(f.Solved, f.Puzzles)
	for _, low := range slices.Sorted(maps.Keys(bands)) {
		f.Bands = append(f.Bands, *bands[low])
	}
	for _, s := range themes {
		f.Themes = append(f.Themes, *s)
	}
	slices.SortFunc(f.Themes, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Puzzles, a.Puzzles), cmp.Compare(a.Name, b.Name))
	})
	for _, list := range [][]Share{f.Bands, f.Themes} {
		for i := range list {
			list[i].Interval = interval(list[i].Solved, list[i].Puzzles)
		}
	}
	f.Rating = rate(rated, solved)
	return f
}

func interval(solved, puzzles int64) (i [2]float64) {
	if puzzles > 0 {
		i = *evaluate.Wilson(float64(solved)/float64(puzzles), float64(puzzles))
	}
	return i
}

func count[K comparable](all map[K]*Share, key K, name string, solved bool) {
	s := all[key]
	if s == nil {
		s = &Share{Name: name}
		all[key] = s
	}
	s.add(solved)
}

// rate returns the rating whose expected score against puzzles of these ratings, by Elo's logistic curve, is what was
// solved of them: the estimate of maximum likelihood. The interval follows from the information at that point.
func rate(puzzles []int, solved int64) *Rating {
	if solved == 0 || solved == int64(len(puzzles)) {
		return nil
	}
	const scale = 400 / math.Ln10
	expected := func(elo float64) (score, information float64) {
		for _, r := range puzzles {
			p := 1 / (1 + math.Exp((float64(r)-elo)/scale))
			score, information = score+p, information+p*(1-p)
		}
		return score, information
	}
	low, high := -1e4, 1e4
	for high-low > 1e-6 {
		if middle := (low + high) / 2; score(expected(middle)) < float64(solved) {
			low = middle
		} else {
			high = middle
		}
	}
	_, information := expected(low)
	half := 1.96 * scale / math.Sqrt(information)
	return &Rating{low, low - half, low + half}
}

func score(s, _ float64) float64 { return s }

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
