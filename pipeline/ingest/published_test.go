package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
	"talbot/formats/parquet"
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
		request.Tables.Origin = "T"
		request.Tables.Unchecked = name == "actions" // its chances are drawn at random
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
