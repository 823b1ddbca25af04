package mcts

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/testkit"
)

// shuffle is a position in which each side has one move, and no other for ever.
const shuffle = "4b2k/3pPp1p/3P1P1P/8/8/3p1p1p/3PpP1P/4B2K w - - 0 1"

// nodeAt returns the node of a tree after moves from the root, or nil.
func nodeAt(t *testing.T, tr *tree, moves ...string) *node {
	t.Helper()
	n := tr.at(tr.top)
	for _, text := range moves {
		var next *node
		if n.count > 0 {
			for _, e := range tr.edgesOf(n) {
				if e.move.String() == text {
					next = tr.child(&e)
				}
			}
		}
		if n = next; n == nil {
			return nil
		}
	}
	return n
}

// TestRepetitionUndone: the fourth ply of shuffle brings the root back, which is a draw and proves the root drawn.
// When two moves were played the first occurrence lies in the game's past: the second one is no draw, and no proof
// stands.
func TestRepetitionUndone(t *testing.T) {
	f := newFake(t, 1)
	f.value = func(g *board.Game) float64 { return 0.5 - float64(g.Position().Turn()) }
	s := mustNew(t, "puct", f, func(o *Options) { o.CacheSize = 0 })
	tr := s.(*tree)
	set(t, s, shuffle)
	r := search(t, s, Limits{Nodes: 100})
	if r.Nodes != 5 || !r.Lines[0].Proven || r.Lines[0].Value != 0 || len(r.Lines[0].PV) != 4 {
		t.Fatalf("%+v", r)
	}
	cycle := nodeAt(t, tr, "h1g1", "h8g8", "g1h1", "g8h8")
	if cycle == nil || cycle.kind() != repetition || !nodeAt(t, tr, "h1g1").proven() {
		t.Fatal("the repetition is no draw")
	}
	g := set(t, s, shuffle, "h1g1", "h8g8")
	check(t, tr)
	if cycle.kind() != fresh || cycle.visits != 0 || nodeAt(t, tr, "g1h1").proven() || tr.at(tr.top).proven() {
		t.Error("a draw by a repetition of the past stands")
	}
	if n := nodeAt(t, tr, "g1h1"); n.visits != 1 || n.mean() != -0.5 {
		t.Errorf("%d visits, %v: the draw's visit is not taken back", n.visits, n.sum)
	}
	asked := f.asked
	r = search(t, s, Limits{Nodes: 100})
	// g1h1 g8h8 brings the start back for the second time: no draw. h1g1 h8g8 is the second occurrence of the root.
	if r.Nodes != 3 || f.asked != asked+2 || !r.Lines[0].Proven || len(r.Lines[0].PV) != 4 {
		t.Errorf("%+v after %d evaluations", r, f.asked-asked)
	}
	checkReport(t, g, r)
	check(t, tr)
	// Once more, and the start is there for the third time: that is a draw wherever the root is.
	set(t, s, shuffle, "h1g1", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8")
	check(t, tr)
	r = search(t, s, Limits{Nodes: 100})
	n := nodeAt(t, tr, "g1h1", "g8h8")
	if n == nil || n.kind() != terminal || !r.Lines[0].Proven || len(r.Lines[0].PV) != 2 {
		t.Errorf("%+v", r)
	}
	check(t, tr)
}

// TestBound finds the bounds and distances of nodes from those of their children.
func TestBound(t *testing.T) {
	type result struct {
		lower, upper int8
		plies        uint16
	}
	none := result{-1, 1, 0}
	for _, c := range []struct {
		children []result // for the opponent
		want     result
	}{
		{[]result{{-1, -1, 4}, none, {-1, -1, 2}, {-1, -1, 6}}, result{1, 1, 3}},
		{[]result{{-1, -1, unknown}, {-1, -1, 8}}, result{1, 1, 9}},
		{[]result{{-1, -1, unknown}, none}, result{1, 1, unknown}},
		{[]result{{1, 1, 3}, {1, 1, 7}, {1, 1, 1}}, result{-1, -1, 8}},
		{[]result{{1, 1, 3}, {1, 1, unknown}}, result{-1, -1, unknown}},
		{[]result{{0, 0, 0}, {1, 1, 5}}, result{0, 0, 0}},
		{[]result{{0, 0, 0}, none}, result{0, 1, 0}},
		{[]result{{0, 1, 0}, {1, 1, 3}}, result{-1, 0, 0}},
		{[]result{{1, 1, 3}, none}, none},
	} {
		tr := mustNew(t, "puct", newFake(t, 1)).(*tree)
		n := tr.at(tr.newNode())
		tr.newEdges(n, len(c.children))
		for i, r := range c.children {
			e := &tr.edgesOf(n)[i]
			if *e = (edge{}); r != none || i == 0 {
				e.child = tr.newNode()
				tr.at(e.child).setBounds(r.lower, r.upper)
				tr.at(e.child).plies = r.plies
			}
		}
		changed := tr.bound(n)
		if got := (result{n.lower(), n.upper(), n.plies}); got != c.want || changed != (c.want != none) || tr.bound(n) {
			t.Errorf("%v: %v, not %v, changed: %v", c.children, got, c.want, changed)
		}
	}
}

// TestFirst: a move that is proven to reach the root's proven result is played, however few visits it has.
func TestFirst(t *testing.T) {
	for _, c := range []struct {
		name     string
		children [3][2]int8 // bounds for the opponent; the second has the most visits
		want     int
	}{
		{"a draw", [3][2]int8{{1, 1}, {0, 1}, {0, 0}}, 2},
		{"two draws", [3][2]int8{{0, 0}, {0, 0}, {1, 1}}, 1},
		{"a win", [3][2]int8{{-1, -1}, {-1, 1}, {0, 1}}, 0},
		{"open", [3][2]int8{{0, 0}, {-1, 1}, {0, 1}}, 1},
		{"lost", [3][2]int8{{1, 1}, {1, 1}, {1, 1}}, 1},
	} {
		tr := mustNew(t, "puct", newFake(t, 1)).(*tree)
		set(t, tr, "7k/8/8/8/8/8/8/KR6 w - - 0 1")
		tr.top = tr.newNode()
		n := tr.at(tr.top)
		tr.newEdges(n, 3)
		for i, b := range c.children {
			e := &tr.edgesOf(n)[i]
			*e = edge{move: tr.legal[i], child: tr.newNode()}
			child := tr.at(e.child)
			child.setBounds(b[0], b[1])
			child.visits = [3]uint32{9, 50, 10}[i]
			tr.eligible[i] = true
		}
		tr.lower, tr.upper = -1, 1
		tr.boundRoot()
		if got := tr.bestOf(n, true).move; got != tr.legal[c.want] {
			t.Errorf("%s: %v, not %v; the root is %d to %d", c.name, got, tr.legal[c.want], tr.lower, tr.upper)
		}
	}
}

// TestRepetitionPublished: talbotbot knows the third occurrence only.
func TestRepetitionPublished(t *testing.T) {
	s := mustNew(t, "talbotbot", newFake(t, 1))
	set(t, s, shuffle)
	search(t, s, Limits{Nodes: 30})
	line := []string{"h1g1", "h8g8", "g1h1", "g8h8"}
	if n := nodeAt(t, s.(*tree), line...); n == nil || n.kind() != expanded {
		t.Errorf("the second occurrence: %+v", n)
	}
	if n := nodeAt(t, s.(*tree), slices.Concat(line, line)...); n == nil || n.kind() != terminal || n.visits != 22 {
		t.Errorf("the third occurrence: %+v", n)
	}
}

// TestKept plays random games with trees that are kept, and sees that all in them is as it should be, that visits are
// kept, and that nothing of a tree is left after another start.
func TestKept(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	fens := append([]string{
		"7k/7p/7P/8/8/p7/P7/K7 w - - 0 1",
		"8/8/8/8/8/1k6/p7/K7 w - - 0 1",
		"k7/8/2K5/8/8/8/8/1R6 w - - 60 90",
		"5k2/5P2/4K3/8/8/8/8/8 b - - 0 1",
		shuffle,
	}, positions[:6]...)
	for _, name := range []string{"puct", "talbotbot"} {
		kept := 0
		for round := range 2 * len(fens) {
			fen := fens[round%len(fens)]
			p := testkit.Must(board.ParseFEN(fen))
			s := mustNew(t, name, noisy(t, 1+random.IntN(8), random.IntN(2)), func(o *Options) {
				o.Hash, o.MateInOne, o.Look = 1<<20, random.IntN(2) == 0, random.IntN(2) == 0
			})
			tr := s.(*tree)
			g := board.NewGame(p)
			var moves []board.Move
			for range 12 {
				s.Position(&p, moves)
				check(t, tr)
				if tr.top != 0 && tr.at(tr.top).visits > 0 {
					kept++
				}
				r := search(t, s, Limits{Nodes: int64(20 + random.IntN(400))})
				check(t, tr)
				checkReport(t, g, r)
				if len(r.Lines) == 0 {
					break
				}
				for i := range 1 + random.IntN(2) {
					legal := g.Position().LegalMoves(nil)
					if len(legal) == 0 {
						break
					}
					m := legal[random.IntN(len(legal))]
					if i == 0 && random.IntN(3) > 0 {
						m = r.Lines[0].PV[0]
					}
					moves = append(moves, m)
					g.Push(m)
				}
			}
			s.Clear()
			if tr.used() > 2*nodeBytes || tr.top != 0 {
				t.Errorf("%d bytes after clearing", tr.used())
			}
			s.Position(&p, nil)
			checkReport(t, board.NewGame(p), search(t, s, Limits{Nodes: 50}))
			check(t, tr)
		}
		if kept < 100 {
			t.Errorf("%s: %d trees were kept", name, kept)
		}
	}
}

// TestKeptSame: a tree that is kept is the one that another search continues, and a start of another game has none.
func TestKeptSame(t *testing.T) {
	s := mustNew(t, "puct", noisy(t, 1, 0), func(o *Options) { o.CacheSize = 0 })
	tr := s.(*tree)
	set(t, s, positions[1])
	best := search(t, s, Limits{Nodes: 500}).Lines[0]
	set(t, s, positions[1], best.PV[0].String(), best.PV[1].String())
	visits := tr.at(tr.top).visits
	if visits < 10 {
		t.Fatalf("%d visits kept", visits)
	}
	if r := search(t, s, Limits{Nodes: 100}); tr.at(tr.top).visits != visits+100 || r.Nodes != 100 {
		t.Errorf("%d visits, then %d", visits, tr.at(tr.top).visits)
	}
	for _, other := range [][]string{{best.PV[0].String()}, {}, {"e1g1"}} {
		set(t, s, positions[1], other...)
		if tr.top != 0 {
			t.Errorf("a tree after %v", other)
		}
		search(t, s, Limits{Nodes: 10})
	}
	set(t, s, positions[2])
	if tr.top != 0 {
		t.Error("a tree in another game")
	}
}

// TestFull fills the memory: the search continues within it, nearly every visit learns something new from the network,
// and there is room again once a move was played.
func TestFull(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot"} {
		f := noisy(t, 8, 0)
		s := mustNew(t, name, f, func(o *Options) { o.Hash, o.CacheSize = 1<<20, 2000 })
		tr := s.(*tree)
		g := set(t, s, positions[1])
		r := search(t, s, Limits{Nodes: 20000})
		if !tr.full || r.Nodes != 20000 || f.asked < 19000 || r.HashFull != 1000 {
			t.Errorf("%s: full %v, %d evaluations: %+v", name, tr.full, f.asked, *r)
		}
		if most := tr.bytes + tr.cache.bytes(); most > 1<<20 {
			t.Errorf("%s: %d bytes", name, most)
		}
		checkReport(t, g, r)
		check(t, tr)
		asked := f.asked
		g = set(t, s, positions[1], r.Lines[0].PV[0].String())
		r = search(t, s, Limits{Nodes: 500})
		if f.asked-asked < 100 {
			t.Errorf("%s: %d evaluations after a move", name, f.asked-asked)
		}
		checkReport(t, g, r)
		check(t, tr)
	}
}

// TestNoGarbage: a visit allocates nothing, whether it opens a position, ends at a known one or waits with others.
func TestNoGarbage(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot"} {
		for _, batch := range []int{1, 16} {
			f := newFake(t, batch)
			s := mustNew(t, name, f, func(o *Options) { o.Hash = 64 << 20 })
			set(t, s, positions[5])
			search(t, s, Limits{Nodes: 5000})
			few := testing.AllocsPerRun(3, func() {
				f.counts = f.counts[:0]
				set(t, s, positions[5])
				_, _ = s.Search(context.Background(), Limits{Nodes: 1000}, nil)
			})
			many := testing.AllocsPerRun(3, func() {
				f.counts = f.counts[:0]
				set(t, s, positions[5])
				_, _ = s.Search(context.Background(), Limits{Nodes: 9000}, nil)
			})
			// pieces of memory are taken now and then, and the cache's list of them grows
			if pieces := 9000.0 * 300 / pieceBytes; many-few > pieces+20 {
				t.Errorf("%s, batch %d: %v allocations for 1000 visits, %v for 9000", name, batch, few, many)
			}
		}
	}
}

// TestTenMillion searches ten million nodes within a memory in which they do not fit.
func TestTenMillion(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("ten million nodes take a while; TALBOT_FULL=1 has them")
	}
	for _, name := range []string{"puct", "talbotbot"} {
		f := cheap(64)
		s := mustNew(t, name, f, func(o *Options) { o.Hash, o.CacheSize = 256<<20, 200000 })
		g := set(t, s, positions[1])
		began := time.Now()
		r := search(t, s, Limits{Nodes: 10_000_000})
		tr := s.(*tree)
		runtime.GC() // garbage of the evaluator, and of tests before, does not count
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%s: %v, %d nodes in the tree, %d MiB of pieces, %d MiB in use, %+v", name, time.Since(began),
			tr.nextNode, tr.bytes>>20, m.HeapAlloc>>20, r.Lines[0])
		if r.Nodes != 10_000_000 || tr.bytes+tr.cache.bytes() > 256<<20 || m.HeapAlloc > 300<<20 {
			t.Errorf("%s: %d nodes, %d bytes", name, r.Nodes, tr.bytes+tr.cache.bytes())
		}
		checkReport(t, g, r)
	}
}

func TestEnded(t *testing.T) {
	back := []string{"h1g1", "h8g8", "g1h1", "g8h8"}
	for _, c := range []struct {
		fen   string
		moves []string
		want  outcome
	}{
		{board.StartFEN, nil, open},
		{"7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", nil, mated}, // mate comes before the fifty moves
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", nil, stalemate},
		{"7k/8/6K1/8/8/8/8/5B2 b - - 0 1", nil, dead},
		{"7k/8/6K1/8/8/8/8/5BN1 b - - 99 90", nil, open},
		{"7k/8/6K1/8/8/8/8/5BN1 b - - 100 90", nil, fifty},
		{shuffle, back, open},
		{shuffle, append(append([]string{}, back...), back...), threefold},
	} {
		s := mustNew(t, "policy", newFake(t, 1))
		g := set(t, s, c.fen, c.moves...)
		if got := ended(g, g.Position().LegalMoves(nil)); got != c.want || got.claimed() != (c.want >= fifty) {
			t.Errorf("%s %v: %d, not %d", c.fen, c.moves, got, c.want)
		}
	}
}

// TestFifty: a won ending is a draw when there is no time, and no draw with one ply more.
func TestFifty(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot", "value"} {
		for _, c := range []struct {
			fen  string
			draw bool
		}{{"8/8/8/4k3/8/3QK3/8/8 w - - 99 100", true}, {"8/8/8/4k3/8/3QK3/8/8 w - - 10 100", false}} {
			s := mustNew(t, name, material(t, 4))
			g := set(t, s, c.fen)
			r := search(t, s, Limits{Nodes: 300})
			checkReport(t, g, r)
			if l := r.Lines[0]; (l.Value == 0) != c.draw || name == "puct" && l.Proven != c.draw {
				t.Errorf("%s: %s: %+v", name, c.fen, l)
			}
		}
	}
}
