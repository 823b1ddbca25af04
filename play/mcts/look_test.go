package mcts

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

// wandering are positions of games of random moves, some of them after captures that hang pieces.
func wandering(games, plies int) (list []board.Position) {
	rng := rand.New(rand.NewPCG(61, 3))
	for range games {
		p := board.StartPosition()
		for range plies {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			p.Play(legal[rng.IntN(len(legal))])
			list = append(list, p)
		}
	}
	return list
}

// slowReply and slowExchange say the same as [looker.reply] and [looker.exchange], without bounds, order and short
// cuts.
func slowReply(p *board.Position) int {
	moves := p.LegalMoves(nil)
	if len(moves) == 0 && !p.InCheck() {
		return 0
	}
	best := -lookMate
	for _, m := range moves {
		q := p.After(m)
		best = max(best, -slowExchange(&q, lookDepth))
	}
	return best
}

func slowExchange(p *board.Position, depth int) int {
	escapes := depth == lookDepth && p.InCheck()
	best := materialOf(p)
	if escapes {
		best = -lookMate
	}
	if depth == 0 {
		return best
	}
	for _, m := range p.LegalMoves(nil) {
		if q := p.After(m); escapes || -materialOf(&q) > materialOf(p) {
			best = max(best, -slowExchange(&q, depth-1))
		}
	}
	return best
}

func TestLook(t *testing.T) {
	var l looker
	differ := 0
	for _, p := range wandering(12, 30) {
		want := slowReply(&p)
		if got := l.reply(&p, materialOf(&p), -lookMate-1, lookMate+1); got != want {
			t.Errorf("%s: %d, want %d", p.FEN(), got, want)
		}
		if want != materialOf(&p) {
			differ++
		}
	}
	if differ < 50 {
		t.Errorf("%d positions", differ)
	}
}

// TestLookChooses: without a network that knows anything, the first choice wins what there is to win, leaves nothing
// hanging and lets nobody mate.
func TestLookChooses(t *testing.T) {
	for fen, best := range map[string]string{
		"4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1":                                 "d2d5", // takes what nothing defends
		"4k3/8/8/1n6/3Q4/8/8/1K6 w - - 0 1":                                 "",     // moves the queen that is attacked
		"6k1/5ppp/8/8/8/8/r4PPP/1R4K1 b - - 0 1":                            "",     // no move but those that stop Rb8
		"r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3": "",     // no move that lets Qxf7
	} {
		p := testkit.Must(board.ParseFEN(fen))
		s := mustNew(t, "puct", newFake(t, 1), func(o *Options) { o.Look = true })
		s.Position(&p, nil)
		m := search(t, s, Limits{Nodes: 1}).Lines[0].PV[0]
		if best != "" && m.String() != best {
			t.Errorf("%s: %s, want %s", fen, m, best)
		}
		q := p.After(m)
		if lost := slowReply(&q) + materialOf(&p); best == "" && lost > 0 {
			t.Errorf("%s: %s loses %d", fen, m, lost)
		}
	}
}

func BenchmarkLook(b *testing.B) {
	var l looker
	list := wandering(5, 90)
	for b.Loop() {
		for _, p := range list {
			balance := materialOf(&p)
			for _, m := range p.LegalMoves(nil) {
				q := p.After(m)
				l.reply(&q, -balance-gainOf(&p, m), -balance-lookRange, -balance+lookRange)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(list)), "µs/position")
}
