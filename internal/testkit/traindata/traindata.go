// Package traindata writes small datasets of made-up games for tests.
//
// It makes a dataset folder from a seed. It starts no goroutines.
package traindata

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/madeup"
)

// Dataset is a dataset of games of random moves.
type Dataset struct {
	Seed       uint64
	Games      int
	Shards     int // 0 = 1
	Source     dataset.Source
	Splits     dataset.Splits // zero = the default
	Unlabelled bool           // no label column; else two of three samples have a label
	Policies   bool           // lists of up to three moves as policy targets
	NoChances  bool           // labels have no chances of win, draw and loss
	Candidates bool           // each sample has likely moves with values
	Rated      bool           // the players have ratings
}

// Engine is the fingerprint of the labels; there is an older column of [OldEngine] on every second line.
var (
	OldEngine = dataset.Fingerprint{Engine: "Made-up 0", Limit: "nodes 1"}
	Engine    = dataset.Fingerprint{Engine: "Made-up 1", Limit: "nodes 2"}
)

// Write writes the dataset into a folder of the test.
func (d Dataset) Write(t testing.TB) (dir string) {
	t.Helper()
	if d.Splits == (dataset.Splits{}) {
		d.Splits = dataset.DefaultSplits
	}
	m := dataset.Manifest{Tool: "test", Verb: "test", Seed: d.Seed, Splits: d.Splits,
		Inputs: []dataset.Input{{Name: "made up"}}, Fingerprints: []dataset.Fingerprint{OldEngine, Engine},
		Counts: dataset.Counts{GamesRead: int64(d.Games)}}
	if d.Candidates {
		m.Networks, m.Fingerprints = []dataset.Network{network}, append(m.Fingerprints, candidatePrints()...)
	}
	lines := make([]dataset.Line, d.Games)
	for game := range lines {
		lines[game] = d.line(game)
		if err := lines[game].Check(); err != nil {
			t.Fatalf("game %d: %v", game, err)
		}
	}
	dir = t.TempDir()
	number := max(1, d.Shards)
	madeup.WriteShards(t, dir, m, lines, (d.Games+number-1)/number)
	return dir
}

func (d Dataset) line(game int) (l dataset.Line) {
	rng := rand.New(rand.NewPCG(d.Seed, uint64(game)))
	l = dataset.Line{Source: d.Source, Number: int64(game + 1), Start: board.StartPosition(),
		Result: dataset.Result(game % 4)} // one of four is not known
	if d.Rated {
		l.WhiteElo, l.BlackElo = 1000+game, 2500-game
	}
	switch d.Source {
	case dataset.SourcePuzzle:
		l.Samples = dataset.OddPlies()
	case dataset.SourceEndgame:
		l.Samples = dataset.LastPosition()
	}
	positions := []board.Position{l.Start}
	pos := l.Start
	for range 10 + rng.IntN(50) {
		legal := pos.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		m := legal[rng.IntN(len(legal))]
		pos.Play(m)
		l.Moves, positions = append(l.Moves, m), append(positions, pos)
	}
	samples := l.Samples.Plies(nil, len(l.Moves))
	if d.Policies {
		for _, ply := range samples {
			l.Policies = append(l.Policies, policy(rng, &positions[ply]))
		}
	}
	if d.Candidates {
		defer func() { addCandidates(&l, rand.New(rand.NewPCG(d.Seed, uint64(game)+1<<32)), samples, positions) }()
	}
	if d.Unlabelled {
		return l
	}
	older, newer := make([]dataset.Label, len(samples)), make([]dataset.Label, len(samples))
	for i, ply := range samples {
		older[i] = label(rng, &positions[ply])
		if rng.IntN(3) > 0 {
			newer[i] = label(rng, &positions[ply])
		}
		for _, l := range []dataset.Label{older[i], newer[i]} {
			for j := range l.Lines {
				if d.NoChances {
					l.Lines[j].WDL = dataset.WDL{}
				}
			}
		}
	}
	if game%2 == 0 {
		l.Labels = append(l.Labels, dataset.LabelColumn{Fingerprint: 0, Labels: older})
	}
	l.Labels = append(l.Labels, dataset.LabelColumn{Fingerprint: 1, Labels: newer})
	return l
}

func policy(rng *rand.Rand, pos *board.Position) (list []dataset.WeightedMove) {
	for _, m := range pos.LegalMoves(nil) {
		if rng.IntN(6) == 0 && len(list) < 3 {
			list = append(list, dataset.WeightedMove{Move: m, Weight: 1 + rng.Float32()})
		}
	}
	return list
}

func label(rng *rand.Rand, pos *board.Position) dataset.Label {
	legal := pos.LegalMoves(nil)
	if len(legal) == 0 || pos.IsDead() {
		return dataset.Label{Status: dataset.Terminal}
	}
	material := func(c board.Color) int {
		n := 0
		for pt, worth := range map[board.PieceType]int{board.Pawn: 100, board.Knight: 300, board.Bishop: 300,
			board.Rook: 500, board.Queen: 900} {
			for b := pos.Pieces(c, pt); b != 0; b &= b - 1 {
				n += worth
			}
		}
		return n
	}
	best := legal[rng.IntN(len(legal))]
	score := dataset.Centipawns(material(pos.Turn()) - material(pos.Turn().Other()) + rng.IntN(50))
	win := uint16(rng.IntN(1001))
	lines := []dataset.Searched{{Score: score, WDL: dataset.WDL{Win: win, Draw: (1000 - win) / 2,
		Loss: 1000 - win - (1000-win)/2}, Depth: 1, PV: []board.Move{best}}}
	if other := legal[rng.IntN(len(legal))]; other != best {
		worse := lines[0]
		worse.Score, worse.PV = dataset.Centipawns(material(pos.Turn())-material(pos.Turn().Other())-rng.IntN(100)),
			[]board.Move{other}
		lines = append(lines, worse)
	}
	return dataset.Label{Status: dataset.Labelled, Best: best, Lines: lines}
}
