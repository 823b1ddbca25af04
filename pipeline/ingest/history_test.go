package ingest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
)

// samplePositions returns the FENs of a line's samples.
func samplePositions(l *dataset.Line) (fens []string) {
	p := l.Start
	for ply := 0; ; ply++ {
		if l.Samples.Has(ply, len(l.Moves)) {
			fens = append(fens, p.FEN())
		}
		if ply == len(l.Moves) {
			return fens
		}
		p.Play(l.Moves[ply])
	}
}

// TestHistory: with reconstructed history, puzzles, EPD and tables have the same samples in the same splits with the
// same labels and policies; the history is legal by another rules library; games keep what they have.
func TestHistory(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	games, table, tactics := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "table.csv"), filepath.Join(dir,
		"tactics.epd")
	testkit.WriteGames(t, games, 20, 2)
	testkit.WriteRows(t, table, tactics, 400)
	in := ingest.Request{Inputs: []string{games, "../../examples/puzzles.csv", table, tactics},
		Splits: dataset.DefaultSplits,
		Seed:   1}
	run := func(name string, history, workers int, seed uint64) (string, ingest.Summary) {
		t.Helper()
		in.Out, in.History, in.Workers, in.Seed = filepath.Join(dir, name), history, workers, seed
		sum := testkit.Run(t, in)
		return in.Out, sum
	}
	bare, sum := run("bare", 0, 1, 1)
	with, sumWith := run("with", 4, 1, 1)
	again, _ := run("again", 4, 3, 1)
	other, _ := run("other", 4, 2, 2)
	testkit.Same(t, with, again)
	if sum.Samples != sumWith.Samples || sum.GamesKept != sumWith.GamesKept ||
		sum.Rejects[dataset.Duplicate] != sumWith.Rejects[dataset.Duplicate] {
		t.Errorf("%+v and %+v", sum, sumWith)
	}
	a, b, c := madeup.All(t, bare), madeup.All(t, with), madeup.All(t, other)
	rows, reconstructed, differ, exact, total, bySource := int64(0), int64(0), 0, 0, 0, map[dataset.Source]int{}
	for i := range b {
		l := &b[i]
		testkit.OK(t, l.Check())
		if dataset.SplitKey(l) != dataset.SplitKey(&a[i]) || l.GameHash() != a[i].GameHash() {
			t.Fatalf("line %d has another split key or identity", i)
		}
		if l.Source == dataset.SourceGame {
			if l.Reconstructed != 0 {
				t.Fatal("a game has reconstructed history")
			}
			continue
		}
		if rows++; l.Reconstructed == 0 {
			continue
		}
		reconstructed++
		bySource[l.Source]++
		if l.Start != c[i].Start {
			differ++
		}
		testkit.ReplayElsewhere(t, l.Start, l.Moves[:l.Reconstructed], a[i].Start)
		want, got := samplePositions(&a[i]), samplePositions(l)
		for k := range want {
			x, err1 := board.ParseFEN(want[k])
			y, err2 := board.ParseFEN(got[k])
			if err1 != nil || err2 != nil || x.EPD() != y.EPD() {
				t.Fatalf("line %d: sample %d is %s, not %s", i, k, got[k], want[k])
			}
			if a[i].Start.FullmoveNumber() > 3 { // else too few moves were played, or the number is unknown
				if total++; want[k] == got[k] {
					exact++
				}
			}
		}
		if len(want) != len(got) || len(l.Policies) != len(a[i].Policies) || len(l.Labels) != len(a[i].Labels) {
			t.Fatalf("line %d has other samples, policies or labels", i)
		}
		if l.Source == dataset.SourcePuzzle && !slices.Equal(l.Moves[4:], a[i].Moves) {
			t.Fatalf("line %d: the puzzle's moves %v became %v", i, a[i].Moves, l.Moves[4:])
		}
	}
	if reconstructed+sumWith.NoHistory != rows || reconstructed < rows*99/100 || len(bySource) != 2 {
		t.Errorf("%d of %d lines have history, %d have none: %v", reconstructed, rows, sumWith.NoHistory, bySource)
	}
	if differ < int(reconstructed)*9/10 {
		t.Errorf("another seed gives another past to %d of %d", differ, reconstructed)
	}
	if exact < total*99/100 || total < 100 {
		t.Errorf("%d of %d samples have their counters", exact, total)
	}
}
