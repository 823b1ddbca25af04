package gpucheck

import (
	"math/rand/v2"
	"os"

	"talbot/board"
	"talbot/dataset"
	"talbot/shards"
)

// games of random moves are enough to train on: they are as much work for a network as any others.
const games = 400

// writeGames writes a dataset of games of random moves, each move of which has a label: the material as centipawns.
func writeGames(dir string) error {
	m := &dataset.Manifest{Tool: "talbot", Verb: "doctor", Splits: dataset.Splits{Train: 100},
		Inputs:       []dataset.Input{{Name: "random moves"}},
		Fingerprints: []dataset.Fingerprint{{Engine: "material", Limit: "none"}}}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	w, err := shards.Create(dir, 0)
	if err != nil {
		return err
	}
	for i := range games {
		l := randomGame(int64(i))
		if err := w.Write(&l); err != nil {
			w.Abort()
			return err
		}
		m.Counts.AddLine(&l)
	}
	info, err := w.Commit()
	if err != nil {
		return err
	}
	m.Shards, m.Counts.GamesRead = []dataset.ShardInfo{info}, info.Lines
	return dataset.WriteManifest(dir, m)
}

func randomGame(number int64) dataset.Line {
	random := rand.New(rand.NewPCG(1, uint64(number)))
	l := dataset.Line{Number: number + 1, Start: board.StartPosition(), Result: dataset.Draw}
	pos := l.Start
	var labels []dataset.Label
	for range 80 {
		legal := pos.LegalMoves(nil)
		if len(legal) == 0 || pos.IsDead() {
			break
		}
		move := legal[random.IntN(len(legal))]
		labels = append(labels, dataset.Label{Status: dataset.Labelled, Best: move, Lines: []dataset.Searched{
			{Score: dataset.Centipawns(material(&pos)), Depth: 1, PV: []board.Move{move}}}})
		l.Moves = append(l.Moves, move)
		pos.Play(move)
	}
	l.Labels = []dataset.LabelColumn{{Labels: labels}}
	return l
}

// material is the mover's less the opponent's, in centipawns.
func material(pos *board.Position) int {
	worth := map[board.PieceType]int{board.Pawn: 100, board.Knight: 300, board.Bishop: 300, board.Rook: 500,
		board.Queen: 900}
	sum := 0
	for piece, value := range worth {
		sum += value * (pos.Pieces(pos.Turn(), piece).Len() - pos.Pieces(pos.Turn().Other(), piece).Len())
	}
	return sum
}
