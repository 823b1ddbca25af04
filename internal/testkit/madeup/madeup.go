// Package madeup makes small datasets whose every number is known, for the tests of the verbs.
package madeup

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/shards"
)

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Prints are the fingerprints of the dataset that Dataset writes.
var Prints = []dataset.Fingerprint{
	{Engine: "Old 1", Author: "nobody", Build: "00", Limit: "depth 1"},
	{
		Engine: "Stockfish 15.1", Author: "the Stockfish developers", Build: "0123456789abcdef", Limit: "movetime 20",
		Options: []dataset.Tag{{Name: "Hash", Value: "16"}, {Name: "Threads", Value: "1"}},
	},
}

// Line makes a line from UCI moves.
func Line(t testing.TB, fen string, uci ...string) dataset.Line {
	t.Helper()
	start, err := board.ParseFEN(fen)
	must(t, err)
	l := dataset.Line{Start: start, Moves: []board.Move{}}
	for _, s := range uci {
		m, err := start.ParseUCI(s)
		must(t, err)
		l.Moves = append(l.Moves, m)
		start.Play(m)
	}
	return l
}

// Label is a label of one line at depth 12 with 17000 nodes.
func Label(t testing.TB, score dataset.Score, pv ...string) dataset.Label {
	t.Helper()
	l := dataset.Label{Status: dataset.Labelled, Lines: []dataset.Searched{{Score: score, Depth: 12, Nodes: 17000}}}
	for _, s := range pv {
		from, to := strings.Index(squares, s[:2])/2, strings.Index(squares, s[2:4])/2
		l.Lines[0].PV = append(l.Lines[0].PV, board.NewMove(board.Square(from), board.Square(to)))
	}
	l.Best = l.Lines[0].PV[0]
	return l
}

var squares = func() (s string) {
	for sq := range board.Square(64) {
		s += sq.String()
	}
	return s
}()

// Lines are a game, a puzzle and three endgames, in samples: 5 + 2 + 3.
func Lines(t testing.TB) []dataset.Line {
	game := Line(t, board.StartFEN, "e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
	game.Number, game.WhiteElo, game.Result = 7, 2700, dataset.WhiteWins
	game.Tags = []dataset.Tag{{Name: "Black", Value: "Übel"}, {Name: "White", Value: "Tal, M"}}
	now := Label(t, dataset.Centipawns(-31), "g8f6", "f3e5")
	now.Lines[0].WDL = dataset.WDL{Win: 100, Draw: 750, Loss: 150}
	game.Labels = []dataset.LabelColumn{
		{Fingerprint: 0, Labels: []dataset.Label{Label(t, 1, "d2d4"), {Status: dataset.Failed}, {},
			Label(t, 900, "b8a6"), {}}},
		{Fingerprint: 1, Labels: []dataset.Label{{}, {}, {}, now, {}}},
	}

	puzzle := Line(t, "6k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 3 30", "h7h6", "a1a8", "g8h7", "a8a7")
	puzzle.Source, puzzle.Input, puzzle.Number, puzzle.Samples = dataset.SourcePuzzle, 1, 1, dataset.OddPlies()
	puzzle.Labels = []dataset.LabelColumn{{Fingerprint: 1, Labels: []dataset.Label{
		Label(t, dataset.MateIn(3), "a1a8"), Label(t, dataset.MateIn(-2), "a8a7"),
	}}}

	ends := []dataset.Line{
		Line(t, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f2", "h8g8", "f2f3", "g8h8"),
		Line(t, "7k/8/6K1/8/8/8/8/5Q2 b - - 0 1", "h8g8", "f1b1", "g8h8", "b1b8"),
		Line(t, "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f2", "h8g8", "f2f1", "g8h8"),
	}
	for i := range ends {
		ends[i].Source, ends[i].Input, ends[i].Number = dataset.SourceEndgame, 2, int64(i+1)
		ends[i].Reconstructed, ends[i].Samples = 4, dataset.LastPosition()
	}
	ends[0].Labels = []dataset.LabelColumn{{Fingerprint: 1,
		Labels: []dataset.Label{Label(t, dataset.MateIn(1), "f3f8")}}}
	ends[1].Labels = []dataset.LabelColumn{{Fingerprint: 1, Labels: []dataset.Label{{Status: dataset.Terminal}}}}
	return append([]dataset.Line{game, puzzle}, ends...)
}

// Dataset writes lines to a folder, in shards of at most that many lines. All are in the train split.
func Dataset(t testing.TB, lines []dataset.Line, perShard int) string {
	t.Helper()
	return SplitDataset(t, lines, perShard, dataset.Splits{Train: 100})
}

// SplitDataset is [Dataset] with other splits.
func SplitDataset(t testing.TB, lines []dataset.Line, perShard int, splits dataset.Splits) string {
	t.Helper()
	dir := t.TempDir()
	WriteShards(t, dir, dataset.Manifest{
		Tool: "talbot test", Verb: "test", Splits: splits, Fingerprints: Prints,
		Inputs: []dataset.Input{{Name: "a.pgn"}, {Name: "p.csv"}, {Name: "draws"}},
		Counts: dataset.Counts{GamesRead: int64(len(lines))},
	}, lines, perShard)
	return dir
}

// WriteShards writes lines as a dataset whose shards have at most that many lines, and counts them in its manifest.
func WriteShards(t testing.TB, dir string, m dataset.Manifest, lines []dataset.Line, perShard int) {
	t.Helper()
	for part := range slices.Chunk(lines, max(perShard, 1)) {
		w, err := shards.Create(dir, len(m.Shards), 1)
		must(t, err)
		for i := range part {
			must(t, w.Write(&part[i]))
			m.Counts.AddLine(&part[i])
		}
		info, err := w.Commit()
		must(t, err)
		m.Shards = append(m.Shards, info)
	}
	must(t, dataset.WriteManifest(dir, &m))
}

// Labelled writes lines as a dataset with one fingerprint.
func Labelled(t testing.TB, lines []dataset.Line, multiPV string) string {
	t.Helper()
	return OneShard(t, dataset.Manifest{Tool: output.Tool, Verb: "label", Splits: dataset.DefaultSplits,
		Inputs: []dataset.Input{{Name: "x.pgn", Games: int64(len(lines))}},
		Fingerprints: []dataset.Fingerprint{{Engine: "Test", Options: []dataset.Tag{{Name: "MultiPV", Value: multiPV}},
			Limit: "nodes 1000"}},
		Counts: dataset.Counts{Rejects: map[dataset.Reason]int64{}}}, lines)
}

// OneShard writes lines as a dataset of one shard.
func OneShard(t testing.TB, m dataset.Manifest, lines []dataset.Line) string {
	t.Helper()
	dir := t.TempDir()
	m.Counts.GamesRead += int64(len(lines))
	WriteShards(t, dir, m, lines, len(lines))
	return dir
}

// Write writes lines as a command does: shards end where they are full.
func Write(t testing.TB, dir string, m dataset.Manifest, lines iter.Seq[*dataset.Line]) {
	t.Helper()
	out, err := output.Open(m, nil, output.Options{Out: dir, Workers: runtime.GOMAXPROCS(0)})
	must(t, err)
	defer out.Close()
	for l := range lines {
		must(t, out.Write(l))
		if out.Full() {
			must(t, out.EndShard())
		}
	}
	must(t, out.Finish(nil))
}

// Each returns the lines of a dataset, each with its manifest.
func Each(t testing.TB, dir string) iter.Seq2[*dataset.Manifest, *dataset.Line] {
	t.Helper()
	return func(yield func(*dataset.Manifest, *dataset.Line) bool) {
		t.Helper()
		d, err := shards.OpenDataset(dir)
		must(t, err)
		defer d.Close()
		for l, err := range d.Lines() {
			must(t, err)
			if !yield(d.Manifest, l) {
				return
			}
		}
	}
}

// All returns the lines of a dataset.
func All(t testing.TB, dir string) (all []dataset.Line) {
	t.Helper()
	for _, l := range Each(t, dir) {
		all = append(all, *l)
	}
	return all
}

// Files returns the content of every file of a folder.
func Files(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		files[e.Name()] = string(data)
	}
	return files
}

// Verify fails the test unless the dataset is whole.
func Verify(t testing.TB, dir string) shards.Report {
	t.Helper()
	r, err := shards.Verify(context.Background(), dir, shards.VerifyOptions{})
	if err != nil {
		t.Fatalf("%v\n%v", err, r.Damage)
	}
	return r
}

// Flip changes one byte of a file.
func Flip(t testing.TB, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	data[at] ^= 0x10
	must(t, os.WriteFile(path, data, 0o666))
}

// FailSteps runs a job again and again, and lets another step of writing fail each time: step first, and every
// stride-th after it; alone, or with all after it as on a full disk. The error has to say so, and the job repeated
// has to leave what check accepts. It returns how many runs failed.
func FailSteps(t testing.TB, first, stride int64, rest bool,
	job func(dir string) (run func() error, check func())) (failed int) {
	t.Helper()
	for k := first; ; k += stride {
		dir := t.TempDir()
		run, check := job(dir)
		var steps atomic.Int64
		durable.InjectFaults(t, func(op, path string) error {
			if n := steps.Add(1); n == k || rest && n > k {
				return &os.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
			}
			return nil
		})
		err := run()
		durable.InjectFaults(t, nil)
		if err != nil {
			failed++
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), dir) {
				t.Fatalf("step %d: %v", k, err)
			}
			if err := run(); err != nil && !errors.Is(err, output.ErrFinished) {
				t.Fatalf("step %d, repeated: %v", k, err)
			}
		}
		if check(); t.Failed() {
			t.Fatalf("behind a failure at step %d", k)
		}
		if steps.Load() < k {
			return failed
		}
	}
}
