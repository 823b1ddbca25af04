package ingest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/diff"
	"talbot/inspect/stats"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pgn"
	"talbot/pipeline/ingest"
)

// gamesOf returns the split of each game of a dataset.
func splitsOf(t *testing.T, dir string) map[[16]byte]dataset.Split {
	t.Helper()
	all := map[[16]byte]dataset.Split{}
	for d, l := range madeup.Each(t, dir) {
		if _, ok := all[l.GameHash()]; ok {
			t.Errorf("a game twice in %q", dir)
		}
		all[l.GameHash()] = d.Splits.Of(dataset.SplitKey(l))
	}
	return all
}

func ingestFiles(t *testing.T, out string, workers int, inputs ...string) ingest.Summary {
	t.Helper()
	s := testkit.Run(t, ingest.Request{Inputs: inputs, Out: out, Splits: dataset.DefaultSplits, Workers: workers})
	madeup.Verify(t, out)
	return s
}

// TestPrefixes keeps of each game the longest record, in any order of the files, at any number of workers.
func TestPrefixes(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	in, games, cut, copies := testkit.CutGames(t, dir)
	var want map[[16]byte]dataset.Split
	for n, order := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
		files := []string{in[order[0]], in[order[1]], in[order[2]]}
		outs := []string{filepath.Join(dir, fmt.Sprint("one", n)), filepath.Join(dir, fmt.Sprint("four", n))}
		s := ingestFiles(t, outs[0], 1, files...)
		ingestFiles(t, outs[1], 4, files...)
		testkit.Same(t, outs[0], outs[1])
		if s.GamesKept != int64(games) || s.Rejects[ingest.Prefix] != int64(cut) ||
			s.Rejects[dataset.Duplicate] < int64(copies) {
			t.Errorf("order %v: %+v, want %d games, %d prefixes", order, s, games, cut)
		}
		got := splitsOf(t, outs[0])
		if want == nil {
			want = got
		} else if !maps.Equal(got, want) {
			t.Errorf("order %v: other games or splits", order)
		}
		d, err := diff.Request{A: outs[0], B: filepath.Join(dir, "one0")}.Run(t.Context())
		if err != nil || !d.Same || d.Lines.Both != int64(games) {
			t.Errorf("diff: %+v, %v", d, err)
		}
	}
}

// TestPrefixShard empties a whole shard.
func TestPrefixShard(t *testing.T) {
	output.SmallShards(t, 10)
	dir := t.TempDir()
	short := testkit.PGN(t, dir, "short.pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "1. d4 d5")
	long := testkit.PGN(t, dir, "long.pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6", "1. d4 d5 2. c4")
	out := filepath.Join(dir, "out")
	s := ingestFiles(t, out, 2, short, long)
	if s.GamesKept != 2 || s.Rejects[ingest.Prefix] != 3 || s.Positions != 9+4 {
		t.Errorf("%+v", s)
	}
	if _, err := (stats.Request{Dir: out, Unique: true}).Run(t.Context()); err != nil {
		t.Error(err)
	}
	// A game from another start, and a puzzle's line, are no prefixes.
	other := filepath.Join(dir, "other.pgn")
	os.WriteFile(other, []byte("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\"]\n[SetUp "+
		"\"1\"]\n\n1. d4 *\n\n"), 0o666)
	csv := filepath.Join(dir, "p.csv")
	os.WriteFile(csv, []byte("p1,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 "+
		"d1d8,600,80,90,10,mate,https://example.org/1,\n"), 0o666)
	game := filepath.Join(dir, "same.pgn")
	os.WriteFile(game, []byte("[FEN \"6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1\"]\n[SetUp \"1\"]\n\n1... h6 2. Rd8+ "+
		"Kh7 *\n\n"), 0o666)
	if s := ingestFiles(t, filepath.Join(dir, "out2"), 1, long, other, csv, game); s.GamesKept != 5 {
		t.Errorf("%+v", s)
	}
}

// TestPrunedCounts compares a dataset from which prefixes were pruned with one that never had them.
func TestPrunedCounts(t *testing.T) {
	output.SmallShards(t, 10)
	dir := t.TempDir()
	short, long, table := evalGames(t, dir)
	request := func(name string, inputs ...string) ingest.Request {
		in := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, name), Splits: dataset.DefaultSplits, Workers: 2,
			ImportEvals: true, KeepMoveConflicts: true} // short games may be of any language
		in.Filters.SkipPlies, in.Filters.Rate = 1, 0.8
		return in
	}
	run := func(in ingest.Request) (ingest.Summary, dataset.Counts) {
		t.Helper()
		sum := testkit.Run(t, in)
		madeup.Verify(t, in.Out)
		m := testkit.Manifest(t, in.Out)
		return sum, m.Counts
	}
	wantSum, want := run(request("want", table, long))
	pruned := request("pruned", table, short, long)
	pruned.Rejects = filepath.Join(dir, "pruned.tsv")
	sum, got := run(pruned)
	if got.Rejects[ingest.Prefix] == 0 || got.GamesKept != want.GamesKept || got.Samples != want.Samples ||
		got.Labelled != want.Labelled ||
		!maps.Equal(got.SamplesDropped, want.SamplesDropped) || sum.Evals.Imported != wantSum.Evals.Imported {
		t.Errorf("%+v, %+v; want %+v, %+v", got, sum.Evals, want, wantSum.Evals)
	}
	rows := testkit.Value(os.ReadFile(pruned.Rejects))(t)
	left := got.Rejects[ingest.Prefix] + got.Rejects[dataset.NoSamples] - want.Rejects[dataset.NoSamples]
	if n := strings.Count(string(rows), short+"\t"); int64(n) != left {
		t.Errorf("%d rows of %q:\n%s", n, short, rows)
	}
}

// TestRejectsNameWhatStays looks up each game that the list of rejects names for a copy or a prefix: it is no reject
// itself, and its moves begin with those of the game that was left out, or are the same.
func TestRejectsNameWhatStays(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	inputs, _, _, _ := testkit.CutGames(t, dir)
	chain := filepath.Join(dir, "chain.pgn")
	text := ""
	for _, behind := range []string{"", "3. b3", "", "3. b3 g6 4. c3", "3. b3 g6 4. c4", "3. b3 g6 4. c4"} {
		text += "1. a4 h5 2. Ra2 Rh7 " + behind + " *\n\n"
	}
	testkit.WriteFile(t, chain, text)
	inputs = append(inputs, chain)
	in := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, "out"), Rejects: filepath.Join(dir, "rejects.tsv"),
		Splits: dataset.DefaultSplits, Workers: 2}
	sum := testkit.Run(t, in)
	type game struct {
		start board.Position
		moves []board.Move
	}
	games, offsets := map[string]game{}, map[string]int64{}
	for _, file := range inputs {
		f := testkit.Value(os.Open(file))(t)
		defer f.Close()
		s, p := pgn.NewSplitter(f), new(pgn.Parser)
		for b, err := s.Next(); err == nil; b, err = s.Next() {
			for _, g := range b.Games {
				if l, reject := p.Parse(g); reject == nil {
					id := fmt.Sprintf("number %d of %s", g.Number, file)
					games[id], offsets[id] = game{l.Start, l.Moves}, g.Offset
				}
			}
		}
	}
	table := testkit.Value(os.ReadFile(in.Rejects))(t)
	rows := strings.Split(strings.TrimSuffix(string(table), "\n"), "\n")[1:]
	left := map[string]bool{}
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		left[fmt.Sprintf("number %s of %s", cells[1], cells[0])] = true
	}
	named := int64(0)
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		if cells[3] != string(dataset.Duplicate) && cells[3] != string(ingest.Prefix) {
			continue
		}
		var number, offset int64
		var file string
		if _, err := fmt.Sscanf(cells[4], "kept: number %d at byte %d of %s", &number, &offset, &file); err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		named++
		stays := fmt.Sprintf("number %d of %s", number, file)
		a, b := games[fmt.Sprintf("number %s of %s", cells[1], cells[0])], games[stays]
		if left[stays] || offsets[stays] != offset || a.start.EPD() != b.start.EPD() || len(a.moves) == 0 ||
			len(b.moves) < len(a.moves) || !slices.Equal(a.moves, b.moves[:len(a.moves)]) {
			t.Errorf("%q: left out as well %v, moves %v and %v", row, left[stays], a.moves, b.moves)
		}
		if cells[3] == string(ingest.Prefix) && len(a.moves) == len(b.moves) {
			t.Errorf("%q names a copy", row)
		}
	}
	if want := sum.Rejects[dataset.Duplicate] + sum.Rejects[ingest.Prefix]; named != want ||
		sum.Rejects[dataset.Duplicate] < 3 ||
		sum.Rejects[ingest.Prefix] < 3 {
		t.Errorf("%d rows with names, %d copies and prefixes: %v", named, want, sum.Rejects)
	}
	// Of several longer games the first that stays is named, for the copy of a prefix too.
	chained := 0
	for _, row := range rows {
		if strings.HasPrefix(row, chain+"\t1\t") || strings.HasPrefix(row, chain+"\t2\t") ||
			strings.HasPrefix(row, chain+"\t3\t") {
			if chained++; !strings.Contains(row, "kept: number 4 at byte") {
				t.Errorf("%q does not name game 4", row)
			}
		}
	}
	if chained != 3 {
		t.Errorf("%d rows of the chain", chained)
	}
}
