package stats

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"talbot/dataset"
	"talbot/shards"
)

// tally counts lines. Only whole numbers are added, so the order of lines and of merging does not matter.
type tally struct {
	lines []dataset.Line // of the present block

	splits        dataset.Splits
	counting      dataset.Counting
	all           Totals
	sources       map[dataset.Source]Totals
	bySplit       map[dataset.Split]Totals
	pieces        [65]int64
	results       map[dataset.Result]int64
	ratings       spread
	plies         spread
	reconstructed int64
	policies      int64
	manifest      *dataset.Manifest
	bands         bandTally
	labels        []labelTally
	networks      []networkTally
	coverage      coverageTally
	openings      openingTally
	dates         dateTally
	timeControls  map[string]int64
	examples      exampleTally
	keys          *dataset.KeyBuffer // of all positions; nil if they are not counted
	positions     dataset.PositionKeys
}

// spread counts whole numbers in bins of equal width.
type spread struct {
	width       int64
	count, sum  int64
	least, most int64
	bins        map[int64]int64
}

func newTally(m *dataset.Manifest) *tally {
	counting, _ := dataset.NewCounting(m.Fingerprints, "") // of any fingerprint: no error
	sources := map[dataset.Source]Totals{}
	for _, s := range dataset.Sources() {
		sources[s] = Totals{}
	}
	return &tally{
		splits: m.Splits, counting: counting, sources: sources, manifest: m,
		bySplit: map[dataset.Split]Totals{dataset.Train: {}, dataset.Val: {}, dataset.Test: {}},
		results: map[dataset.Result]int64{},
		ratings: spread{width: ratingBin, bins: map[int64]int64{}},
		plies:   spread{width: pliesBin, bins: map[int64]int64{}},
		labels:  newLabelTallies(len(m.Fingerprints)), networks: make([]networkTally, len(m.Networks)),

		coverage: newCoverageTally(m.Fingerprints, counting),
		openings: newOpeningTally(), dates: newDateTally(), timeControls: map[string]int64{}, examples: exampleTally{},
	}
}

// addBlock reads and counts a block, and returns how many positions its lines have.
func (t *tally) addBlock(d *shards.Dataset, ref shards.BlockRef) (positions int64, err error) {
	r := d.Shards[ref.Shard]
	if t.lines, err = r.ReadBlock(ref.Block, t.lines[:0]); err != nil {
		return 0, err
	}
	for i := range t.lines {
		if err := t.add(&t.lines[i]); err != nil {
			return 0, fmt.Errorf("%q: block %d: line %d: %w", filepath.Join(d.Dir, r.Info().File), ref.Block, i, err)
		}
	}
	return int64(r.Block(ref.Block).Positions), nil
}

// add replays and counts a line.
func (t *tally) add(l *dataset.Line) error {
	n := len(l.Moves)
	labelled, err := t.addLabels(l)
	if err != nil {
		return err
	}
	if err := t.addPredictions(l); err != nil {
		return err
	}
	part := Totals{Games: 1, Positions: int64(n + 1), Samples: int64(l.SampleCount()), Labelled: labelled}
	t.all.add(part)
	addPart(t.sources, l.Source, part)
	key := dataset.SplitKey(l)
	split := t.splits.Of(key)
	addPart(t.bySplit, split, part)
	t.results[l.Result]++
	t.plies.add(int64(n))
	for _, elo := range [2]int{l.WhiteElo, l.BlackElo} {
		if elo > 0 {
			t.ratings.add(int64(elo))
		}
	}
	t.reconstructed += int64(l.Reconstructed)
	for _, p := range l.Policies {
		if len(p) > 0 {
			t.policies++
		}
	}
	t.bands.add(t.manifest, l)
	if l.Source == dataset.SourceGame {
		t.dates.add(l)
		t.timeControls[clockOf(l)]++
	}
	if beginsAsUsual(l) {
		t.openings.games[l.Result]++
		t.openings.add(0, l.Moves, firstPlies, l.Result)
	}
	shown, hash, show := t.examples.chosen(l, key, int(part.Samples))
	pos, samples := l.Start, 0
	var pieces [coveragePlies + 1]int // in front of the last plies
	for ply := 0; ply <= n; ply++ {
		sample := l.Samples.Has(ply, n)
		now := pos.Occupied().Len()
		pieces[ply%len(pieces)] = now
		if sample {
			t.pieces[now]++
			t.coverage.add(l, samples, &pos, pieces[max(ply-coveragePlies, 0)%len(pieces)]-now)
			if show && samples == shown {
				t.examples.add(hash, l, ply, &pos, t.counting.Of(l, samples).Value)
			}
			samples++
		}
		if t.keys != nil {
			s := split
			if !sample {
				s = dataset.NoSample
			}
			t.keys.Add(uint64(t.positions.Key(&pos, s)))
		}
		if ply == n {
			break
		}
		if !pos.IsLegal(l.Moves[ply]) {
			return fmt.Errorf("ply %d: move %s is illegal in %q: %w", ply, l.Moves[ply], pos.FEN(), dataset.ErrDamaged)
		}
		pos.Play(l.Moves[ply])
	}
	return nil
}

// addLabels counts the labels of a line and returns how many of its samples have one that counts.
func (t *tally) addLabels(l *dataset.Line) (labelled int64, err error) {
	var plies []int
	if len(l.Labels) > 0 {
		plies = l.Samples.Plies(nil, len(l.Moves))
	}
	for _, c := range l.Labels {
		if c.Fingerprint >= len(t.labels) {
			return 0, fmt.Errorf("label of fingerprint %d, but the manifest has %d: %w", c.Fingerprint, len(t.labels),
				dataset.ErrDamaged)
		}
		// What is best among candidates need not be best.
		compared := !t.manifest.Fingerprints[c.Fingerprint].SearchesCandidates()
		for k := range c.Labels {
			t.labels[c.Fingerprint].add(&c.Labels[k])
			if ply := plies[k]; compared && l.Source == dataset.SourceGame && ply < len(l.Moves) {
				var after *dataset.Label
				if k+1 < len(plies) && plies[k+1] == ply+1 {
					after = &c.Labels[k+1]
				}
				t.labels[c.Fingerprint].played.add(l.Moves[ply], &c.Labels[k], after)
			}
		}
	}
	for k := range plies {
		if counted := t.counting.Of(l, k); counted.Value.Status == dataset.Labelled {
			labelled++
		}
	}
	return labelled, nil
}

func (p *Totals) add(q Totals) {
	p.Games += q.Games
	p.Positions += q.Positions
	p.Samples += q.Samples
	p.Labelled += q.Labelled
}

func addPart[K comparable](m map[K]Totals, key K, q Totals) {
	p := m[key]
	p.add(q)
	m[key] = p
}

func (s *spread) add(v int64) {
	if s.count == 0 {
		s.least, s.most = v, v
	}
	s.least, s.most = min(s.least, v), max(s.most, v)
	s.count++
	s.sum += v
	s.bins[v/s.width]++
}

func (s *spread) merge(o *spread) {
	if o.count == 0 {
		return
	}
	if s.count == 0 {
		s.least, s.most = o.least, o.most
	}
	s.least, s.most = min(s.least, o.least), max(s.most, o.most)
	s.count += o.count
	s.sum += o.sum
	for k, n := range o.bins {
		s.bins[k] += n
	}
}

func (s *spread) distribution() Distribution {
	d := Distribution{Count: s.count, Min: s.least, Max: s.most, Bins: []Bin{}}
	if s.count > 0 {
		d.Mean = float64(s.sum) / float64(s.count)
	}
	for _, k := range slices.Sorted(maps.Keys(s.bins)) {
		d.Bins = append(d.Bins, Bin{From: k * s.width, To: (k + 1) * s.width, Count: s.bins[k]})
	}
	return d
}

// merge adds what another tally counted.
func (t *tally) merge(o *tally) {
	t.all.add(o.all)
	for k, p := range o.sources {
		addPart(t.sources, k, p)
	}
	for k, p := range o.bySplit {
		addPart(t.bySplit, k, p)
	}
	for i, n := range o.pieces {
		t.pieces[i] += n
	}
	for k, n := range o.results {
		t.results[k] += n
	}
	t.ratings.merge(&o.ratings)
	t.plies.merge(&o.plies)
	t.reconstructed += o.reconstructed
	t.policies += o.policies
	t.bands.merge(o.bands)
	t.coverage.merge(&o.coverage)
	t.openings.merge(&o.openings)
	t.dates.merge(&o.dates)
	for k, n := range o.timeControls {
		t.timeControls[k] += n
	}
	t.examples.merge(o.examples)
	for i := range o.labels {
		t.labels[i].merge(&o.labels[i])
	}
	for i := range o.networks {
		t.networks[i].merge(&o.networks[i])
	}
}

// statistics returns what was counted, without the bytes.
func (t *tally) statistics(m *dataset.Manifest) *Statistics {
	s := &Statistics{
		Games: t.all.Games, Positions: t.all.Positions, Samples: t.all.Samples, Labelled: t.all.Labelled,
		BySource: map[string]Totals{}, BySplit: map[string]Totals{}, PieceCounts: map[int]int64{},
		Results: map[string]int64{},
		Ratings: t.ratings.distribution(), Plies: t.plies.distribution(),
		Bands:         t.bands,
		Reconstructed: t.reconstructed, Policies: t.policies, Labels: []LabelStats{}, Coverage: t.coverage.coverage(),
		Dates: t.dates.dates(), TimeControls: t.timeControls, Examples: t.examples.list(),
	}
	for k, p := range t.sources {
		s.BySource[k.String()] = p
	}
	for k, p := range t.bySplit {
		s.BySplit[k.String()] = p
	}
	for n, count := range t.pieces {
		if count > 0 {
			s.PieceCounts[n] = count
		}
	}
	for k, n := range t.results {
		s.Results[k.String()] = n
	}
	for i := range t.labels {
		labels := t.labels[i].stats(m.Fingerprints[i], t.all.Samples)
		labels.Tables = t.coverage.agreementOf(i)
		s.Labels = append(s.Labels, labels)
	}
	for i := range t.networks {
		s.Networks = append(s.Networks, t.networks[i].stats(&m.Networks[i], t.all.Samples))
	}
	return s
}
