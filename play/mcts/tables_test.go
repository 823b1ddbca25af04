package mcts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

// TestCertain: what tables say for a clock of 0 holds with another one only while there is time.
func TestCertain(t *testing.T) {
	for _, c := range []struct {
		e     Ending
		clock int
		value int8
		ok    bool
	}{
		{Ending{Win, 0}, 0, 1, true},
		{Ending{Win, 0}, 1, 1, false},
		{Ending{Win, 20}, 79, 1, true},
		{Ending{Win, 20}, 80, 1, false},
		{Ending{Loss, 98}, 1, -1, true},
		{Ending{Loss, 99}, 1, -1, false},
		{Ending{Draw, 0}, 77, 0, true},
		{Ending{CursedWin, 101}, 0, 0, true},
		{Ending{BlessedLoss, 101}, 9, 0, true},
	} {
		value, ok := c.e.certain(c.clock)
		if ok != c.ok || ok && value != c.value {
			t.Errorf("%+v at %d: %d, %v", c.e, c.clock, value, ok)
		}
	}
}

// listed is a prober that knows the positions after some moves of one.
type listed map[uint64]Ending

func (l listed) Pieces() int { return 4 }

func (l listed) Probe(p *board.Position) (e Ending, ok bool) {
	e, ok = l[p.Key()]
	return e, ok
}

// TestByTables: of the moves at the root the best class is left, of winning moves the quickest to a capture or pawn
// move.
func TestByTables(t *testing.T) {
	const fen = "8/8/8/3k4/8/3K4/4P3/8 w - - 10 40"
	p := testkit.Must(board.ParseFEN(fen))
	for _, c := range []struct {
		name  string
		say   map[string]Ending // of moves; others are Win for the opponent
		clock string
		want  string
	}{
		{"the quickest win", map[string]Ending{"d3c3": {Loss, 8}, "d3e3": {Loss, 4}, "d3c2": {Draw, 0}}, "10",
			"[d3e3]"},
		{"a pawn move wins", map[string]Ending{"d3c3": {Loss, 8}, "e2e4": {Loss, 20}, "d3e3": {Loss, 2}}, "10",
			"[e2e4]"},
		{"too late but for the pawn", map[string]Ending{"d3c3": {Loss, 20}, "e2e3": {Loss, 20}}, "85", "[e2e3]"},
		{"a win perhaps too late", map[string]Ending{"d3c3": {Loss, 20}, "d3e3": {Draw, 0}}, "85", "[d3c3]"},
		{"all draws", map[string]Ending{"d3c3": {Draw, 0}, "d3e3": {BlessedLoss, 0}}, "10", "[d3c3 d3e3]"},
		{"a loss perhaps too late", map[string]Ending{"d3c3": {Win, 50}}, "60", "[d3c3]"},
		{"one not known", nil, "10", "6"},
	} {
		tables := listed{}
		for i, m := range p.LegalMoves(nil) {
			q := p.After(m)
			e, ok := c.say[m.String()]
			if !ok {
				e = Ending{Win, 1}
			}
			if c.say != nil || i > 0 {
				tables[q.Key()] = e
			}
		}
		tr := mustNew(t, "puct", newFake(t, 1), func(o *Options) { o.Tables = tables }).(*tree)
		set(t, tr, strings.Replace(fen, " 10 ", " "+c.clock+" ", 1))
		got := tr.bestByTables(tr.legal)
		if fmt.Sprint(got) != c.want && fmt.Sprint(len(got)) != c.want {
			t.Errorf("%s: %v, not %s", c.name, got, c.want)
		}
	}
}

// TestTablesWin plays won endgames with a network that knows nothing, against replies that hold out for long, and is to
// mate before fifty moves are over.
func TestTablesWin(t *testing.T) {
	o := newOracle(t)
	fens := []string{
		"8/4k3/8/8/8/8/8/R3K3 b - - 10 40",
		"4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
		"8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
		"8/8/8/3k4/4r3/8/8/Q2K4 w - - 0 1",
	}
	if os.Getenv("TALBOT_FULL") == "" {
		fens = fens[1:2]
	}
	for _, fen := range fens {
		p := testkit.Must(board.ParseFEN(fen))
		s := mustNew(t, "puct", noisy(t, 4, 0), func(p *Options) { p.Tables = o })
		g := board.NewGame(p)
		var moves []board.Move
		winner := board.White
		for g.Position().HasLegalMove() && g.Position().HalfmoveClock() < 100 && g.Ply() < 200 {
			var m board.Move
			if g.Position().Turn() == winner {
				s.Position(&p, moves)
				r := search(t, s, Limits{Nodes: 6})
				check(t, s.(*tree))
				checkReport(t, g, r)
				m = r.Lines[0].PV[0]
				if !g.Position().IsDead() && r.Lines[0].Value < 0.99 {
					t.Fatalf("%s: %+v", g.Position().FEN(), r.Lines[0])
				}
			} else {
				m = o.holdsOut(g)
			}
			moves = append(moves, m)
			g.Push(m)
		}
		if !g.Position().IsCheckmate() {
			t.Errorf("%s ended at %s", fen, g.Position().FEN())
		}
	}
	if o.hits < 100 {
		t.Errorf("tables were asked %d times", o.hits)
	}
}

// holdsOut returns the move that loses last, by distance to a capture or pawn move.
func (o *oracle) holdsOut(g *board.Game) (best board.Move) {
	most := -1
	for _, m := range g.Position().LegalMoves(nil) {
		q := g.Position().After(m)
		if q.IsStalemate() || q.IsDead() {
			return m
		}
		if e, _ := o.Probe(&q); e.WDL <= Draw || e.DTZ > most {
			best, most = m, e.DTZ
			if e.WDL <= Draw {
				return m
			}
		}
	}
	return best
}

// TestTablesInTree: results of tables prove what is above them.
func TestTablesInTree(t *testing.T) {
	o := newOracle(t)
	for _, c := range []struct {
		fen   string
		value float32
	}{
		{"8/8/8/3k4/8/8/3Kr3/Q7 w - - 0 1", 1}, // takes the rook
		{"8/8/8/3k4/8/8/3p4/3RK3 w - - 0 1", 1},
		{"4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", 1},
		{"4k3/8/8/4K3/4P3/8/8/7n b - - 0 1", 0},
	} {
		s := mustNew(t, "puct", noisy(t, 4, 0), func(p *Options) { p.Tables = o })
		g := set(t, s, c.fen)
		r := search(t, s, Limits{Nodes: 40})
		check(t, s.(*tree))
		checkReport(t, g, r)
		if l := r.Lines[0]; r.TableHits == 0 || !l.Proven || l.Value != c.value {
			t.Errorf("%s: %+v", c.fen, r)
		}
		s = mustNew(t, "puct", noisy(t, 4, 0), func(p *Options) { p.Tables, p.ProbeLimit = o, 3 })
		set(t, s, c.fen)
		if hits := search(t, s, Limits{Nodes: 20}).TableHits; hits > 0 && g.Position().Occupied().Len() > 4 {
			t.Errorf("%s: %d hits above the limit", c.fen, hits)
		}
	}
}
