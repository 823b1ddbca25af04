package board

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// startFENs are positions from which the random walks set out: castling, en
// passant, promotions, few pieces.
var startFENs = []string{
	StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
	"4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
}

// walk plays random legal moves and calls f after each.
func walk(t *testing.T, seed uint64, plies int, f func(before, after *Position, m Move)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, fen := range startFENs {
		p := mustParse(t, fen)
		for range plies {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			q := p.After(m)
			f(&p, &q, m)
			p = q
		}
	}
}

// TestWalk checks what must hold after every move.
func TestWalk(t *testing.T) {
	moves := 0
	for seed := range uint64(30) {
		walk(t, seed, 200, func(before, p *Position, m Move) {
			moves++
			if err := p.Validate(); err != nil {
				t.Fatalf("%s after %v: %v", before.FEN(), m, err)
			}
			if p.Key() != p.computeKey() {
				t.Fatalf("%s after %v: key %x, recomputed %x", before.FEN(), m, p.Key(), p.computeKey())
			}
			if q := mustParse(t, p.FEN()); q != *p {
				t.Fatalf("%s after %v: not the position of its FEN", before.FEN(), m)
			}
			clock := before.HalfmoveClock() + 1
			if before.PieceAt(m.To()) != NoPiece || before.PieceAt(m.From()).Type() == Pawn {
				clock = 0
			}
			number := before.FullmoveNumber()
			if before.Turn() == Black {
				number++
			}
			if p.HalfmoveClock() != clock || p.FullmoveNumber() != number {
				t.Fatalf("%s after %v: counters %d %d, want %d %d", before.FEN(), m, p.HalfmoveClock(),
					p.FullmoveNumber(), clock, number)
			}
			if got, want := p.HasLegalMove(), len(p.LegalMoves(nil)) > 0; got != want {
				t.Fatalf("%s: HasLegalMove is %v", p.FEN(), got)
			}
			mirror := p.Mirror()
			if mirror.Mirror() != *p {
				t.Fatalf("%s: mirrored twice it is another position", p.FEN())
			}
			if q := mustParse(t, mirror.FEN()); q != mirror || q.Key() == p.Key() {
				t.Fatalf("%s: mirror %s", p.FEN(), mirror.FEN())
			}
			mirrorBefore := before.Mirror()
			if q := mirrorBefore.After(m.Mirror()); q.EPD() != mirror.EPD() {
				t.Fatalf("%s: %v and its mirror lead apart", before.FEN(), m)
			}
		})
	}
	t.Logf("%d moves", moves)
}

func TestIsLegalOnWalk(t *testing.T) {
	n := 0
	walk(t, 99, 200, func(_, p *Position, _ Move) {
		if n++; n%20 == 0 {
			testIsLegal(t, p)
		}
	})
}

// TestStartPosition guards the order of initialisation: the start position is
// made by the parser, which needs the tables.
func TestStartPosition(t *testing.T) {
	p, err := ParseFEN(StartFEN)
	if err != nil || p != StartPosition() || p.Key() == 0 || p.Key() != p.computeKey() {
		t.Errorf("start position %v, key %x, recomputed %x: %v", p, p.Key(), p.computeKey(), err)
	}
}

// TestKeyStable holds keys to values from an independent program: keys may be
// stored.
func TestKeyStable(t *testing.T) {
	for fen, want := range map[string]uint64{
		StartFEN: 0x3c46262a6889617e,
		"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3": 0xdee8a637c0fed635,
		"8/8/8/8/8/8/8/K1k5 b - - 0 1":                                  0xa1326891894f9619,
	} {
		if p := mustParse(t, fen); p.Key() != want {
			t.Errorf("%s: key %#x, want %#x", fen, p.Key(), want)
		}
	}
}

// TestKeyTellsApart: whatever changes the moves changes the key, counters do not.
func TestKeyTellsApart(t *testing.T) {
	keys := map[uint64]string{}
	for _, fen := range []string{
		"r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 1",
		"r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1", "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQk - 0 1",
		"r3k2r/8/8/3pP3/8/8/8/R3K2R w KQq - 0 1", "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kkq - 0 1",
		"r3k2r/8/8/3pP3/8/8/8/R3K2R w Qkq - 0 1", "r3k2r/8/8/3pP3/8/8/8/R3K2R w - - 0 1",
		"r2k3r/8/8/3pP3/8/8/8/R3K2R w KQ - 0 1", "r3k2r/8/8/3pN3/8/8/8/R3K2R w KQkq - 0 1",
	} {
		p := mustParse(t, fen)
		if other, ok := keys[p.Key()]; ok {
			t.Errorf("%s and %s have one key", fen, other)
		}
		keys[p.Key()] = fen
		counters := mustParse(t, strings.TrimSuffix(fen, "0 1")+"12 34")
		if p.Key() != counters.Key() {
			t.Errorf("%s: the counters change the key", fen)
		}
	}
}

func TestEndOfGame(t *testing.T) {
	for _, test := range []struct {
		fen                   string
		mate, stalemate, dead bool
	}{
		{StartFEN, false, false, false},
		{"rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", true, false, false},
		{"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", false, false, false},
		{"R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", true, false, false},
		{"7k/5Q2/8/8/8/8/8/K7 b - - 0 1", false, true, false},
		{"7k/5Q2/8/8/8/8/8/K7 w - - 0 1", false, false, false},
		// Loyd, all pieces on the board
		{"5bnr/4p1pq/4Qpkr/7p/7P/4P3/PPPP1PP1/RNB1KBNR b KQ - 2 10", false, true, false},
		{"8/8/8/8/8/8/8/K1k5 w - - 0 1", false, false, true},
		{"8/8/8/8/8/8/8/K1kB4 w - - 0 1", false, false, true},
		{"8/8/8/8/8/8/8/K1kn4 w - - 0 1", false, false, true},
		{"8/8/8/8/8/2b5/8/K1kB4 w - - 0 1", false, false, false},    // c3 dark, d1 light
		{"8/8/8/8/8/3b4/8/K1kB4 w - - 0 1", false, false, true},     // both light
		{"8/8/b7/1B6/b7/8/8/K1k1B3 w - - 0 1", false, false, false}, // e1 dark, the others light
		{"8/8/b7/1B6/b7/8/8/K1kB4 w - - 0 1", false, false, true},   // all light
		{"8/8/8/8/8/8/8/KBkB4 b - - 0 1", false, false, true},       // b1 and d1, both light
		{"8/8/8/8/8/8/8/K1kNN3 w - - 0 1", false, false, false},     // two knights can mate with help
		{"8/8/8/8/8/8/8/K1kNn3 w - - 0 1", false, false, false},
		{"8/8/8/8/8/8/8/K1kBn3 w - - 0 1", false, false, false},
		{"8/8/8/8/8/8/P7/K1k5 w - - 0 1", false, false, false},
		{"8/8/8/8/8/8/R7/K1k5 w - - 0 1", false, false, false},
		{"8/8/8/8/8/8/q7/K1k5 w - - 0 1", false, false, false},
		{"k1b5/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8/K1B5 w - - 0 1", false, false, false}, // dead, but not by material
	} {
		p := mustParse(t, test.fen)
		if p.IsCheckmate() != test.mate || p.IsStalemate() != test.stalemate || p.IsDead() != test.dead {
			t.Errorf("%s: mate %v, stalemate %v, dead %v", test.fen, p.IsCheckmate(), p.IsStalemate(), p.IsDead())
		}
		if q := p.Mirror(); q.IsCheckmate() != test.mate || q.IsStalemate() != test.stalemate ||
			q.IsDead() != test.dead {
			t.Errorf("%s: the mirror ends otherwise", test.fen)
		}
	}
}

// TestCountersStop: a game too long for the counters does not start them over.
func TestCountersStop(t *testing.T) {
	p := mustParse(t, "r3k3/8/8/8/8/8/8/4K2R b - - 65534 65534")
	for _, uci := range []string{"a8b8", "h1g1", "b8a8", "g1h1"} {
		p.Play(mustMove(t, &p, uci))
	}
	if p.HalfmoveClock() != 65535 || p.FullmoveNumber() != 65535 {
		t.Errorf("counters %d %d, want 65535 twice", p.HalfmoveClock(), p.FullmoveNumber())
	}
}

func TestPositionAccessors(t *testing.T) {
	p := mustParse(t, "r3k2r/8/8/3pP3/8/8/8/R3K2R w Kq d6 3 9")
	for c, want := range map[Color][2]bool{White: {true, false}, Black: {false, true}} {
		if p.CanCastle(c, true) != want[0] || p.CanCastle(c, false) != want[1] {
			t.Errorf("%v may castle %v %v, want %v", c, p.CanCastle(c, true), p.CanCastle(c, false), want)
		}
	}
	if p.EnPassant().String() != "d6" || p.HalfmoveClock() != 3 || p.FullmoveNumber() != 9 || p.Turn() != White {
		t.Errorf("wrong fields: %s", p.FEN())
	}
	if p.PieceAt(60) != NewPiece(Black, King) || p.PieceAt(4) != NewPiece(White, King) || p.PieceAt(1) != NoPiece {
		t.Error("wrong pieces")
	}
	want := "r . . . k . . r\n. . . . . . . .\n. . . . . . . .\n. . . p P . . .\n" +
		". . . . . . . .\n. . . . . . . .\n. . . . . . . .\nR . . . K . . R\n"
	if p.String() != want {
		t.Errorf("diagram\n%s", p.String())
	}
	if size := unsafe.Sizeof(p); size != 88 {
		t.Errorf("a position has %d bytes, the documentation says 88", size)
	}
}

// TestMirrorKeys: keys of mirrored positions made one from the other are those of the mirrored positions, from move to
// move and across games.
func TestMirrorKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	games := []Position{StartPosition()}
	for _, fen := range []string{
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",                 // castling, en passant
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", // promotions
	} {
		games = append(games, mustParse(t, fen))
	}
	var keys MirrorKeys
	for n := range 4000 {
		p := &games[n/3%len(games)]
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			*p = StartPosition()
			continue
		}
		p.Play(legal[rng.IntN(len(legal))])
		m := p.Mirror()
		if got := keys.Key(p); got != m.Key() {
			t.Fatalf("%q: %x, want %x", p.FEN(), got, m.Key())
		}
	}
}

// TestCaptured: what a move takes is what the other side has one less of afterwards.
func TestCaptured(t *testing.T) {
	seen := map[PieceType]bool{}
	for _, fen := range []string{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r3k2r/p1pp1pb1/bn2pnp1/q2PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1",
		"k2q4/4P3/8/2pP4/8/8/5r2/4R1K1 w - c6 0 1", "k2q4/4P3/8/2pP4/8/8/5r2/4R1K1 w - - 0 1",
		"6k1/8/4b3/3N1r2/4P3/8/8/6K1 w - - 0 1"} {
		p, err := ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		other := p.Turn().Other()
		for _, m := range p.LegalMoves(nil) {
			after, want := p.After(m), NoPieceType
			for pt := Pawn; pt <= King; pt++ {
				if after.Pieces(other, pt).Len() < p.Pieces(other, pt).Len() {
					want = pt
				}
			}
			seen[want] = true
			if got := p.Captured(m); got != want || p.IsCapture(m) != (want != NoPieceType) {
				t.Errorf("%s: %s takes %v, not %v", fen, m, want, got)
			}
		}
	}
	if len(seen) < 6 {
		t.Errorf("only %v are taken", seen)
	}
}

// TestCaptures: those of the legal moves that capture or promote, in their order.
func TestCaptures(t *testing.T) {
	captures := 0
	for seed := range uint64(30) {
		walk(t, seed, 200, func(before, _ *Position, _ Move) {
			want := slices.DeleteFunc(before.LegalMoves(nil), func(m Move) bool {
				return !before.IsCapture(m) && m.Promotion() == NoPieceType
			})
			if got := before.Captures(nil); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", before.FEN(), got, want)
			}
			captures += len(want)
		})
	}
	if captures < 1000 {
		t.Errorf("%d captures", captures)
	}
}
