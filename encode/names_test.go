package encode

import (
	"testing"

	"talbot/board"
)

// Every plane and number of every recipe has a name, and the planes of pieces have that of what stands on them.
func TestNumberNames(t *testing.T) {
	p, err := board.ParseFEN("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(p)
	var v View
	v.Play(g, 1400, 1800)
	for _, e := range []Encoder{TalbotBot{}, Tahl{}, Lynx{}, Lynx{Attacks: true},
		Lynx{Attacks: true, Tactics: true}, Napoleon{}, Prior{}, Probability{}, NoSearch{}, NoSearch{Scores: true}} {
		l := e.Layout()
		packed, numbers := make([]uint64, l.Words), make([]float32, l.Numbers())
		e.Pack(packed, &v)
		e.Unpack(numbers, packed)
		number := 0
		for i, group := range e.(Namer).NumberNames() {
			for _, name := range group.Names {
				if name == "" || group.Name == "" {
					t.Errorf("%s: number %d has no name", e.Name(), number)
				}
				if i < 2 && len(l.Shape) == 3 { // pieces; Black is to move, so that ranks are mirrored
					kind := map[string]board.PieceType{"pawns": board.Pawn, "knights": board.Knight,
						"bishops": board.Bishop, "rooks": board.Rook, "queens": board.Queen, "king": board.King}[name]
					owner := []board.Color{board.Black, board.White}[i]
					for s := range 64 {
						piece := p.PieceAt(board.Square(s ^ 56))
						stands := piece != board.NoPiece && piece.Type() == kind && piece.Color() == owner
						if set := numbers[64*number+s] != 0; set != stands {
							t.Fatalf("%s: plane %d, %s: %s: square %d", e.Name(), number, group.Name, name, s)
						}
					}
				}
				number++
			}
		}
		if number != l.Shape[0] {
			t.Errorf("%s: %d names of %d", e.Name(), number, l.Shape[0])
		}
	}
}
