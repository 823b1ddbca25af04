package diff

import (
	"cmp"
	"context"
	"encoding/binary"
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

// rescan reads the datasets again for examples and for the labels of lines that differ there.
func (d *differ) rescan(ctx context.Context) error {
	if len(d.unmatched[0])+len(d.unmatched[1])+len(d.withOtherLabels) == 0 {
		return nil
	}
	heard := map[dataset.GameKey]map[string][]labelValue{} // of A
	counts := map[string]*labelCount{}
	for side, set := range d.sets {
		ids := printNames(set.Manifest)
		for l, err := range set.Lines() {
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return err
			}
			k := l.GameKey()
			if d.unmatched[side][k] {
				delete(d.unmatched[side], k)
				d.result.Lines.Examples = append(d.result.Lines.Examples, LineExample{
					In: string("ab"[side]), Source: l.Source.String(), Input: set.Manifest.InputName(l.Input),
					Number: l.Number,
					White:  l.Tag("White"), Black: l.Tag("Black"), Plies: len(l.Moves),
				})
			}
			if !d.withOtherLabels[k] {
				continue
			}
			if side == 0 {
				heard[k] = labelsOf(l, ids)
			} else if a, ok := heard[k]; ok {
				delete(heard, k) // one pair of copies
				compareLabels(counts, a, labelsOf(l, ids))
			}
		}
	}
	for id, c := range counts {
		c.Fingerprint = id
		if c.pairs > 0 {
			c.MeanCentipawns = float64(c.sum) / float64(c.pairs)
		}
		d.result.Labels = append(d.result.Labels, c.LabelDifference)
	}
	slices.SortFunc(d.result.Labels, func(a, b LabelDifference) int {
		return strings.Compare(a.Fingerprint, b.Fingerprint)
	})
	return nil
}

type labelCount struct {
	LabelDifference
	sum, pairs int64
}

// labelsOf returns each engine's labels for the samples of a line.
func labelsOf(l *dataset.Line, ids []string) map[string][]labelValue {
	all := map[string][]labelValue{}
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
func compareLabels(counts map[string]*labelCount, a, b map[string][]labelValue) {
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
