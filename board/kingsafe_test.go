package board

import (
	"math/rand/v2"
	"testing"
)

// TestPlayIfSafe agrees with IsLegal on everything that pieces can do by their rules, over random games.
func TestPlayIfSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	checked, unsafe := 0, 0
	for range 40 {
		playRandom(rng, StartPosition(), 120, func(p *Position, moves []Move) {
			for own := p.ByColor(p.Turn()); own != 0; own &= own - 1 {
				from := own.First()
				pt := p.TypeAt(from)
				if pt == Pawn {
					continue
				}
				for to := Attacks(p.Turn(), pt, from, p.Occupied()) &^ p.ByColor(p.Turn()); to != 0; to &= to - 1 {
					m, q, want := NewMove(from, to.First()), *p, *p
					safe := q.PlayIfSafe(pt, m)
					if safe {
						want.Play(m)
					}
					if safe != p.IsLegal(m) || q != want {
						t.Fatalf("%v at %s: %v, %s", m, p.FEN(), safe, q.FEN())
					}
					checked++
					if !safe {
						unsafe++
					}
				}
			}
			for _, m := range moves {
				if q := *p; !p.IsCastling(m) && (!q.PlayIfSafe(p.TypeAt(m.From()), m) || q != p.After(m)) {
					t.Fatalf("%v at %s", m, p.FEN())
				}
			}
		})
	}
	if unsafe < 1000 || checked-unsafe < 1000 {
		t.Errorf("%d of %d are unsafe", unsafe, checked)
	}
}
