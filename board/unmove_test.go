package board

import (
	"fmt"
	"os"
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

// plain returns the position before a move as [Position.Unmoves] means it:
// with the rights of the position after, and no en passant square, but for
// what the move needs. It may be no legal position.
func plain(p, q *Position, m Move) Position {
	b := *p
	rights := q.castling
	if p.IsCastling(m) {
		right := whiteKingSide
		if m.To() < m.From() {
			right = whiteQueenSide
		}
		rights |= right << (2 * p.turn)
	}
	b.castling = rights
	if !p.IsEnPassant(m) {
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
			case before.IsCastling(m):
				castled++
			case before.IsEnPassant(m):
				passing++
			case m.Promotion() != NoPieceType:
				promoted++
			}
		})
	}
	if castled == 0 || passing == 0 || promoted == 0 {
		t.Fatalf("%d castlings, %d en passant captures, %d promotions: the walks are too tame", castled, passing,
			promoted)
	}
}

// corner enumerates all legal positions with the two kings and up to that many
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
			if ep := NewSquare(file, [2]int{5, 2}[p.turn]); q.passed(ep) == nil && q.ep != NoSquare {
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
		boards = append(boards, corner{0x0707070700000000, 1}, corner{0x0000000e0e0e0e0e, 1},
			corner{0x0000000000000f0f, 2})
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
			t.Errorf("squares %#x, %d positions: %d moves, %d retro-moves, or others", uint64(c.squares), positions,
				forward.n, backward.n)
		}
		t.Logf("squares %#x: %d positions, %d moves", uint64(c.squares), positions, forward.n)
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
	if n < 170 {
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
	for q := range golden(f, "testdata/unmoves.txt") {
		f.Add(q.FEN())
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
