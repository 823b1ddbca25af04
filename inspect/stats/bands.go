package stats

import (
	"talbot/dataset"
	"talbot/internal/chart"
)

// bandTally counts aggregated positions by the rating of the side to move; it is nil without any.
type bandTally []dataset.Band

// newBandTally returns those bands without samples.
func newBandTally(bands []dataset.Band) bandTally {
	t := make(bandTally, len(bands))
	for i, b := range bands {
		t[i] = dataset.Band{From: b.From, To: b.To, Elo: b.Elo}
	}
	return t
}

func (t *bandTally) add(m *dataset.Manifest, l *dataset.Line) {
	bands, own := m.BandsOf(l)
	if bands == nil {
		return
	}
	if *t == nil {
		*t = newBandTally(bands)
	}
	if own >= len(*t) {
		return // of another aggregation
	}
	b := &(*t)[own]
	for _, policy := range l.Policies {
		b.Samples++
		for _, m := range policy {
			b.Moves += int64(m.Weight)
		}
	}
}

func (t *bandTally) merge(o bandTally) {
	if o == nil {
		return
	}
	if *t == nil {
		*t = newBandTally(o)
	}
	for i := range o[:min(len(o), len(*t))] {
		(*t)[i].Samples += o[i].Samples
		(*t)[i].Moves += o[i].Moves
	}
}

// bars are the samples or the moves of the bands.
func (s *Statistics) bandBars(count func(dataset.Band) int64) (bars []chart.Bar) {
	for _, b := range s.Bands {
		bars = append(bars, chart.Bar{Name: b.String(), Count: count(b)})
	}
	return bars
}

func samplesOf(b dataset.Band) int64 { return b.Samples }

func movesOf(b dataset.Band) int64 { return b.Moves }
