// Package diff explains how two datasets differ.
//
// [Request] compares two folders and returns a [Difference]. It starts no goroutines.
package diff

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/internal/progress"
	"talbot/shards"
)

// Request compares two datasets. It keeps 40 bytes for each line of both, and the labels of lines that it has met in
// one of them only, if they differ: few, if the lines of both are in about the same order.
type Request struct {
	A, B     string
	Progress func(progress.Progress) // may be nil
}

// Difference is how two datasets differ. Lines are the same if their start and all their moves are; of several copies,
// as many count as common as the dataset with fewer has.
type Difference struct {
	A, B string `json:"-"` // the folders
	// Same: both hold the same lines with the same splits, samples, policies, labels and predictions. Their
	// manifests, the order of their lines and their headers may differ.
	Same      bool              `json:"same"`
	Identical bool              `json:"identical"` // to the byte: one manifest, and the files are what it says
	Manifest  []FieldDifference `json:"manifest"`  // fields that differ
	Inputs    SetDifference     `json:"inputs"`    // by name and SHA-256
	Engines   SetDifference     `json:"engines"`   // fingerprints, by their ID
	Networks  SetDifference     `json:"networks"`  // by their ID
	Lines     LineDifference    `json:"lines"`
	Labels    []LabelDifference `json:"labels"` // of the lines in both, by fingerprint
}

// FieldDifference is a field of the manifest with its two values.
type FieldDifference struct {
	Field string `json:"field"`
	A     string `json:"a"`
	B     string `json:"b"`
}

// SetDifference names what only one dataset has.
type SetDifference struct {
	OnlyA []string `json:"only_a"`
	OnlyB []string `json:"only_b"`
	Both  int      `json:"both"`
}

// LineDifference counts lines.
type LineDifference struct {
	OnlyA    int64 `json:"only_a"`
	OnlyB    int64 `json:"only_b"`
	Both     int64 `json:"both"`
	Moved    int64 `json:"moved"`    // in both, in different splits
	Samples  int64 `json:"samples"`  // in both, with different plies as samples
	Policies int64 `json:"policies"` // in both, with different policies
	Labels   int64 `json:"labels"`   // in both, with different labels
	// in both, with different predictions of networks
	Predictions int64         `json:"predictions"`
	Headers     int64         `json:"headers"`  // in both, with different result, ratings or tags
	Examples    []LineExample `json:"examples"` // up to 5 that only one has
}

// LineExample is a line that only one dataset has.
type LineExample struct {
	In     string `json:"only"` // "a" or "b"
	Source string `json:"-"`    // for people
	Input  string `json:"input"`
	Number int64  `json:"number"`
	White  string `json:"white"`
	Black  string `json:"black"`
	Plies  int    `json:"plies"`
}

// LabelDifference compares one engine's labels for the samples of lines in both.
type LabelDifference struct {
	Fingerprint string `json:"fingerprint"`
	OnlyA       int64  `json:"only_a"` // samples that it searched only in A
	OnlyB       int64  `json:"only_b"`
	Equal       int64  `json:"equal"`     // status and first line's score are equal
	Different   int64  `json:"different"` // one of them is not
	// MeanCentipawns is the mean absolute difference of the scores of samples with two scores in centipawns.
	MeanCentipawns float64 `json:"mean_centipawns"`
}

// examplesOfDiff is how many lines that only one dataset has are named.
const examplesOfDiff = 5

// differ is a comparison under way.
type differ struct {
	Request
	sets        [2]*shards.Dataset
	prints      [2][]string     // IDs of the fingerprints
	networks    [2][]string     // IDs of the networks
	lines       [2][]lineDigest // by key
	result      *Difference
	unmatched   [2]map[dataset.GameKey]bool       // examples wanted
	otherLabels int64                             // lines in both with different labels
	waiting     [2]map[dataset.GameKey]lineLabels // of them, those of one dataset that were not met in the other
	mostWaiting int
	counts      map[string]*labelCount // of labels, by fingerprint
}

// Run compares. Files that are not what their manifest says are an error, never a difference: the errors are those of
// [shards.OpenDataset], [shards.Reader.ReadBlock] and [shards.Dataset.CheckFiles], or the context's.
func (o Request) Run(ctx context.Context) (*Difference, error) {
	return (&differ{Request: o, result: &Difference{A: o.A, B: o.B, Labels: []LabelDifference{}}}).run(ctx)
}

func (d *differ) run(ctx context.Context) (*Difference, error) {
	d.counts, d.waiting = map[string]*labelCount{}, [2]map[dataset.GameKey]lineLabels{{}, {}}
	for i, dir := range []string{d.A, d.B} {
		set, err := shards.OpenDataset(dir)
		if err != nil {
			return nil, err
		}
		defer set.Close()
		d.sets[i], d.unmatched[i] = set, map[dataset.GameKey]bool{}
		for _, f := range set.Manifest.Fingerprints {
			d.prints[i] = append(d.prints[i], f.ID())
		}
		for _, n := range set.Manifest.Networks {
			d.networks[i] = append(d.networks[i], n.ID())
		}
	}
	a, b := d.sets[0].Manifest, d.sets[1].Manifest
	r := d.result
	r.Manifest = manifestDifference(a, b)
	r.Inputs = setDifference(inputNames(a), inputNames(b))
	r.Engines = setDifference(d.prints[0], d.prints[1])
	r.Networks = setDifference(d.networks[0], d.networks[1])
	r.Lines.Examples = []LineExample{}
	if a.Hash() == b.Hash() {
		for _, set := range d.sets {
			if err := set.CheckFiles(ctx, 1, nil); err != nil {
				return nil, err
			}
		}
		r.Same, r.Identical = true, true
		r.Lines.Both = a.Counts.GamesKept
		return r, nil
	}
	for i := range d.sets {
		if err := d.digest(ctx, i); err != nil {
			return nil, err
		}
	}
	d.match()
	if err := d.rescan(ctx); err != nil {
		return nil, err
	}
	l := &r.Lines
	r.Same = l.OnlyA+l.OnlyB+l.Moved+l.Samples+l.Policies+l.Labels+l.Predictions == 0
	return r, nil
}

// digest reads a dataset.
func (d *differ) digest(ctx context.Context, side int) error {
	set := d.sets[side]
	d.lines[side] = make([]lineDigest, 0, set.Manifest.Counts.GamesKept)
	for l, err := range set.Lines() {
		if err != nil {
			return err
		}
		n := int64(len(d.lines[side]))
		if n%1024 == 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			progress.Report(d.Progress, "diff "+set.Dir, "lines", n, set.Manifest.Counts.GamesKept)
		}
		d.lines[side] = append(d.lines[side], newLineDigest(l, set.Manifest.Splits, d.prints[side], d.networks[side]))
	}
	slices.SortFunc(d.lines[side], lineDigest.compare)
	return nil
}

// match pairs the lines of both datasets.
func (d *differ) match() {
	a, b := d.lines[0], d.lines[1]
	l := &d.result.Lines
	for len(a) > 0 || len(b) > 0 {
		c := 1
		switch {
		case len(b) == 0:
			c = -1
		case len(a) > 0:
			c = compareKeys(a[0].key, b[0].key)
		}
		switch {
		case c < 0:
			l.OnlyA++
			d.wantExample(0, a[0].key)
			a = a[1:]
		case c > 0:
			l.OnlyB++
			d.wantExample(1, b[0].key)
			b = b[1:]
		default:
			d.pair(&a[0], &b[0])
			a, b = a[1:], b[1:]
		}
	}
}

func (d *differ) wantExample(side int, k dataset.GameKey) {
	if len(d.unmatched[side]) < examplesOfDiff {
		d.unmatched[side][k] = true
	}
}

// pair compares a line that both have.
func (d *differ) pair(a, b *lineDigest) {
	l := &d.result.Lines
	l.Both++
	if a.split != b.split {
		l.Moved++
	}
	for part, count := range [parts]*int64{&l.Samples, &l.Policies, &l.Labels, &l.Predictions, &l.Headers} {
		if a.parts[part] != b.parts[part] {
			*count++
		}
	}
	if a.parts[ofLabels] != b.parts[ofLabels] && a.parts[ofSamples] == b.parts[ofSamples] {
		a.otherLabels = true
		d.otherLabels++
	}
}

// setDifference compares two lists of names.
func setDifference(a, b []string) SetDifference {
	only := func(a, b []string) []string {
		return slices.DeleteFunc(append([]string{}, a...), func(name string) bool { return slices.Contains(b, name) })
	}
	s := SetDifference{OnlyA: only(a, b), OnlyB: only(b, a)}
	s.Both = len(a) - len(s.OnlyA)
	return s
}

func inputNames(m *dataset.Manifest) (names []string) {
	for _, in := range m.Inputs {
		names = append(names, fmt.Sprintf("%s (%.16s)", in.Name, in.SHA256))
	}
	return names
}

func compareKeys(a, b dataset.GameKey) int {
	return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
}
