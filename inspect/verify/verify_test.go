package verify_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
)

// naive counts positions by their text.
type naive struct {
	All, Samples map[string]int
	Train        map[string]bool
	Held         [3][]string // by split
}

// mirrored returns the four fields of a position seen from the side to move.
func (n *naive) Read(t *testing.T, dirs ...string) {
	n.All, n.Samples, n.Train = map[string]int{}, map[string]int{}, map[string]bool{}
	for _, dir := range dirs {
		for d, l := range madeup.Each(t, dir) {
			p := l.Start
			for ply := 0; ; ply++ {
				n.All[p.EPD()]++
				if l.Samples.Has(ply, len(l.Moves)) {
					n.Samples[p.EPD()]++
					split := d.Splits.Of(dataset.SplitKey(l))
					n.Held[split] = append(n.Held[split], p.EPD())
					if split == dataset.Train {
						n.Train[p.EPD()] = true
					}
				}
				if ply == len(l.Moves) {
					break
				}
				p.Play(l.Moves[ply])
			}
		}
	}
}

func (n *naive) Seen(s dataset.Split) (count int64) {
	for _, epd := range n.Held[s] {
		if n.Train[epd] {
			count++
		}
	}
	return count
}

// TestUniqueAndOverlap compares with maps of positions as text.
func TestUniqueAndOverlap(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	in, _, _, _ := testkit.CutGames(t, dir)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if _, err := (ingest.Request{Inputs: in[1:2], Out: a, Splits: dataset.DefaultSplits}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := (ingest.Request{Inputs: in, Out: b, Splits: dataset.DefaultSplits,
		KeepDuplicates: true}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var n naive
	n.Read(t, b)
	s, err := stats.Request{Dir: b, Unique: true, Workers: 3}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	most, copies := 0, int64(0)
	for _, c := range n.Samples {
		most = max(most, c)
	}
	for _, bin := range s.Unique.Copies {
		copies += bin.Samples
	}
	if s.Unique.Positions != int64(len(n.All)) || s.Unique.Samples != int64(len(n.Samples)) ||
		s.Unique.MostCopies != int64(most) || copies != s.Samples {
		t.Errorf("%+v, want %d, %d, %d, %d", s.Unique, len(n.All), len(n.Samples), most, s.Samples)
	}
	if s.Unique.SamplesMirrored > s.Unique.Samples || s.Overlap.Val.SeenMirrored < s.Overlap.Val.Seen {
		t.Errorf("%+v, %+v", s.Unique, s.Overlap)
	}
	n = naive{}
	n.Read(t, a, b)
	v, err := verify.Request{Dirs: []string{a, b}, Workers: 3}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range []stats.SplitOverlap{{}, v.Overlap.Val, v.Overlap.Test} {
		split := dataset.Split(i)
		if split != dataset.Train && (o.Samples != int64(len(n.Held[split])) || o.Seen != n.Seen(split) ||
			o.Samples == 0) {
			t.Errorf("%v: %+v, want %d of %d", split, o, n.Seen(split), len(n.Held[split]))
		}
	}
	if !v.Whole || len(v.Datasets) != 2 {
		t.Errorf("%+v", v)
	}
	none := 0.0
	if _, err := (verify.Request{Dirs: []string{a}, MaxOverlap: &none}).Run(t.Context()); !errors.Is(err,
		verify.ErrOverlap) {
		t.Error(err)
	}
}

// TestMirroredOverlap has a train position only with colours swapped.
func TestMirroredOverlap(t *testing.T) {
	lines := []dataset.Line{madeup.Line(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4"),
		madeup.Line(t, "4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5")}
	train := madeup.Dataset(t, lines[:1], 1)
	m, err := dataset.ReadManifest(madeup.Dataset(t, lines[1:], 1))
	if err != nil {
		t.Fatal(err)
	}
	held := madeup.Dataset(t, lines[1:], 1)
	m.Splits = dataset.Splits{Test: 100}
	if err := errors.Join(os.Remove(filepath.Join(held, dataset.ManifestName)),
		dataset.WriteManifest(held, m)); err != nil {
		t.Fatal(err)
	}
	v, err := verify.Request{Dirs: []string{train, held}}.Run(t.Context())
	if !errors.Is(err, verify.ErrSplits) { // the same game would be in train and in test
		t.Fatal(err)
	}
	if v.Overlap.Test != (stats.SplitOverlap{Samples: 1, SeenMirrored: 1, ShareMirrored: 1}) {
		t.Errorf("%+v", v.Overlap.Test)
	}
}
