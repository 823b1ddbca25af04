package mcts

import (
	"math"
	"testing"

	"talbot/board"
)

// simple is an evaluator that counts material after exchanges and knows a little about where pieces stand: it plays
// sensible moves and takes some microseconds, so that long searches can be compared.
type simple struct{ *free }

func (simple) Sizes() []int { return []int{1, 2, 4, 8} }
func (simple) History() int { return 0 }

func (f simple) Put(i int, g *board.Game, legal []board.Move) {
	p := g.Position()
	a := &f.slots[i]
	e := exchanges{left: 60}
	a.Value = float32(math.Tanh(float64(e.quiescence(p, -math.MaxInt32, math.MaxInt32, quickDepth)) / 350))
	a.Prior = a.Prior[:0]
	sum, now := 0.0, side(p, p.Turn())
	for _, m := range legal {
		q := p.After(m)
		x := float64(side(&q, p.Turn())-now)/60 + float64(gain(p, m))/3000
		a.Prior = append(a.Prior, float32(x))
		sum += math.Exp(x)
	}
	for k := range a.Prior {
		a.Prior[k] -= float32(math.Log(sum))
	}
}

// TestFullIsNoWorse: a search that has run out of memory many times values its position about as one that has enough.
func TestFullIsNoWorse(t *testing.T) {
	for _, fen := range positions[:3] {
		var values [2]float64
		for i, hash := range []int64{1 << 20, 64 << 20} {
			s := mustNew(t, "puct", simple{cheap(8)}, func(o *Options) { o.Hash, o.CacheSize = hash, 2000 })
			set(t, s, fen)
			search(t, s, Limits{Nodes: 20_000})
			tr := s.(*tree)
			if n := tr.at(tr.top); tr.full != (i == 0) || n.visits != 20_000 && !tr.proven() {
				t.Errorf("%s: full %v, %d visits", fen, tr.full, n.visits)
			}
			values[i] = tr.at(tr.top).mean()
		}
		t.Logf("%s: %.3f and %.3f", fen, values[0], values[1])
		if math.Abs(values[0]-values[1]) > 0.1 {
			t.Errorf("%s: %.3f with hardly any memory, %.3f with enough", fen, values[0], values[1])
		}
	}
}
