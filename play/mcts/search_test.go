package mcts

import (
	"testing"

	"talbot/board"
)

func TestSmoke(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot"} {
		for _, batch := range []int{1, 16} {
			f := noisy(t, batch, 2)
			s := mustNew(t, name, f, func(o *Options) { o.MultiPV = 3 })
			set(t, s, board.StartFEN, "e2e4")
			r := search(t, s, Limits{Nodes: 2000})
			t.Logf("%s %d: %+v asked %d in %d", name, batch, r, f.asked, len(f.counts))
		}
	}
}
