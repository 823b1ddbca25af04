package stats

import (
	"maps"
	"reflect"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// tally counts the lines of a worker.
type tally struct {
	counters
	manifest *dataset.Manifest
	counting dataset.Counting
	examples exampleTally
	keys     *dataset.KeyBuffer // of all positions; nil if they are not counted
	position dataset.PositionKeys
}

// counters are whole numbers that are only ever added up, so the order of lines and of workers does not matter. They
// are exported for [add].
type counters struct {
	All           Totals
	Sources       map[dataset.Source]*Totals
	Splits        map[dataset.Split]*Totals
	Pieces        [65]int64
	Results       [dataset.BlackWins + 1]int64
	Ratings       map[int64]int64
	Plies         map[int64]int64
	Reconstructed int64
	Policies      int64
	Bands         []dataset.Band
	Labels        []labelCounts
	Networks      []networkCounts
	Coverage      coverageCounts
	Openings      map[openingPath]*openingGames
	Days          map[day]int64
	TimeControls  map[string]int64
}

// add adds the counters of b, the numbers of 64 bits in its exported fields, to those of a. Maps of a take over what b
// has under other keys.
func add(a, b reflect.Value) {
	switch a.Kind() {
	case reflect.Int64:
		a.SetInt(a.Int() + b.Int())
	case reflect.Pointer:
		add(a.Elem(), b.Elem())
	case reflect.Array, reflect.Slice:
		for i := range a.Len() {
			add(a.Index(i), b.Index(i))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Field(i).CanSet() {
				add(a.Field(i), b.Field(i))
			}
		}
	case reflect.Map:
		sum := reflect.New(a.Type().Elem()).Elem()
		for key, n := range b.Seq2() {
			sum.Set(n)
			if have := a.MapIndex(key); have.IsValid() {
				add(sum, have)
			}
			a.SetMapIndex(key, sum)
		}
	}
}

// addAll adds what b counted to a.
func addAll[T any](a, b *T) { add(reflect.ValueOf(a), reflect.ValueOf(b)) }

// at returns the counter of a key.
func at[K comparable, T any](counts map[K]*T, key K) *T {
	n := counts[key]
	if n == nil {
		n = new(T)
		counts[key] = n
	}
	return n
}

func newTally(m *dataset.Manifest) *tally {
	t := &tally{manifest: m, counters: counters{
		Sources: map[dataset.Source]*Totals{}, Splits: map[dataset.Split]*Totals{},
		Ratings: map[int64]int64{}, Plies: map[int64]int64{}, Networks: make([]networkCounts, len(m.Networks)),
		Coverage: coverageCounts{Signatures: map[board.Material]*SignatureCoverage{}},
		Openings: map[openingPath]*openingGames{}, Days: map[day]int64{}, TimeControls: map[string]int64{},
	}}
	t.counting, _ = dataset.NewCounting(m.Fingerprints, "") // of any fingerprint: no error
	for _, s := range dataset.Sources() {
		at(t.Sources, s)
	}
	for _, s := range dataset.AllSplits() {
		at(t.Splits, s)
	}
	// The bands are those of the first aggregation.
	for i := range m.Inputs {
		if a := m.Inputs[i].Aggregate; a != nil && t.Bands == nil {
			for _, b := range a.Bands {
				t.Bands = append(t.Bands, dataset.Band{From: b.From, To: b.To, Elo: b.Elo})
			}
		}
	}
	for range m.Fingerprints {
		t.Labels = append(t.Labels, labelCounts{Depths: map[int64]int64{}, Effort: map[int64]int64{},
			Agreement: map[board.Material]*[3][3]int64{}})
	}
	return t
}

// addLine replays and counts a line.
func (t *tally) addLine(l *dataset.Line) error {
	n := len(l.Moves)
	labelled := t.addLabels(l)
	t.addPredictions(l)
	key := dataset.SplitKey(l)
	split := t.manifest.Splits.Of(key)
	of := Totals{Games: 1, Positions: int64(n + 1), Samples: int64(l.SampleCount()), Labelled: labelled}
	for _, sum := range []*Totals{&t.All, at(t.Sources, l.Source), at(t.Splits, split)} {
		sum.add(of)
	}
	t.Results[l.Result]++
	t.Plies[int64(n)]++
	for _, elo := range [2]int{l.WhiteElo, l.BlackElo} {
		if elo > 0 {
			t.Ratings[int64(elo)]++
		}
	}
	t.Reconstructed += int64(l.Reconstructed)
	for _, p := range l.Policies {
		if len(p) > 0 {
			t.Policies++
		}
	}
	t.addBand(l)
	if l.Source == dataset.SourceGame {
		t.Days[dayOf(l)]++
		t.TimeControls[clockOf(l)]++
		t.addOpening(l)
	}
	shown, hash, show := t.examples.chosen(key, int(of.Samples))
	samples := 0
	var pieces [coveragePlies + 1]int // in front of the last plies
	return l.Replay(func(pos *board.Position, ply int) error {
		sample := l.Samples.Has(ply, n)
		now := pos.Occupied().Len()
		pieces[ply%len(pieces)] = now
		if sample {
			t.Pieces[now]++
			t.addCoverage(l, samples, pos, pieces[max(ply-coveragePlies, 0)%len(pieces)]-now)
			if show && samples == shown {
				t.examples.add(hash, l, ply, pos, t.counting.Of(l, samples).Value)
			}
			samples++
		}
		if t.keys != nil {
			s := split
			if !sample {
				s = dataset.NoSample
			}
			t.keys.Add(uint64(t.position.Key(pos, s)))
		}
		return nil
	})
}

// addBand counts aggregated positions by the rating of the side to move.
func (t *tally) addBand(l *dataset.Line) {
	bands, own := t.manifest.BandsOf(l)
	if bands == nil || own >= len(t.Bands) {
		return
	}
	for _, policy := range l.Policies {
		t.Bands[own].Samples++
		for _, m := range policy {
			t.Bands[own].Moves += int64(m.Weight)
		}
	}
}

func (p *Totals) add(q Totals) {
	p.Games += q.Games
	p.Positions += q.Positions
	p.Samples += q.Samples
	p.Labelled += q.Labelled
}

// merge adds what another tally counted.
func (t *tally) merge(o *tally) {
	addAll(&t.counters, &o.counters)
	t.examples.merge(o.examples)
	for i := range o.Labels {
		t.Labels[i].nodes.merge(o.Labels[i].nodes)
	}
}

// statistics returns what was counted, without the bytes.
func (t *tally) statistics() *Statistics {
	s := &Statistics{
		Games: t.All.Games, Positions: t.All.Positions, Samples: t.All.Samples, Labelled: t.All.Labelled,
		BySource: map[string]Totals{}, BySplit: map[string]Totals{}, PieceCounts: map[int]int64{},
		Results: map[string]int64{}, Ratings: distribution(t.Ratings, width(100)),
		Plies: distribution(t.Plies, width(20)), Reconstructed: t.Reconstructed, Policies: t.Policies, Bands: t.Bands,
		Labels: []LabelStats{}, Coverage: t.Coverage.coverage(), Openings: openings(t.Openings), Dates: dates(t.Days),
		TimeControls: t.TimeControls, Examples: t.examples.list(),
	}
	for k, sum := range t.Sources {
		s.BySource[k.String()] = *sum
	}
	for k, sum := range t.Splits {
		s.BySplit[k.String()] = *sum
	}
	for n, count := range t.Pieces {
		if count > 0 {
			s.PieceCounts[n] = count
		}
	}
	for k, n := range t.Results {
		if n > 0 {
			s.Results[dataset.Result(k).String()] = n
		}
	}
	for i := range t.Labels {
		s.Labels = append(s.Labels, t.Labels[i].stats(t.manifest.Fingerprints[i], t.All.Samples))
	}
	for i := range t.Networks {
		s.Networks = append(s.Networks, t.Networks[i].stats(&t.manifest.Networks[i], t.All.Samples))
	}
	return s
}

// distribution returns a histogram of counted values, in bins that a function gives for a value.
func distribution(counts map[int64]int64, bin func(int64) (from, to int64)) Distribution {
	d := Distribution{Bins: []Bin{}}
	sum := int64(0)
	values := slices.Sorted(maps.Keys(counts))
	for _, v := range values {
		n := counts[v]
		d.Count, sum = d.Count+n, sum+v*n
		from, to := bin(v)
		if len(d.Bins) == 0 || d.Bins[len(d.Bins)-1].From != from {
			d.Bins = append(d.Bins, Bin{From: from, To: to})
		}
		d.Bins[len(d.Bins)-1].Count += n
	}
	if len(values) > 0 {
		d.Min, d.Max, d.Mean = values[0], values[len(values)-1], float64(sum)/float64(d.Count)
	}
	return d
}

// width gives bins of equal width.
func width(n int64) func(int64) (from, to int64) {
	return func(v int64) (from, to int64) { return v / n * n, (v/n + 1) * n }
}
