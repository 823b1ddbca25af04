package mcts

import (
	"context"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

// FuzzSearch plays some moves from any position with any searcher under any settings: every move is legal, every report
// is one of the position, limits on nodes are kept, and trees are as they should be.
func FuzzSearch(f *testing.F) {
	for i, fen := range positions {
		f.Add(fen, uint64(i), uint64(i*7919))
	}
	f.Add(shuffle, uint64(0), uint64(99))
	f.Add(mates[3].fen, uint64(0), uint64(5))
	f.Add("8/8/8/8/8/1k6/p7/K7 w - - 98 1", uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, fen string, pick, seed uint64) {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return
		}
		random := rand.New(rand.NewPCG(pick, seed))
		p = wander(p, random)
		name := Names()[pick%uint64(len(Names()))]
		o := Defaults()
		for i := range Settings {
			if s := &Settings[i]; s.Name != "Hash" && random.IntN(3) == 0 {
				o = randomSetting(s, o, random)
			}
		}
		o.Hash = 1 << 20
		o.Iterations = min(o.Iterations, 40)
		e := noisy(t, 1+random.IntN(12), random.IntN(3))
		prior := name == "policy" || name == "rollouts" || name == "gumbel" || random.IntN(2) == 0
		e.abilities = Capabilities{Prior: prior, Value: true, WDL: random.IntN(2) == 0}
		s, err := New(name, e, o)
		testkit.OK(t, err)
		g := board.NewGame(p)
		var moves []board.Move
		for range 6 {
			s.Position(&p, moves)
			l := Limits{Nodes: int64(1 + random.IntN(60)), Depth: random.IntN(4), Mate: random.IntN(2)}
			legal := g.Position().LegalMoves(nil)
			if len(legal) > 1 && random.IntN(3) == 0 {
				l.SearchMoves = legal[:1+random.IntN(len(legal)-1)]
			}
			r, err := s.Search(context.Background(), l, func(*Report) {})
			testkit.OK(t, err)
			checkReport(t, g, r)
			if r.Nodes > l.Nodes && name != "value" {
				t.Fatalf("%s: %d nodes, not %d", name, r.Nodes, l.Nodes)
			}
			if tr, ok := s.(*tree); ok {
				check(t, tr)
			}
			for range 1 + random.IntN(2) {
				if legal = g.Position().LegalMoves(legal[:0]); len(legal) == 0 {
					return
				}
				m := legal[random.IntN(len(legal))]
				moves = append(moves, m)
				g.Push(m)
			}
			if random.IntN(8) == 0 {
				s.Clear()
			}
		}
	})
}

// wander returns the position after some random moves.
func wander(p board.Position, random *rand.Rand) board.Position {
	for range random.IntN(120) {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			break
		}
		p.Play(legal[random.IntN(len(legal))])
	}
	return p
}

// randomSetting draws a value of a setting: one of its bounds, or one in between.
func randomSetting(s *Setting, o Options, random *rand.Rand) Options {
	value := plain([]float64{s.Min, s.Max, s.Min + float64(random.IntN(10)), (s.Min + s.Max) / 2}[random.IntN(4)])
	if s.Kind == Switch {
		value = []string{"true", "false"}[random.IntN(2)]
	}
	if s.Name == "NNCacheSize" || s.Set(&o, value) != nil {
		o.CacheSize = random.IntN(2) * 100
	}
	return o
}
