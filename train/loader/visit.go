package loader

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/ordered"
	"talbot/internal/splitmix"
	"talbot/shards"
)

// splitSet is a set of splits.
type splitSet [3]bool

func only(splits ...dataset.Split) (set splitSet) {
	for _, s := range splits {
		set[s] = true
	}
	return set
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
	place  int    // number of the line in the block
	number int    // among the lines of the block that have such samples
	part   int    // of the block, that the line is in
	key    uint64 // split key of the line
	split  dataset.Split
	view   encode.View
	target encode.Target
	walker dataset.Walker
}

var visits = sync.Pool{New: func() any { return new(visit) }}

// sampleAt is the place of a sample in its block.
type sampleAt struct{ line, ply int }

func (v *visit) at() sampleAt { return sampleAt{v.place, v.walker.Ply()} }

// position is the key of the position.
func (v *visit) position() uint64 { return v.walker.Position().Key() }

// hash is a number that is as good as drawn for each sample, and a function of its line and ply alone.
func (v *visit) hash() uint64 {
	return splitmix.Mix(v.key ^ splitmix.Mix(v.position()+uint64(v.walker.Ply())))
}

// leftOut counts the samples of some splits that are not used.
type leftOut struct {
	unusable int64 // without a target
	short    int64 // of movers with less than [Options.MinClock]
}

// each reads a block and calls f with the usable samples of its lines in those splits, in their order. An error of f
// ends it.
func (d *Data) each(s *Set, block int, want splitSet, f func(*visit) error) (leftOut, error) {
	return d.eachOf(s, piece{block, 0, blockParts}, want, f)
}

// eachOf does what [Data.each] does with some parts of a block.
func (d *Data) eachOf(s *Set, u piece, want splitSet, f func(*visit) error) (left leftOut, err error) {
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
	v := visits.Get().(*visit)
	defer visits.Put(v)
	v.number, v.part = -1, u.from
	w := &v.walker
	for i := u.from * len(lines) / blockParts; i < u.to*len(lines)/blockParts; i++ {
		for i >= (v.part+1)*len(lines)/blockParts {
			v.part++
		}
		v.line, v.place = &lines[i], i
		v.key = dataset.SplitKey(v.line)
		if v.split = s.Manifest.Splits.Of(v.key); !want[v.split] {
			continue
		}
		before := v.number
		for w.Reset(v.line); w.Next(); {
			if v.line.Source == dataset.SourceGame && w.Ply() < d.Options.SkipPlies {
				continue
			}
			if v.line.ShortOfTime(w.Ply(), d.Options.MinClock) {
				left.short++
				continue
			}
			v.view.Visit(w, s.counting.Of(v.line, w.Sample()))
			v.target.Reset(&d.layout)
			if !d.encoder.Target(&v.target, &v.view, d.Options.Targets) {
				left.unusable++
				continue
			}
			// what the network is judged by
			if d.Options.Origins && d.layout.Moves != encode.NoMoves && d.layout.Candidates == 0 {
				v.target.Moves = encode.Policy(v.target.Moves[:0], d.encoder, d.Options.Targets, &v.view)
			}
			if n := len(v.target.Moves); n > mostListed {
				return left, fmt.Errorf("a sample lists %d moves, no position has more than %d", n, board.MaxMoves)
			}
			v.number = before + 1
			if err := f(v); err != nil {
				return left, err
			}
		}
	}
	return left, nil
}

// valued reports whether a target has a value.
func (d *Data) valued(t *encode.Target) bool {
	i := d.layout.Float(encode.ValueFloat)
	return i >= 0 && t.Floats[i] == t.Floats[i]
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
