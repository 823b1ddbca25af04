package label_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// TestPartsOfPositions: so is it where the inputs of the manifest say more than names, as those of aggregated
// positions.
func TestPartsOfPositions(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	openings(t, filepath.Join(dir, "g.pgn"), 80, 1)
	games := ingested(t, filepath.Join(dir, "games"), filepath.Join(dir, "g.pgn"))
	in := filepath.Join(dir, "in")
	testkit.Run(t, aggregate.Request{In: []string{games}, Out: in, MinCount: 1, MinBand: 1,
		Splits: dataset.DefaultSplits})
	whole := job{In: in, Out: filepath.Join(dir, "whole"), Workers: 2}.request(t)
	labelled(t, whole)
	var parts []string
	for i := 1; i <= 2; i++ {
		part := whole
		part.Out, part.Part = filepath.Join(dir, fmt.Sprint("part", i)), dataset.Part{I: i, N: 2}
		labelled(t, part)
		parts = append(parts, part.Out)
	}
	joined := filepath.Join(dir, "joined")
	testkit.Value(label.Join(t.Context(), output.Join{Parts: parts, Out: joined}))(t)
	testkit.Same(t, whole.Out, joined)
	m, err := dataset.ReadManifest(joined)
	if err != nil || m.Inputs[0].Aggregate == nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestShards: what several machines label, joined, is to the byte what one labels alone.
func TestParts(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	count := testkit.Searches(t)
	openings(t, filepath.Join(dir, "g.pgn"), 80, 1)
	in := ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	whole := job{In: in, Out: filepath.Join(dir, "whole"), Workers: 2}.request(t)
	labelled(t, whole)
	count()
	var parts []string
	for i := 1; i <= 3; i++ {
		part := whole
		part.Out, part.Part = filepath.Join(dir, fmt.Sprint("part", i)), dataset.Part{I: i, N: 3}
		sum := labelled(t, part)
		if share := float64(sum.Labelled+sum.Reused+sum.Terminal) / float64(sum.Samples); share < 0.2 || share > 0.5 {
			t.Errorf("part %d is %.2f of all", i, share)
		}
		parts = append(parts, part.Out)
	}
	count()
	joined := filepath.Join(dir, "joined")
	sum := testkit.Value(label.Join(t.Context(),
		output.Join{Parts: []string{parts[2], parts[0], parts[1]}, Out: joined}))(t)
	testkit.Same(t, whole.Out, joined)
	if sum.Parts != 3 || sum.GamesKept != 80 || sum.Labelled+sum.Terminal != sum.Samples {
		t.Errorf("%+v", sum)
	}

	foreign := whole
	foreign.Out, foreign.Part, foreign.Engine.Limit = filepath.Join(dir, "foreign"), dataset.Part{I: 1, N: 3},
		stockfish.Nodes(7)
	labelled(t, foreign)
	for _, c := range []struct {
		Parts []string
		Want  string
	}{
		{parts[:2], "2 were given"},
		{[]string{parts[0], parts[1], parts[1]}, "both are 2/3"},
		{[]string{parts[0], parts[1], whole.Out}, "without --part"},
		{[]string{parts[1], parts[2], foreign.Out}, "differ"},
	} {
		_, err := label.Join(t.Context(), output.Join{Parts: c.Parts, Out: filepath.Join(dir, "bad")})
		if !errors.Is(err, output.ErrParts) || !strings.Contains(err.Error(), c.Want) {
			t.Errorf("%v: %v", c.Parts, err)
		}
	}
	for _, s := range []string{"", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3"} {
		if got, err := dataset.ParsePart(s); err == nil {
			t.Errorf("%q is read as %v", s, got)
		}
	}
}
