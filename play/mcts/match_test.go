package mcts

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"talbot/board"
)

// counting is a network that counts pieces, likes moves that take some or promote, and pieces on squares drawn at
// random.
func counting(t testing.TB, batch int, seed uint64) *fake {
	random := rand.New(rand.NewPCG(seed, 0))
	var liking [7][64]float64
	for pt := range liking {
		for s := range liking[pt] {
			liking[pt][s] = random.Float64() - 0.5
		}
	}
	f := newFake(t, batch)
	f.value = func(g *board.Game) float64 {
		p := *g.Position()
		if p.Turn() == board.Black {
			p = p.Mirror()
		}
		sum := float64(p.Material().Difference())
		for pt := board.Pawn; pt <= board.King; pt++ {
			for b := p.Pieces(board.White, pt); b != 0; b &= b - 1 {
				sum += 0.5 * liking[pt][b.First()]
			}
			for b := p.Pieces(board.Black, pt); b != 0; b &= b - 1 {
				sum -= 0.5 * liking[pt][b.First().Mirror()]
			}
		}
		return math.Tanh(sum / 6)
	}
	f.prior = func(g *board.Game, m board.Move) float64 {
		if g.Position().Occupied().Has(m.To()) || m.Promotion() == board.Queen {
			return 4
		}
		return 1
	}
	return f
}

// TestStronger plays searchers with the same network against each other, 40 games of at most 160 plies each, in which
// the more pieces win: searching is better than not searching, and puct better than talbotbot.
func TestStronger(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("80 games take a while; TALBOT_FULL=1 plays them")
	}
	for _, c := range []struct {
		name, other  string
		batch, least int
	}{{"puct", "value", 8, 32}, {"puct", "talbotbot", 8, 22}} {
		points := 0.0
		for game := range 40 {
			f := counting(t, c.batch, uint64(game/2))
			players := []Searcher{mustNew(t, c.name, f), mustNew(t, c.other, f)}
			result := play(t, players, game%2, wander(board.StartPosition(), rand.New(rand.NewPCG(3, uint64(game/2)))))
			points += result
		}
		t.Logf("%s scores %v of 40 against %s", c.name, points, c.other)
		if points < float64(c.least) {
			t.Errorf("%s scores %v of 40 against %s", c.name, points, c.other)
		}
	}
}

// play plays a game from a position and returns the points of the first player, who has White where first is 0.
func play(t *testing.T, players []Searcher, first int, start board.Position) float64 {
	g := board.NewGame(start)
	var moves []board.Move
	white := 0.5
	for g.Ply() < 160 {
		p := g.Position()
		if end := ended(g, p.LegalMoves(nil)); end != open {
			if end == mated {
				white = float64(p.Turn())
			}
			break
		}
		s := players[(int(p.Turn())+first)%2]
		s.Position(&start, moves)
		r := search(t, s, Limits{Nodes: 200})
		moves = append(moves, r.Lines[0].PV[0])
		g.Push(r.Lines[0].PV[0])
	}
	if g.Ply() >= 160 {
		white = 0.5 + float64(sign(g.Position().Material().Difference()))/2
	}
	if first == 1 {
		return 1 - white
	}
	return white
}
