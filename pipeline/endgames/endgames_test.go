package endgames_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/endgames"
	"talbot/synth"
)

func TestSynth(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	var outs []string
	for _, workers := range []int{1, 3} {
		out := filepath.Join(dir, fmt.Sprint("out", workers))
		sum := testkit.Run(t, endgames.Request{Count: endgameCount, Config: config(1), Out: out,
			Splits:  dataset.DefaultSplits,
			Workers: workers})
		rejected := int64(0)
		for _, n := range sum.Rejects {
			rejected += n
		}
		if sum.GamesKept != endgameCount || sum.Samples != endgameCount || sum.GamesRead != endgameCount+rejected {
			t.Errorf("%+v", sum)
		}
		outs = append(outs, out)
	}
	testkit.Same(t, outs[0], outs[1])
	seen := map[string]bool{}
	for _, l := range madeup.Each(t, outs[0]) {
		p := l.Start
		for _, m := range l.Moves {
			p.Play(m)
		}
		q := p.Mirror()
		if seen[p.EPD()] || seen[q.EPD()] {
			t.Fatalf("%s occurs twice", p.EPD())
		}
		seen[p.EPD()] = true
	}
}

func config(seed uint64) synth.Config {
	c := synth.DefaultConfig()
	c.Seed = seed
	return c
}

// materials draws only those materials.
func materials(t *testing.T, text string) synth.Config {
	t.Helper()
	c := config(3)
	var err error
	if c.Materials, err = synth.ParseMaterials(text); err != nil {
		t.Fatal(err)
	}
	c.Pieces = synth.PieceWeights{}
	return c
}

// sampled returns the sampled positions of a dataset, with White to move, as
// how often each occurs, and how many there are of each class.
func sampled(t *testing.T, dir string) (copies map[string]int, classes map[string]int) {
	t.Helper()
	copies, classes = map[string]int{}, map[string]int{}
	for _, l := range madeup.Each(t, dir) {
		p := l.Start
		for _, m := range l.Moves {
			if !p.IsLegal(m) {
				t.Fatalf("%s: %v is illegal", p.FEN(), m)
			}
			p.Play(m)
		}
		if p.Turn() == board.Black {
			p = p.Mirror()
		}
		copies[p.EPD()]++
		classes[p.Material().Fold().String()]++
	}
	return copies, classes
}

// TestSynthExhausted: a class with few positions runs out, says so, and the
// rest of its share goes to the other one; nothing is drawn twice, with any
// number of workers, and interrupted runs end with the same bytes.
func TestSynthExhausted(t *testing.T) {
	output.SmallShards(t, 1500)
	// A class counts as exhausted after three misses in a row here, so that the test is quick.
	s := endgames.Request{Count: 45000, Config: materials(t, "KPvK:9 KRvKP"), Splits: dataset.DefaultSplits}
	s.Config.Patience = 3
	dir := t.TempDir()
	s.Out, s.Workers = filepath.Join(dir, "one"), 1
	sum := testkit.Run(t, s)
	if !slices.Equal(sum.Exhausted, []string{"KPvK"}) || sum.GamesKept != s.Count {
		t.Fatalf("%+v", sum)
	}
	copies, classes := sampled(t, s.Out)
	if len(copies) != int(s.Count) {
		t.Errorf("%d different endgames of %d", len(copies), s.Count)
	}
	// Until the first class ran out it had nine of ten.
	if n := classes["KRvKP"]; classes["KPvK"] >= int(s.Count)*9/10-300 || n <= int(s.Count)/10+300 ||
		n+classes["KPvK"] != int(s.Count) {
		t.Errorf("classes %v", classes)
	}
	cut := s
	cut.Out, cut.Workers = filepath.Join(dir, "cut"), 3
	testkit.Interrupted(t, func(ctx context.Context, stop func()) error {
		batches := 0
		cut.Progress = func(progress.Progress) {
			if batches++; batches == 9 {
				stop()
			}
		}
		again, err := cut.Run(ctx)
		if err == nil && (!again.Resumed || !slices.Equal(again.Exhausted, sum.Exhausted)) {
			t.Errorf("%+v", again)
		}
		return err
	})
	testkit.Same(t, s.Out, cut.Out)
}

// TestSynthNothingLeft: where all classes run out, the dataset has what there
// is and says so.
func TestSynthNothingLeft(t *testing.T) {
	config := materials(t, "KRvK")
	config.Patience = 2
	sum, err := endgames.Request{Count: 1e6, Config: config, Out: filepath.Join(t.TempDir(), "out"),
		Splits: dataset.DefaultSplits}.Run(t.Context())
	if err != nil || sum.GamesKept < 1000 || sum.GamesKept > 400_000 || !slices.Equal(sum.Exhausted, []string{"KRvK"}) {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestSynthSeed: another seed draws other endgames, and the piece counts are as
// asked for although three pieces repeat often.
func TestSynthSeed(t *testing.T) {
	dir := t.TempDir()
	var all []map[string]int
	for seed := range uint64(2) {
		c := config(seed)
		c.Pieces = synth.PieceWeights{3: 3, 5: 1}
		s := endgames.Request{Count: 40000, Config: c, Out: filepath.Join(dir, string('a'+rune(seed))),
			Splits: dataset.DefaultSplits}
		sum, err := s.Run(t.Context())
		if err != nil || sum.Rejects[dataset.Duplicate] < 100 {
			t.Fatalf("%+v, %v", sum, err)
		}
		copies, classes := sampled(t, s.Out)
		three := 0
		for class, n := range classes {
			if len(class) == 4 {
				three += n
			}
		}
		if d := three - 30000; d < -450 || d > 450 { // five standard deviations
			t.Errorf("%d endgames of three pieces", three)
		}
		all = append(all, copies)
	}
	both := 0
	for epd := range all[0] {
		both += all[1][epd]
	}
	if both > len(all[0])/20 {
		t.Errorf("%d of %d endgames are those of another seed", both, len(all[0]))
	}
}

// A verb that works for long says so at its next shard.
func TestDrawingIntoNoFolder(t *testing.T) {
	output.SmallShards(t, 50)
	dir := filepath.Join(t.TempDir(), "out")
	moved := false
	_, err := endgames.Request{Count: 20_000, Config: materials(t, "KPPvKR"), Out: dir,
		Splits: dataset.DefaultSplits,
		Progress: func(progress.Progress) {
			if !moved {
				moved = os.Rename(dir, dir+"-away") == nil
			}
		}}.Run(t.Context())
	if !moved || !errors.Is(err, output.ErrGone) {
		t.Errorf("moved %v: %v", moved, err)
	}
}

const endgameCount = 1200
