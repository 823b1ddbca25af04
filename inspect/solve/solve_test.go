package solve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/solve"
	"talbot/internal/progress"
	"talbot/play/match"
)

// Mates on the back rank, in one and in two; the first move is the opponent's.
const mates = `PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
one,6k1/p4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1,a7a6 a1d1,900,80,90,100,short,,
mate,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,a7a6 d1d8,1100,80,90,100,mate mateIn1,,
two,3rr1k1/p4ppp/8/8/8/8/3R1PPP/3R2K1 b - - 0 1,a7a6 d2d8 e8d8 d1d8,1300,80,90,100,long,,
broken,none,a7a6,1,1,1,1,,,
`

const suite = `6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra7 Ra8+; id "best";
6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - am Ra2 Ra3; id "avoid";
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func choose(t *testing.T, path string, count int, seed uint64) []*solve.Puzzle {
	t.Helper()
	puzzles, _, err := solve.Choose(t.Context(), &solve.Input{Path: path}, count, seed)
	if err != nil {
		t.Fatal(err)
	}
	return puzzles
}

// scripted plays the first of its moves that is legal; without one it is a fault.
type scripted struct{ moves []string }

func (scripted) NewGame(context.Context, uint64) error { return nil }
func (scripted) Close() error                          { return nil }

func (s scripted) Move(_ context.Context, r *match.MoveRequest) (match.Ply, error) {
	if r.MoveTime > 0 != (r.Patience == r.MoveTime+10*time.Second) ||
		r.MoveTime == 0 && r.Patience != match.DefaultPatience {
		return match.Ply{}, fmt.Errorf("it is waited for %v with %+v", r.Patience, r.Limits)
	}
	if want := r.Start; len(r.Moves) > 0 {
		for _, m := range r.Moves {
			want.Play(m)
		}
		if want.FEN() != r.Game.Position().FEN() {
			return match.Ply{}, errors.New("moves and game differ")
		}
	}
	for _, text := range s.moves {
		if m, err := r.Game.Position().ParseUCI(text); err == nil {
			return match.Ply{Move: m, Nodes: r.Nodes}, nil
		}
	}
	return match.Ply{}, &match.Fault{Kind: match.Illegal, Err: errors.New("no move")}
}

func run(t *testing.T, puzzles []*solve.Puzzle, moves string) []solve.Answer {
	t.Helper()
	r := solve.Request{Puzzles: puzzles, Limits: []match.Limits{{Nodes: 7}}, Workers: 2,
		New: func(int) (match.Player, error) { return scripted{strings.Fields(moves)}, nil }}
	answers, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Limits = []match.Limits{{MoveTime: time.Second}} // for the waits, which are checked with each move
	if _, err := r.Run(t.Context()); err != nil {
		t.Error(err)
	}
	return answers[0]
}

// All moves of a solution must be found, any mate will do, and a fault is a puzzle not solved.
func TestSolved(t *testing.T) {
	in := solve.Input{Path: write(t, "puzzles.csv", mates)}
	puzzles, all, err := solve.Choose(t.Context(), &in, 0, 1)
	if err != nil || all != 3 || in.Rejects != 1 {
		t.Fatalf("%d puzzles, %d rejects, %v", all, in.Rejects, err)
	}
	for _, c := range []struct {
		moves  string
		solved string // one letter a puzzle: solved, wrong move, fault
	}{
		{"d2d8 d1d8 a1d1", "sss"},
		{"d2d8 d1d8 a1a6", "wss"},
		{"d1d2 d2d8 a1d1", "sww"},
		{"g1h1", "www"},
		{"h8h7", "fff"},
	} {
		got := ""
		for _, a := range run(t, puzzles, c.moves) {
			switch {
			case !a.Asked:
				got += "?"
			case a.Solved:
				got += "s"
			case a.Fault != nil:
				got += "f"
			default:
				got += "w"
			}
		}
		if got != c.solved {
			t.Errorf("%q: %s, want %s", c.moves, got, c.solved)
		}
	}
	if a := run(t, puzzles, "d1d2 d2d8")[2]; a.Solved || a.Step != 1 || a.Move.String() != "d1d2" || a.Nodes != 14 {
		t.Errorf("%+v", a)
	}
}

// Of several best moves each is right, of moves to avoid none, and what mates is right whatever the solution.
func TestSuite(t *testing.T) {
	puzzles := choose(t, write(t, "suite.epd", suite), 0, 1)
	for moves, want := range map[string][2]bool{
		"a1a8": {true, true}, "a1a7": {true, true}, "a1a2": {false, false}, "a1a3": {false, false},
		"a1b1": {false, true}, "g1f1": {false, true},
	} {
		if a := run(t, puzzles, moves); a[0].Solved != want[0] || a[1].Solved != want[1] {
			t.Errorf("%s: %v, %v", moves, a[0].Solved, a[1].Solved)
		}
	}
	p, err := board.ParseFEN("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	quiet, _ := p.ParseUCI("g1f1")
	mate, _ := p.ParseUCI("a1a8")
	if s := (solve.Step{Best: []board.Move{quiet}}); !s.Solves(&p, mate) || !s.Solves(&p, quiet) {
		t.Error("mate is not right")
	}
}

// A draw of puzzles is the same for a seed, in the order of the input, and every puzzle is as likely as the next.
func TestChoose(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8+; id %q;\n", fmt.Sprint(i))
	}
	path := write(t, "suite.epd", b.String())
	counts := map[string]int{}
	const draws, count = 400, 10
	for seed := range uint64(draws) {
		chosen := choose(t, path, count, seed)
		if len(chosen) != count {
			t.Fatalf("%d chosen", len(chosen))
		}
		for i, p := range chosen {
			if i > 0 && p.Number <= chosen[i-1].Number {
				t.Fatal("not in order")
			}
			counts[p.Name]++
		}
		if seed < 3 && !reflect.DeepEqual(chosen, choose(t, path, count, seed)) {
			t.Error("another draw of the same seed")
		}
	}
	// Each count is binomial, mean 100, standard deviation 8.7.
	for name, n := range counts {
		if n < 60 || n > 140 {
			t.Errorf("puzzle %s: %d times", name, n)
		}
	}
	if len(counts) != 40 {
		t.Errorf("%d puzzles of 40", len(counts))
	}
	games := solve.Input{Path: write(t, "games.pgn", "1. e4 e5 *\n")}
	if _, _, err := solve.Choose(t.Context(), &games, 3, 1); !errors.Is(err, solve.ErrNoPuzzles) {
		t.Errorf("%v", err)
	}
	in := solve.Input{Path: path, Splits: []dataset.Split{dataset.Test}}
	_, _, err := solve.Choose(t.Context(), &in, 3, 1)
	if err == nil || !strings.Contains(err.Error(), "only datasets") {
		t.Errorf("%v", err)
	}
}

// The rating is that of Elo's curve: half of the puzzles of one rating are solved at that rating, ten elevenths 400
// points above. The interval is 1.96 standard errors of n coins.
func TestRating(t *testing.T) {
	figures := func(n, solved int) solve.Figures {
		puzzles, answers := make([]*solve.Puzzle, n), make([]solve.Answer, n)
		for i := range puzzles {
			puzzles[i] = &solve.Puzzle{Rating: 1500, Themes: []string{"fork"}}
			answers[i] = solve.Answer{Asked: true, Solved: i < solved}
		}
		answers = append(answers, solve.Answer{})
		return solve.Summarise(append(puzzles, &solve.Puzzle{Rating: 3000}), answers, match.Limits{Nodes: 5})
	}
	for _, c := range []struct {
		n, solved int
		want      float64
	}{{100, 50, 1500}, {110, 100, 1900}, {110, 10, 1100}} {
		f := figures(c.n, c.solved)
		if f.Rating == nil || math.Abs(f.Rating.Elo-c.want) > 0.01 {
			t.Fatalf("%d of %d: %+v", c.solved, c.n, f.Rating)
		}
		p := float64(c.solved) / float64(c.n)
		half := 1.96 * 400 / math.Ln10 / math.Sqrt(float64(c.n)*p*(1-p))
		if got := f.Rating.High - f.Rating.Elo; math.Abs(got-half) > 0.01 {
			t.Errorf("half an interval is %v, want %v", got, half)
		}
		if f.Puzzles != int64(c.n) || f.Solved != int64(c.solved) || len(f.Bands) != 1 ||
			f.Bands[0].Name != "1400-1599" || len(f.Themes) != 1 || f.Themes[0].Name != "fork" || f.Limit != "nodes 5" {
			t.Errorf("%+v", f)
		}
	}
	if f := figures(10, 10); f.Rating != nil || f.Interval[1] != 1 || f.Interval[0] < 0.69 || f.Interval[0] > 0.73 {
		t.Errorf("%+v", f)
	}
}

// An error of the player ends it, and so does an interruption, with the answers so far.
func TestEnds(t *testing.T) {
	puzzles := choose(t, write(t, "puzzles.csv", mates), 0, 1)
	broken := errors.New("broken")
	r := solve.Request{Puzzles: puzzles, Limits: []match.Limits{{Nodes: 1}}, Workers: 3,
		New: func(int) (match.Player, error) { return nil, broken }}
	if _, err := r.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	shown := 0
	r = solve.Request{Puzzles: puzzles, Limits: []match.Limits{{Nodes: 1}}, Workers: 1,
		New: func(int) (match.Player, error) { return stopping{scripted{[]string{"g1h1"}}, cancel}, nil },
		Progress: func(p progress.Progress) {
			shown++
			if p.Total != 3 || p.Done != 1 {
				t.Errorf("%+v", p)
			}
		}}
	answers, err := r.Run(ctx)
	if !errors.Is(err, context.Canceled) || !answers[0][0].Asked || answers[0][1].Asked || shown != 1 {
		t.Errorf("%v, %+v", err, answers)
	}
}

// stopping is interrupted by its second puzzle.
type stopping struct {
	scripted
	cancel context.CancelFunc
}

func (s stopping) Move(ctx context.Context, r *match.MoveRequest) (match.Ply, error) {
	if strings.Contains(r.Game.Position().FEN(), "3R2K1") {
		s.cancel()
		return match.Ply{}, ctx.Err()
	}
	return s.scripted.Move(ctx, r)
}
