package mcts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

// material is a network that counts pieces and has no idea of moves.
func material(t testing.TB, batch int) *fake {
	f := newFake(t, batch)
	f.value = func(g *board.Game) float64 {
		d := g.Position().Material().Difference()
		if g.Position().Turn() == board.Black {
			d = -d
		}
		return max(min(float64(d)/20, 0.95), -0.95)
	}
	return f
}

// mates are positions with a mate in a known number of moves for White, and the moves that begin it.
var mates = []struct {
	fen  string
	in   int
	best []string
}{
	{"6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1, []string{"d1d8"}},
	{"r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1", 1, []string{"h5f7"}},
	{"k7/8/1K6/8/8/8/8/7R w - - 99 80", 1, []string{"h1h8"}},
	{"3k4/8/3K4/8/8/8/8/7R w - - 0 1", 1, []string{"h1h8"}},
	{"7k/8/8/8/8/8/1R6/R5K1 w - - 0 1", 2, []string{"b2b7", "a1a7"}},
	{"2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", 2, []string{"f3f7"}},
}

func TestMates(t *testing.T) {
	for _, c := range mates {
		if c.in == 0 {
			continue
		}
		for _, name := range []string{"puct", "talbotbot", "napoleon", "value"} {
			if name == "value" && c.in > 1 {
				continue // it looks one ply ahead
			}
			if name != "puct" && strings.Count(c.fen, "Q") > 0 && c.in > 1 {
				continue // a queen is given up, which a network that counts pieces does not like
			}
			nodes := map[int]int64{1: 200, 2: 3000}[c.in]
			if name == "napoleon" {
				nodes /= 2
			}
			for _, batch := range []int{1, 16} {
				for _, mirrored := range []bool{false, true} {
					s := mustNew(t, name, material(t, batch), func(o *Options) { o.Exploration = 0.25 })
					p := testkit.Must(board.ParseFEN(c.fen))
					best := slices.Clone(c.best)
					if mirrored {
						p = p.Mirror()
						for i := range best {
							m, _ := p.ParseUCI(mirrorText(best[i]))
							best[i] = m.String()
						}
					}
					s.Position(&p, nil)
					r := search(t, s, Limits{Nodes: nodes})
					l := r.Lines[0]
					if !slices.Contains(best, l.PV[0].String()) {
						t.Errorf("%s, batch %d: %s: %+v", name, batch, p.FEN(), l)
					}
					if name == "puct" && l.Mate != c.in || name != "puct" && l.Mate > c.in || l.Value < 0.2 {
						t.Errorf("%s, batch %d: %s: mate in %d: %+v", name, batch, p.FEN(), c.in, l)
					}
					checkReport(t, board.NewGame(p), r)
				}
			}
		}
	}
}

// mirrorText mirrors a move in UCI form.
func mirrorText(text string) string {
	b := []byte(text)
	b[1], b[3] = '1'+'8'-b[1], '1'+'8'-b[3]
	return string(b)
}

// TestMateInOne is found without a visit, and without the option by visits.
func TestMateInOne(t *testing.T) {
	for _, on := range []bool{true, false} {
		s := mustNew(t, "puct", newFake(t, 4), func(o *Options) { o.MateInOne = on })
		g := set(t, s, mates[0].fen)
		r := search(t, s, Limits{Nodes: 500})
		if r.Lines[0].Mate != 1 || (r.Nodes == 1) != on {
			t.Errorf("%v: %d nodes: %+v", on, r.Nodes, r.Lines[0])
		}
		checkReport(t, g, r)
	}
}

// TestChecks: every move that gives check is one that may.
func TestChecks(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	given, told := 0, 0
	for i := range 3000 {
		p := testkit.Must(board.ParseFEN(positions[i%len(positions)]))
		p = wander(p, random)
		c := newChecks(&p)
		for _, m := range p.LegalMoves(nil) {
			q := p.After(m)
			if q.InCheck() {
				given++
			}
			if !c.possible(&p, m) {
				if told++; q.InCheck() {
					t.Fatalf("%s: %v gives check", p.FEN(), m)
				}
			}
		}
	}
	if given < 1000 || told < 10*given {
		t.Errorf("%d checks, %d moves that may not give any", given, told)
	}
}

// TestStalemate sees that no searcher gives stalemate where it can win, though the network likes it.
func TestStalemate(t *testing.T) {
	fens := []string{
		"k7/8/1K6/8/8/8/8/2Q5 w - - 0 1",    // Qc7, Qc8 are stalemate and mate
		"7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",    // Qg6 is stalemate
		"5k2/5P2/3K4/8/8/8/6P1/8 w - - 0 1", // Ke6 no, Kd7 no: Ke6?? 1.Ke6 is no stalemate, g-pawn moves win
	}
	for _, fen := range fens {
		for _, mirrored := range []bool{false, true} {
			p := testkit.Must(board.ParseFEN(fen))
			if mirrored {
				p = p.Mirror()
			}
			for _, name := range []string{"puct", "talbotbot", "napoleon", "value"} {
				f := material(t, 4)
				f.prior = func(g *board.Game, m board.Move) float64 {
					if q := g.Position().After(m); q.IsStalemate() {
						return 20
					}
					return 1
				}
				s := mustNew(t, name, f)
				s.Position(&p, nil)
				r := search(t, s, Limits{Nodes: 1500})
				if q := p.After(r.Lines[0].PV[0]); q.IsStalemate() {
					t.Errorf("%s: %s: %+v", name, p.FEN(), r.Lines[0])
				}
			}
		}
	}
}

var positions = []string{
	board.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R b KQ - 1 8",
	"8/8/8/4k3/8/3QK3/8/8 w - - 80 100",
	"8/5k2/8/8/8/8/1K2R3/8 b - - 95 100",
	"7k/8/8/8/8/8/8/KBB5 w - - 0 1",
	"k7/8/8/8/8/8/8/K6N w - - 0 1",
}

// TestMirrored sees that searches of mirrored positions are alike to the bit.
func TestMirrored(t *testing.T) {
	for _, name := range Names() {
		for _, fen := range positions {
			p := testkit.Must(board.ParseFEN(fen))
			var reports [2]*Report
			for i := range reports {
				s := mustNew(t, name, noisy(t, 8, 2), func(o *Options) {
					o.MultiPV, o.Temperature, o.CacheSize, o.Ratings = 4, 0.7, 0, [2]int{1200, 2400}
				})
				s.Position(&p, nil)
				reports[i] = search(t, s, Limits{Nodes: 200})
				p = p.Mirror()
			}
			for _, l := range reports[1].Lines {
				for k := range l.PV {
					l.PV[k] = l.PV[k].Mirror()
				}
			}
			if !reflect.DeepEqual(reports[0], reports[1]) {
				t.Errorf("%s: %s:\n%+v\n%+v", name, fen, *reports[0], *reports[1])
			}
		}
	}
}

// TestNodes sees that limits on nodes are kept to the visit: with kept trees, with and without a cache, at all batches.
func TestNodes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, name := range []string{"puct", "gumbel", "talbotbot", "napoleon"} {
		for range 12 {
			batch := 1 + random.IntN(20)
			f := noisy(t, batch, random.IntN(3))
			s := mustNew(t, name, f, func(o *Options) {
				o.CacheSize = 1000 * random.IntN(2)
				o.MaxCollisions = random.IntN(40)
				o.Batch = random.IntN(batch + 1)
				o.GumbelNoise = 1
			})
			p := board.StartPosition()
			g := board.NewGame(p)
			var moves []board.Move
			for range 6 {
				s.Position(&p, moves)
				limit := 1 + int64(random.IntN(150))
				if name == "napoleon" {
					limit = 1 + limit/10
				}
				asked := f.asked
				r := search(t, s, Limits{Nodes: limit})
				if r.Nodes != limit && !r.Lines[0].Proven && len(g.Position().LegalMoves(nil)) > 1 {
					t.Errorf("%s: %d nodes, not %d", name, r.Nodes, limit)
				}
				if name != "napoleon" && f.asked-asked > limit {
					t.Errorf("%s: %d evaluations for %d nodes", name, f.asked-asked, limit)
				}
				checkReport(t, g, r)
				if tr, ok := s.(*tree); ok {
					check(t, tr)
				}
				legal := g.Position().LegalMoves(nil)
				reply := legal[random.IntN(len(legal))]
				if random.IntN(2) == 0 {
					reply = r.Lines[0].PV[0]
				}
				moves = append(moves, reply)
				g.Push(reply)
				if !g.Position().HasLegalMove() {
					break
				}
			}
		}
	}
}

// TestRepeats plays the same games twice at several batches.
func TestRepeats(t *testing.T) {
	game := func(name string, batch int) (text string) {
		s := mustNew(t, name, noisy(t, batch, 2), func(o *Options) {
			o.Temperature, o.TempCutoffPly, o.Seed = 1, 16, 77
		})
		p := board.StartPosition()
		g := board.NewGame(p)
		var moves []board.Move
		for range map[bool]int{true: 3, false: 20}[name == "napoleon"] {
			s.Position(&p, moves)
			r := search(t, s, Limits{Nodes: 100})
			m := r.Lines[0].PV[0]
			text += fmt.Sprint(" ", m, r.Lines[0].Value, r.Depth, r.SelDepth, r.HashFull)
			moves = append(moves, m)
			g.Push(m)
			if !g.Position().HasLegalMove() {
				break
			}
		}
		return text
	}
	for _, name := range Names() {
		for _, batch := range []int{1, 3, 16} {
			if a, b := game(name, batch), game(name, batch); a != b {
				t.Errorf("%s, batch %d:\n%s\n%s", name, batch, a, b)
			}
		}
	}
}

// TestCancel ends searches at every batch, before the first as well, by the context and by an error.
func TestCancel(t *testing.T) {
	broken := errors.New("broken")
	for _, name := range Names() {
		for after := range 5 {
			for _, fails := range []bool{false, true} {
				f := noisy(t, 4, 0)
				s := mustNew(t, name, f)
				g := set(t, s, positions[1])
				ctx, cancel := context.WithCancel(t.Context())
				left := after
				f.after = func() error {
					if left--; left <= 0 {
						if fails {
							return broken
						}
						cancel()
					}
					return nil
				}
				if after == 0 && !fails {
					cancel()
				}
				r, err := s.Search(ctx, Limits{Nodes: 10000}, nil)
				if fails != errors.Is(err, broken) && (name != "policy" || after < 2) {
					t.Errorf("%s after %d: %v", name, after, err)
				}
				if len(f.counts) > max(after, 1) {
					t.Errorf("%s after %d: %d batches", name, after, len(f.counts))
				}
				checkReport(t, g, r)
				if tr, ok := s.(*tree); ok {
					check(t, tr)
				}
				f.after = nil
				r = search(t, s, Limits{Nodes: 60})
				checkReport(t, g, r)
				if tr, ok := s.(*tree); ok {
					if check(t, tr); r.Nodes != 60 {
						t.Errorf("%s: %d nodes after it was cancelled", name, r.Nodes)
					}
				}
				cancel()
			}
		}
	}
}

// TestOnly searches some moves only.
func TestOnly(t *testing.T) {
	for _, name := range Names() {
		f := noisy(t, 4, 0)
		s := mustNew(t, name, f, func(o *Options) { o.MultiPV = 10 })
		g := set(t, s, positions[0])
		all := search(t, s, Limits{Nodes: 100})
		only := []board.Move{all.Lines[7].PV[0], all.Lines[9].PV[0]}
		r := search(t, s, Limits{Nodes: 100, SearchMoves: only})
		if len(r.Lines) != 2 {
			t.Fatalf("%s: %d lines", name, len(r.Lines))
		}
		for _, l := range r.Lines {
			if !slices.Contains(only, l.PV[0]) {
				t.Errorf("%s: %v", name, l.PV)
			}
		}
		checkReport(t, g, r)
		if r = search(t, s, Limits{Nodes: 100}); len(r.Lines) != 10 {
			t.Errorf("%s: %d lines", name, len(r.Lines))
		}
		// A search of some moves does not decide the next one, which is as if it kept nothing but the network's
		// answers.
		var best [2]Line
		for i, fresh := range []bool{false, true} {
			s := mustNew(t, name, f, func(o *Options) { o.FreshTree = fresh })
			set(t, s, positions[0])
			search(t, s, Limits{Nodes: 100, SearchMoves: only})
			set(t, s, positions[0])
			best[i] = search(t, s, Limits{Nodes: 40}).Lines[0]
		}
		if best[0].PV[0] != best[1].PV[0] || best[0].Visits != best[1].Visits {
			t.Errorf("%s: after a search of other moves %+v, not %+v", name, best[0], best[1])
		}
		// the only winning move left out
		s = mustNew(t, name, f)
		g = set(t, s, mates[0].fen)
		mate, _ := g.Position().ParseUCI("d1d8")
		rest := slices.DeleteFunc(g.Position().LegalMoves(nil), func(m board.Move) bool { return m == mate })
		r = search(t, s, Limits{Nodes: 50, SearchMoves: rest})
		if r.Lines[0].PV[0] == mate || r.Lines[0].Mate == 1 {
			t.Errorf("%s: %+v", name, r.Lines[0])
		}
	}
}

// TestOver searches where the game is over.
func TestOver(t *testing.T) {
	for _, name := range Names() {
		for _, fen := range []string{"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"} {
			s := mustNew(t, name, newFake(t, 4))
			set(t, s, fen)
			if r := search(t, s, Limits{Nodes: 10}); len(r.Lines) != 0 || r.Nodes != 0 {
				t.Errorf("%s: %+v", name, r)
			}
		}
		// a draw that may be claimed is no end for the side to move
		s := mustNew(t, name, newFake(t, 4))
		g := set(t, s, "7k/8/8/8/8/8/R7/K7 w - - 120 100")
		checkReport(t, g, search(t, s, Limits{Nodes: 10}))
	}
}

// TestPace sees that the pace is asked before the first batch and after each, with the right figures.
func TestPace(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot"} {
		f := noisy(t, 8, 0)
		s := mustNew(t, name, f)
		set(t, s, positions[0])
		var seen []Progress
		r := search(t, s, Limits{ShouldStop: func(p Progress) bool {
			if p.Best < p.Second || p.Nodes > 0 && p.Batch <= 0 || p.Settled {
				t.Errorf("%s: %+v", name, p)
			}
			seen = append(seen, p)
			return p.Nodes >= 100
		}})
		if len(seen) != len(f.counts)+1 || seen[0].Nodes != 0 || seen[len(seen)-1].Nodes != r.Nodes || r.Nodes > 107 {
			t.Errorf("%s: asked %d times for %d batches, %d nodes", name, len(seen), len(f.counts), r.Nodes)
		}
		set(t, s, "7k/R7/8/8/8/8/8/K7 b - - 0 1") // Kg8 alone
		search(t, s, Limits{ShouldStop: func(p Progress) bool {
			if !p.Settled {
				t.Errorf("%s: one move, but %+v", name, p)
			}
			return true
		}})
	}
}

// TestDepth searches to a depth, and ends where the memory does not let it get there.
func TestDepth(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot", "napoleon"} {
		s := mustNew(t, name, noisy(t, 4, 0), func(o *Options) { o.Hash = 1 << 20 })
		for _, depth := range []int{1, 2, 3} {
			set(t, s, positions[0])
			s.Clear()
			r := search(t, s, Limits{Depth: depth})
			if r.Depth < depth || r.SelDepth < depth-1 {
				t.Errorf("%s: depth %d: %+v", name, depth, r)
			}
		}
		if name != "napoleon" {
			if r := search(t, s, Limits{Depth: 1000}); r.Depth >= 1000 {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// TestSeveralLines: a mate in one ends the search, unless other lines are asked for, which then get the visits, or a
// mate is. Where all moves are proven, nothing is left to do.
func TestSeveralLines(t *testing.T) {
	run := func(fen string, lines int, l Limits) *Report {
		s := mustNew(t, "puct", noisy(t, 4, 0), func(o *Options) { o.MultiPV = lines })
		g := set(t, s, fen)
		r := search(t, s, l)
		checkReport(t, g, r)
		check(t, s.(*tree))
		return r
	}
	const mate = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"
	if r := run(mate, 1, Limits{Nodes: 500}); r.Nodes >= 500 || r.Lines[0].Mate != 1 {
		t.Errorf("one line: %+v", r)
	}
	r := run(mate, 3, Limits{Nodes: 500})
	if r.Nodes != 500 || r.Lines[0].Mate != 1 || len(r.Lines) != 3 {
		t.Fatalf("three lines: %+v", r)
	}
	rest := int64(0)
	for _, l := range r.Lines[1:] {
		rest += l.Visits
	}
	if rest < 100 || r.Lines[0].Visits > 50 {
		t.Errorf("%d visits of the mate, %d of the next two", r.Lines[0].Visits, rest)
	}
	if r := run(mate, 3, Limits{Mate: 1}); r.Nodes >= 500 || r.Lines[0].Mate != 1 {
		t.Errorf("a mate: %+v", r)
	}
	// The only move takes the last piece.
	if r := run("8/8/8/8/8/3k4/1q6/K7 w - - 0 1", 3, Limits{Nodes: 500}); r.Nodes >= 500 || len(r.Lines) != 1 {
		t.Errorf("one move: %+v", r)
	}
	// A draw at once is better than all else, which the network calls lost: it is played, however many lines are shown.
	for _, lines := range []int{1, 2, 3} {
		bad := newFake(t, 4)
		bad.value = func(g *board.Game) float64 {
			if g.Position().Turn() == board.White {
				return -0.5
			}
			return 0.5
		}
		s := mustNew(t, "puct", bad, func(o *Options) { o.MultiPV = lines })
		set(t, s, "7k/8/8/8/3K4/4p3/8/8 w - - 0 1") // taking the pawn leaves two kings
		r := search(t, s, Limits{Nodes: 500})
		if l := r.Lines[0]; l.PV[0].String() != "d4e3" || !l.Proven || l.Value != 0 || len(r.Lines) != lines {
			t.Errorf("%d lines: %+v", lines, r.Lines)
		}
		check(t, s.(*tree))
	}
}

// TestReports sees that the last of the reports on the way is that of the result, and that they are the caller's.
func TestReports(t *testing.T) {
	s := mustNew(t, "puct", noisy(t, 4, 0), func(o *Options) { o.MultiPV = 2 })
	g := set(t, s, positions[0])
	var all []*Report
	r, err := s.Search(t.Context(), Limits{Nodes: 3000}, func(r *Report) { all = append(all, r) })
	if err != nil || len(all) == 0 || all[len(all)-1].Lines[0].PV[0] != r.Lines[0].PV[0] {
		t.Fatalf("%d reports, %v", len(all), err)
	}
	for i, a := range all {
		checkReport(t, g, a)
		if i > 0 && a.Nodes <= all[i-1].Nodes || len(a.Lines) != 2 {
			t.Errorf("report %d: %+v", i, a)
		}
	}
}

// TestTemperature compares the moves that are drawn with visits to the power of 1/T.
func TestTemperature(t *testing.T) {
	count := func(temperature float64, cutoff int) (drawn map[string]float64, visits []int64, moves []string) {
		drawn = map[string]float64{}
		for seed := range uint64(400) {
			f := newFake(t, 1)
			f.prior = func(_ *board.Game, m board.Move) float64 {
				return map[string]float64{"e2e4": 6, "d2d4": 3, "c2c4": 1}[m.String()] + 1e-9
			}
			s := mustNew(t, "puct", f, func(o *Options) {
				o.Temperature, o.TempCutoffPly, o.Seed, o.MultiPV, o.PolicyTemp = temperature, cutoff, seed, 3, 1
			})
			set(t, s, board.StartFEN)
			r := search(t, s, Limits{Nodes: 41})
			drawn[r.Lines[0].PV[0].String()]++
			if seed == 0 {
				slices.SortFunc(r.Lines, func(a, b Line) int { return int(b.Visits - a.Visits) })
				for _, l := range r.Lines {
					visits, moves = append(visits, l.Visits), append(moves, l.PV[0].String())
				}
			}
		}
		return drawn, visits, moves
	}
	for _, temperature := range []float64{1, 0.5} {
		drawn, visits, moves := count(temperature, 0)
		sum := 0.0
		power := func(n int64) float64 {
			if temperature == 0.5 {
				return float64(n * n)
			}
			return float64(n)
		}
		for _, n := range visits {
			sum += power(n)
		}
		for i, n := range visits {
			if want := 400 * power(n) / sum; drawn[moves[i]] < want-40 || drawn[moves[i]] > want+40 {
				t.Errorf("temperature %v: %s with %d visits drawn %v times, not %v", temperature, moves[i], n,
					drawn[moves[i]], want)
			}
		}
	}
	if drawn, _, _ := count(0, 0); drawn["e2e4"] != 400 {
		t.Errorf("temperature 0: %v", drawn)
	}
	if drawn, _, _ := count(1, 1); drawn["e2e4"] == 400 {
		t.Errorf("before the cutoff: %v", drawn)
	}
}

// TestMovesLeft: a won game is ended sooner and a lost one later, of networks that say how long games last, where the
// value is beyond the threshold.
func TestMovesLeft(t *testing.T) {
	for _, c := range []struct {
		name             string
		value, threshold float64
		says             bool
		more             float64 // visits of the moves after which the game is short, less those of the others
	}{
		{"won", 0.9, 0.8, true, 1}, {"lost", -0.9, 0.8, true, -1}, {"within the threshold", 0.9, 0.95, true, 0},
		{"nothing is said", 0.9, 0.8, false, 0},
	} {
		f := newFake(t, 1)
		f.abilities.MovesLeft = c.says
		f.value = func(g *board.Game) float64 {
			if g.Position().Turn() == board.White {
				return c.value
			}
			return -c.value
		}
		start, ends := board.StartPosition(), map[uint64]bool{}
		short := func(m board.Move) bool { return m.To().File() < 4 }
		for _, m := range start.LegalMoves(nil) {
			after := start.After(m)
			ends[after.Key()] = short(m)
		}
		f.left = func(g *board.Game) float32 {
			if g.Ply() > 0 && ends[g.Previous(g.Ply()-1).Key()] {
				return 20
			}
			return 60
		}
		o := Defaults()
		o.LeftThreshold, o.LeftMax, o.LeftSlope = c.threshold, 0.3, 0.03
		s, err := New("puct", f, o)
		if err != nil {
			t.Fatal(err)
		}
		s.Position(&start, nil)
		r, err := s.Search(t.Context(), Limits{Nodes: 400}, nil)
		if err != nil {
			t.Fatal(err)
		}
		more := 0.0
		for _, l := range r.Lines {
			if short(l.PV[0]) {
				more += float64(l.Visits)
			} else {
				more -= float64(l.Visits)
			}
		}
		if c.more == 0 && math.Abs(more) > 20 || c.more != 0 && c.more*more < 30 {
			t.Errorf("%s: %g visits more of moves after which the game is short", c.name, more)
		}
	}
}
