package solve

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"talbot/evaluate"
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
