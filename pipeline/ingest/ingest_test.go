package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/internal/testkit/shareddata"
	"talbot/pipeline/ingest"
	"talbot/shards"
)

func TestIngest(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.pgn"), filepath.Join(dir, "b.csv")
	const games = 300
	bad, copies := testkit.WriteGames(t, a, games, 1)
	csv := "p1,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h6 d1d8,600,80,90,10,mate,https://example.org/1,\n" +
		"p2,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,h7h5 d1d9,600,80,90,10,mate,https://example.org/1,\n"
	testkit.WriteFile(t, b, csv)
	var outs []string
	for _, workers := range []int{1, 4} {
		out := filepath.Join(dir, fmt.Sprint("out", workers))
		sum := testkit.Run(t, ingest.Request{Inputs: []string{a, b}, Out: out, Splits: dataset.DefaultSplits,
			Workers: workers})
		if sum.GamesRead != games+2 || sum.GamesKept != int64(games-bad-copies+1) ||
			sum.Rejects[dataset.Duplicate] != int64(copies) || sum.Rejects[dataset.IllegalMove] != int64(bad+1) {
			t.Errorf("%+v with %d bad games and %d copies", sum, bad, copies)
		}
		r := madeup.Verify(t, out)
		if r.Lines != sum.GamesKept || r.Positions != sum.Positions || r.Samples != sum.Samples || r.Shards < 3 {
			t.Errorf("verified %+v, reported %+v", r, sum)
		}
		outs = append(outs, out)
	}
	testkit.Same(t, outs[0], outs[1])

	t.Run("other inputs", func(t *testing.T) {
		out := filepath.Join(dir, "other")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := (ingest.Request{Inputs: []string{a}, Out: out,
			Splits: dataset.DefaultSplits}).Run(ctx); !errors.Is(err,
			context.Canceled) {
			t.Fatal(err)
		}
		if _, err := (ingest.Request{Inputs: []string{b}, Out: out,
			Splits: dataset.DefaultSplits}).Run(t.Context()); !errors.Is(err, output.ErrOccupied) {
			t.Error(err)
		}
		if _, err := (ingest.Request{Inputs: []string{a}, Out: out,
			Splits: dataset.DefaultSplits}).Run(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("no games", func(t *testing.T) {
		empty := filepath.Join(dir, "empty.pgn")
		os.WriteFile(empty, nil, 0o666)
		out := filepath.Join(dir, "none")
		_, err := ingest.Request{Inputs: []string{a, empty}, Out: out, Splits: dataset.DefaultSplits}.Run(t.Context())
		if !errors.Is(err, ingest.ErrNoGames) || !strings.Contains(err.Error(), "empty.pgn") {
			t.Error(err)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("an output folder was made")
		}
	})
}

const annotated = `[Event "A"]

[White "Tal, Mikhail"]
[Black "Engine"]
[WhiteElo "2700"]
[BlackElo "2650"]
[Result "1-0"]

1. e4 {[%eval 0.20] [%clk 0:01:00]} e5 {[%eval 0.30] [%clk 0:00:05]} 2. Qh5 {[%eval -0.50]} Nc6 {[%eval 0.10]}
3. Bc4 {wv=0.60, d=10} Nf6 {wv=M2, d=11} 4. Qxf7# {wv=M1} 1-0

[Event "B"]
[White "Other"]
[Black "Tal"]
[Result "1-0"]

1. d4 d5 1-0

[Event "C"]
[WhiteElo "2700"]
[BlackElo "2500"]
[Result "*"]

1. f3 Ke5 *
`

// ingestText ingests one file and returns its lines.
func ingestText(t *testing.T, name, text string, in ingest.Request) (ingest.Summary, *shards.Dataset, []*dataset.Line) {
	t.Helper()
	dir := t.TempDir()
	path := testkit.WriteFile(t, filepath.Join(dir, name), text)
	in.Inputs, in.Splits = []string{path}, dataset.DefaultSplits
	if in.Out == "" {
		in.Out = filepath.Join(dir, "out")
	}
	sum := testkit.Run(t, in)
	madeup.Verify(t, in.Out)
	d := testkit.Value(shards.OpenDataset(in.Out))(t)
	t.Cleanup(func() { d.Close() })
	var lines []*dataset.Line
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		kept := *l
		lines = append(lines, &kept)
	}
	return sum, d, lines
}

func TestImportEvals(t *testing.T) {
	sum, d, lines := ingestText(t, "a.pgn", annotated, ingest.Request{ImportEvals: true})
	if want := (ingest.Evals{Imported: 7}); sum.Evals != want || len(lines) != 2 {
		t.Fatalf("%+v, want %+v", sum.Evals, want)
	}
	var got []string
	for _, c := range lines[0].Labels {
		f := d.Manifest.Fingerprints[c.Fingerprint]
		s := f.Engine + " " + f.Limit
		for k, l := range c.Labels {
			if l.Status == dataset.Labelled {
				s += fmt.Sprintf(", %d: %v %v", k, l.Lines[0].Score, l.Best)
			}
		}
		got = append(got, s)
	}
	want := "lichess eval imported, 1: cp -20 0000, 2: cp 30 0000, 3: cp 50 0000, 4: cp 10 0000\n" +
		"TCEC Tal, Mikhail imported, 4: cp 60 0000, 6: mate 1 0000\n" +
		"TCEC Engine imported, 5: mate -1 0000"
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestFilteredIngest(t *testing.T) {
	rejects := filepath.Join(t.TempDir(), "rejects.tsv")
	in := ingest.Request{Rejects: rejects, ImportEvals: true}
	in.Filters.Player, in.Filters.Side, in.Filters.WonOnly = "Tal", dataset.WinnerSide, true
	in.Filters.MinClock = 30 * time.Second
	sum, d, lines := ingestText(t, "a.pgn", annotated, in)
	if sum.GamesRead != 3 || sum.GamesKept != 1 || sum.Rejects[dataset.NoWinner] != 1 ||
		sum.Rejects[dataset.OtherPlayer] != 1 ||
		sum.Samples != 4 || sum.SamplesDropped[dataset.OtherSide] != 3 ||
		sum.Evals != (ingest.Evals{Imported: 4, NoSample: 3}) {
		t.Errorf("%+v", sum)
	}
	if got := fmt.Sprint(lines[0].Samples.Plies(nil, len(lines[0].Moves)), d.Manifest.Flags); got !=
		"[0 2 4 6] [{import-evals view-by-file} {min-clock 30s} {move-conflict drop} {player Tal} {side winner}]" {
		t.Error(got)
	}
	table, err := os.ReadFile(rejects)
	if err != nil || !strings.Contains(string(table), "\t2\t") || !strings.Contains(string(table), "\tplayer\t") {
		t.Errorf("%s, %v", table, err)
	}
	if _, err := in.Run(t.Context()); err == nil {
		t.Error("no inputs")
	}
}

// TestTablesAndEPD reads both.
func TestTablesAndEPD(t *testing.T) {
	sum, d, lines := ingestText(t, "a.csv",
		"FEN,Evaluation\n4k3/8/8/8/8/8/4P3/4K3 b - - 0 1,+36\n4k3/4Q3/4K3/8/8/8/8/8 b - - 0 1,#+0\n", ingest.Request{})
	if sum.Evals.Imported != 1 || len(lines) != 2 || d.Manifest.Counts.Labelled != 1 ||
		d.Manifest.Counts.Terminal != 1 ||
		lines[0].Labels[0].Labels[0].Lines[0].Score != dataset.Centipawns(-36) ||
		d.Manifest.Fingerprints[0].Engine != rows.TableEngine {
		t.Errorf("%+v, %+v", sum, d.Manifest.Counts)
	}
	sum, _, lines = ingestText(t, "a.epd", "startpos bm e4; d4; id \"x\"\n4k3/8/8/8/8/8/4P3/4K3 w - -0 1 am e4\n",
		ingest.Request{})
	if sum.Samples != 2 || len(lines[0].Policies[0]) != 2 ||
		lines[1].Tag(rows.TagAvoidMoves) != "e2e4" || len(lines[1].Moves) != 0 {
		t.Errorf("%+v", sum)
	}
}

// TestRightsAlike: castling rights have one rule whatever the input.
func TestRightsAlike(t *testing.T) {
	const board = "r3k2r/pppqppbp/2npbnp1/8/8/2NPBNP1/PPPQPPBP/R3K2R w "
	for _, c := range []struct {
		fen, want string // the rights; or the reason
		left      int64
	}{
		{board + "HAha - 0 1", "KQkq", 0},
		{board + "KQkq - 0 1", "KQkq", 0},
		{"4k3/p7/8/8/8/8/P7/4K3 w KQkq - 0 1", "-", 1},
		{"4k3/p7/8/8/8/8/P7/4K1R1 w G - 0 1", "chess960", 0},
		{"4k3/p7/8/8/8/8/P7/4K1R1 w H - 0 1", "chess960", 0},
	} {
		for name, form := range map[string][2]string{ // the head and a row
			"none.pgn":     {"", "[FEN \"%s\"]\n\n1. a3 *\n\n"},
			"standard.pgn": {"", "[Variant \"Standard\"]\n[FEN \"%s\"]\n\n1. a3 *\n\n"},
			"from.pgn":     {"", "[Variant \"From Position\"]\n[FEN \"%s\"]\n\n1. a3 *\n\n"},
			"a.epd":        {"", "%s bm a3;\n"},
			"a.csv":        {"FEN,Evaluation\n", "%s,+36\n"},
			"puzzles.csv":  {"PuzzleId,FEN,Moves,Rating\n", "x,%s,a2a3 a7a6,1500\n"},
			"a.jsonl":      {"", `{"fen":"%s","evals":[{"pvs":[{"cp":20}],"knodes":1,"depth":9}]}` + "\n"},
			"a.txt":        {"", "%s | 35 | 1.0\n"},
		} {
			sum, _, lines := ingestText(t, name, form[0]+fmt.Sprintf(form[1], "4k3/p7/8/8/8/8/P7/3K4 w - - 0 1")+
				fmt.Sprintf(form[1], c.fen), ingest.Request{Stated: rows.Stated{View: new(dataset.WhiteView)}})
			got := ""
			if len(lines) == 2 {
				got = strings.Fields(lines[1].Start.FEN())[2]
			}
			for reason := range sum.Rejects {
				got += string(reason)
			}
			if got != c.want || sum.LeftRights != c.left {
				t.Errorf("%s with %q: %q, %d left out; want %q, %d", name, c.fen, got, sum.LeftRights, c.want, c.left)
			}
		}
	}
}

// TestOtherGoals: a line of a known position with other best moves, or moves to avoid, is no copy; counters of EPD are
// read where the FEN has none.
func TestOtherGoals(t *testing.T) {
	const fen = "8/8/4k3/8/8/4K3/8/R7 w - -"
	sum, _, lines := ingestText(t, "a.epd", strings.Join([]string{
		fen + " bm Ra6+; hmvc 60; fmvn 90;",
		fen + " bm Ra6+ Ra5; hmvc 7;",
		fen + " bm Ra6+ Ra5 Ra4; fmvn 17;",
		fen + " 5 6 bm Ra6+ Ra4 Ra5; hmvc 60;", // the same moves
		fen + " bm Ra6+; am Ra5;",
		fen + " am Ra5 Ra4;",
		fen + " am Ra4; hmvc 3",
		fen + " am Ra4 Ra5;", // the same moves
		fen + " bm Ra6+; hmvc x;",
	}, "\n"), ingest.Request{})
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l.Start.HalfmoveClock(), " ", l.Start.FullmoveNumber()))
	}
	if want := "[60 90 7 1 0 17 0 1 0 1 3 1]"; fmt.Sprint(got) != want || sum.Rejects[dataset.Duplicate] != 2 ||
		sum.Rejects[dataset.BadFEN] != 1 {
		t.Errorf("%v, want %s; %v", got, want, sum.Rejects)
	}
}

func TestExpandInputs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.pgn", "a.pgn.zst", "notes.txt", "sub/c.epd", ".hidden/d.pgn", "we[i]rd.pgn",
		"empty/x.txt"} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o777)
		os.WriteFile(path, []byte("x"), 0o666)
	}
	for _, c := range []struct {
		In   []string
		Want string
	}{
		{[]string{""}, "a.pgn.zst b.pgn sub/c.epd we[i]rd.pgn | empty/x.txt notes.txt"},
		{[]string{"*.pgn"}, "b.pgn we[i]rd.pgn |"},
		{[]string{"we[i]rd.pgn", "b.pgn", "b.pgn", "notes.txt"}, "we[i]rd.pgn b.pgn notes.txt |"},
		{[]string{"b.pgn", "."}, "b.pgn a.pgn.zst sub/c.epd we[i]rd.pgn | empty/x.txt notes.txt"},
	} {
		var in, skipped []string
		for _, p := range c.In {
			in = append(in, filepath.Join(dir, p))
		}
		got := testkit.Value(ingest.ExpandInputs(in, func(p string) { skipped = append(skipped, p) }))(t)
		text := strings.ReplaceAll(strings.TrimSpace(strings.Join(got, " ")+" | "+strings.Join(skipped, " ")), dir+"/",
			"")
		if text != c.Want {
			t.Errorf("%v: %s, want %s", c.In, text, c.Want)
		}
	}
	for _, p := range []string{"empty", "*.none", "missing.pgn"} {
		if _, err := ingest.ExpandInputs([]string{filepath.Join(dir, p)}, nil); err == nil {
			t.Errorf("%s: no error", p)
		}
	}
	if _, err := ingest.ExpandInputs([]string{filepath.Join(dir, "empty")}, nil); !errors.Is(err, ingest.ErrNoInputs) {
		t.Error(err)
	}
}

// TestOwnMoves: the samples of Tal's games are his own moves, of either colour, under every spelling of his name.
func TestOwnMoves(t *testing.T) {
	text := shareddata.Read(t, "pgn/gm/tal.pgn.zst")
	var in ingest.Request
	in.Filters.Player, in.Filters.Side = "Tal M", dataset.PlayerSide
	sum, _, lines := ingestText(t, "tal.pgn.zst", string(text), in)
	if sum.Rejects[dataset.OtherPlayer] != 0 || sum.GamesKept < 2900 || len(lines) != int(sum.GamesKept) {
		t.Errorf("%+v", sum)
	}
	own, others, games := [2]int{}, 0, map[string]int{}
	for _, l := range lines {
		mine := board.White
		if strings.Contains(l.Tag("Black"), "Tal M") {
			mine = board.Black
		}
		games[l.Tag([]string{"White", "Black"}[mine])]++
		p := l.Start
		for ply := range l.Moves {
			is, sample := p.Turn() == mine, l.Samples.Has(ply, len(l.Moves))
			if is != sample {
				t.Fatalf("%s – %s, ply %d: a sample: %v", l.Tag("White"), l.Tag("Black"), ply, sample)
			}
			if is {
				own[mine]++
			} else {
				others++
			}
			p.Play(l.Moves[ply])
		}
	}
	if min(own[0], own[1]) < 45_000 || int64(own[0]+own[1]) != sum.Samples ||
		int64(others) != sum.SamplesDropped[dataset.OtherSide] || games["Hein-Tal Mikhail"] != 2 {
		t.Errorf("%d own moves, %d of others, of %d and %v", own, others, sum.Samples, sum.SamplesDropped)
	}
	t.Logf("%d moves with White, %d with Black; games by name: %v", own[0], own[1], games)
}

const contradicting = `[Event "tag and movetext"]

[Result "1-0"]

1. e4 e5 2. Nf3 0-1

[Event "mate"]
[Result "1-0"]

1. f3 e5 2. g4 Qh4 1-0

[Event "a copy of it"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "agreement"]
[Result "1/2-1/2"]

1. d4 d5 1/2-1/2
`

// TestResultConflict: what disagrees is counted under every rule, in the summary and in the manifest, and the rule
// decides the results and is a flag of the manifest.
func TestResultConflict(t *testing.T) {
	for rule, want := range map[dataset.ResultRule]string{
		dataset.TagResult: "1-0 1-0 1/2-1/2", dataset.MovetextResult: "0-1 1-0 1/2-1/2",
		dataset.BoardResult:   "1-0 0-1 1/2-1/2",
		dataset.DropConflicts: "0-1 1/2-1/2", // the copy agrees with itself
	} {
		sum, d, lines := ingestText(t, "a.pgn", contradicting, ingest.Request{Results: rule})
		var got []string
		for _, l := range lines {
			got = append(got, l.Result.String())
		}
		counts := dataset.ResultConflicts{Movetext: 1, Board: 1}
		if strings.Join(got, " ") != want || sum.ResultConflicts != counts ||
			d.Manifest.Counts.ResultConflicts != counts {
			t.Errorf("%v: %v, %+v, %+v; want %s", rule, got, sum.ResultConflicts, d.Manifest.Counts.ResultConflicts,
				want)
		}
		flag := fmt.Sprintf("{result-conflict %v}", rule)
		if has := strings.Contains(fmt.Sprint(d.Manifest.Flags), flag); has != (rule != dataset.TagResult) {
			t.Errorf("%v: flags %v", rule, d.Manifest.Flags)
		}
		if n := sum.Rejects[dataset.ResultConflict]; n != 0 && rule != dataset.DropConflicts || n != 2 &&
			rule == dataset.DropConflicts {
			t.Errorf("%v: %d left out", rule, n)
		}
	}
}

// TestBookEvals counts what is no evaluation, and makes no label of it.
func TestBookEvals(t *testing.T) {
	sum, _, lines := ingestText(t, "a.pgn",
		"{wv=1.00} 1. e4 {d=1, n=0, wv=0.00} e5 {d=1, wv=0.00} 2. Nf3 {d=9, wv=0.25} "+
			"Nc6 {d=9, wv=-99.99} 3. a3 {d=9, wv=#7} 1-0\n", ingest.Request{ImportEvals: true})
	if want := (ingest.Evals{Imported: 2, Unread: 1, Book: 2, Sentinel: 1}); sum.Evals != want {
		t.Errorf("%+v, want %+v", sum.Evals, want)
	}
	if got := fmt.Sprint(lines[0].Labels[0].Labels[4].Lines[0].Score); got != "mate 7" {
		t.Errorf("the mate is %s", got)
	}
}

// evalGames writes short games that later ones begin with, with evaluations, tables of positions and other games.
func evalGames(t *testing.T, dir string) (short, long, table string) {
	t.Helper()
	text := func(name string, n int, moves string) string {
		var b strings.Builder
		for i := range n {
			a := "abcdefg"[i%7]
			fmt.Fprintf(&b, "[White \"%s\"]\n[Result \"*\"]\n\n1. %c3 {[%%eval 0.2]} %c6 {[%%eval 0.1]} %s *\n\n", name,
				a, a, moves)
		}
		path := testkit.WriteFile(t, filepath.Join(dir, name+".pgn"), b.String())
		return path
	}
	table = filepath.Join(dir, "table.csv")
	start := board.StartPosition()
	testkit.WriteFile(t, table, "FEN,Evaluation\n"+start.FEN()+",+20\n")
	return text("short", 7, "2. Nh3 {[%eval 0.3]} Nh6"), text("long", 7,
		"2. Nh3 {[%eval 0.3]} Nh6 3. Ng1 {[%eval 0.0]} Ng8"), table
}

// TestMoveConflicts leaves games out whose text contradicts their moves, or keeps and counts them; the manifest says
// which.
func TestMoveConflicts(t *testing.T) {
	dir := t.TempDir()
	path := testkit.WriteFile(t, filepath.Join(dir, "games.pgn"),
		"[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n\n[White \"b\"]\n\n12. Nf3 Nf6 *\n\n"+
			"[White \"c\"]\n\n1. d4 d5 2. Bxf4 *\n\n[White \"d\"]\n\n1. e4 e5 3. Bc4 *\n")
	for _, c := range []struct {
		keep         bool
		kept, odd    int64
		rule, folder string
	}{{false, 1, 0, "drop", "dropped"}, {true, 4, 3, "keep", "kept"}} {
		out := filepath.Join(dir, c.folder)
		sum := testkit.Run(t, ingest.Request{Inputs: []string{path}, Out: out, Splits: dataset.DefaultSplits,
			KeepMoveConflicts: c.keep})
		m := testkit.Manifest(t, out)
		if sum.GamesKept != c.kept || sum.MoveConflicts != c.odd || m.Counts.MoveConflicts != c.odd ||
			m.Counts.Rejects[dataset.MoveConflict] != 4-c.kept ||
			!slices.Equal(m.Flags, []dataset.Tag{{Name: "move-conflict", Value: c.rule}}) {
			t.Errorf("%s: %+v, %+v", c.rule, sum, m)
		}
	}
}
