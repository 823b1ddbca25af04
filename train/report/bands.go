package report

import (
	"fmt"
	"math"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
)

// bands are the figures by the rating of the player to move.
type bands struct {
	Rows         []*evaluate.BandReport
	Names        []string    // of the ratings given to the network: the columns of Told
	GivenRatings []ratingRow // of the bands with enough moves
}

// ratingRow compares the ratings that the network can be given for the moves of one band.
type ratingRow struct {
	Name  string
	Cells []ratingCell
}

// ratingCell is the cross-entropy given the band's own rating, or how much higher it is given another one.
type ratingCell struct {
	Text, Hover string
	Own, Better bool    // Better: lower than given the own rating, and the interval excludes 0
	Shade       float64 // share of the largest difference, in [0, 1]
}

// bands returns nil if the evaluation has none.
func (e *Eval) bands() *bands {
	if e.Bands == nil || !e.Abilities.Prior {
		return nil
	}
	v := new(bands)
	largest := 1e-9
	for i := range e.Bands {
		b := &e.Bands[i]
		v.Rows, v.Names = append(v.Rows, b), append(v.Names, b.Name())
		for _, t := range b.GivenRatings {
			largest = max(largest, math.Abs(t.More))
		}
	}
	for _, b := range v.Rows {
		if b.GivenRatings == nil {
			continue
		}
		row := ratingRow{Name: b.Name()}
		for _, t := range b.GivenRatings {
			c := ratingCell{Text: signed3(t.More), Own: t.Elo == b.Elo, Better: t.MoreInterval[1] < 0,
				Shade: math.Abs(t.More) / largest,
				Hover: fmt.Sprintf("cross-entropy %.4f; %s to %s more; first move right in %s", t.CE,
					signed3(t.MoreInterval[0]), signed3(t.MoreInterval[1]), humanize.Percent(t.Top1))}
			if c.Own {
				c.Text, c.Hover = fmt.Sprintf("%.3f", t.CE), "first move right in "+humanize.Percent(t.Top1)
			}
			row.Cells = append(row.Cells, c)
		}
		v.GivenRatings = append(v.GivenRatings, row)
	}
	return v
}

// candidateRow is a row of the table of baselines for networks that choose among candidates.
type candidateRow struct {
	Name, Text, More string
	Class            string // how the network compares with it
}

// candidates returns the baselines of a network that chooses among candidates; nil for any other network.
func (e *Eval) candidates() []candidateRow {
	r := e.Candidates
	if r == nil {
		return nil
	}
	list := []candidateRow{{Name: "the network", Text: fmt.Sprintf("%.4f", r.Network)}}
	row := func(name string, b evaluate.Baseline) {
		c := candidateRow{Name: name, Text: fmt.Sprintf("%.4f", b.CE), Class: class(b.Verdict()),
			More: fmt.Sprintf("%s (%s to %s)", signed3(b.More), signed3(b.MoreInterval[0]), signed3(b.MoreInterval[1]))}
		list = append(list, c)
	}
	row("the prior alone", r.Prior)
	if r.Values != nil {
		row(fmt.Sprintf("the values alone, temperature %.3f", r.Temperature), *r.Values)
	}
	return append(list, candidateRow{Name: "uniform over the candidates", Text: fmt.Sprintf("%.4f", r.Uniform)},
		candidateRow{Name: "entropy of the targets, the lowest possible", Text: fmt.Sprintf("%.4f", r.Floor)})
}

// styleRow is the traits of the moves of one side of a comparison.
type styleRow struct {
	Name  string
	Cells []string
}

// style returns nil if it was not measured.
func (e *Eval) style() []styleRow {
	r := e.Report.Style
	if r == nil {
		return nil
	}
	var list []styleRow
	row := func(name string, write func(x float64) string, of func(t *evaluate.Trait) *evaluate.Estimate) {
		s := styleRow{Name: name}
		for _, t := range []*evaluate.Trait{&r.Offers, &r.Checks, &r.Advances} {
			x := of(t)
			if x == nil {
				return
			}
			s.Cells = append(s.Cells, fmt.Sprintf("%s (%s … %s)", write(x.Mean), write(x.Interval[0]),
				write(x.Interval[1])))
		}
		list = append(list, s)
	}
	share := func(x float64) string { return fmt.Sprintf("%.1f", 100*x) }
	apart := func(x float64) string { return strings.Replace(fmt.Sprintf("%+.1f", 100*x), "-", "−", 1) }
	row("the network", share, func(t *evaluate.Trait) *evaluate.Estimate { return &t.Network })
	row("the moves played", share, func(t *evaluate.Trait) *evaluate.Estimate { return &t.Played })
	row("before fine-tuning", share, func(t *evaluate.Trait) *evaluate.Estimate { return t.Before })
	row("above those played", apart, func(t *evaluate.Trait) *evaluate.Estimate { return &t.AbovePlayed })
	row("above before", apart, func(t *evaluate.Trait) *evaluate.Estimate { return t.AboveBefore })
	return list
}
