package predict

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/network/run"
)

// eachBackend runs a test on "go", and on "xla:cpu" and "onnx" where those are installed.
func eachBackend(t *testing.T, test func(t *testing.T, b *backend.Backend)) {
	for _, name := range []string{"go", "xla:cpu", "onnx"} {
		t.Run(name, func(t *testing.T) { test(t, opened(t, name)) })
	}
}

func opened(t testing.TB, name string) *backend.Backend {
	t.Helper()
	b, err := backend.OpenForInference(name)
	if err != nil && name != "go" {
		t.Skipf("not tested on %s: %v", name, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// tiny is a small network of talbotbot.
func tiny(t testing.TB, sets ...string) run.Config {
	t.Helper()
	return tinyrun.Config(t, "talbotbot", append([]string{"blocks=2", "filters=8"}, sets...)...)
}

func mustOpen(t testing.TB, b *backend.Backend, path string, o Options) *Predictor {
	t.Helper()
	p, err := Open(b, path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// questions are positions of random games with all legal moves.
func questions(t testing.TB, e encode.Encoder, n int) []Input {
	t.Helper()
	l := e.Layout()
	var list []Input
	var v encode.View
	for seed := uint64(0); len(list) < n; seed++ {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := board.NewGame(board.StartPosition())
		for range 60 {
			v.Play(g, 0, 0)
			legal := v.Legal()
			if len(legal) == 0 || len(list) == n {
				break
			}
			q := Input{Packed: make([]uint64, l.Words)}
			e.Pack(q.Packed, &v)
			if l.Moves != encode.NoMoves {
				q.Codes = make([]int32, len(legal)*l.Codes)
				for i, m := range legal {
					e.EncodeMove(q.Codes[i*l.Codes:], &v, m)
				}
			}
			list = append(list, q)
			g.Push(legal[rng.IntN(len(legal))])
		}
	}
	return list
}
