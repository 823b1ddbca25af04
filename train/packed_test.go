package train

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/board"
	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
)

// planesOf makes planes of a packed input square by square.
func planesOf(packed []uint64) (planes [encode.TalbotBotPlanes]uint64) {
	for board := range 5 {
		w := packed[4*board:]
		first := 0
		if board > 0 {
			first = 20 + 12*(board-1)
		}
		for s := range 64 {
			if kind := w[0]>>s&1 + w[1]>>s&1*2 + w[2]>>s&1*4; kind != 0 {
				planes[first+int(kind)-1+6*int(w[3]>>s&1)] |= 1 << s
			}
		}
	}
	for i, plane := range []int{12, 13, 14, 15, 16, 18, 19} {
		if packed[20]>>i&1 != 0 {
			planes[plane] = ^uint64(0)
		}
	}
	planes[17] = packed[20] & (0xff << 40)
	return planes
}

// positions are games that show every kind of move: castling on both wings, en passant, promotions with and without
// capture, checks, pins, repetitions; and the most legal moves a position is known to have, 218.
func positions() []*board.Game {
	rng := rand.New(rand.NewPCG(3, 4))
	var list []*board.Game
	for _, fen := range []string{
		board.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/PPPP1k2/8/8/8/8/2K1pppp/8 b - - 0 1",
		"1n1nk3/2P1P3/8/8/8/8/2p1p3/1N1NK3 w - - 0 1",
		"4k3/pppppppp/8/PPPPPPPP/8/8/8/4K3 b - - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
		"8/8/8/8/8/k7/8/K6R b - - 0 1",
	} {
		p, err := board.ParseFEN(fen)
		if err != nil {
			panic(err)
		}
		for plies := range 60 {
			g := board.NewGame(p)
			for range plies {
				if moves := g.Position().LegalMoves(nil); len(moves) > 0 {
					g.Push(moves[rng.IntN(len(moves))])
				}
			}
			list = append(list, g)
		}
	}
	return list
}

// TestUnpack compares what the graph makes of packed inputs and masks with the encoder's planes and legal moves.
func TestUnpack(t *testing.T) {
	e := encode.TalbotBot{LegalMask: true}
	words := e.Layout().Words
	games := positions()
	n := len(games)
	b := Batch{N: n, Packed: make([]uint64, n*words)}
	var v encode.View
	for i, g := range games {
		v.Play(g, 0, 0)
		e.Pack(b.Packed[i*words:], &v)
	}
	var network model.TalbotBot
	eachBackend(t, func(t *testing.T, opened *backend.Backend) {
		exec, err := graph.NewExec(opened.Backend, func(packed *graph.Node) (*graph.Node, *graph.Node) {
			return opened.Conv.Flatten(network.Unpack(opened.Conv, packed)), model.LegalMoves(packed)
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(packedInput(&b))
		if err != nil {
			t.Fatal(err)
		}
		numbers, legal := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[bool](out[1])
		want := make([]float32, 64*encode.TalbotBotPlanes)
		for i, g := range games {
			e.Unpack(want, b.Packed[i*words:])
			if got := numbers[i*len(want):][:len(want)]; !slices.Equal(got, want) {
				t.Fatalf("%s: planes\n%v, want\n%v", g.Position().FEN(), got, want)
			}
			var planes [encode.TalbotBotPlanes]uint64
			e.Planes(planes[:], g)
			if planesOf(b.Packed[i*words:]) != planes {
				t.Fatalf("%s: the test's own planes are wrong", g.Position().FEN())
			}
			var moves []int
			for index, is := range legal[i*encode.TalbotBotMoves:][:encode.TalbotBotMoves] {
				if is {
					moves = append(moves, index)
				}
			}
			var allowed []int
			for _, m := range g.Position().LegalMoves(nil) {
				allowed = append(allowed, e.MoveIndex(g.Position(), m))
			}
			slices.Sort(allowed)
			if !slices.Equal(moves, allowed) {
				t.Fatalf("%s: legal moves %v, want %v", g.Position().FEN(), moves, allowed)
			}
		}
	})
}
