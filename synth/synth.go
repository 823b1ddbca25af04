// Package synth draws synthetic endgames: random legal positions of three to
// seven pieces with legal moves in front of them.
//
// In: a seed and a range of piece counts. Out: lines of [Plies] moves whose
// last position is the sample. Every draw is a pure function of seed and
// number, so draws may be made in any order and on any worker. The package
// starts no goroutines.
package synth

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// Plies is the length of the history in front of every endgame.
const Plies = 4

// The range of piece counts, kings included.
const (
	MinPieces = 3
	MaxPieces = 7
)

// Why an attempt was thrown away and drawn again.
const (
	IllegalPlacement dataset.Reason = "illegal_placement" // the side not to move stood in check
	Dead             dataset.Reason = "dead"              // nobody can mate with this material
	GameOver         dataset.Reason = "game_over"         // mate or stalemate, in the end or on the way
	Captured         dataset.Reason = "captured"          // the history changed the piece count
	Duplicate        dataset.Reason = "duplicate"         // drawn before, perhaps with colours swapped
)

// Config says what is drawn.
type Config struct {
	Seed               uint64
	Fewest, MostPieces int // piece counts, kings included; each is equally likely
}

// ParsePieces reads a piece count "5" or a range "3-7".
func ParsePieces(s string) (fewest, most int, err error) {
	lo, hi, isRange := strings.Cut(s, "-")
	if !isRange {
		hi = lo
	}
	fewest, err1 := strconv.Atoi(lo)
	most, err2 := strconv.Atoi(hi)
	if err1 != nil || err2 != nil || fewest < MinPieces || most > MaxPieces || fewest > most {
		return 0, 0, fmt.Errorf("pieces %q: want a count or a range within %d-%d", s, MinPieces, MaxPieces)
	}
	return fewest, most, nil
}

// Draw returns the endgame of that number: a start position without castling
// rights, [Plies] random legal moves, and the sampled position at the end,
// which has the drawn number of pieces and is neither mate, stalemate nor
// dead. The moves are marked as invented. Attempts thrown away are counted in
// rejects.
//
// The piece count is drawn first, uniformly. Each further piece is a pawn,
// rook, bishop, knight or queen with weights 5, 2, 2, 2, 1, its colour by
// coin, at most two rooks, bishops (on squares of different colours) and
// knights and one queen a side; then the squares and the side to move. These
// are the weights of the Talbotbot reference.
func (c Config) Draw(number int64, rejects map[dataset.Reason]int64) dataset.Line {
	rng := rand.New(rand.NewPCG(c.Seed, uint64(number)))
	pieces := c.Fewest + rng.IntN(c.MostPieces-c.Fewest+1)
	for {
		start, reason := place(rng, pieces)
		if reason == "" {
			var moves []board.Move
			if moves, reason = history(rng, start); reason == "" {
				return dataset.Line{
					Source: dataset.SourceEndgame, Number: number, Start: start, Moves: moves,
					Invented: Plies, Samples: dataset.LastPosition(),
				}
			}
		}
		rejects[reason]++
	}
}

// weighted holds each piece type as often as its weight says.
var weighted = [...]board.PieceType{
	board.Pawn, board.Pawn, board.Pawn, board.Pawn, board.Pawn, board.Rook, board.Rook,
	board.Bishop, board.Bishop, board.Knight, board.Knight, board.Queen,
}

// most is how many pieces of a type a side may have.
var most = [...]int{board.Pawn: 8, board.Knight: 2, board.Bishop: 2, board.Rook: 2, board.Queen: 1, board.King: 1}

// place draws a position with that many pieces.
func place(rng *rand.Rand, pieces int) (board.Position, dataset.Reason) {
	s := board.Setup{Turn: board.Color(rng.IntN(2))}
	var count [2][7]int
	s.Put(board.NewPiece(board.White, board.King), board.Square(rng.IntN(64)))
	for s.Occupied().Len() < 2 {
		// Kings side by side are a check on the side not to move: rejected below.
		if on := board.Square(rng.IntN(64)); !s.Occupied().Has(on) {
			s.Put(board.NewPiece(board.Black, board.King), on)
		}
	}
	var bishop [2]int // 1 + colour of the square of the side's first bishop
	for s.Occupied().Len() < pieces {
		pt := weighted[rng.IntN(len(weighted))]
		c := board.Color(rng.IntN(2))
		on := board.Square(rng.IntN(64))
		shade := 1 + (on.File()+on.Rank())%2
		switch {
		case count[c][pt] == most[pt], s.Occupied().Has(on),
			pt == board.Pawn && (on.Rank() == 0 || on.Rank() == 7),
			pt == board.Bishop && bishop[c] == shade:
			continue
		}
		if pt == board.Bishop {
			bishop[c] = shade
		}
		count[c][pt]++
		s.Put(board.NewPiece(c, pt), on)
	}
	p, err := s.Position()
	if err != nil {
		return p, IllegalPlacement
	}
	if p.IsDead() {
		return p, Dead
	}
	return p, ""
}

// history plays random legal moves from p.
func history(rng *rand.Rand, p board.Position) ([]board.Move, dataset.Reason) {
	pieces := p.Occupied().Len()
	moves := make([]board.Move, 0, Plies)
	var buf [board.MaxMoves]board.Move
	for range Plies {
		legal := p.LegalMoves(buf[:0])
		if len(legal) == 0 {
			return nil, GameOver
		}
		m := legal[rng.IntN(len(legal))]
		moves = append(moves, m)
		p.Play(m)
	}
	switch {
	case p.Occupied().Len() != pieces:
		return nil, Captured
	case p.IsDead():
		return nil, Dead
	case !p.HasLegalMove():
		return nil, GameOver
	}
	return moves, ""
}
