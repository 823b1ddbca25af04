package diff

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
)

// lineDigest is a line as hashes of its parts.
type lineDigest struct {
	key               dataset.GameKey
	samples, policies uint32
	labels, headers   uint32
	predictions       uint32
	split             dataset.Split
	otherLabels       bool // in both, with different labels
}

func (a lineDigest) compare(b lineDigest) int {
	return cmp.Or(compareKeys(a.key, b.key), cmp.Compare(a.samples, b.samples), cmp.Compare(a.policies, b.policies),
		cmp.Compare(a.labels, b.labels), cmp.Compare(a.predictions, b.predictions), cmp.Compare(a.headers, b.headers))
}

// newLineDigest hashes a line; ids are the names of the fingerprints, networks those of the networks.
func newLineDigest(l *dataset.Line, splits dataset.Splits, ids, networks []string) lineDigest {
	le := binary.LittleEndian
	var b []byte
	sum := func() uint32 { h := xxhash.Sum64(b); b = b[:0]; return uint32(h ^ h>>32) }
	d := lineDigest{key: l.GameKey(), split: splits.Of(dataset.SplitKey(l))}
	for _, ply := range l.Samples.Plies(nil, len(l.Moves)) {
		b = le.AppendUint16(b, uint16(ply))
	}
	d.samples = sum()
	for _, p := range l.Policies {
		b = le.AppendUint32(b, uint32(len(p)))
		for _, t := range p {
			b = le.AppendUint16(b, uint16(t.Move))
			b = le.AppendUint32(b, math.Float32bits(t.Weight))
		}
	}
	d.policies = sum()
	for _, c := range sortedColumns(l, ids) {
		b = append(b, ids[c.Fingerprint]...)
		for i := range c.Labels {
			b = c.Labels[i].AppendBytes(b)
		}
	}
	d.labels = sum()
	for _, c := range l.Predictions {
		if c.Network < len(networks) {
			b = append(b, networks[c.Network]...)
			for i := range c.Predictions {
				b = appendPrediction(b, &c.Predictions[i])
			}
		}
	}
	d.predictions = sum()
	b = append(b, byte(l.Source), byte(l.Result))
	b = le.AppendUint32(b, uint32(l.WhiteElo))
	b = le.AppendUint32(b, uint32(l.BlackElo))
	for _, t := range l.Tags {
		b = append(append(append(append(b, t.Name...), 0), t.Value...), 0)
	}
	d.headers = sum()
	return d
}

// appendPrediction appends bytes that are the same for equal predictions.
func appendPrediction(b []byte, p *dataset.Prediction) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(append(b, byte(p.Status)), uint16(p.Value))
	for _, m := range p.Moves {
		b = le.AppendUint16(le.AppendUint16(b, uint16(m.Move)), uint16(m.Prior))
	}
	return append(b, 0xff)
}

// sortedColumns returns the label columns of a line by the names of their fingerprints.
func sortedColumns(l *dataset.Line, ids []string) []dataset.LabelColumn {
	var all []dataset.LabelColumn
	for _, c := range l.Labels {
		if c.Fingerprint < len(ids) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b dataset.LabelColumn) int {
		return strings.Compare(ids[a.Fingerprint], ids[b.Fingerprint])
	})
	return all
}

// labelValue is the part of a label that is compared.
type labelValue struct {
	status dataset.LabelStatus
	score  dataset.Score
}

// rescan reads the datasets again for examples and for the labels of lines that differ there. It reads a line of each
// in turn: so lines that are in the same order in both need not wait for each other.
func (d *differ) rescan(ctx context.Context) error {
	if len(d.unmatched[0])+len(d.unmatched[1]) == 0 && d.otherLabels == 0 {
		return nil
	}
	d.lines[1] = nil
	var next [2]func() (*dataset.Line, error, bool)
	for side, set := range d.sets {
		var stop func()
		next[side], stop = iter.Pull2(set.Lines())
		defer stop()
	}
	l := labelDiffer{differ: d,
		ids:     [2][]string{printNames(d.sets[0].Manifest), printNames(d.sets[1].Manifest)},
		waiting: [2]map[dataset.GameKey]lineLabels{{}, {}}, counts: map[string]*labelCount{}}
	var examples [2][]LineExample
	for left := 2; left > 0; {
		for side := range next {
			if next[side] == nil {
				continue
			}
			line, err, ok := next[side]()
			if !ok {
				next[side] = nil
				left--
				continue
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			k := line.GameKey()
			if d.unmatched[side][k] {
				delete(d.unmatched[side], k)
				examples[side] = append(examples[side], d.example(side, line))
			}
			l.line(side, k, line)
		}
	}
	d.result.Lines.Examples = slices.Concat(d.result.Lines.Examples, examples[0], examples[1])
	d.result.Labels = append(d.result.Labels, l.differences()...)
	return nil
}

func (d *differ) example(side int, l *dataset.Line) LineExample {
	return LineExample{In: string("ab"[side]), Source: l.Source.String(),
		Input: d.sets[side].Manifest.InputName(l.Input), Number: l.Number, White: l.Tag("White"), Black: l.Tag("Black"),
		Plies: len(l.Moves)}
}

// withOtherLabels returns the digest of a line that both have with different labels; nil if there is none, or if its
// labels are compared already.
func (d *differ) withOtherLabels(k dataset.GameKey) *lineDigest {
	list := d.lines[0]
	i, _ := slices.BinarySearchFunc(list, k, func(l lineDigest, k dataset.GameKey) int { return compareKeys(l.key, k) })
	for ; i < len(list) && list[i].key == k; i++ {
		if list[i].otherLabels {
			return &list[i]
		}
	}
	return nil
}

// labelDiffer compares the labels of lines in both datasets.
type labelDiffer struct {
	*differ
	ids     [2][]string                       // of the fingerprints of each dataset
	waiting [2]map[dataset.GameKey]lineLabels // lines of one dataset that were not met in the other
	counts  map[string]*labelCount
}

// lineLabels are each engine's labels for the samples of a line.
type lineLabels map[string][]labelValue

// line takes a line of a dataset. Of copies, one pair is compared.
func (l *labelDiffer) line(side int, k dataset.GameKey, line *dataset.Line) {
	digest := l.withOtherLabels(k)
	if digest == nil {
		return
	}
	if _, ok := l.waiting[side][k]; ok {
		return
	}
	labels := labelsOf(line, l.ids[side])
	other, ok := l.waiting[1-side][k]
	if !ok {
		l.waiting[side][k] = labels
		l.mostWaiting = max(l.mostWaiting, len(l.waiting[0])+len(l.waiting[1]))
		return
	}
	delete(l.waiting[1-side], k)
	digest.otherLabels = false
	if side == 0 {
		labels, other = other, labels
	}
	compareLabels(l.counts, other, labels)
}

// differences are what was counted.
func (l *labelDiffer) differences() (list []LabelDifference) {
	for id, c := range l.counts {
		c.Fingerprint = id
		if c.pairs > 0 {
			c.MeanCentipawns = float64(c.sum) / float64(c.pairs)
		}
		list = append(list, c.LabelDifference)
	}
	slices.SortFunc(list, func(a, b LabelDifference) int { return strings.Compare(a.Fingerprint, b.Fingerprint) })
	return list
}

type labelCount struct {
	LabelDifference
	sum, pairs int64
}

// labelsOf returns each engine's labels for the samples of a line.
func labelsOf(l *dataset.Line, ids []string) lineLabels {
	all := lineLabels{}
	for _, c := range sortedColumns(l, ids) {
		list := make([]labelValue, len(c.Labels))
		for i := range c.Labels {
			if list[i].status = c.Labels[i].Status; list[i].status == dataset.Labelled {
				list[i].score = c.Labels[i].Lines[0].Score
			}
		}
		all[ids[c.Fingerprint]] = list
	}
	return all
}

// compareLabels counts the samples of a line.
func compareLabels(counts map[string]*labelCount, a, b lineLabels) {
	count := func(id string) *labelCount {
		if counts[id] == nil {
			counts[id] = &labelCount{}
		}
		return counts[id]
	}
	for id, list := range a {
		c, other := count(id), b[id]
		for i, x := range list {
			y := labelValue{}
			if i < len(other) {
				y = other[i]
			}
			c.add(x, y)
		}
	}
	for id, list := range b {
		if _, ok := a[id]; !ok {
			c := count(id)
			for _, y := range list {
				c.add(labelValue{}, y)
			}
		}
	}
}

func (c *labelCount) add(x, y labelValue) {
	switch {
	case x.status == dataset.Missing && y.status == dataset.Missing:
		return
	case y.status == dataset.Missing:
		c.OnlyA++
		return
	case x.status == dataset.Missing:
		c.OnlyB++
		return
	case x == y:
		c.Equal++
	default:
		c.Different++
	}
	cx, okx := x.score.Centipawns()
	cy, oky := y.score.Centipawns()
	if okx && oky && x.status == dataset.Labelled && y.status == dataset.Labelled {
		c.pairs++
		c.sum += int64(max(cx-cy, cy-cx))
	}
}
