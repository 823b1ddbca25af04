package stats

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/progress"
	"talbot/internal/testkit/madeup"
	"talbot/shards"
)

// TestStats knows every number of the small dataset, and how they are written.
func TestStats(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 2)
	s, err := Request{Dir: dir}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	for _, shard := range m.Shards {
		bytes += shard.Bytes
	}
	if s.Games != 5 || s.Positions != 6+5+15 || s.Samples != 10 || s.Labelled != 5 || s.Bytes != bytes ||
		s.Reconstructed != 12 {
		t.Errorf("totals %+v", s)
	}
	if want := float64(bytes) / 26; math.Abs(s.BytesPerPosition-want) > 1e-9 {
		t.Errorf("%v bytes per position, want %v", s.BytesPerPosition, want)
	}
	wantSources := map[string]Totals{"game": {1, 6, 5, 2}, "puzzle": {1, 5, 2, 2}, "endgame": {3, 15, 3, 1},
		"table": {}, "aggregate": {}, "engine": {}, "selfplay": {}}
	if !reflect.DeepEqual(s.BySource, wantSources) {
		t.Errorf("sources %+v", s.BySource)
	}
	if want := map[string]Totals{"train": {5, 26, 10, 5}, "val": {}, "test": {}}; !reflect.DeepEqual(s.BySplit, want) {
		t.Errorf("splits %+v", s.BySplit)
	}
	if want := map[int]int64{32: 5, 9: 2, 3: 3}; !reflect.DeepEqual(s.PieceCounts, want) {
		t.Errorf("pieces %v", s.PieceCounts)
	}
	if want := map[string]int64{"1-0": 1, "*": 4}; !reflect.DeepEqual(s.Results, want) {
		t.Errorf("results %v", s.Results)
	}
	if want := (Distribution{1, 2700, 2700, 2700, []Bin{{2700, 2800, 1}}}); !reflect.DeepEqual(s.Ratings, want) {
		t.Errorf("ratings %+v", s.Ratings)
	}
	if want := (Distribution{5, 4, 5, 4.2, []Bin{{0, 20, 5}}}); !reflect.DeepEqual(s.Plies, want) {
		t.Errorf("plies %+v", s.Plies)
	}
	old, now := s.Labels[0], s.Labels[1]
	if want := map[string]int64{"labelled": 2, "failed": 1, "missing": 7,
		"terminal": 0}; !reflect.DeepEqual(old.Statuses, want) {
		t.Errorf("statuses %v, want %v", old.Statuses, want)
	}
	if want := map[string]int64{"labelled": 4, "failed": 0, "missing": 5,
		"terminal": 1}; !reflect.DeepEqual(now.Statuses, want) {
		t.Errorf("statuses %v, want %v", now.Statuses, want)
	}
	if now.Mating != 2 || now.Mated != 1 || now.Depth != 12 || now.Nodes != 17000 || now.Limit != "movetime 20" {
		t.Errorf("labels %+v", now)
	}
	for _, bin := range now.Scores {
		want := int64(0)
		if bin.From != nil && *bin.From == -75 {
			want = 1 // -31
		}
		if bin.Count != want {
			t.Errorf("%d scores from %v, want %d", bin.Count, bin.From, want)
		}
	}
	s.Games = 1234567
	text, _ := written(t, s)
	for _, want := range []string{
		"games                           1,234,567\n",
		"\nendgame      3         15  3 (30.0 %)         1\n",
		"\n  32            ████████████████████████████████ 5, 50.0 %\n",
		"\nLength: plies of a line: 4 to 5, mean 4.2\n",
		"\nStockfish 15.1, movetime 20: build 0123456789abcdef · fingerprint ",
		"  mates         ████████████████████████████████ 2, 50.0 %\n",
		"  -50           ████████████████                 1, 25.0 %\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestLabelStats knows every number of a game with labels on all moves.
func TestLabelStats(t *testing.T) {
	pos := board.StartPosition()
	var moves []board.Move
	var labels []dataset.Label
	for i, s := range []struct {
		score dataset.Score // of the side to move
		best  bool          // the move played is the engine's
		nodes int64
	}{
		{dataset.Centipawns(30), true, 1},
		{dataset.Centipawns(-30), false, 2}, // gives away 0.13: inaccuracy
		{dataset.Centipawns(100), true, 1000},
		{dataset.Centipawns(-100), false, 1023}, // 0.25: mistake
		{dataset.Centipawns(250), false, 1024},  // 0.75: blunder
		{dataset.Centipawns(200), true, 20000},  // 0, the opponent is to be mated
		{dataset.MateIn(-4), false, 20000},      // behind it there is no label
	} {
		legal := pos.LegalMoves(nil)
		best := legal[0]
		if !s.best {
			best = legal[1]
		}
		labels = append(labels, dataset.Label{Status: dataset.Labelled, Best: best,
			Lines: []dataset.Searched{{Score: s.score, Depth: 3 + i%2, Nodes: s.nodes, PV: []board.Move{best}}}})
		moves = append(moves, legal[0])
		pos.Play(legal[0])
	}
	moves = append(moves, pos.LegalMoves(nil)[0])
	labels = append(labels, dataset.Label{Status: dataset.Failed})
	start := board.StartPosition()
	in := madeup.Labelled(t, []dataset.Line{
		{Start: start, Moves: moves, Labels: []dataset.LabelColumn{{Labels: labels}}, Number: 1},
		{Start: start, Moves: moves[:2], Samples: dataset.OddPlies(), Source: dataset.SourcePuzzle,
			Labels: []dataset.LabelColumn{{Labels: labels[:1]}}, Number: 2},
	}, "1")
	for _, workers := range []int{1, 2} {
		s, err := Request{Dir: in, Workers: workers}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l := s.Labels[0]
		if want := (Played{Moves: 7, Agree: 3, Agreement: 3. / 7, Judged: 6, Inaccuracies: 1, Mistakes: 1, Blunders: 1,
			BlunderShare: 1. / 6}); l.Played != want {
			t.Errorf("played %+v, want %+v", l.Played, want)
		}
		if want := (Distribution{8, 3, 4, 27. / 8, []Bin{{3, 4, 5}, {4, 5, 3}}}); !reflect.DeepEqual(l.Depths, want) {
			t.Errorf("depths %+v, want %+v", l.Depths, want)
		}
		if want := (Distribution{8, 1, 20000, 43051. / 8,
			[]Bin{{1, 2, 2}, {2, 4, 1}, {512, 1024, 2}, {1024, 2048, 1},
				{16384, 32768, 2}}}); !reflect.DeepEqual(l.NodeCounts, want) {
			t.Errorf("nodes %+v, want %+v", l.NodeCounts, want)
		}
		if l.Mates != 1./8 {
			t.Errorf("mates %v", l.Mates)
		}
		if text, _ := written(t, s); !strings.Contains(text, "engine's choice  42.9 % of 7") ||
			!strings.Contains(text, "16.7 %, 1 of 6; 1 mistake, 1 inaccuracy") {
			t.Error(text)
		}
	}
}

func TestDepthBins(t *testing.T) {
	counts := map[int64]int64{4: 1, 31: 2, 32: 3, 63: 4, 64: 5, 245: 6}
	if got, want := distribution(counts, depthBin).Bins, []Bin{{4, 5, 1}, {31, 32, 2}, {32, 64, 7}, {64, 128, 5},
		{128, 256, 6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestScoreBins puts scores on and beside the bounds.
func TestScoreBins(t *testing.T) {
	l := labelCounts{Depths: map[int64]int64{}, Effort: map[int64]int64{}}
	for _, cp := range []int{-30000, -1001, -1000, -26, -25, 24, 25, 999, 1000, 30000} {
		l.add(&dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: dataset.Centipawns(cp)}}})
	}
	if want := [13]int64{2, 1, 0, 0, 0, 1, 2, 1, 0, 0, 0, 1, 2}; l.Bins != want {
		t.Errorf("bins %v, want %v", l.Bins, want)
	}
}

// TestStatsWorkers: the result does not depend on the workers, and reports come from one goroutine at a time.
func TestStatsWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var lines []dataset.Line
	for i := range 3000 {
		l := madeup.Lines(t)[i%5]
		l.Result, l.WhiteElo, l.BlackElo = dataset.Result(rng.IntN(4)), rng.IntN(3000), 1+rng.IntN(3000)
		lines = append(lines, l)
	}
	dir := madeup.Dataset(t, lines, 1500)
	var want *Statistics
	for _, workers := range []int{1, 2, 7} {
		done := int64(0)
		s, err := Request{Dir: dir, Workers: workers, Progress: func(p progress.Progress) {
			done = max(done, p.Done)
		}}.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = s
		}
		if !reflect.DeepEqual(s, want) || done != s.Positions {
			t.Errorf("%d workers: another result, or %d of %d positions reported", workers, done, s.Positions)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Request{Dir: dir}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// Two damaged blocks: the first is named, whoever reads it.
	for i := range 2 {
		madeup.Flip(t, filepath.Join(dir, shards.Name(i)), 40)
	}
	for range 10 {
		_, err := Request{Dir: dir, Workers: 4}.Run(context.Background())
		if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), shards.Name(0)) {
			t.Fatalf("damaged: %v", err)
		}
	}
}

// TestStatsEmptyAndIllegal: a dataset without lines counts to zero, one whose moves are illegal is damaged.
func TestStatsEmptyAndIllegal(t *testing.T) {
	s, err := Request{Dir: madeup.Dataset(t, nil, 1)}.Run(context.Background())
	if err != nil || s.Games != 0 || s.BytesPerPosition != 0 || len(s.BySource) != len(dataset.Sources()) {
		t.Errorf("%+v, %v", s, err)
	}
	l := madeup.Line(t, board.StartFEN, "e2e4")
	l.Moves[0] = board.NewMove(4, 60)
	dir := madeup.Dataset(t, []dataset.Line{l}, 1)
	if _, err := (Request{Dir: dir}).Run(context.Background()); !errors.Is(err, dataset.ErrDamaged) ||
		!strings.Contains(err.Error(), "e1e8") {
		t.Errorf("illegal move: %v", err)
	}
}
