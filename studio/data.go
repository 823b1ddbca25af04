package studio

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"runtime"
	"strconv"
	"sync"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/internal/chart"
	"talbot/internal/humanize"
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

// Places are those of the samples that are shown, from 1.
func (p *dataPage) Places() string {
	return humanize.Thousands(p.At+1) + " to " + humanize.Thousands(p.At+int64(len(p.Cards)))
}

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
		if p.Found.Done {
			p.At = min(p.At, p.lastPage())
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
		Players: one.Players(chart.Name), Where: dataset.LineName(one.Source, one.Game, chart.Plain(one.Input))}
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

// labelScore writes the score of a label from the side to move's view.
func labelScore(l *samples.Label) string {
	switch {
	case l == nil:
		return ""
	case l.Mate != nil:
		return dataset.MateIn(*l.Mate).Pawns()
	case l.CP != nil:
		return dataset.Centipawns(*l.CP).Pawns()
	}
	return "?"
}

// openDataset is a dataset that is closed when it is neither kept nor in use.
type openDataset struct {
	*samples.Dataset
	users sync.WaitGroup
}

const (
	maxDatasets = 3 // that are kept open
	maxSearches = 18
)

// newDatasets returns the datasets that were viewed last.
func newDatasets() recent[*openDataset] {
	return recent[*openDataset]{most: maxDatasets, use: func(d *openDataset) { d.users.Add(1) },
		close: func(d *openDataset) {
			go func() {
				d.users.Wait()
				_ = d.Close() // it was read only
			}()
		}}
}

// open returns the dataset of a folder. The caller calls release when it is done.
func (s *Server) open(f *folder) (d *openDataset, release func(), err error) {
	d, err = s.datasets.get(f.Path+"\n"+f.stamp, func() (*openDataset, error) {
		d, err := samples.Open(f.Path, samples.Options{Encoder: encode.TalbotBot{}})
		if err != nil {
			return nil, err
		}
		return &openDataset{Dataset: d}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return d, d.users.Done, nil
}

// search is the samples that a filter chooses, as far as they are known.
type search struct {
	set  *samples.Set
	upTo int64 // samples that were looked at
}

// search returns the search of a filter, which holds the dataset while it runs.
func (s *Server) search(d *openDataset, f *filter) (*work[search], error) {
	key := d.Manifest().Hash() + "\n" + f.Values.Encode()
	return s.searches.get(key, "", func() (search, func(*work[search]) error) {
		d.users.Add(1)
		return search{set: samples.NewSet(d.Samples())}, func(j *work[search]) error {
			defer d.users.Done()
			return s.reading.do(j.ctx, func() error { return find(j, d, f.Query) })
		}
	})
}

// find goes through the dataset.
func find(j *work[search], d *openDataset, q samples.Query) error {
	for hits, err := range d.Find(j.ctx, q, runtime.GOMAXPROCS(0)) {
		if err != nil {
			return err
		}
		j.change(func(one *search) {
			for _, number := range hits.Numbers {
				one.set.Add(number)
			}
			one.upTo = hits.UpTo
		})
	}
	return nil
}

// found is a part of what a search has found.
type found struct {
	Count   int64
	Percent int // of the samples that were looked at
	Done    bool
	Problem error   // why it ended early
	Numbers []int64 // of the samples that were asked for
}

// foundOf returns at most so many samples from a place on.
func foundOf(j *work[search], place int64, most int, samples int64) (p found) {
	j.look(func(one *search, done bool, err error) {
		p = found{Count: one.set.Len(), Done: done && err == nil, Problem: err}
		if samples > 0 {
			p.Percent = int(100 * one.upTo / samples)
		}
		for i := place; i < p.Count && len(p.Numbers) < most; i++ {
			p.Numbers = append(p.Numbers, one.set.At(i))
		}
	})
	return p
}

// neighbours returns the place of a sample, and the samples before and after it; -1: none.
func neighbours(j *work[search], number int64) (place, before, next int64) {
	before, next = -1, -1
	j.look(func(one *search, _ bool, _ error) {
		var in bool
		place, in = one.set.Place(number)
		if place > 0 {
			before = one.set.At(place - 1)
		}
		after := place
		if in {
			after++
		}
		if after < one.set.Len() {
			next = one.set.At(after)
		}
	})
	return place, before, next
}
