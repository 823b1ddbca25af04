package loader

import (
	"reflect"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/shards"
	"talbot/train/internal/madeup"
)

// known is a line as the tests compare it: each with each, from the words of the documentation alone.
type known struct {
	epd   string
	moves []board.Move
	split dataset.Split
}

func knownOf(l *dataset.Line, split dataset.Split) known {
	start, moves := l.WithoutHistory()
	return known{start.EPD(), moves, split}
}

func knownLines(t *testing.T, dir string) (all []known) {
	t.Helper()
	ds, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ds.Close()
	for l, err := range ds.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, knownOf(l, ds.Manifest.Splits.Of(dataset.SplitKey(l))))
	}
	return all
}

// cutCopyIn reports whether one of the lines that is in train, or is not, is the beginning of l or begins with it.
func (l *known) cutCopyIn(lines []known, train bool) bool {
	return slices.ContainsFunc(lines, func(other known) bool {
		n := min(len(l.moves), len(other.moves))
		return (other.split == dataset.Train) == train && n >= 20 && l.epd == other.epd &&
			slices.Equal(l.moves[:n], other.moves[:n])
	})
}

// cutDatasets are games, the same games cut to 15 to 34 plies, and others: endgames and puzzles, whose moves are long
// enough to count too.
func cutDatasets(t *testing.T) (whole, cut, others string) {
	t.Helper()
	splits := dataset.Splits{Train: 60, Val: 20, Test: 20}
	whole = write(t, madeup.Dataset{Seed: 1, Games: 300, Splits: splits, Shards: 2,
		Plies: func(game int) int { return 25 + game%40 }})
	cut = write(t, madeup.Dataset{Seed: 1, Games: 300, Splits: splits,
		Plies: func(game int) int { return 15 + (game/2)%20 }})
	others = write(t, madeup.Dataset{Seed: 1, Games: 50, Splits: splits, Source: dataset.SourceEndgame,
		Plies: func(game int) int { return game }})
	return whole, cut, others
}

// TestCutCopiesAreLeftOut: training leaves out the train lines that are cut copies of val or test lines of any dataset,
// and no others, with a cap on copies and without, with any number of workers, and from a kept survey.
func TestCutCopiesAreLeftOut(t *testing.T) {
	whole, cut, others := cutDatasets(t)
	dirs := []string{whole, cut, others}
	var all []known
	for _, dir := range dirs {
		all = append(all, knownLines(t, dir)...)
	}
	asBefore := false // with the lines
	open := func(most, workers int) *Data {
		d, err := Open(t.Context(), []Spec{{Dir: whole}, {Dir: cut}, {Dir: others}},
			Options{Encoder: encode.TalbotBot{}, MaxCopies: most, Workers: workers, CutCopies: asBefore})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	}
	for _, most := range []int{0, 2} {
		d := open(most, 3)
		s := survey(t, d)
		left := map[uint64]int64{}
		for i := range dirs {
			var want Counts
			for block := range d.Sets[i].blocks {
				r, err := d.extract(d.Sets[i], block, only(dataset.Train))
				if err != nil {
					t.Fatal(err)
				}
				isCut := make([]bool, len(r.lines))
				for k := range r.lines {
					if l := knownOf(&r.lines[k], dataset.Train); l.cutCopyIn(all, false) {
						isCut[k] = true
						want.CutLines++
					}
				}
				for k := range r.samples {
					cut, kept := isCut[r.samples[k].line], s.mask.keeps(i, block, k)
					if cut && kept || most == 0 && !cut && !kept {
						t.Fatalf("dataset %d, block %d, sample %d: cut copy %v, kept %v", i, block, k, cut, kept)
					}
					if cut {
						want.CutSamples++
					}
					if kept {
						left[r.samples[k].key]++
					}
				}
			}
			if got := s.Sets[i]; got.CutLines != want.CutLines || got.CutSamples != want.CutSamples {
				t.Errorf("dataset %d: %+v, want %d lines, %d samples", i, got, want.CutLines, want.CutSamples)
			}
			if i < 2 && (want.CutLines < 10 || want.CutLines > 80) {
				t.Errorf("dataset %d: %d cut copies: the test shows little", i, want.CutLines)
			}
		}
		for _, n := range left {
			if most > 0 && n > int64(most) {
				t.Errorf("%d copies of a position, at most %d", n, most)
			}
		}
		run := t.TempDir()
		if err := s.Keep(run); err != nil {
			t.Fatal(err)
		}
		kept, err := open(most, 2).SurveyOf(t.Context(), run, 100, 32, func(int, int) { t.Error("read again") })
		if err != nil {
			t.Fatal(err)
		}
		alone := survey(t, open(most, 1))
		for name, other := range map[string]*Survey{"one worker": alone, "a kept survey": kept} {
			if !reflect.DeepEqual(other.Sets, s.Sets) || !reflect.DeepEqual(other.Val, s.Val) {
				t.Errorf("%s: %+v, want %+v", name, other.Sets, s.Sets)
			}
			l, m := s.NewLoader(LoaderOptions{Batch: 64}), other.NewLoader(LoaderOptions{Batch: 64})
			for range 3 * s.Train() / 64 {
				if sum(next(t, l)) != sum(next(t, m)) {
					t.Errorf("%s draws other batches", name)
					break
				}
			}
			l.Close()
			m.Close()
		}
		asBefore = true
		read := false
		before, err := open(most, 2).SurveyOf(t.Context(), run, 100, 32, func(int, int) { read = true })
		if asBefore = false; err != nil {
			t.Fatal(err)
		}
		for i, c := range before.Sets {
			after := s.Sets[i]
			if c.CutLines+c.CutSamples > 0 || !read ||
				c.Train+c.Capped != after.Train+after.Capped+after.CutSamples {
				t.Errorf("with the lines dataset %d has %+v, without %+v", i, c, after)
			}
		}
	}
}

// TestCutCopiesAreNotUnseen: of an evaluated line that is a cut copy of a train line no sample is unseen, whichever of
// both is longer; else the position decides.
func TestCutCopiesAreNotUnseen(t *testing.T) {
	whole, cut, others := cutDatasets(t)
	for name, c := range map[string][2]string{"longer": {whole, cut}, "shorter": {cut, whole}, "same": {whole, whole},
		"endgames": {others, whole}} {
		evaluated, trainedOn := c[0], c[1]
		trained := map[string]bool{}
		for _, p := range epds(t, trainedOn, dataset.Train) {
			trained[p] = true
		}
		lines := knownLines(t, trainedOn)
		for _, limit := range []int64{0, 500} {
			d := open(t, 3, Spec{Dir: evaluated})
			places, byLine := linesByPlace(t, d, lines), 0
			for _, s := range collect(t, d, EvalOptions{Splits: []dataset.Split{dataset.Val, dataset.Test},
				Limit:     limit,
				TrainedOn: []Spec{{Dir: trainedOn}}}) {
				isCut := places[s.Origin.Line]
				if want := !isCut && !trained[epd(&s.Origin.Position)]; s.Unseen != want {
					t.Fatalf("%s: ply %d of a line: unseen %v, want %v", name, s.Origin.Ply, s.Unseen, want)
				}
				if isCut && !trained[epd(&s.Origin.Position)] {
					byLine++
				}
			}
			if name == "longer" && byLine == 0 || name == "same" && byLine > 0 {
				t.Errorf("%s: %d samples are seen by their line alone", name, byLine)
			}
		}
	}
}

// linesByPlace says of each val and test line, by [evaluate.Origin.Line], whether it is a cut copy of a train line
// among others.
func linesByPlace(t *testing.T, d *Data, others []known) map[int64]bool {
	t.Helper()
	isCut := map[int64]bool{}
	for set := range d.Sets {
		for block := range d.Sets[set].blocks {
			r, err := d.extract(d.Sets[set], block, only(dataset.Val, dataset.Test))
			if err != nil {
				t.Fatal(err)
			}
			for k := range r.lines {
				l := knownOf(&r.lines[k], dataset.Test)
				isCut[int64(set)<<48|int64(block)<<24|int64(k)] = l.cutCopyIn(others, true)
			}
		}
	}
	return isCut
}
