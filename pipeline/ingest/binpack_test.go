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
	"talbot/formats/rows"
	"talbot/internal/testkit"
)

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
	if s := sum.Scores; s == nil || s.Chains != 3 || *s.Missing != (binpack.Missing{None: 1}) || s.Unit != "leela" ||
		s.Origin != "Leela" {
		t.Errorf("%+v", s)
	}
	m, err := dataset.ReadManifest(request.Out)
	if err != nil || len(m.Fingerprints) != 1 || !m.Fingerprints[0].IsImported() {
		t.Fatalf("%v %+v", err, m.Fingerprints)
	}
	request.Out = filepath.Join(dir, "other")
	request.Tables = rows.TableForm{ScoreUnit: "centipawns", Origin: "T"}
	if _, err := request.Run(context.Background()); !errors.Is(err, binpack.ErrUnit) {
		t.Errorf("a wrong unit: %v", err)
	}
	if _, err := os.Stat(request.Out); err == nil {
		t.Error("a refused file leaves a folder")
	}
}
