package board

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestExchangeGolden compares with what testdata/exchange.py found with
// python-chess, by searching all legal captures.
func TestExchangeGolden(t *testing.T) {
	n := 0
	for p, rest := range golden(t, "testdata/exchange.txt") {
		for one := range strings.FieldsSeq(rest) {
			uci, value, _ := strings.Cut(one, "=")
			want, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Exchange(mustMove(t, &p, uci)); got != want {
				t.Errorf("%s, %s: %d, by python-chess %d", p.FEN(), uci, got, want)
			}
			n++
		}
	}
	if n < 5000 {
		t.Errorf("%d known exchanges", n)
	}
}

// TestExchangeMirrored: what a move wins does not depend on the colour.
func TestExchangeMirrored(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		playRandom(r, StartPosition(), 20+r.IntN(60), func(p *Position, moves []Move) {
			q := p.Mirror()
			for _, m := range moves {
				if a, b := p.Exchange(m), q.Exchange(m.Mirror()); a != b {
					t.Fatalf("%s, %s: %d, mirrored %d", p.FEN(), m, a, b)
				}
			}
		})
	}
}

// TestExchangeOfManyAttackers: a square that many queens look at takes no
// noticeable time.
func TestExchangeOfManyAttackers(t *testing.T) {
	p := mustParse(t, "q2q2qk/1q1q2q1/3r4/q1qRr1q1/3Q1R2/1Q1Q1Q2/Q2Q2QQ/3Q3K b - - 0 1")
	began := time.Now()
	for _, m := range p.LegalMoves(nil) {
		p.Exchange(m)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%v", took)
	}
}
