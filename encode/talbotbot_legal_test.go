package encode

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
)

// TestLegalMask walks through random games and compares the mask made from planes with the legal moves of the game.
func TestLegalMask(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var e TalbotBot
	passes := 0
	for range 60 {
		g := board.NewGame(board.StartPosition())
		for range 120 {
			planes, mask := make([]uint64, e.Planes()), make([]uint64, LegalWords)
			e.Encode(planes, g)
			mask[3] = ^uint64(0) // what was there before
			if err := e.LegalMask(mask, planes); err != nil {
				t.Fatal(err)
			}
			want := make([]uint64, LegalWords)
			for _, index := range LegalIndices(nil, e, g.Position()) {
				want[index%73] |= 1 << (index / 73)
			}
			for i := range want {
				if mask[i] != want[i] {
					t.Fatalf("%s: word %d is %x, want %x", g.Position().FEN(), i, mask[i], want[i])
				}
			}
			p, _ := e.Position(planes)
			q := *g.Position()
			if q.Turn() == board.Black {
				q = q.Mirror()
			}
			if p.Key() != q.Key() {
				t.Fatalf("%s: planes show %s", q.FEN(), p.FEN())
			}
			if q.EnPassant() != board.NoSquare {
				passes++
			}
			moves := g.Position().LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			g.Push(moves[rng.IntN(len(moves))])
		}
	}
	if passes == 0 {
		t.Error("no en passant capture occurred")
	}
	if err := e.LegalMask(make([]uint64, LegalWords), make([]uint64, e.Planes())); err == nil {
		t.Error("no kings: no error")
	}
}

// TestPastPlanes: a game that begins with a position has the planes of the position with the past planes cleared.
func TestPastPlanes(t *testing.T) {
	g := board.NewGame(board.StartPosition())
	for _, m := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
		move, err := g.Position().ParseUCI(m)
		if err != nil {
			t.Fatal(err)
		}
		g.Push(move)
	}
	var e TalbotBot
	with, without := make([]uint64, e.Planes()), make([]uint64, e.Planes())
	e.Encode(with, g)
	e.Encode(without, board.NewGame(*g.Position()))
	if with[TalbotBotPast] == 0 || with[TalbotBotPlanes-1] == 0 {
		t.Error("no repetition or history")
	}
	clear(with[TalbotBotPast:])
	for i := range with {
		if with[i] != without[i] {
			t.Errorf("plane %d differs", i)
		}
	}
}

func BenchmarkLegalMask(b *testing.B) {
	var e TalbotBot
	p, err := board.ParseFEN("r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9")
	if err != nil {
		b.Fatal(err)
	}
	planes, mask := make([]uint64, e.Planes()), make([]uint64, LegalWords)
	e.Encode(planes, board.NewGame(p))
	for b.Loop() {
		if err := e.LegalMask(mask, planes); err != nil {
			b.Fatal(err)
		}
	}
}
