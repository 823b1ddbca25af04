package review

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"talbot/internal/progress"
	"talbot/internal/testkit"
)

// TestMemory reviews many games: what is said of their moves is not kept.
func TestMemory(t *testing.T) {
	const few, many, most = 20, 100, 4 << 10 // bytes a game; the moves of one take 15,000 in JSON
	in := filepath.Join(t.TempDir(), "games.pgn")
	game := "[White \"Anna\"]\n[Black \"Bert\"]\n[Result \"*\"]\n\n" +
		strings.Repeat("Nf3 {[%eval 0.3]} Nf6 {[%eval 0.3]} Ng1 {[%eval 0.3]} Ng8 {[%eval 0.3]} ", 15) + "*\n\n"
	testkit.OK(t, os.WriteFile(in, []byte(strings.Repeat(game, many)), 0o666))
	m := Making{Out: filepath.Join(t.TempDir(), "out"), Evals: true}
	m.Read.Inputs = []string{in}
	held := map[int64]int64{}
	m.Progress = func(p progress.Progress) {
		if p.Verb == "review" && (p.Done == few || p.Done == many) {
			var now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&now)
			held[p.Done] = int64(now.HeapAlloc)
		}
	}
	if sum := testkit.Value(m.Run(t.Context()))(t); sum.Games != many {
		t.Errorf("%d games", sum.Games)
	}
	if each := (held[many] - held[few]) / (many - few); held[few] == 0 || each > most {
		t.Errorf("%d bytes a game are held", each)
	}
}
