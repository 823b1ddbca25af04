package match

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// scripted is a player that makes the moves it is given and says what it is given, then the first legal move.
type scripted struct {
	moves   []string
	scores  []dataset.Score
	elapsed []time.Duration
	seen    []Clock
	err     error // instead of a move, when the moves are over
	n       int
}

func (s *scripted) NewGame(context.Context, uint64) error {
	s.n = 0
	return nil
}

func (s *scripted) Move(_ context.Context, r *MoveRequest) (Ply, error) {
	n := s.n
	s.n++
	if r.Clock != nil {
		s.seen = append(s.seen, *r.Clock)
	}
	var a Ply
	a.Move = r.Game.Position().LegalMoves(nil)[0]
	switch {
	case n < len(s.moves):
		m, err := r.Game.Position().ParseUCI(s.moves[n])
		if err != nil {
			return a, err
		}
		a.Move = m
	case s.err != nil:
		return a, s.err
	}
	if n < len(s.scores) {
		a.Score, a.Scored = s.scores[n], true
	}
	if n < len(s.elapsed) {
		a.Time = s.elapsed[n]
	}
	return a, nil
}

func (s *scripted) Close() error { return nil }

// playScript plays a game of two scripts.
func playScript(t *testing.T, fen, white, black string, change func(*Seats)) *Game {
	t.Helper()
	o := Opening{Start: board.StartPosition()}
	if fen != "" {
		p := testkit.Must(board.ParseFEN(fen))
		o.Start = p
	}
	s := Seats{Players: [2]Player{&scripted{moves: strings.Fields(white)}, &scripted{moves: strings.Fields(black)}},
		Referee: &Referee{Rules: &Rules{}}}
	if change != nil {
		change(&s)
	}
	r, err := s.Play(context.Background(), o, 1)
	testkit.OK(t, err)
	return r
}

// TestEndings: each rule of chess that ends a game, and which of two comes first.
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name, fen, white, black string
		end                     End
		result                  dataset.Result
		plies                   int
	}{
		{"mate", "", "f2f3 g2g4", "e7e5 d8h4", Checkmate, dataset.BlackWins, 4},
		{"stalemate", "7k/5Q2/8/8/8/8/8/K7 w - - 0 1", "f7g6", "", Stalemate, dataset.Draw, 1},
		{"dead", "7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2", "", Dead, dataset.Draw, 1},
		{"threefold", "", "g1f3 f3g1 g1f3 f3g1", "b8c6 c6b8 b8c6 c6b8", Threefold, dataset.Draw, 8},
		{"fifty", "7k/8/8/8/8/8/R7/K7 w - - 98 80", "a2b2", "h8g8", FiftyMoves, dataset.Draw, 2},
		{"mate at fifty", "7k/8/6K1/8/8/8/R7/8 w - - 99 80", "a2a8", "", Checkmate, dataset.WhiteWins, 1},
		{"over at once", "7k/8/8/8/8/8/8/K7 w - - 0 1", "", "", Dead, dataset.Draw, 0},
	} {
		r := playScript(t, c.fen, c.white, c.black, nil)
		if r.End != c.end || r.Result != c.result || len(r.Plies) != c.plies || r.Fault != nil {
			t.Errorf("%s: %v by %s after %d plies", c.name, r.Result, r.End, len(r.Plies))
		}
	}
}

// TestClock: time is taken and added as it should be, and exceeded by more than the margin it loses.
func TestClock(t *testing.T) {
	const s = time.Second
	white := &scripted{elapsed: []time.Duration{3 * s, s / 2, 8 * s, 2 * s}}
	black := &scripted{elapsed: []time.Duration{s, s, s, s, s}}
	r := playScript(t, "", "", "", func(x *Seats) {
		x.Players = [2]Player{white, black}
		x.Limits = [2]Limits{{Control: TimeControl{Base: 10 * s, Increment: s}},
			{Control: TimeControl{Moves: 2, Base: 4 * s}}}
	})
	// White has 10, 8, 8.5 and 1.5 s.
	if r.Fault == nil || r.Fault.Kind != Overtime || r.Fault.Player != 0 || r.Result != dataset.BlackWins ||
		len(r.Plies) != 6 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []time.Duration{10 * s, 8 * s, 17 * s / 2, 3 * s / 2} {
		if got := white.seen[i]; got.Left[0] != want || got.Increment[0] != s || got.MovesToGo != 0 {
			t.Errorf("White's move %d: %+v, should be %v", i, got, want)
		}
	}
	for i, want := range []time.Duration{4 * s, 3 * s, 6 * s} {
		if got := black.seen[i]; got.Left[1] != want || got.MovesToGo != 2-i%2 {
			t.Errorf("Black's move %d: %+v, should be %v", i, got, want)
		}
	}
	for margin, kind := range map[time.Duration]FaultKind{0: Overtime, 49 * time.Millisecond: Overtime,
		50 * time.Millisecond: "later"} {
		r := playScript(t, "", "", "", func(x *Seats) {
			x.Players = [2]Player{&scripted{elapsed: []time.Duration{150 * time.Millisecond}, moves: []string{"e2e4"},
				err: &Fault{"later", os.ErrClosed}}, &scripted{}}
			x.Limits[0], x.Margin = Limits{MoveTime: 100 * time.Millisecond}, margin
		})
		if r.Fault == nil || r.Fault.Kind != kind {
			t.Errorf("margin %v: %+v", margin, r.Fault)
		}
	}
}

// TestPlayersFaults: a player of ours that makes an illegal move, or says that it failed, loses.
func TestPlayersFaults(t *testing.T) {
	r := playScript(t, "", "", "", func(x *Seats) { x.Players[1] = &illegalPlayer{} })
	if r.Fault == nil || r.Fault.Kind != Illegal || r.Fault.Player != 1 || r.Result != dataset.WhiteWins {
		t.Errorf("%+v", r)
	}
	r = playScript(t, "", "", "", func(x *Seats) { x.Players[0], x.Patience = &silentPlayer{}, time.Millisecond })
	if r.Fault == nil || r.Fault.Kind != Stall || r.Fault.Player != 0 || r.Result != dataset.BlackWins {
		t.Errorf("%+v", r)
	}
}

// silentPlayer says nothing until it is told to end.
type silentPlayer struct{ Random }

func (*silentPlayer) Move(ctx context.Context, _ *MoveRequest) (Ply, error) {
	<-ctx.Done()
	return Ply{}, ctx.Err()
}

type illegalPlayer struct{ Random }

func (*illegalPlayer) Move(context.Context, *MoveRequest) (Ply, error) {
	return Ply{Move: board.NewMove(0, 63)}, nil
}

// TestAdjudication: each rule ends the game where it should, and not before.
func TestAdjudication(t *testing.T) {
	cp := func(all ...int) (scores []dataset.Score) {
		for _, n := range all {
			scores = append(scores, dataset.Centipawns(n))
		}
		return scores
	}
	const fen = "k6r/8/8/8/8/8/8/K6R w - - 0 1"
	fill := func(rules Rules, white, black []dataset.Score) *Game {
		return playScript(t, fen, "", "", func(x *Seats) {
			x.Players = [2]Player{&scripted{moves: strings.Fields("h1h2 h2g2 g2f2 f2f3 f3g3 g3h3"), scores: white},
				&scripted{moves: strings.Fields("h8g8 g8h8 h8g8 g8f8 f8e8 e8d8"), scores: black}}
			x.Referee = &Referee{Rules: &rules}
		})
	}
	resign := Rules{MaxMoves: 6, Resign: &ResignRule{Moves: 2, Score: 500}}
	draw := Rules{MaxMoves: 6, Draw: &DrawRule{From: 3, Moves: 2, Score: 10}}
	for _, c := range []struct {
		name         string
		rules        Rules
		white, black []dataset.Score
		end          End
		result       dataset.Result
		plies        int
	}{
		{"length", Rules{MaxMoves: 3}, nil, nil, ByLength, dataset.Draw, 6},
		{"resign", resign, cp(0, 600, 700, 500), cp(0, -500, -600), ByResign, dataset.WhiteWins, 6},
		{"black wins", resign, cp(-900, -900), cp(900, 900), ByResign, dataset.BlackWins, 4},
		{"mates count", resign, []dataset.Score{dataset.MateIn(3), dataset.MateIn(2)},
			[]dataset.Score{dataset.MateIn(-3), dataset.MateIn(-2)}, ByResign, dataset.WhiteWins, 4},
		{"one disagrees", resign, cp(900, 900, 900, 900, 900, 900), cp(-900, -499, -900, -499, -900, -499), ByLength,
			dataset.Draw, 12},
		{"one is silent", resign, cp(900, 900, 900, 900, 900, 900), nil, ByLength, dataset.Draw, 12},
		{"draw", draw, cp(0, 10, -10, 3), cp(0, 0, 0, 0), ByDraw, dataset.Draw, 6},
		{"draw later", draw, cp(0, 0, 0, 11, 0, 0), cp(0, 50, 0, 0, 0, 0), ByDraw, dataset.Draw, 11},
		{"no draw", draw, cp(0, 0, 0, 0, 0, 0), cp(11, 0, 11, 0, 11, 11), ByLength, dataset.Draw, 12},
	} {
		r := fill(c.rules, c.white, c.black)
		if r.End != c.end || r.Result != c.result || len(r.Plies) != c.plies {
			t.Errorf("%s: %v by %s after %d plies", c.name, r.Result, r.End, len(r.Plies))
		}
	}
}

// TestJudge: a third engine decides when it says the same twice, and at the maximum length at once.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		max    int
		said   []int // from the view of the side to move, White, after every two moves
		end    End
		result dataset.Result
		plies  int
	}{
		{"twice", 6, []int{900, 900}, ByJudge, dataset.WhiteWins, 8},
		{"black", 6, []int{-900, -900}, ByJudge, dataset.BlackWins, 8},
		{"once, then not", 6, []int{900, 0, 900}, ByJudge, dataset.WhiteWins, 12},
		{"changes its mind", 6, []int{900, -900, 0}, ByLength, dataset.Draw, 12},
		{"at the end", 5, []int{0, 0, -800}, ByJudge, dataset.BlackWins, 10},
		{"below", 5, []int{799, 799, 799}, ByLength, dataset.Draw, 10},
	} {
		var scores []dataset.Score
		for _, n := range c.said {
			scores = append(scores, dataset.Centipawns(n))
		}
		r := playScript(t, "k6r/8/8/8/8/8/8/K6R w - - 0 1", "", "", func(x *Seats) {
			x.Players = [2]Player{&scripted{moves: strings.Fields("h1h2 h2g2 g2f2 f2f3 f3g3 g3h3")},
				&scripted{moves: strings.Fields("h8g8 g8h8 h8g8 g8f8 f8e8 e8d8")}}
			x.Referee = &Referee{Rules: &Rules{MaxMoves: c.max, Judge: &Judge{Every: 2, Score: 800}},
				Judge: &scripted{scores: scores}}
		})
		if r.End != c.end || r.Result != c.result || len(r.Plies) != c.plies {
			t.Errorf("%s: %v by %s after %d plies", c.name, r.Result, r.End, len(r.Plies))
		}
	}
}

// TestRandomIsUniform: the random mover draws every legal move as often, and the same ones for the same seed.
func TestRandomIsUniform(t *testing.T) {
	g := board.NewGame(board.StartPosition())
	const draws = 20_000
	counts := map[board.Move]int{}
	var p, q Random
	for i := range uint64(draws) {
		p.NewGame(context.Background(), i)
		q.NewGame(context.Background(), i)
		a, _ := p.Move(context.Background(), &MoveRequest{Game: g})
		b, _ := q.Move(context.Background(), &MoveRequest{Game: g})
		if a.Move != b.Move {
			t.Fatalf("seed %d: %v and %v", i, a.Move, b.Move)
		}
		counts[a.Move]++
	}
	square := 0.0
	for _, n := range counts {
		d := float64(n) - draws/20
		square += d * d / (draws / 20)
	}
	if len(counts) != 20 || square > 60 { // 19 degrees of freedom: once in 200,000
		t.Errorf("%d moves, chi square %.1f: %v", len(counts), square, counts)
	}
}

// TestTables: tables end a game as soon as they know it, with the result of the side that has it, and leave alone what
// is too large for them, what may castle, and what 50 moves make a draw.
func TestTables(t *testing.T) {
	dir := shareddata.Path(t, "syzygy")
	engine, err := stockfish.Find("")
	if err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	set, err := syzygy.Find(dir)
	testkit.OK(t, err)
	tables, err := stockfish.OpenTables(context.Background(), stockfish.Config{Path: engine}, set)
	testkit.OK(t, err)
	defer tables.Close()
	for _, c := range []struct {
		fen, moves string
		end        End
		result     dataset.Result
		plies      int
	}{
		{"8/8/8/8/5k2/8/8/KQ6 w - - 0 1", "", ByTables, dataset.WhiteWins, 0},
		{"8/8/8/8/5k2/8/8/KQ6 b - - 0 1", "", ByTables, dataset.WhiteWins, 0},
		{"kq6/8/8/5K2/8/8/8/8 w - - 0 1", "", ByTables, dataset.BlackWins, 0},
		{"8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", "", ByTables, dataset.Draw, 0},
		{"8/8/8/8/5k2/8/8/KQ6 w - - 99 90", "b1b3", FiftyMoves, dataset.Draw, 1},   // the win is too far away
		{"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "a8a1", ByTables, dataset.BlackWins, 1}, // once it has lost its rights
		{"4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", "", ByLength, dataset.Draw, 4},
	} {
		r := playScript(t, c.fen, c.moves, c.moves, func(x *Seats) {
			x.Referee = &Referee{Rules: &Rules{MaxMoves: 2}, Tables: tables}
		})
		if r.End != c.end || r.Result != c.result || len(r.Plies) != c.plies {
			t.Errorf("%s: %v by %s after %d plies", c.fen, r.Result, r.End, len(r.Plies))
		}
	}
}
