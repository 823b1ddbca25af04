package studio

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"runtime"
	"strconv"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/samples"
	"talbot/internal/chart"
)

// dataPage is the page of a dataset.
type dataPage struct {
	pageOf
	Filter *filter
	At     int64 // place of the first sample that is shown
	Found  found
	Cards  []sampleCard
}

// sampleCard is a sample in a page of several.
type sampleCard struct {
	chart.Board
	Sample  int64
	Where   string // from which line
	Players string
	Said    string // the label
	Played  string // the move; "" = none
}

// cardsShown is the number of samples on a page.
const cardsShown = 12

// Settled reports whether everything has been found.
func (p *dataPage) Settled() bool { return p.Found.Done || p.Found.Problem != nil }

// First and Last are the places of the samples that are shown, from 1.
func (p *dataPage) First() int64 { return p.At + 1 }

// Last is the place of the last sample that is shown.
func (p *dataPage) Last() int64 { return p.At + int64(len(p.Cards)) }

// pageLink is a link to another page of samples.
type pageLink struct {
	ID, Rel, Text string
	To            template.URL
}

// Pages are the links to the other pages.
func (p *dataPage) Pages() (list []pageLink) {
	add := func(there bool, id, rel, text string, place int64) {
		if there {
			list = append(list, pageLink{id, rel, text, address("/data/"+p.Key, p.Filter.at(place))})
		}
	}
	more := p.At+cardsShown < p.Found.Count
	add(p.At > 0, "begin", "", "« first", 0)
	add(p.At > 0, "before", "prev", "‹ before", p.At-cardsShown)
	add(more, "next", "next", "next ›", p.At+cardsShown)
	add(more && p.Found.Done, "end", "", "last »", p.lastPage())
	return list
}

// lastPage is the place of the first sample on the last page.
func (p *dataPage) lastPage() int64 { return max(0, (p.Found.Count-1)/cardsShown*cardsShown) }

// To is the address of a sample.
func (p *dataPage) To(sample int64) template.URL {
	return address(fmt.Sprintf("/data/%s/sample/%d", p.Key, sample), p.Filter.Values)
}

// lookAtData lays the page out.
func (s *Server) lookAtData(f *folder, r *http.Request) *dataPage {
	own := readFilter(r)
	p := &dataPage{pageOf: pageOf{folder: f, Notice: own.problem}, Filter: own}
	if text := f.unreadable(); text != "" {
		p.Notice = text
		return p
	}
	d, release, err := s.open(f)
	if err != nil {
		p.Notice = f.within(err)
		return p
	}
	defer release()
	if n, err := strconv.ParseInt(r.FormValue("at"), 10, 64); err == nil {
		p.At = max(0, n/cardsShown*cardsShown)
	}
	p.find(s, d)
	samples, err := d.Some(r.Context(), p.Found.Numbers, runtime.GOMAXPROCS(0))
	if err != nil {
		if p.Found.Problem = err; !errors.Is(err, context.Canceled) {
			p.Notice = f.within(err)
		}
		return p
	}
	for _, one := range samples {
		p.Cards = append(p.Cards, newCard(one))
	}
	return p
}

// find says which samples are shown.
func (p *dataPage) find(s *Server, d *openDataset) {
	if !p.Filter.Chosen() {
		p.Found = found{Count: d.Samples(), Percent: 100, Done: true}
		p.At = min(p.At, p.lastPage())
		for n := p.At; n < min(p.At+cardsShown, d.Samples()); n++ {
			p.Found.Numbers = append(p.Found.Numbers, n)
		}
	} else if j, err := s.search(d, p.Filter); err != nil {
		p.Found.Problem, p.Notice = err, err.Error()
	} else {
		p.Found = foundOf(j, p.At, cardsShown, d.Samples())
		if p.Found.Done && p.At > p.lastPage() {
			p.At = p.lastPage()
			p.Found = foundOf(j, p.At, cardsShown, d.Samples())
		}
		if p.Found.Problem != nil {
			p.Notice = "The search ended early: " + p.within(p.Found.Problem)
		}
	}
	p.Version = fmt.Sprintf("%d-%d-%t-%t", p.Found.Count, p.Found.Percent, p.Found.Done, p.Found.Problem != nil)
}

// newCard lays a sample out.
func newCard(one *samples.Sample) sampleCard {
	at := positionOf(one)
	c := sampleCard{Board: chart.NewBoardFrom(&at, board.White), Sample: one.Sample, Said: labelScore(one.Label),
		Players: playersOf(one), Where: dataset.LineName(one.Source, one.Game, chart.Plain(one.Input))}
	if one.Label == nil {
		c.Said = map[string]string{"missing": "no label", "terminal": "game over"}[one.LabelStatus]
	}
	if one.Played != nil {
		if m, err := at.ParseUCI(*one.Played); err == nil {
			c.Played = at.SAN(m)
			c.Board.Arrow("target", m)
		}
	}
	if one.Label != nil && (one.Played == nil || one.Label.Best != *one.Played) {
		if m, err := at.ParseUCI(one.Label.Best); err == nil {
			c.Board.Arrow("best", m)
		}
	}
	return c
}

// positionOf replays the sample's past.
func positionOf(one *samples.Sample) board.Position {
	at, moves := one.Past()
	for _, m := range moves {
		at.Play(m)
	}
	return at
}

// playersOf says who played and how it ended; empty if nothing is known.
func playersOf(one *samples.Sample) string {
	if one.White == "" && one.Black == "" {
		return ""
	}
	return fmt.Sprintf("%s – %s, %s", playerText(one.White, one.WhiteElo), playerText(one.Black, one.BlackElo),
		one.Result)
}

func playerText(name string, rating int) string {
	if name = chart.Name(name); name == "" {
		name = "?"
	}
	if rating > 0 {
		name += fmt.Sprintf(" (%d)", rating)
	}
	return name
}

// labelScore writes the score of a label from the side to move's view.
func labelScore(l *samples.Label) string {
	switch {
	case l == nil:
		return ""
	case l.Mate != nil:
		return fmt.Sprintf("#%d", *l.Mate)
	case l.CP != nil:
		return fmt.Sprintf("%+.2f", float64(*l.CP)/100)
	}
	return "?"
}
