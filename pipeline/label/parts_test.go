package label_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/aggregate"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// labelledInParts labels n parts of what a request labels, and joins them from the last one on.
func labelledInParts(t *testing.T, whole label.Request, n int) (parts []string, joined string, sum output.JoinSummary) {
	t.Helper()
	dir := t.TempDir()
	for i := 1; i <= n; i++ {
		part := whole
		part.Out, part.Part = filepath.Join(dir, fmt.Sprint(i)), dataset.Part{I: i, N: n}
		sum := labelled(t, part)
		share := float64(n) * float64(sum.Labelled+sum.Reused+sum.Terminal) / float64(sum.Samples)
		if share < 0.6 || share > 1.5 {
			t.Errorf("part %d is %.2f of %d", i, share, n)
		}
		parts = append(parts, part.Out)
	}
	joined = filepath.Join(dir, "joined")
	from := slices.Clone(parts)
	slices.Reverse(from)
	sum = testkit.Value(label.Join(t.Context(), output.Join{Parts: from, Out: joined}))(t)
	testkit.Same(t, whole.Out, joined)
	return parts, joined, sum
}

// TestParts: what several machines label, joined, is to the byte what one labels alone, also where the inputs of the
// manifest say more than names, as those of aggregated positions.
func TestParts(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	in := someGames(t, 80)
	positions := filepath.Join(dir, "positions")
	testkit.Run(t, aggregate.Request{In: []string{in}, Out: positions, MinCount: 1, MinBand: 1,
		Splits: dataset.DefaultSplits})
	aggregated := job{In: positions, Out: filepath.Join(dir, "aggregated"), Workers: 2}.request(t)
	labelled(t, aggregated)
	_, joined, _ := labelledInParts(t, aggregated, 2)
	if testkit.Manifest(t, joined).Inputs[0].Aggregate == nil {
		t.Error("the manifest does not say that its input was aggregated")
	}
	whole := job{In: in, Out: filepath.Join(dir, "whole"), Workers: 2}.request(t)
	labelled(t, whole)
	parts, _, sum := labelledInParts(t, whole, 3)
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
