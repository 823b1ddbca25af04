// Package mates knows the result and the distance to mate of every position of three pieces: queen, rook or pawn
// against a lone king.
//
// [Find] answers for a position. The answers are computed by retrograde analysis when the first one is asked for, in a
// fraction of a second, and take 1.5 MB of memory; nothing is read from disk. The package starts no goroutines and is
// safe for concurrent use.
//
// Distances are those of Gaviota's and Nalimov's tables: plies to mate with best play of both sides, whatever the
// 50-move rule says. [Answer.Within] tells whether that rule leaves enough plies.
package mates

import (
	"slices"
	"sync"

	"talbot/board"
	"talbot/dataset"
)

// Pieces is the number of pieces, kings included, of the positions that [Find] knows.
const Pieces = 3

// tables are those of queen, rook and pawn.
var tables = sync.OnceValue(func() (list [board.King]*table) {
	queen, rook := build(board.Queen), build(board.Rook)
	list[board.Queen], list[board.Rook], list[board.Pawn] = queen, rook, build(board.Pawn, queen, rook)
	return list
})

// Answer is what is known of a position.
type Answer struct {
	Class dataset.Class // for the side to move
	Plies int           // to mate with best play of both sides; 0 for draws, and where the game is over
	// Moves are the best ones, in the order of [board.Position.LegalMoves]: the fastest mate, or the longest way to be
	// mated. In a draw they are those that draw; for the side with the piece only those that keep it and leave the game
	// undecided, where there are any. Nil where the game is over.
	Moves []board.Move
}

// Mate is the distance in moves, as a score has it: above 0 to mate, else to be mated.
func (a Answer) Mate() int {
	if a.Class == dataset.Won {
		return (a.Plies + 1) / 2
	}
	return -a.Plies / 2
}

// Within reports whether the 50-move rule leaves enough plies to mate when clock of its hundred are gone. A pawn's
// moves begin the count again, so a win that it denies to a pawn may be one.
func (a Answer) Within(clock int) bool { return a.Class == dataset.Drawn || clock+a.Plies <= 100 }

// Find returns the answer for a position of three pieces. It is false for all others, and for positions with a right to
// castle.
func Find(p *board.Position) (Answer, bool) {
	if p.Occupied().Len() != Pieces || p.HasCastlingRights() {
		return Answer{}, false
	}
	value := worth(p)
	a := Answer{Class: dataset.Drawn}
	switch {
	case value > 0:
		a.Class, a.Plies = dataset.Won, mate-value
	case value < 0:
		a.Class, a.Plies = dataset.Lost, mate+value
	}
	strong := p.ByColor(p.Turn()).Len() > 1
	var buffer [board.MaxMoves]board.Move
	var careful []board.Move
	for _, m := range p.LegalMoves(buffer[:0]) {
		after := p.After(m)
		if before(worth(&after)) != value {
			continue
		}
		a.Moves = append(a.Moves, m)
		if value == 0 && strong && undecided(&after) {
			careful = append(careful, m)
		}
	}
	if careful != nil {
		a.Moves = careful
	}
	return a, true
}

// undecided reports whether a drawn game goes on, and the lone king to move cannot take what is left.
func undecided(p *board.Position) bool {
	var buffer [board.MaxMoves]board.Move
	moves := p.LegalMoves(buffer[:0])
	return len(moves) > 0 && !p.IsDead() && !slices.ContainsFunc(moves, p.IsCapture)
}

// mate is what giving mate is worth: a position is worth mate less the plies to mate, or minus that, and a draw
// nothing.
const mate = 1000

// before is what a move is worth that leads to a position of that worth for the other side.
func before(value int) int {
	switch {
	case value > 0:
		return 1 - value
	case value < 0:
		return -1 - value
	}
	return 0
}

// worth is what a position of at most three pieces without castling is worth to the side to move.
func worth(p *board.Position) int {
	strong := board.White
	if p.ByColor(board.Black).Len() > 1 {
		strong = board.Black
	}
	for _, pt := range [...]board.PieceType{board.Pawn, board.Rook, board.Queen} {
		b := p.Pieces(strong, pt)
		if b == 0 {
			continue
		}
		wk, bk, s := p.Pieces(strong, board.King).First(), p.Pieces(strong.Other(), board.King).First(), b.First()
		if strong == board.Black {
			wk, bk, s = wk.Mirror(), bk.Mirror(), s.Mirror()
		}
		turn := p.Turn() ^ strong
		switch n := int(tables()[pt].plies[turn][at(wk, bk, s)]); {
		case n == none:
			return 0
		case turn == board.White:
			return mate - n
		default:
			return n - mate
		}
	}
	return 0
}

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
