package mcts

import (
	"math/rand/v2"
	"testing"
)

// TestPrune searches with hardly any memory, move after move: what nodes, reports and bounds say stays consistent, the
// memory is kept to, and the number of visits is exact.
func TestPrune(t *testing.T) {
	games := []string{"6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "8/8/4k3/8/8/3QK3/8/8 w - - 20 40",
		"k7/7R/8/8/8/8/6R1/K7 w - - 0 1", "7k/8/8/8/8/8/6q1/K1R5 w - - 70 60"}
	games = append(games, positions...)
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 9))
		name := []string{"puct", "talbotbot"}[seed%2]
		f := noisy(t, 1+random.IntN(32), random.IntN(3))
		f.abilities.WDL = seed%3 == 0
		s := mustNew(t, name, f, func(o *Options) {
			o.Hash, o.CacheSize = 1<<20, []int{0, 300, 2000}[random.IntN(3)]
			o.MultiPV = 1 + random.IntN(3)
		})
		tr := s.(*tree)
		tr.arena.limit = int64(2+random.IntN(3)) * pieceBytes
		fen := games[int(seed/2)%len(games)]
		var played []string
		pruned := 0
		for range 4 {
			g := set(t, s, fen, played...)
			r := search(t, s, Limits{Nodes: 4000})
			if tr.full {
				pruned++
			}
			if len(r.Lines) == 0 {
				break
			}
			if r.Nodes != 4000 && !tr.finished() {
				t.Errorf("seed %d: %d visits", seed, r.Nodes)
			}
			if tr.bytes > tr.arena.limit {
				t.Errorf("seed %d: %d bytes", seed, tr.bytes)
			}
			checkReport(t, g, r)
			check(t, tr)
			played = append(played, r.Lines[0].PV[0].String())
		}
		t.Logf("seed %d: %s %s: %d of %d searches were short of memory", seed, name, fen, pruned, len(played))
	}
}
