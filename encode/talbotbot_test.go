package encode

import (
	"testing"

	"talbot/board"
)

func set(squares ...string) (b uint64) {
	for _, s := range squares {
		sq, ok := board.ParseSquare(s)
		if !ok {
			panic(s)
		}
		b |= 1 << sq
	}
	return b
}

const all = ^uint64(0)

// TestMoveIndexByHand holds indices worked out by hand: from × 73 + plane, both in the mover's frame.
func TestMoveIndexByHand(t *testing.T) {
	const (
		castles = "r3k2r/8/8/8/8/8/8/R3K2R"
		knight  = "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1"
		pawns   = "1n1n3k/2P5/8/8/8/8/8/7K w - - 0 1"
		queen   = "8/8/7k/8/8/8/1Q6/5K2 w - - 0 1"
	)
	for _, c := range []struct {
		fen, uci string
		want     int
	}{
		// e2 = 12, N over 2 squares: plane 0·7 + 2 - 1 = 1. 12·73 + 1 = 877.
		{board.StartFEN, "e2e4", 877},
		// g8 is g1 = 6 for Black, (+2,-1) is the last knight step, plane 63. 6·73 + 63 = 501.
		{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "g8f6", 501},
		// e1 = 4 in both frames; E over 2: 2·7 + 1 = 15, W over 2: 6·7 + 1 = 43. 4·73 = 292.
		{castles + " w KQkq - 0 1", "e1g1", 307},
		{castles + " w KQkq - 0 1", "e1c1", 335},
		{castles + " b KQkq - 0 1", "e8g8", 307},
		{castles + " b KQkq - 0 1", "e8c8", 335},
		// A promotion to a queen is N over 1 from e7 = 52: 52·73 + 0; for Black e2 is e7.
		{"8/4P2k/8/8/8/8/8/7K w - - 0 1", "e7e8q", 3796},
		{"7k/8/8/8/8/8/4p2K/8 b - - 0 1", "e2e1q", 3796},
		// From c7 = 50: 50·73 = 3650, + 64 + 3·piece + file step + 1; b8 is file step -1, d8 is +1.
		{pawns, "c7b8n", 3714}, {pawns, "c7c8n", 3715}, {pawns, "c7d8n", 3716},
		{pawns, "c7b8b", 3717}, {pawns, "c7c8b", 3718}, {pawns, "c7d8b", 3719},
		{pawns, "c7b8r", 3720}, {pawns, "c7c8r", 3721}, {pawns, "c7d8r", 3722},
		// The queen takes the slides NW over 1 (7·7), N over 1 (0) and NE over 1 (1·7).
		{pawns, "c7b8q", 3699}, {pawns, "c7c8q", 3650}, {pawns, "c7d8q", 3657},
		// From d4 = 27: 27·73 = 1971, + 56 … 63 clockwise from two up, one right.
		{knight, "d4e6", 2027}, {knight, "d4f5", 2028}, {knight, "d4f3", 2029}, {knight, "d4e2", 2030},
		{knight, "d4c2", 2031}, {knight, "d4b3", 2032}, {knight, "d4b5", 2033}, {knight, "d4c6", 2034},
		// From b2 = 9: 657. N 6 = 5, NE 5 = 11, E 6 = 19, SE 1 = 21, S 1 = 28, SW 1 = 35, W 1 = 42, NW 1 = 49.
		{queen, "b2b8", 662}, {queen, "b2g7", 668}, {queen, "b2h2", 676}, {queen, "b2c1", 678},
		{queen, "b2b1", 685}, {queen, "b2a1", 692}, {queen, "b2a2", 699}, {queen, "b2a3", 706},
		// The corners: a1 to h8 is 0·73 + 1·7 + 6, h8 to a1 63·73 + 5·7 + 6.
		{"8/8/8/k7/8/K7/8/B7 w - - 0 1", "a1h8", 13},
		{"7B/8/8/8/k1K5/8/8/8 w - - 0 1", "h8a1", 4640},
		// En passant is a pawn's diagonal step: e5 = 36, NW over 1. 36·73 + 49 = 2677.
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", 2677},
	} {
		p, err := board.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.ParseUCI(c.uci)
		if err != nil {
			t.Fatal(err)
		}
		if got := (TalbotBot{}).MoveIndex(&p, m); got != c.want {
			t.Errorf("%s in %q: index %d, want %d", c.uci, c.fen, got, c.want)
		}
		if got, ok := (TalbotBot{}).Move(&p, c.want); got != m || !ok {
			t.Errorf("index %d in %q: %v %v, want %s", c.want, c.fen, got, ok, c.uci)
		}
	}
}

func TestMoveIndexOfNoMove(t *testing.T) {
	p := board.StartPosition()
	for _, m := range []board.Move{
		board.NoMove,
		board.NewMove(0, 49), // a1 to b7: no queen or knight goes there
		board.NewPromotion(12, 20, board.Knight),
		board.NewPromotion(52, 60, board.King),
		board.NewPromotion(52, 60, board.Pawn),
		board.NewPromotion(12, 60, board.Rook),
		board.NewPromotion(48, 63, board.Rook),
		board.NewPromotion(52, 62, board.Rook),
	} {
		if i := (TalbotBot{}).MoveIndex(&p, m); i != -1 {
			t.Errorf("index of %v (%#x) = %d, want -1", m, uint16(m), i)
		}
	}
	for _, i := range []int{-1, TalbotBotMoves, TalbotBotMoves + 877} {
		if m, ok := (TalbotBot{}).Move(&p, i); ok {
			t.Errorf("index %d is %v", i, m)
		}
	}
}

// TestPlanesByHand lists planes worked out by hand; all others must be zero.
func TestPlanesByHand(t *testing.T) {
	const rank2, rank7 = 0xff00, 0xff << 48
	for _, c := range []struct {
		name, fen string
		moves     []string
		want      map[int]uint64
	}{
		{"after 1.e4, Black at the bottom", board.StartFEN, []string{"e2e4"}, map[int]uint64{
			0: rank2, 1: set("b1", "g1"), 2: set("c1", "f1"), 3: set("a1", "h1"), 4: set("d1"), 5: set("e1"),
			// White's pawn on e4 stands on e5 as Black sees it.
			6: rank7&^set("e7") | set("e5"), 7: set("b8", "g8"), 8: set("c8", "f8"), 9: set("a8",
				"h8"), 10: set("d8"), 11: set("e8"),
			12: all, 13: all, 14: all, 15: all, 16: all,
			// 17 is zero: no black pawn can take on e3. The start, one ply ago, is seen by Black too.
			20: rank2, 21: set("b1", "g1"), 22: set("c1", "f1"), 23: set("a1", "h1"), 24: set("d1"), 25: set("e1"),
			26: rank7, 27: set("b8", "g8"), 28: set("c8", "f8"), 29: set("a8", "h8"), 30: set("d8"), 31: set("e8"),
		}},
		{"rights one by one: Black lost the king side, White the queen side", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", nil,
			map[int]uint64{
				3: set("h1"), 5: set("e1"), 9: set("a8"), 11: set("e8"), 12: all, 15: all,
			}},
		{"the same with Black to move: own rights first", "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1", nil, map[int]uint64{
			3: set("a1"), 5: set("e1"), 9: set("h8"), 11: set("e8"), 13: all, 14: all, 16: all,
		}},
		{"en passant for White", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", []string{"d7d5"}, map[int]uint64{
			0: set("e5"), 5: set("e1"), 6: set("d5"), 11: set("e8"), 17: set("d6"),
			20: set("e5"), 25: set("e1"), 26: set("d7"), 31: set("e8"),
		}},
		{"en passant for Black: d3 is d6 in its frame", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", []string{"d2d4"},
			map[int]uint64{
				0: set("e5"), 5: set("e1"), 6: set("d5"), 11: set("e8"), 16: all, 17: set("d6"),
				20: set("e5"), 25: set("e1"), 26: set("d7"), 31: set("e8"),
			}},
		{"no en passant: the capture opens the rank to the king", "8/3p4/8/K3P2r/8/8/8/4k3 b - - 0 1", []string{"d7d5"},
			map[int]uint64{
				0: set("e5"), 5: set("a5"), 6: set("d5"), 9: set("h5"), 11: set("e1"),
				20: set("e5"), 25: set("a5"), 26: set("d7"), 29: set("h5"), 31: set("e1"),
			}},
		{"three plies of history, the newest first, the fourth frame zero", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
			[]string{"a1a2", "e8d8", "a2a3"}, map[int]uint64{ // Black sees a3 as a6, d8 as d1
				5: set("d1"), 9: set("a6"), 11: set("e8"), 16: all,
				25: set("d1"), 29: set("a7"), 31: set("e8"),
				37: set("e1"), 41: set("a7"), 43: set("e8"),
				49: set("e1"), 53: set("a8"), 55: set("e8"),
			}},
		{"four plies of five, and back for the second time", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
			[]string{"a1b1", "e8d8", "b1c1", "d8e8", "c1b1"}, map[int]uint64{
				5: set("e1"), 9: set("b8"), 11: set("e8"), 16: all, 18: all,
				25: set("e1"), 29: set("c8"), 31: set("e8"),
				37: set("d1"), 41: set("c8"), 43: set("e8"),
				49: set("d1"), 53: set("b8"), 55: set("e8"),
				61: set("e1"), 65: set("b8"), 67: set("e8"),
			}},
		{"for the third time", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
			[]string{"a1b1", "e8d8", "b1a1", "d8e8", "a1b1", "e8d8", "b1a1", "d8e8"}, map[int]uint64{
				3: set("a1"), 5: set("e1"), 11: set("e8"), 18: all, 19: all,
				23: set("a1"), 25: set("e1"), 31: set("d8"),
				35: set("b1"), 37: set("e1"), 43: set("d8"),
				47: set("b1"), 49: set("e1"), 55: set("e8"),
				59: set("a1"), 61: set("e1"), 67: set("e8"),
			}},
	} {
		l := uciLine(t, c.fen, c.moves...)
		planes, _ := encoded(t, &l)
		for i, got := range planes {
			if got != c.want[i] {
				t.Errorf("%s: plane %d = %016x, want %016x", c.name, i, got, c.want[i])
			}
		}
	}
}
