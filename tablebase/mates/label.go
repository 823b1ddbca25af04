package mates

import (
	"talbot/board"
	"talbot/dataset"
)

// Fingerprint is that of the labels that [Label] makes. Its build changes when they do.
var Fingerprint = dataset.Fingerprint{Engine: "talbot mates", Build: "1", Options: []dataset.Tag{},
	Limit: dataset.SolvedLimit}

// Label returns the label of a position that [Find] knows: a line for each of the best moves, all with the mate or cp
// 0, and that result for certain; the first of them is the label's best move. It is false for other positions, and for
// those where the 50-move rule may come before the mate. Where the game is over with three pieces or two the label is
// terminal.
func Label(p *board.Position) (l dataset.Label, ok bool) {
	if p.Occupied().Len() <= Pieces && (p.IsDead() || !p.HasLegalMove()) {
		return dataset.Label{Status: dataset.Terminal}, true
	}
	a, ok := Find(p)
	if !ok || len(a.Moves) == 0 || !a.Within(p.HalfmoveClock()) {
		return l, false
	}
	line := dataset.Searched{Score: dataset.MateIn(a.Mate())}
	switch a.Class {
	case dataset.Won:
		line.WDL.Win = 1000
	case dataset.Lost:
		line.WDL.Loss = 1000
	default:
		line.Score, line.WDL.Draw = dataset.Centipawns(0), 1000
	}
	l.Status, l.Best = dataset.Labelled, a.Moves[0]
	for _, m := range a.Moves {
		line.PV = []board.Move{m}
		l.Lines = append(l.Lines, line)
	}
	return l, true
}
