package stockfish

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/testkit"
)

// realConfig is the configuration for the engine of this machine.
func realConfig(t testing.TB, limit Limit) Config {
	t.Helper()
	path, err := Find("")
	if err != nil {
		t.Skipf("NOT TESTED with a real engine: %v", err)
	}
	return Config{Path: path, Limit: limit}
}

func search(t *testing.T, e *Engine, fen, moves string) dataset.Label {
	t.Helper()
	start, list := line(t, fen, moves)
	label, err := one(t.Context(), e, start, list)
	testkit.OK(t, err)
	return label
}

func TestRealMateInOne(t *testing.T) {
	noLeak(t)
	e := startEngine(t, realConfig(t, Nodes(5000)))
	for _, c := range []struct{ fen, moves, best string }{
		{"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "", "a1a8"},
		{"r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "", "a8a1"},
		{"", "f2f3 e7e5 g2g4", "d8h4"},
		{"", "e2e4 f7f6 d2d4 g7g5", "d1h5"},
	} {
		label := search(t, e, c.fen, c.moves)
		l := label.Lines[0]
		if n, ok := l.Score.Mate(); !ok || n != 1 || label.Best.String() != c.best || l.PV[0] != label.Best ||
			l.WDL.Win != 1000 {
			t.Errorf("%s %s: %+v, want mate in 1 by %s", c.fen, c.moves, label, c.best)
		}
	}
	// And the side that is mated sees it with the other sign.
	l := search(t, e, "r5k1/5ppp/8/8/8/8/r4PPP/6K1 w - - 0 1", "").Lines[0]
	if cp, _ := l.Score.Centipawns(); cp > -300 {
		if n, ok := l.Score.Mate(); !ok || n > 0 {
			t.Errorf("two rooks down: %+v", l)
		}
	}
}

func TestRealScoresAreTheMovers(t *testing.T) {
	e := startEngine(t, realConfig(t, Nodes(20000)))
	const board, rights = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "KQkq - 0 1" // Black has no queen
	white, black := search(t, e, board+" w "+rights, "").Lines[0], search(t, e, board+" b "+rights, "").Lines[0]
	if cp, ok := white.Score.Centipawns(); !ok || cp < 300 {
		t.Errorf("White to move, a queen up: %+v", white)
	}
	if cp, ok := black.Score.Centipawns(); !ok || cp > -300 {
		t.Errorf("Black to move, a queen down: %+v", black)
	}
	for _, l := range []dataset.Searched{white, black} {
		if l.WDL.Win+l.WDL.Draw+l.WDL.Loss != 1000 || l.Depth < 1 || l.Nodes < 1 {
			t.Errorf("line %+v", l)
		}
	}
	if white.WDL.Win < 900 || black.WDL.Loss < 900 {
		t.Errorf("WDL %+v and %+v", white.WDL, black.WDL)
	}
}

// TestRealKnowsRepetition: a rook up, White has shuffled twice through the same
// positions. The move that makes one of them occur a third time is a draw,
// which only the history tells; every other move keeps the rook's worth.
func TestRealKnowsRepetition(t *testing.T) {
	cfg := realConfig(t, Nodes(50000))
	cfg.MultiPV = 18 // all legal moves
	e := startEngine(t, cfg)
	const fen = "7k/8/8/8/8/8/R7/K7 w - - 0 1"
	const shuffling = "a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1 g8h8 a1b1 h8g8"
	start, moves := line(t, fen, shuffling)
	pos, err := replay(start, moves)
	testkit.OK(t, err)
	for _, c := range []struct {
		label dataset.Label
		drawn bool
	}{{search(t, e, fen, shuffling), true}, {search(t, e, pos.FEN(), ""), false}} {
		if len(c.label.Lines) != 18 {
			t.Fatalf("%d lines", len(c.label.Lines))
		}
		for _, l := range c.label.Lines {
			cp, ok := l.Score.Centipawns()
			drawn := ok && cp == 0
			switch m := l.PV[0].String(); m {
			case "b1a1":
				if drawn != c.drawn {
					t.Errorf("%s: %+v, want a draw: %v", m, l, c.drawn)
				}
			case "b1b2", "b1c2", "a2a8": // safe ones
				if drawn {
					t.Errorf("%s: %+v, want a win", m, l)
				}
			}
		}
	}
}

func TestRealMultiPV(t *testing.T) {
	cfg := realConfig(t, Nodes(20000))
	cfg.MultiPV = 5
	e := startEngine(t, cfg)
	label := search(t, e, "", "e2e4")
	if len(label.Lines) != 5 || label.Lines[0].PV[0] != label.Best {
		t.Errorf("lines %+v", label)
	}
	for k := range label.Lines[1:] {
		a, _ := label.Lines[k].Score.Centipawns()
		if b, _ := label.Lines[k+1].Score.Centipawns(); b > a {
			t.Errorf("line %d is better than the one before it", k+2)
		}
	}
	// In check with two ways out there are two lines.
	if label := search(t, e, "k7/8/8/8/8/8/1r6/K7 w - - 0 1", ""); len(label.Lines) != 1 {
		t.Errorf("%d lines for one legal move", len(label.Lines))
	}
}

// games are openings to take positions from.
var games = []string{
	"e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5 d2d4 d8c7",
	"d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8g8 g1f3 h7h6 g5h4 b7b6 c4d5 f6d5 h4e7 d8e7 c3d5 e6d5",
	"e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 d8b6 d1d2 b6b2 a1b1 b2a3",
}

func gameJobs(t testing.TB) []Job {
	var jobs []Job
	for _, g := range games {
		start, moves := line(t, "", g)
		for k := range moves {
			jobs = append(jobs, Job{Index: int64(100 + len(jobs)), Start: start, Moves: moves, Plies: []int{k + 1}})
		}
	}
	return jobs
}

// TestRealNodesAreReproducible: the same labels whichever engine has searched
// whatever before, and with another size of hash table.
func TestRealNodesAreReproducible(t *testing.T) {
	noLeak(t)
	cfg := realConfig(t, Nodes(20000))
	jobs := gameJobs(t)[:24]
	p := newPool(t, cfg, 2)
	want, err := gather(t.Context(), t, p, slices.Values(jobs))
	testkit.OK(t, err)
	cfg.Hash = 4
	e := startEngine(t, cfg)
	for k, j := range slices.Backward(jobs) {
		label, err := one(t.Context(), e, j.Start, j.Moves[:j.Plies[0]])
		testkit.OK(t, err)
		if !reflect.DeepEqual(label, want[k].Labels[0]) {
			t.Errorf("job %d: %+v, then %+v", k, want[k].Labels[0], label)
		}
	}
}

// TestRealShallower: the results that one search passes are those of searches
// that end there.
func TestRealShallower(t *testing.T) {
	cfg := realConfig(t, Depth(10))
	cfg.Shallower = []int{1, 3, 7}
	p := newPool(t, cfg, 2)
	jobs := gameJobs(t)[10:14]
	got, err := gather(t.Context(), t, p, slices.Values(jobs))
	testkit.OK(t, err)
	for k, d := range []int{1, 3, 7, 10} {
		cfg.Limit, cfg.Shallower = Depth(d), nil
		alone, err := gather(t.Context(), t, newPool(t, cfg, 2), slices.Values(jobs))
		testkit.OK(t, err)
		for i := range alone {
			if !reflect.DeepEqual(alone[i].Labels[0], got[i].Labels[k]) {
				t.Errorf("depth %d: %+v alone, %+v on the way", d, alone[i].Labels[0], got[i].Labels[k])
			}
		}
	}
}

// TestRealLines: with the memory kept for a line, node limits are reproducible as
// long as the line is searched in order, and not otherwise.
func TestRealLines(t *testing.T) {
	cfg := realConfig(t, Nodes(1000))
	cfg.Scope = LineScope
	var jobs []Job
	for _, g := range games {
		start, moves := line(t, "", g)
		j := Job{Index: int64(len(jobs)), Start: start, Moves: moves}
		for k := range moves {
			j.Plies = append(j.Plies, k+1)
		}
		jobs = append(jobs, j)
	}
	want, err := gather(t.Context(), t, newPool(t, cfg, 1), slices.Values(jobs))
	testkit.OK(t, err)
	slices.Reverse(jobs)
	got, err := gather(t.Context(), t, newPool(t, cfg, 2), slices.Values(jobs))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("other labels in another order of lines, %v", err)
	}
	cfg.Scope = PositionScope
	fresh, err := gather(t.Context(), t, newPool(t, cfg, 2), slices.Values(jobs))
	if err != nil || reflect.DeepEqual(fresh, want) {
		t.Errorf("the memory makes no difference, %v", err)
	}
}

func TestRealCompiler(t *testing.T) {
	e := startEngine(t, realConfig(t, Nodes(100)))
	said, err := e.Compiler(t.Context())
	if err != nil || !strings.Contains(e.Name(), "Stockfish") || !strings.Contains(said, "Compil") {
		t.Errorf("%q says %q, %v", e.Name(), said, err)
	}
	search(t, e, "", "e2e4") // it is as good as before
}

func TestRealMoveTime(t *testing.T) {
	noLeak(t)
	p := newPool(t, realConfig(t, MoveTime(20*time.Millisecond)), 2)
	jobs := gameJobs(t)[:20]
	got, err := gather(t.Context(), t, p, slices.Values(jobs))
	if err != nil || len(got) != len(jobs) {
		t.Fatalf("%d results, %v", len(got), err)
	}
	for _, r := range got {
		if r.Labels[0].Status != dataset.Labelled || len(r.Labels[0].Lines) != 1 {
			t.Errorf("result %+v", r)
		}
	}
	if u, ok := p.Stats().Utilisation(); !ok || u <= 0 || u > 1 {
		t.Errorf("utilisation %v, %v", u, ok)
	}
	f := p.Fingerprints()[0]
	if f.Limit != "movetime 20" || f.Engine == "" {
		t.Errorf("fingerprint %+v", f)
	}
	t.Logf("%+v", f)
}
