package export

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/lc0"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/internal/testkit/readlines"
)

// TestLeela reads the chunks of random games, whose moves, results, policies and values are those of the dataset; the
// reader is tested on files that lc0 wrote.
func TestLeela(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var lines []dataset.Line
	for len(lines) < 40 {
		p := board.StartPosition()
		l := dataset.Line{Start: p, Number: int64(len(lines)), Result: dataset.Result(1 + rng.IntN(3)),
			Source: dataset.SourceGame, Moves: []board.Move{}}
		var labels []dataset.Label
		var policies [][]dataset.WeightedMove
		for range 20 + rng.IntN(150) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 || p.IsDead() {
				break
			}
			m, best := legal[rng.IntN(len(legal))], legal[rng.IntN(len(legal))]
			label := dataset.Label{Status: dataset.Labelled, Best: best, Lines: []dataset.Searched{{
				Score: dataset.Centipawns(rng.IntN(600) - 300), Nodes: 800, PV: []board.Move{best}}}}
			win, draw := uint16(rng.IntN(500)), uint16(rng.IntN(500))
			label.Lines[0].WDL = dataset.WDL{Win: win, Draw: draw, Loss: 1000 - win - draw}
			labels = append(labels, label)
			policy := []dataset.WeightedMove{{Move: legal[0], Weight: 3}}
			if len(legal) > 1 {
				policy = append(policy, dataset.WeightedMove{Move: legal[1], Weight: 1})
			}
			policies = append(policies, policy)
			l.Moves = append(l.Moves, m)
			p.Play(m)
		}
		if len(lines)%2 == 0 {
			l.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: labels}}
		} else {
			l.Policies = policies
		}
		lines = append(lines, l)
	}
	dir := madeup.Dataset(t, lines, 50)
	out := filepath.Join(t.TempDir(), "chunks.tar")
	testkit.Run(t, Request{Dir: dir, Format: leelaFormat, Out: output.File{Path: out}})
	data := testkit.Value(os.ReadFile(out))(t)
	got, rejects := readlines.Games(t, lc0.NewReader(bytes.NewReader(data), ""), len(data))
	if len(got) != len(lines) || len(rejects) > 0 {
		t.Fatalf("%d of %d games, rejects %v", len(got), len(lines), rejects)
	}
	for i, want := range lines {
		l := got[i]
		if l.Start != want.Start || len(l.Moves) != len(want.Moves) || l.Result != want.Result {
			t.Fatalf("game %d: %d moves, %v; want %d, %v", i, len(l.Moves), l.Result, len(want.Moves), want.Result)
		}
		for ply, m := range want.Moves {
			if l.Moves[ply] != m {
				t.Fatalf("game %d, ply %d: %v, want %v", i, ply, l.Moves[ply], m)
			}
			policy := []dataset.WeightedMove{{Move: m, Weight: 1}}
			if want.Policies != nil {
				policy = want.Policies[ply]
			}
			for _, w := range policy {
				share := w.Weight / max(1, sumOf(policy))
				if !has(l.Policies[ply], w.Move, share) {
					t.Fatalf("game %d, ply %d: policy %v, want %v", i, ply, l.Policies[ply], policy)
				}
			}
			label := l.Labels[0].Labels[ply]
			wdl := label.Lines[0].WDL
			if want.Labels != nil {
				exact := want.Labels[0].Labels[ply]
				if d := exact.Lines[0].WDL; near(wdl.Win, d.Win) && near(wdl.Draw, d.Draw) && label.Best == exact.Best {
					continue
				}
			} else if wdl == resultOf(want.Result, ply) {
				continue
			}
			t.Fatalf("game %d, ply %d: label %+v", i, ply, label)
		}
	}
}

func sumOf(policy []dataset.WeightedMove) (sum float32) {
	for _, w := range policy {
		sum += w.Weight
	}
	return sum
}

func has(policy []dataset.WeightedMove, m board.Move, share float32) bool {
	for _, w := range policy {
		if w.Move == m {
			return math.Abs(float64(w.Weight-share)) < 1e-6
		}
	}
	return false
}

func near(a, b uint16) bool { return a-b+1 <= 2 }

// resultOf are the chances that a result stands for, for the side to move after so many plies.
func resultOf(r dataset.Result, ply int) dataset.WDL {
	switch {
	case r == dataset.Draw:
		return dataset.WDL{Draw: 1000}
	case (r == dataset.WhiteWins) == (ply%2 == 0):
		return dataset.WDL{Win: 1000}
	}
	return dataset.WDL{Loss: 1000}
}
