package match

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/splitmix"
	"talbot/internal/testkit"
)

// The test binary, run again with one of these as its first argument, is something else.
const (
	asEngine = "-as-engine" // a UCI engine; FAULT or FAULT:N follows
	asMatch  = "-as-match"  // what plays a match; its folder and the number of games follow
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == asEngine:
		runFake(os.Args[2])
		os.Exit(0)
	case len(os.Args) == 4 && os.Args[1] == asMatch:
		games, _ := strconv.Atoi(os.Args[3])
		if _, err := childMatch(os.Args[2], games).Run(context.Background(), context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is an engine whose moves are a function of the position, with a fault.
type fake struct {
	fault string
	n     int
	gos   int
	news  int
	pos   board.Position
}

func runFake(fault string) {
	f := &fake{pos: board.StartPosition()}
	number := ""
	f.fault, number, _ = strings.Cut(fault, ":")
	f.n, _ = strconv.Atoi(number)
	if f.fault == "nostart" {
		fmt.Fprintln(os.Stderr, "no such network")
		os.Exit(5)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		f.command(in.Text())
	}
}

func (f *fake) command(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "uci":
		fmt.Println("id name Fake", f.fault)
		fmt.Println("option name Hash type spin default 1 min 1 max 64\noption name Clear Hash type button")
		fmt.Println("uciok")
	case "ucinewgame":
		if f.news++; f.fault == "oldgame" && f.news == f.n {
			os.Exit(4)
		}
	case "isready":
		if f.fault != "noready" || f.news < f.n {
			fmt.Println("readyok")
		}
	case "position":
		f.position(rest)
	case "go":
		f.gos++
		if f.gos != f.n || !f.misbehave() {
			f.answer()
		}
	case "stop":
		if f.fault == "late" {
			f.answer()
		}
	case "quit":
		if f.fault != "noquit" {
			os.Exit(0)
		}
	}
}

func (f *fake) position(s string) {
	what, moves, _ := strings.Cut(s, " moves ")
	f.pos = board.StartPosition()
	if fen, ok := strings.CutPrefix(what, "fen "); ok {
		f.pos = testkit.Must(board.ParseFEN(fen))
	}
	testkit.Must(f.pos.PlayUCI(strings.Fields(moves)...))
}

// choose is the move of a good fake: a function of the position, its clock and the engine's number.
func (f *fake) choose() board.Move {
	legal := f.pos.LegalMoves(nil)
	return legal[splitmix.Mix(f.pos.Key()+uint64(f.pos.HalfmoveClock())+uint64(f.n)<<32)%uint64(len(legal))]
}

func (f *fake) answer() {
	if f.fault == "slow" {
		time.Sleep(time.Duration(f.n) * time.Millisecond)
	}
	m := f.choose()
	fmt.Printf("info depth 3 score cp %d nodes 77 pv %s\n", int(f.pos.Key()%601)-300, m)
	fmt.Printf("info depth 4 score cp 9999 lowerbound nodes 80 pv %s\nbestmove %s ponder a1a1\n", m, m)
}

// misbehave shows the fault, at the n-th search of a process, and reports whether that was all there is to say.
func (f *fake) misbehave() bool {
	first := f.pos.LegalMoves(nil)[0]
	switch f.fault {
	case "crash":
		fmt.Fprintln(os.Stderr, "assertion failed: depth > 0")
		os.Exit(3)
	case "segfault":
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -SEGV $$"}, nil)
	case "hang":
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(time.Hour)
	case "late": // only when told to stop
		return true
	case "closed":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "illegal":
		fmt.Println("bestmove e1e5")
	case "none":
		fmt.Println("bestmove (none)")
	case "empty":
		fmt.Println("bestmove")
	case "garbage":
		fmt.Println("\x00\xff gibberish\ninfo\ninfo depth x score cp y\ninfo score mate 0\nbestmove xyzzy")
	case "longline":
		fmt.Println("info string " + strings.Repeat("x", 200<<10))
	case "flood":
		for {
			if _, err := fmt.Println("info string noise"); err != nil {
				os.Exit(0)
			}
		}
	case "twice":
		fmt.Printf("bestmove %s\nbestmove %s\n", first, first)
	case "noise": // says odd things, but moves
		fmt.Println("info depth x score cp y\ninfo score mate 0\ninfo score cp 99999999\n\n \nreadyok\nuciok")
		return false
	default:
		return false
	}
	return true
}

// fakeEntrant is an entrant that is a fake.
func fakeEntrant(t testing.TB, fault string) Entrant {
	if t != nil {
		t.Helper()
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Entrant{Name: "fake " + fault, Text: "fake", Identity: fault, Limits: Limits{Nodes: 100},
		New: func(seat int, log *EngineLog) (Player, error) {
			return NewEngine(EngineConfig{Path: self, Args: []string{asEngine, fault},
				StartTimeout: 30 * time.Second, Log: log, Seat: seat}), nil
		}}
}

func randomEntrant() Entrant {
	return Entrant{Name: "random", Identity: "random", New: func(int, *EngineLog) (Player, error) {
		return &Random{}, nil
	}}
}

// testOpenings are so many openings of two plies.
func testOpenings(n int) *Openings {
	var o Openings
	start := board.StartPosition()
	for _, a := range start.LegalMoves(nil) {
		p := start.After(a)
		for _, b := range p.LegalMoves(nil) {
			if o.add(start, []board.Move{a, b}); len(o.List) == n {
				return &o
			}
		}
	}
	return &o
}

// testMatch is a match of two entrants in a new folder.
func testMatch(t testing.TB, games int, entrants ...Entrant) *Match {
	t.Helper()
	return &Match{Entrants: entrants, Games: games, Openings: testOpenings(games / 2 * (len(entrants) - 1)), Seed: 7,
		Rules: Rules{MaxMoves: 40}, Patience: time.Minute, Concurrency: 2,
		Out: t.TempDir() + "/match", Event: "test", Gauntlet: len(entrants) > 2}
}

// childMatch is what a child process plays, in a folder that may hold a part of it.
func childMatch(dir string, games int) *Match {
	return &Match{Entrants: []Entrant{fakeEntrant(nil, "good:1"), randomEntrant()}, Games: games,
		Openings: testOpenings(games / 2), Seed: 7, Rules: Rules{MaxMoves: 60},
		Concurrency: 3,
		Out:         dir, Resume: true, Event: "test"}
}

func runMatch(t testing.TB, m *Match) Result {
	t.Helper()
	r, err := m.Run(context.Background(), context.Background())
	testkit.OK(t, err)
	return r
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
