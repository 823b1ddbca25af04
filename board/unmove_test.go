package board

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// same reports whether two positions are equal but for their counters.
func same(p, q Position) bool {
	p.halfmove, p.fullmove, q.halfmove, q.fullmove = 0, 0, 0, 0
	return p == q
}

// checkUnmoves checks every retro-move of q forwards, and that none comes
// twice.
func checkUnmoves(t *testing.T, q *Position) []Unmove {
	t.Helper()
	unmoves := q.Unmoves(nil)
	seen := map[Unmove]bool{}
	for _, u := range unmoves {
		if seen[u] {
			t.Fatalf("%s: %+v twice", q.FEN(), u)
		}
		seen[u] = true
		p := q.Before(u)
		checkSound(t, &p)
		if !p.IsLegal(u.Move) {
			t.Fatalf("%s: before %+v is %s, where it is illegal", q.FEN(), u, p.FEN())
		}
		again := p.After(u.Move)
		if !same(again, *q) {
			t.Fatalf("%s: %+v from %s gives %s", q.FEN(), u, p.FEN(), again.FEN())
		}
		if fits := u.Irreversible(q) == (q.halfmove == 0); fits && again.halfmove != q.halfmove {
			t.Fatalf("%s: the clock is %d after %+v", q.FEN(), again.halfmove, u)
		}
		if q.fullmove > 1 && again.fullmove != q.fullmove {
			t.Fatalf("%s: the move is number %d after %+v", q.FEN(), again.fullmove, u)
		}
	}
	return unmoves
}

func castles(p *Position, m Move) bool {
	return p.typeAt(m.From()) == King && abs(m.From().File()-m.To().File()) == 2
}

// plain returns the position before a move as [Position.Unmoves] means it:
// with the rights of the position after, and no en passant square, but for
// what the move needs. It may be no legal position.
func plain(p, q *Position, m Move) Position {
	b := *p
	rights := q.castling
	if castles(p, m) {
		right := whiteKingSide
		if m.To() < m.From() {
			right = whiteQueenSide
		}
		rights |= right << (2 * p.turn)
	}
	b.castling = rights
	if p.typeAt(m.From()) != Pawn || m.To() != p.ep {
		b.ep = NoSquare
	}
	b.key = b.computeKey()
	return b
}

// TestUnmovesFindTheMovePlayed: on random games the move that was played is
// among the retro-moves, once, and all of them are sound.
func TestUnmovesFindTheMovePlayed(t *testing.T) {
	castled, passing, promoted := 0, 0, 0
	for seed := range uint64(12) {
		walk(t, seed, 100, func(before, after *Position, m Move) {
			want := plain(before, after, m)
			found := 0
			for _, u := range checkUnmoves(t, after) {
				if u.Move == m && same(after.Before(u), want) {
					found++
				}
			}
			if found != 1 {
				t.Fatalf("%s: %v, which was played in %s, comes %d times", after.FEN(), m, before.FEN(), found)
			}
			switch {
			case castles(before, m):
				castled++
			case before.typeAt(m.From()) == Pawn && m.To() == before.ep:
				passing++
			case m.Promotion() != NoPieceType:
				promoted++
			}
		})
	}
	if castled == 0 || passing == 0 || promoted == 0 {
		t.Fatalf("%d castlings, %d en passant captures, %d promotions: the walks are too tame", castled, passing, promoted)
	}
}

// corner enumerates all legal positions with the two kings and up to so many
// more pieces a side on some squares.
type corner struct {
	squares Bitboard
	side    int // pieces of a side besides the king
}

func (c corner) each(f func(p *Position)) {
	var extend func(p Position, from Square, left [2]int)
	extend = func(p Position, from Square, left [2]int) {
		c.legal(p, f)
		for b := c.squares &^ p.Occupied() &^ (1<<from - 1); b != 0; b &= b - 1 {
			s := b.First()
			for side := range left {
				for pt := Pawn; pt <= Queen && left[side] > 0; pt++ {
					q := p
					q.put(Color(side), pt, s)
					l := left
					l[side]--
					extend(q, s+1, l)
				}
			}
		}
	}
	for w := c.squares; w != 0; w &= w - 1 {
		for b := c.squares &^ w.First().Bitboard(); b != 0; b &= b - 1 {
			p := Position{ep: NoSquare, fullmove: 1}
			p.put(White, King, w.First())
			p.put(Black, King, b.First())
			extend(p, 0, [2]int{c.side, c.side})
		}
	}
}

// legal calls f with the placement for each side to move, and for each en
// passant square that it can have.
func (c corner) legal(p Position, f func(p *Position)) {
	for p.turn = range Black + 1 {
		if p.Validate() != nil {
			continue
		}
		p.ep = NoSquare
		p.key = p.computeKey()
		f(&p)
		for file := range 8 {
			q := p
			if ep := NewSquare(file, [2]int{5, 2}[p.turn]); q.setEnPassant(ep.String()) == nil && q.ep != NoSquare {
				q.key = q.computeKey()
				f(&q)
			}
		}
	}
}

// edges is a set of pairs of positions: their number, and a sum of hashes that
// does not depend on their order.
type edges struct{ n, sum uint64 }

func (e *edges) add(p, q *Position, m Move) {
	x := p.key*0x9e3779b97f4a7c15 ^ q.key ^ uint64(m)<<20
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	e.n++
	e.sum += x ^ x>>31
}

// TestUnmovesOnSmallBoards compares with exhaustive forward generation: over
// all positions on a few squares, the moves and the retro-moves that stay there
// join the same pairs. The ranks are those of double pushes and promotions.
func TestUnmovesOnSmallBoards(t *testing.T) {
	boards := []corner{
		{0x0303030000000000, 2}, // a6 to b8
		{0x0000000000070707, 1}, // a1 to c3
		{0x0303030303000000, 1}, // a4 to b8
		{0x0000000606060600, 1}, // b2 to c5
	}
	if os.Getenv("TALBOT_FULL") != "" {
		boards = append(boards, corner{0x0707070700000000, 1}, corner{0x0000000e0e0e0e0e, 1}, corner{0x0000000000000f0f, 2})
	}
	for _, c := range boards {
		var forward, backward edges
		positions := 0
		within := func(p *Position) bool { // whether p is one of those enumerated
			return p.Occupied()&^c.squares == 0 &&
				p.colors[White].Len() <= 1+c.side && p.colors[Black].Len() <= 1+c.side
		}
		c.each(func(p *Position) {
			positions++
			for _, m := range p.LegalMoves(nil) {
				q := p.After(m)
				if q.halfmove, q.fullmove = 0, 1; within(&q) && *p == plain(p, &q, m) {
					forward.add(p, &q, m)
				}
			}
			for _, u := range p.Unmoves(nil) {
				if b := p.Before(u); within(&b) {
					backward.add(&b, p, u.Move)
				}
			}
		})
		if forward != backward || forward.n == 0 {
			t.Errorf("squares %#x, %d positions: %d moves, %d retro-moves, or others", uint64(c.squares), positions, forward.n, backward.n)
		}
		t.Logf("squares %#x: %d positions, %d moves", uint64(c.squares), positions, forward.n)
	}
}

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
		if board[home+w.to] != NewPiece(us, King) || board[home+w.rook] != NewPiece(us, Rook) || board[home+w.home] != NoPiece || board[home+4] != NoPiece {
			continue
		}
		board[home+4], board[home+w.home], board[home+w.to], board[home+w.rook] = board[home+w.to], board[home+w.rook], NoPiece, NoPiece
		try(board, strings.TrimPrefix(rights, "-")+string("KQkq"[2*int(us)+i]), NoSquare, NewMove(home+4, home+w.to), NoPieceType)
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
	f, err := os.Open("testdata/unmoves.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		fen, rest, _ := strings.Cut(s.Text(), ";")
		var depth, want int
		if _, err := fmt.Sscan(rest, &depth, &want); err != nil {
			t.Fatal(err)
		}
		q := mustParse(t, fen)
		if got := countUnmoves(&q, depth); got != want {
			t.Errorf("%s: %d retro-moves to depth %d, %d by python-chess", fen, got, depth, want)
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

// FuzzUnmoves: the retro-moves of every position that can be read are sound,
// and theirs are too.
func FuzzUnmoves(f *testing.F) {
	for _, fen := range append(unmoveFENs, startFENs...) {
		f.Add(fen)
	}
	f.Fuzz(func(t *testing.T, fen string) {
		q, err := ParseFEN(fen)
		if err != nil {
			return
		}
		for i, u := range checkUnmoves(t, &q) {
			if i%16 == 0 {
				p := q.Before(u)
				checkUnmoves(t, &p)
			}
		}
		// Forwards: every move is found again.
		for i, m := range q.LegalMoves(nil) {
			if i >= 20 {
				break
			}
			after := q.After(m)
			want := plain(&q, &after, m)
			if want.Validate() != nil || want.ep != NoSquare && !want.epCapturePossible(want.ep) {
				continue
			}
			found := false
			for _, u := range after.Unmoves(nil) {
				found = found || u.Move == m && same(after.Before(u), want)
			}
			if !found {
				t.Fatalf("%s: %v is not taken back", q.FEN(), m)
			}
		}
	})
}

func BenchmarkUnmoves(b *testing.B) {
	for _, fen := range []string{"8/8/1n6/2k5/8/3R4/4P3/5K2 b - - 0 1", startFENs[1]} {
		q, _ := ParseFEN(fen)
		dst := make([]Unmove, 0, 1024)
		b.Run(fmt.Sprint(q.Occupied().Len()), func(b *testing.B) {
			for b.Loop() {
				dst = q.Unmoves(dst[:0])
			}
			b.ReportMetric(float64(len(dst)), "unmoves")
		})
	}
}
