package board

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// bruteUnmoves counts the retro-moves of q by trying every change of the board
// that a move could have made, as a FEN: it knows nothing but legal moves.
func bruteUnmoves(q *Position) (n int) {
	us := q.turn.Other()
	var squares [64]Piece
	for s := range squares {
		squares[s] = q.PieceAt(Square(s))
	}
	try := func(board [64]Piece, rights string, ep Square, want Move, promotion PieceType) {
		p, err := ParseFEN(fmt.Sprintf("%s %c %s %v", placement(&board), "wb"[us], rights, ep))
		if err != nil || ep != p.ep {
			return
		}
		for _, m := range p.LegalMoves(nil) {
			if m == NewPromotion(want.From(), want.To(), promotion) && same(p.After(m), *q) {
				n++
			}
		}
	}
	rights := strings.Fields(q.FEN())[2]
	for b := q.ByColor(us); b != 0; b &= b - 1 {
		to := b.First()
		now := squares[to]
		for from := range Square(64) {
			if squares[from] != NoPiece {
				continue
			}
			for victim := NoPieceType; victim <= Queen; victim++ {
				board := squares
				board[from], board[to] = now, NoPiece
				if victim != NoPieceType {
					board[to] = NewPiece(q.turn, victim)
				}
				try(board, rights, NoSquare, NewMove(from, to), NoPieceType)
				if now.Type() >= Knight && now.Type() <= Queen {
					board[from] = NewPiece(us, Pawn)
					try(board, rights, NoSquare, NewMove(from, to), now.Type())
				}
			}
			if on := to ^ 8; now.Type() == Pawn && squares[on] == NoPiece {
				board := squares
				board[from], board[to], board[on] = now, NoPiece, NewPiece(q.turn, Pawn)
				try(board, rights, to, NewMove(from, to), NoPieceType)
			}
		}
	}
	for i, w := range [2]struct{ to, rook, home Square }{{6, 5, 7}, {2, 3, 0}} {
		home := Square(56 * us)
		board := squares
		if board[home+w.to] != NewPiece(us, King) || board[home+w.rook] != NewPiece(us, Rook) ||
			board[home+w.home] != NoPiece || board[home+4] != NoPiece {
			continue
		}
		board[home+4], board[home+w.home], board[home+w.to], board[home+w.rook] = board[home+w.to], board[home+w.rook],
			NoPiece, NoPiece
		try(board, strings.TrimPrefix(rights, "-")+string("KQkq"[2*int(us)+i]), NoSquare, NewMove(home+4, home+w.to),
			NoPieceType)
	}
	return n
}

// placement writes a board as the first field of a FEN.
func placement(board *[64]Piece) string {
	var b strings.Builder
	for r := 7; r >= 0; r-- {
		for f := range 8 {
			if piece := board[8*r+f]; piece == NoPiece {
				b.WriteByte('1')
			} else {
				b.WriteString(piece.String())
			}
		}
		if r > 0 {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// unmoveFENs are positions with retro-moves of every kind.
var unmoveFENs = []string{
	"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", // only the double push
	"8/8/3P4/8/8/k7/8/K7 b - - 0 1",     // en passant taken back
	"5rk1/8/8/8/8/8/8/4K3 w - - 0 1",    // castling taken back
	"2kr4/8/8/8/8/8/8/R3K3 w Q - 0 1",   // the other wing, with a right of the other side
	"Q6k/8/8/8/8/8/8/K7 b - - 0 1",      // a promotion, with and without capture
	"7k/8/8/8/8/8/5r2/R5K1 w - - 0 1",   // White is in check
	"R6k/6pp/8/8/8/8/8/K6B b - - 0 1",   // in check from afar: only the rook came, or what stood between
	"4k3/8/8/8/4r3/8/8/4K2B w - - 0 1",  // in check
	"8/8/8/1B6/8/8/4n3/k3K2R b K - 0 1", // the pieces at home never moved
	"rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
	"rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2",
	"QQQQQQQQ/8/8/7k/8/8/8/QK6 b - - 0 1", // no pawn is missing any more
	"kbK5/pp6/1P6/8/8/8/8/R7 b - - 0 1",
}

// TestUnmovesBruteForce compares the number of retro-moves with an exhaustive
// trial on random positions, to a depth of two on small ones.
func TestUnmovesBruteForce(t *testing.T) {
	check := func(q *Position) {
		t.Helper()
		if got, want := len(checkUnmoves(t, q)), bruteUnmoves(q); got != want {
			t.Fatalf("%s: %d retro-moves, %d by trial", q.FEN(), got, want)
		}
	}
	for _, fen := range unmoveFENs {
		q := mustParse(t, fen)
		check(&q)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	walk(t, 99, 90, func(_, q *Position, _ Move) {
		if rng.IntN(20) == 0 {
			check(q)
		}
	})
	for _, fen := range unmoveFENs[:4] {
		q := mustParse(t, fen)
		for _, u := range q.Unmoves(nil) {
			if rng.IntN(6) == 0 {
				p := q.Before(u)
				check(&p)
			}
		}
	}
}

// TestUnmovesGolden compares with the counts that testdata/unmoves.py made
// with python-chess: retro-moves, and pairs of them.
func TestUnmovesGolden(t *testing.T) {
	n := 0
	for q, rest := range golden(t, "testdata/unmoves.txt") {
		n++
		var depth, want int
		if _, err := fmt.Sscan(rest, &depth, &want); err != nil {
			t.Fatal(err)
		}
		if got := countUnmoves(&q, depth); got != want {
			t.Errorf("%s: %d retro-moves to depth %d, %d by python-chess", q.FEN(), got, depth, want)
		}
	}
	if n < 100 {
		t.Errorf("%d known counts", n)
	}
}

func countUnmoves(q *Position, depth int) (n int) {
	if depth == 0 {
		return 1
	}
	for _, u := range q.Unmoves(nil) {
		p := q.Before(u)
		n += countUnmoves(&p, depth-1)
	}
	return n
}
