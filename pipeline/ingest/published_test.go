package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/internal/testkit"
)

// TestPublished reads files of other programs into datasets: games of Parquet on several workers, with their
// evaluations and one that is not legal; puzzles; viriformat; games of Leela.
func TestPublished(t *testing.T) {
	const parquet, viri, leela = "../../formats/parquet/testdata/", "../../formats/viriformat/testdata/",
		"../../formats/lc0/testdata/"
	for name, test := range map[string]struct {
		path                       string
		read, kept, samples, evals int64
		reject                     dataset.Reason
		engine                     string
	}{
		"games":       {parquet + "games.parquet", 3, 2, 11, 1, dataset.IllegalMove, "lichess eval"},
		"puzzles":     {parquet + "puzzles.parquet", 2, 1, 1, 0, dataset.NoMoves, ""},
		"actions":     {parquet + "actions-duckdb.parquet", 120, 120, 120, 120, "", "parquet T"},
		"evaluations": {parquet + "polars-zstd.parquet", 68, 68, 68, 68, "", "parquet T"},
		"viriformat":  {viri + "standard.vf", 12, 12, 431, 431, "", "viriformat T"},
		"lc0":         {leela + "chunks.tar", 9, 8, 100, 90, dataset.Chess960, "lc0 T"},
		"lc0 chunk":   {leela + "game.gz", 1, 1, 20, 20, "", "lc0 T"},
	} {
		request := Request{Inputs: []string{test.path}, Out: filepath.Join(t.TempDir(), "out"), Workers: 3,
			Splits: dataset.DefaultSplits, ImportEvals: true}
		request.Stated.Origin = "T"
		request.Stated.Unchecked = name == "actions" // its chances are drawn at random
		sum, err := request.Run(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sum.GamesRead != test.read || sum.GamesKept != test.kept || sum.Samples != test.samples ||
			sum.Evals.Imported != test.evals || test.reject != "" && sum.Rejects[test.reject] != 1 {
			t.Errorf("%s: %d read, %d kept, %d samples, %+v, %v", name, sum.GamesRead, sum.GamesKept, sum.Samples,
				sum.Evals, sum.Rejects)
		}
		m := testkit.Manifest(t, request.Out)
		engine := ""
		for _, f := range m.Fingerprints {
			engine += f.Engine
		}
		if engine != test.engine {
			t.Errorf("%s: %+v", name, m.Fingerprints)
		}
	}
}

// TestDamagedParquet: a flip in a page costs the rest of its row group, and the others are read.
func TestDamagedParquet(t *testing.T) {
	data := testkit.Value(os.ReadFile("../../formats/parquet/testdata/pyarrow-zstd.parquet"))(t)
	dir := t.TempDir()
	run := func(name string, data []byte) (Summary, error) {
		path := testkit.WriteFile(t, filepath.Join(dir, name), data)
		request := Request{Inputs: []string{path}, Out: path + "-out", Splits: dataset.DefaultSplits}
		return request.Run(context.Background())
	}
	whole := testkit.Value(run("whole", data))(t)
	flipped := bytes.Clone(data)
	flipped[8] ^= 0xff // the header of the first page
	sum, err := run("flipped", flipped)
	if err != nil || sum.Rejects[dataset.BadGroup] != 1 || sum.GamesKept == 0 || sum.GamesKept >= whole.GamesKept {
		t.Errorf("%v, %d of %d kept, %v", err, sum.GamesKept, whole.GamesKept, sum.Rejects)
	}
	if _, err := run("cut", data[:len(data)-1]); !errors.Is(err, parquet.ErrDamaged) {
		t.Error(err)
	}
}

// TestBinpack reads chains into a dataset: labels, placeholders and what is damaged are counted, and a file whose unit
// is not known is refused.
func TestBinpack(t *testing.T) {
	var file bytes.Buffer
	w := binpack.NewWriter(&file)
	for i, first := range []string{"e2e4", "d2d4", "g1f3"} {
		start := board.StartPosition()
		m := testkit.Value(start.ParseUCI(first))(t)
		after := start.After(m)
		c := binpack.NewChain(start, []board.Move{m, after.LegalMoves(nil)[i]}, dataset.WhiteWins)
		c.Scores[0] = 26624
		if i == 2 { // the last has no score at its end
			c.Scores[1] = binpack.NoScore
		} else {
			c.Scores[1] = -26624
		}
		testkit.OK(t, w.Write(&c))
	}
	testkit.OK(t, w.Flush())
	dir := t.TempDir()
	path := testkit.WriteFile(t, filepath.Join(dir, "any.name"), append(file.Bytes(), "BINPxx"...))
	request := Request{Inputs: []string{path}, Out: filepath.Join(dir, "out"), Splits: dataset.DefaultSplits}
	sum := testkit.Value(request.Run(context.Background()))(t)
	if sum.GamesRead != 4 || sum.GamesKept != 3 || sum.Rejects[dataset.BadChain] != 1 || sum.Samples != 5 ||
		sum.Evals.Imported != 5 {
		t.Errorf("%+v", sum)
	}
	if s := sum.Scores; s == nil || s.Chains != 3 || s.Missing != (binpack.Missing{None: 1}) || s.Unit != "leela" ||
		s.Origin != "Leela" {
		t.Errorf("%+v", s)
	}
	m, err := dataset.ReadManifest(request.Out)
	if err != nil || len(m.Fingerprints) != 1 || !m.Fingerprints[0].IsImported() {
		t.Fatalf("%v %+v", err, m.Fingerprints)
	}
	request.Out = filepath.Join(dir, "other")
	request.Stated = rows.Stated{ScoreUnit: "centipawns", Origin: "T"}
	if _, err := request.Run(context.Background()); !errors.Is(err, binpack.ErrUnit) {
		t.Errorf("a wrong unit: %v", err)
	}
	if _, err := os.Stat(request.Out); err == nil {
		t.Error("a refused file leaves a folder")
	}
}

// TestFilterFlags: the manifest's flags are sorted, and filters that contradict themselves are refused.
func TestFilterFlags(t *testing.T) {
	for name, f := range map[string]Filters{
		"ratings": {Filter: dataset.Filter{MinElo: 2, MaxElo: 1}},
		"either":  {Filter: dataset.Filter{EitherElo: true}},
		"unknown": {Filter: dataset.Filter{KeepUnknownElo: true, DropUnknownElo: true}},
		"plies":   {Filter: dataset.Filter{MinPlies: -1}},
		"rate":    {Sampling: dataset.Sampling{Rate: 1.5}},
		"side":    {Sampling: dataset.Sampling{Side: dataset.PlayerSide}},
		"dates": {Filter: dataset.Filter{Since: dataset.Date{Year: 2, Month: 1, Day: 1},
			Until: dataset.Date{Year: 1, Month: 1, Day: 1}}},
	} {
		if f.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, preset := range Presets {
		var f Filters
		preset(&f)
		if f.Check() != nil || !f.active() {
			t.Errorf("%s: %v", name, f.flags())
		}
	}
	var none Filters
	if none.active() || len((&Request{}).flags()) != 1 { // what is done with conflicts of moves is always told
		t.Error("a filter is on by default")
	}
}
