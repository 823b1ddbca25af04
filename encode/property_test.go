package encode

import (
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// starts are positions whose random games castle, promote and capture en passant often.
var starts = []string{
	board.StartFEN,
	"r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/PPPP1k2/8/8/8/8/2K1pppp/8 b - - 0 1",
	"4k3/pppppppp/8/PPPPPPPP/8/8/8/4K3 b - - 0 1",
	"4k3/8/8/8/pppppppp/8/PPPPPPPP/4K3 w - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/8/8/8/8/k7/8/K6R b - - 0 1",
}

// mirrorLine returns the same line with the sides changed.
func mirrorLine(l dataset.Line) dataset.Line {
	l.Start = l.Start.Mirror()
	l.Moves = slices.Clone(l.Moves)
	for i, m := range l.Moves {
		l.Moves[i] = m.Mirror()
	}
	return l
}

// seen counts what the random games showed.
type seen struct{ castling, enPassant, promotion, underpromotion, repetition, third, positions int }

// checkLine checks, at every ply of the line, that the mirrored line has the same planes but for plane 16, that
// every legal move has an index of its own, the same in the mirror, and comes back from it, and that no other index
// is a move.
func checkLine(t *testing.T, l dataset.Line, count *seen) {
	t.Helper()
	mirror := mirrorLine(l)
	var w, v dataset.Walker
	var e TalbotBot
	a, b := make([]uint64, TalbotBotPlanes), make([]uint64, TalbotBotPlanes)
	w.Reset(&l)
	v.Reset(&mirror)
	for w.Next() && v.Next() {
		p, q := w.Position(), v.Position()
		e.Planes(a, w.Game())
		e.Planes(b, v.Game())
		if a[blackPlane]^b[blackPlane] != all || a[blackPlane] != ones(p.Turn() == board.Black) {
			t.Fatalf("%q: plane 16 is %x, mirrored %x", p.FEN(), a[blackPlane], b[blackPlane])
		}
		b[blackPlane] = a[blackPlane]
		if !slices.Equal(a, b) {
			t.Fatalf("%q: planes\n%x\nmirrored\n%x", p.FEN(), a, b)
		}
		count.positions++
		if ep := a[enPassantPlane]; ep != 0 {
			count.enPassant++
			if ep&(ep-1) != 0 || ep&^(0xff<<40) != 0 {
				t.Fatalf("%q: en passant plane %x is not one square of the sixth rank", p.FEN(), ep)
			}
		}
		count.repetition += int(a[repetitionPlane] & 1)
		count.third += int(a[repetitionPlane+1] & 1)

		legal := map[int]board.Move{}
		for _, m := range p.LegalMoves(nil) {
			i := e.MoveIndex(p, m)
			if i < 0 || i >= TalbotBotMoves || legal[i] != board.NoMove {
				t.Fatalf("%q: %v has index %d, as has %v", p.FEN(), m, i, legal[i])
			}
			legal[i] = m
			if j := e.MoveIndex(q, m.Mirror()); j != i {
				t.Fatalf("%q: %v has index %d, mirrored %d", p.FEN(), m, i, j)
			}
			switch m.Promotion() {
			case board.NoPieceType:
			case board.Queen:
				count.promotion++
			default:
				count.underpromotion++
			}
			if d := int(m.To()) - int(m.From()); p.PieceAt(m.From()).Type() == board.King && (d == 2 || d == -2) {
				count.castling++
			}
		}
		for i := range TalbotBotMoves {
			if m, ok := e.Move(p, i); ok != (legal[i] != board.NoMove) || m != legal[i] {
				t.Fatalf("%q: index %d is %v %v, want %v", p.FEN(), i, m, ok, legal[i])
			}
		}
	}
}

func TestRandomGames(t *testing.T) {
	games := uint64(6)
	if testing.Short() {
		games = 1
	}
	var count seen
	for _, fen := range starts {
		start, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range games {
			checkLine(t, randomLine(seed, start, 80), &count)
		}
	}
	if count.castling == 0 || count.enPassant == 0 || count.promotion == 0 || count.underpromotion == 0 ||
		count.repetition == 0 {
		t.Errorf("something never occurred: %+v", count)
	}
	t.Logf("%+v", count)
}

func FuzzLine(f *testing.F) {
	fuzzLines(f, func(t *testing.T, l dataset.Line) { checkLine(t, l, new(seen)) })
}

// chosenLine plays the moves that the bytes choose among the legal ones, up to 60.
func chosenLine(start board.Position, choice []byte) dataset.Line {
	p, l := start, dataset.Line{Start: start}
	for _, c := range choice[:min(len(choice), 60)] {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[int(c)%len(moves)]
		l.Moves = append(l.Moves, m)
		p.Play(m)
	}
	return l
}
