package match

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/pgn"
)

// TestPGNRoundTrip: our own reader finds every game of a match in its PGN, with every move, result and score.
func TestPGNRoundTrip(t *testing.T) {
	m := testMatch(t, 30, fakeEntrant(t, "good:1"), randomEntrant(), fakeEntrant(t, "crash:9"))
	m.Entrants[0].Name = `a "quoted\" name]`
	m.Openings.List[3] = testRecordOpening()
	m.Rules.Draw = &DrawRule{From: 1, Moves: 3, Score: 100}
	m.Entrants[2].Limits = Limits{Control: TimeControl{Base: 60e9, Increment: 5e8}}
	r := runMatch(t, m)
	games := journalGames(t, m)
	n, scored := 0, 0
	p := &pgn.Parser{ReadEvals: true}
	eachGame(t, r.PGN, p, func(line *dataset.Line) {
		want := games[n]
		if line.Start != want.Start || !slices.Equal(line.Moves, want.moves()) || line.Result != want.Result ||
			line.Tag("White") != m.Entrants[want.Players[0]].Name {
			t.Errorf("game %d is read as %v %v %v", n, line.Tags, line.Moves, line.Result)
		}
		scored += sameScores(t, want, p.Notes())
		n++
	})
	if n != len(games) || scored < 500 {
		t.Errorf("%d of %d games, %d scores", n, len(games), scored)
	}
}

// eachGame reads a file of PGN.
func eachGame(t *testing.T, path string, p *pgn.Parser, visit func(*dataset.Line)) {
	t.Helper()
	s := pgn.NewSplitter(bytes.NewReader(testkit.Must(os.ReadFile(path))))
	for {
		batch, err := s.Next()
		if err == io.EOF {
			return
		}
		testkit.OK(t, err)
		for _, g := range batch.Games {
			line, reject := p.Parse(g)
			if reject != nil {
				t.Fatal(reject)
			}
			visit(&line)
		}
		batch.Release()
	}
}

func testRecordOpening() Opening {
	r := testRecord(0)
	return Opening{Start: r.Start, Moves: r.moves()[:2]}
}

// sameScores compares the scores of a game with what was read and returns how many there are.
func sameScores(t *testing.T, r *Record, notes *pgn.Notes) (n int) {
	t.Helper()
	evals := notes.Evals
	for i, p := range r.Plies {
		if !p.Scored {
			continue
		}
		if n >= len(evals) || evals[n].Ply != i || evals[n].Score != p.Score || evals[n].Depth != p.Depth ||
			evals[n].Kind != pgn.CutechessEval {
			t.Errorf("game %d, ply %d: %+v is read as %+v", r.Number, i, p, evals[min(n, len(evals)-1)])
			return n
		}
		n++
	}
	if n != len(evals) || notes.Unread > 0 {
		t.Errorf("game %d has %d scores, %d were read and %d could not be", r.Number, n, len(evals), notes.Unread)
	}
	return n
}

// TestScoreText: every score is read back as it was.
func TestScoreText(t *testing.T) {
	for s := dataset.Score(-32767); s < 32767; s++ {
		if n, mate := s.Mate(); !s.Valid() || mate && n == 0 {
			continue
		}
		for _, turn := range []board.Color{board.White, board.Black} {
			got, err := dataset.CutechessConvention.Parse(cutechessScore(s), turn)
			if err != nil || got != s {
				t.Fatalf("%v is written %q and read as %v, %v", s, cutechessScore(s), got, err)
			}
		}
	}
}

// pythonReader prints for every game its result, plies, final position and the first character of each comment.
const pythonReader = `
import sys, chess.pgn
with open(sys.argv[1]) as f:
    while (g := chess.pgn.read_game(f)) is not None:
        assert not g.errors, g.errors
        b, n = g.board(), 0
        for node in g.mainline():
            b.push(node.move)
            n += 1
        print(g.headers["Result"], n, b.fen())
`

// TestPythonChess: python-chess reads the games of a match as they are.
func TestPythonChess(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import chess.pgn").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no python-chess (pip install chess==1.11.2): %s", out)
	}
	m := testMatch(t, 20, fakeEntrant(t, "good:1"), randomEntrant())
	m.Openings.List[1] = testRecordOpening()
	m.Rules.MaxMoves = 0
	r := runMatch(t, m)
	out, err := exec.Command("python3", "-c", pythonReader, r.PGN).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	games := journalGames(t, m)
	if len(lines) != len(games) {
		t.Fatalf("%d games, python-chess reads %d", len(games), len(lines))
	}
	for i, game := range games {
		p := game.Start
		for _, m := range game.moves() {
			p.Play(m)
		}
		if want := game.Result.String() + " " + strconv.Itoa(len(game.Plies)) + " " + p.FEN(); lines[i] != want {
			t.Errorf("game %d is %q, should be %q", i, lines[i], want)
		}
	}
}

// TestTally: figures do not depend on the order in which games end, but for which of two identical ones is left out.
func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []outcome
	for n := range 200 {
		o := outcome{number: n, points: rng.IntN(3), end: Checkmate, players: [2]int{n % 2, 1 - n%2}}
		o.key[0], o.key[1] = byte(n), byte(n>>8)
		if rng.IntN(20) == 0 {
			o.fault = &FaultNote{Kind: Crash, Player: rng.IntN(2)}
		}
		all = append(all, o)
	}
	count := func() string {
		x := newTally(2)
		for _, o := range all {
			x.add(o)
		}
		if c := x.counts; c.Wins+c.Draws+c.Losses != 200 || 2*c.Pentanomial.Pairs()+x.singles.Games() != 200 {
			t.Fatalf("%+v", x)
		}
		return asJSON([]any{x.figures(), x.faults})
	}
	want := count()
	for range 20 {
		rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		if got := count(); got != want {
			t.Fatalf("%s\n%s", got, want)
		}
	}
}

// moves returns the moves of all plies.
func (r *Record) moves() []board.Move {
	moves := make([]board.Move, len(r.Plies))
	for i, p := range r.Plies {
		moves[i] = p.Move
	}
	return moves
}
