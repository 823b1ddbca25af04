package loader

import (
	"context"
	"fmt"
	"iter"
	"math"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/ordered"
	"talbot/internal/splitmix"
	"talbot/shards"
)

// records are the usable samples of some lines.
type records struct {
	lines   []dataset.Line // without labels and policies
	keys    []uint64       // split keys of the lines
	places  []int32        // numbers of the lines in their block
	samples []record
	targets []dataset.WeightedMove
	floats  []float32
	likely  []dataset.Candidate // of recipes that look at them
	width   int                 // floats of a sample
}

// record is one usable sample.
type record struct {
	key    uint64 // of the position
	line   int32
	ply    int32
	first  uint32 // its listed moves are targets[first:first+listed]
	listed uint16
	likely uint32 // its candidates are likely[likely:likely+choice] of the records
	choice uint16
	split  dataset.Split
	result uint8 // that endgame tables have, a [dataset.Class] plus 1; 0 = not known, or not read
	print  uint8 // fingerprint of the value's label plus 1; 0 = none, or beyond 255
	number int32 // among the samples of the records
	played int32 // moves that the target was counted from; 0 = not read
	learns bool  // some move
	valued bool  // it has a value
}

// moves are the listed ones of a sample.
func (r *records) moves(s *record) []dataset.WeightedMove { return r.targets[s.first:][:s.listed] }

// floatsOf are those of a sample.
func (r *records) floatsOf(s *record) []float32 { return r.floats[int(s.number)*r.width:][:r.width] }

// hash is a number that is as good as drawn for each sample, and a function of its line and ply alone.
func (r *records) hash(s *record) uint64 { return s.hash(r.keys[s.line]) }

// hash is [records.hash] with the split key of the sample's line.
func (s *record) hash(line uint64) uint64 {
	return splitmix.Mix(line ^ splitmix.Mix(s.key+uint64(s.ply)))
}

// splitSet is a set of splits.
type splitSet [3]bool

func only(splits ...dataset.Split) (set splitSet) {
	for _, s := range splits {
		set[s] = true
	}
	return set
}

// extract reads a block and returns the usable samples of its lines in those splits, in their order.
func (d *Data) extract(s *Set, block int, want splitSet) (*records, error) {
	r := &records{width: len(d.layout.Floats)}
	var last *dataset.Line
	_, err := d.each(s, block, want, func(v visit) {
		if v.line != last { // without labels and policies, which are used up
			kept := *v.line
			kept.Policies, kept.Labels, kept.Predictions = nil, nil, nil
			r.lines, r.keys, last = append(r.lines, kept), append(r.keys, v.key), v.line
			r.places = append(r.places, v.place)
		}
		v.sample.line, v.sample.first = int32(len(r.lines)-1), uint32(len(r.targets))
		v.sample.number = int32(len(r.samples))
		r.targets = append(r.targets, v.target.Moves...)
		r.floats = append(r.floats, v.target.Floats...)
		v.sample.likely, v.sample.choice = uint32(len(r.likely)), uint16(len(v.view.Labels.Candidates))
		r.likely = append(r.likely, v.view.Labels.Candidates...)
		r.samples = append(r.samples, v.sample)
	})
	return r, err
}

// checked are the columns that [dataset.Line.Check] looks at and a network can learn from, and what names a line.
const checked = shards.Origin | shards.Policies | shards.Scores | shards.Best | shards.WDL | shards.Variations

// checking returns d as a reader of all that can be wrong in a line: every line of the blocks that it reads is checked.
// It is closed with d.
func (d *Data) checking() *Data {
	other := *d
	other.checks = true
	return &other
}

// visit is a usable sample while its line is replayed. It is valid during the call that it is given to.
type visit struct {
	line   *dataset.Line
	place  int32  // number of the line in the block
	part   int    // of the block, that the line is in
	key    uint64 // split key of the line
	view   *encode.View
	target *encode.Target
	sample record // without its place among records
}

// leftOut counts the samples of some splits that are not used.
type leftOut struct {
	unusable int64 // without a target
	short    int64 // of movers with less than [Options.MinClock]
}

// each reads a block and calls f with the usable samples of its lines in those splits, in their order.
func (d *Data) each(s *Set, block int, want splitSet, f func(visit)) (leftOut, error) {
	return d.eachOf(s, piece{block, 0, blockParts}, want, f)
}

// eachOf does what [Data.each] does with some parts of a block.
func (d *Data) eachOf(s *Set, u piece, want splitSet, f func(visit)) (left leftOut, err error) {
	at := s.blocks[u.block]
	r := s.shards.Shards[at.Shard]
	if d.checks {
		r = r.With(d.Options.columns() | checked)
	}
	lines, err := r.ReadBlock(at.Block, nil)
	if err != nil {
		return left, err
	}
	if d.checks {
		if err := r.CheckLines(at.Block, lines); err != nil {
			return left, err
		}
	}
	p, _ := replays.Get().(*replay)
	defer replays.Put(p)
	*p = replay{walker: p.walker, view: p.view} // the target may be that of records
	w := &p.walker
	value := d.layout.Float(encode.ValueFloat)
	v := visit{part: u.from, view: &p.view, target: &p.target}
	for i := u.from * len(lines) / blockParts; i < u.to*len(lines)/blockParts; i++ {
		for i >= (v.part+1)*len(lines)/blockParts {
			v.part++
		}
		v.line, v.place = &lines[i], int32(i)
		v.key = dataset.SplitKey(v.line)
		split := s.Manifest.Splits.Of(v.key)
		if !want[split] {
			continue
		}
		for w.Reset(v.line); w.Next(); {
			if v.line.Source == dataset.SourceGame && w.Ply() < d.Options.SkipPlies {
				continue
			}
			if v.line.ShortOfTime(w.Ply(), d.Options.MinClock) {
				left.short++
				continue
			}
			said := s.counting.Of(v.line, w.Sample())
			p.view.Visit(w, said)
			p.target.Reset(&d.layout)
			if !d.encoder.Target(&p.target, &p.view, d.Options.Targets) {
				left.unusable++
				continue
			}
			// what the network is judged by
			if d.Options.Origins && d.layout.Moves != encode.NoMoves && d.layout.Candidates == 0 {
				p.target.Moves = encode.Policy(p.target.Moves[:0], d.encoder, d.Options.Targets, &p.view)
			}
			if n := len(p.target.Moves); n > mostListed {
				return left, fmt.Errorf("a sample lists %d moves, no position has more than %d", n, board.MaxMoves)
			}
			v.sample = record{key: w.Position().Key(), ply: int32(w.Ply()), split: split,
				listed: uint16(len(p.target.Moves)), learns: p.target.Learns(),
				valued: value >= 0 && p.target.Floats[value] == p.target.Floats[value]}
			if d.Options.Origins {
				v.sample.print, v.sample.result = printOf(said), s.result(v.line, w.Sample())
				v.sample.played = playedIn(v.line, w.Sample())
			}
			f(v)
		}
	}
	return left, nil
}

// playedIn is [record.played] of a sample.
func playedIn(l *dataset.Line, sample int) int32 {
	if l.Source != dataset.SourceAggregate || sample >= len(l.Policies) {
		return 1
	}
	sum := 0.0
	for _, m := range l.Policies[sample] {
		sum += float64(m.Weight)
	}
	return int32(min(sum, math.MaxInt32))
}

// printOf is [record.print] of a sample.
func printOf(c dataset.Counted) uint8 {
	if c.ValueColumn != c.Column || c.Column < 0 || c.Column >= 255 { // of endgame tables, of nothing, or beyond
		return 0
	}
	return uint8(c.Column + 1)
}

// result is [record.result] of a sample.
func (s *Set) result(l *dataset.Line, sample int) uint8 {
	if exact, ok := l.Exact(sample, s.Manifest.Fingerprints); ok {
		if class, ok := exact.Class(); ok {
			return uint8(class) + 1
		}
	}
	return 0
}

// blockRecords is what a scan found in one block.
type blockRecords struct {
	*records
	set, block int
}

// overBlocks yields in order what work makes of each block of all datasets. It ends with ctx's error.
func overBlocks[T any](ctx context.Context, d *Data, done func(blocks, of int),
	work func(set, block int) (T, error)) iter.Seq2[T, error] {
	type at struct{ set, block int }
	var places []at
	for i, s := range d.Sets {
		for b := range s.blocks {
			places = append(places, at{i, b})
		}
	}
	return func(yield func(T, error) bool) {
		n := 0
		for r, err := range ordered.N(ctx, len(places), d.Options.Workers, func(_, i int) (T, error) {
			return work(places[i].set, places[i].block)
		}) {
			if n++; err == nil && done != nil {
				done(n, len(places))
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
