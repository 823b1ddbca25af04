package loader

import (
	"context"
	"iter"
	"math"

	"talbot/dataset"
	"talbot/encode"
)

// records are the usable samples of some lines.
type records struct {
	lines    []dataset.Line // without labels and policies
	keys     []uint64       // split keys of the lines
	samples  []record
	policies []encode.Target
	unusable [3]int64 // samples with neither target, by split
}

// record is one usable sample.
type record struct {
	key     uint64 // of the position
	line    int32
	ply     int32
	policy  uint32 // its policy target is policies[policy:policy+choices]
	choices uint16
	split   dataset.Split
	value   float32 // NaN = no value label
}

func (r *record) hasValue() bool { return !math.IsNaN(float64(r.value)) }

func (r *records) policy(s *record) []encode.Target {
	return r.policies[s.policy:][:s.choices]
}

// hash is a number that is as good as drawn for each sample, and a function of its line and ply alone.
func (r *records) hash(s *record) uint64 {
	return mix(r.keys[s.line] ^ mix(s.key+uint64(s.ply)))
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
	at := s.blocks[block]
	lines, err := s.shards.Shards[at.shard].ReadBlock(at.block, nil)
	if err != nil {
		return nil, err
	}
	r := &records{}
	var w encode.Walker
	for i := range lines {
		l := &lines[i]
		key := dataset.SplitKey(l)
		if split := s.Manifest.Splits.Of(key); want[split] {
			r.add(d.encoder, &w, l, s, key, split)
		}
	}
	return r, nil
}

// add takes a line over if it has usable samples. Where no fingerprint is asked for, the value is that of endgame tables
// if they have the sample, and the moves are those of the last engine.
func (r *records) add(e encode.Encoder, w *encode.Walker, l *dataset.Line, set *Set, key uint64, split dataset.Split) {
	prints := set.Manifest.Fingerprints
	before := len(r.samples)
	for w.Reset(l); w.Next(); {
		said := labelOf(l, w.Sample(), set.label, prints)
		valued := said
		if exact, ok := l.Exact(w.Sample(), prints); ok && set.label == anyLabel {
			valued = exact
		}
		s := record{key: w.Position().Key(), line: int32(len(r.lines)), ply: int32(w.Ply()), split: split,
			policy: uint32(len(r.policies)), value: float32(math.NaN())}
		r.policies = encode.Policy(r.policies, e, w, said)
		s.choices = uint16(len(r.policies) - int(s.policy))
		if v, ok := encode.Value(e, w.Position(), valued); ok {
			s.value = v
		}
		if s.choices == 0 && !s.hasValue() {
			r.unusable[split]++
			continue
		}
		r.samples = append(r.samples, s)
	}
	if len(r.samples) > before {
		kept := *l
		kept.Policies, kept.Labels = nil, nil
		r.lines, r.keys = append(r.lines, kept), append(r.keys, key)
	}
}

// labelOf returns the label of a sample by the fingerprint of that index, or by the last that has one and is not of
// endgame tables.
func labelOf(l *dataset.Line, sample, fingerprint int, prints []dataset.Fingerprint) dataset.Label {
	for i := len(l.Labels) - 1; i >= 0; i-- {
		c := &l.Labels[i]
		if fingerprint != anyLabel && c.Fingerprint != fingerprint || sample >= len(c.Labels) {
			continue
		}
		if fingerprint == anyLabel && c.Fingerprint < len(prints) && prints[c.Fingerprint].IsExact() {
			continue
		}
		if said := c.Labels[sample]; said.Status == dataset.Labelled || said.Status == dataset.Terminal {
			return said
		}
	}
	return dataset.Label{}
}

// append takes over all of other.
func (r *records) append(other *records) {
	line, policy := int32(len(r.lines)), uint32(len(r.policies))
	r.lines = append(r.lines, other.lines...)
	r.keys = append(r.keys, other.keys...)
	r.policies = append(r.policies, other.policies...)
	for _, s := range other.samples {
		s.line += line
		s.policy += policy
		r.samples = append(r.samples, s)
	}
}

// scanned is what a scan found in one block.
type scanned struct {
	*records
	set, block int
}

// scan extracts all blocks of all datasets in order. It ends with ctx's error.
func (d *Data) scan(ctx context.Context, want splitSet, done func(blocks, of int)) iter.Seq2[scanned, error] {
	var places []scanned
	for i, s := range d.Sets {
		for b := range s.blocks {
			places = append(places, scanned{set: i, block: b})
		}
	}
	return func(yield func(scanned, error) bool) {
		n := 0
		for r, err := range inOrder(len(places), d.Options.Workers, func(i int) (scanned, error) {
			if err := ctx.Err(); err != nil {
				return scanned{}, err
			}
			at := places[i]
			var err error
			at.records, err = d.extract(d.Sets[at.set], at.block, want)
			return at, err
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
