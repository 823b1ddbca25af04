package diff

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"talbot/dataset"
)

// The parts of a line that are compared beside its moves and its split.
const (
	ofSamples = iota
	ofPolicies
	ofLabels
	ofPredictions
	ofHeaders
	parts
)

// lineDigest is a line as hashes of its parts.
type lineDigest struct {
	key         dataset.GameKey
	parts       [parts]uint32
	split       dataset.Split
	otherLabels bool // in both, with different labels
}

func (a lineDigest) compare(b lineDigest) int {
	return cmp.Or(compareKeys(a.key, b.key), slices.Compare(a.parts[:], b.parts[:]))
}

// newLineDigest hashes a line; prints are the names of the fingerprints, networks those of the networks.
func newLineDigest(l *dataset.Line, splits dataset.Splits, prints, networks []string) lineDigest {
	le := binary.LittleEndian
	var b []byte
	sum := func() uint32 { h := xxhash.Sum64(b); b = b[:0]; return uint32(h ^ h>>32) }
	d := lineDigest{key: l.GameKey(), split: splits.Of(dataset.SplitKey(l))}
	for _, ply := range l.Samples.Plies(nil, len(l.Moves)) {
		b = le.AppendUint16(b, uint16(ply))
	}
	d.parts[ofSamples] = sum()
	for _, p := range l.Policies {
		b = le.AppendUint32(b, uint32(len(p)))
		for _, t := range p {
			b = le.AppendUint16(b, uint16(t.Move))
			b = le.AppendUint32(b, math.Float32bits(t.Weight))
		}
	}
	d.parts[ofPolicies] = sum()
	for _, c := range sortedColumns(l, prints) {
		b = append(b, prints[c.Fingerprint]...)
		for i := range c.Labels {
			b = c.Labels[i].AppendBytes(b)
		}
	}
	d.parts[ofLabels] = sum()
	for _, c := range l.Predictions {
		b = append(b, networks[c.Network]...)
		for i := range c.Predictions {
			b = appendPrediction(b, &c.Predictions[i])
		}
	}
	d.parts[ofPredictions] = sum()
	b = append(b, byte(l.Source), byte(l.Result))
	b = le.AppendUint32(b, uint32(l.WhiteElo))
	b = le.AppendUint32(b, uint32(l.BlackElo))
	for _, t := range l.Tags {
		b = append(append(append(append(b, t.Name...), 0), t.Value...), 0)
	}
	d.parts[ofHeaders] = sum()
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
	return slices.SortedFunc(slices.Values(l.Labels), func(a, b dataset.LabelColumn) int {
		return strings.Compare(ids[a.Fingerprint], ids[b.Fingerprint])
	})
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
			d.line(side, k, line)
		}
	}
	d.result.Lines.Examples = slices.Concat(d.result.Lines.Examples, examples[0], examples[1])
	d.result.Labels = append(d.result.Labels, d.differences()...)
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

// lineLabels are each engine's labels for the samples of a line.
type lineLabels map[string][]labelValue

// line takes a line of a dataset. Of copies, one pair is compared.
func (d *differ) line(side int, k dataset.GameKey, line *dataset.Line) {
	digest := d.withOtherLabels(k)
	if digest == nil {
		return
	}
	if _, ok := d.waiting[side][k]; ok {
		return
	}
	labels := labelsOf(line, d.prints[side])
	other, ok := d.waiting[1-side][k]
	if !ok {
		d.waiting[side][k] = labels
		d.mostWaiting = max(d.mostWaiting, len(d.waiting[0])+len(d.waiting[1]))
		return
	}
	delete(d.waiting[1-side], k)
	digest.otherLabels = false
	if side == 0 {
		labels, other = other, labels
	}
	d.compareLabels(other, labels)
}

// differences are what was counted.
func (d *differ) differences() (list []LabelDifference) {
	for id, c := range d.counts {
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
	for _, c := range l.Labels {
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
func (d *differ) compareLabels(a, b lineLabels) {
	value := func(labels []labelValue, i int) (v labelValue) {
		if i < len(labels) {
			v = labels[i]
		}
		return v
	}
	both := maps.Clone(a)
	maps.Copy(both, b)
	for id, either := range both { // one for each sample, or none
		if d.counts[id] == nil {
			d.counts[id] = &labelCount{}
		}
		for i := range either {
			d.counts[id].add(value(a[id], i), value(b[id], i))
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
