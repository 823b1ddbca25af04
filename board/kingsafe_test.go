package board

import (
	"math/rand/v2"
	"testing"
)

// TestKeepsKingSafe agrees with IsLegal on everything that pieces can do by their rules, over random games.
func TestKeepsKingSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checked, unsafe := 0, 0
	for range 40 {
		p := StartPosition()
		for range 120 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			for own := p.ByColor(p.Turn()); own != 0; own &= own - 1 {
				from := own.First()
				pt := p.TypeAt(from)
				if pt == Pawn {
					continue
				}
				for to := Attacks(p.Turn(), pt, from, p.Occupied()) &^ p.ByColor(p.Turn()); to != 0; to &= to - 1 {
					safe := p.KeepsKingSafe(pt, from, to.First())
					if safe != p.IsLegal(NewMove(from, to.First())) {
						t.Fatalf("%v at %s: %v", NewMove(from, to.First()), p.FEN(), safe)
					}
					checked++
					if !safe {
						unsafe++
					}
				}
			}
			for _, m := range moves {
				castling := p.TypeAt(m.From()) == King && (m.To() == m.From()+2 || m.To()+2 == m.From())
				if !castling && !p.KeepsKingSafe(p.TypeAt(m.From()), m.From(), m.To()) {
					t.Fatalf("%v at %s", m, p.FEN())
				}
			}
			p.Play(moves[rng.IntN(len(moves))])
		}
	}
	if unsafe < 1000 || checked-unsafe < 1000 {
		t.Errorf("%d of %d are unsafe", unsafe, checked)
	}
}
