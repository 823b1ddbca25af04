package match

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
)

var dateTag = regexp.MustCompile(`\[Date "[0-9.]+"\]`)

// TestFaults: whatever an engine does wrong costs it that game, by its kind, and no other; the match goes on.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		kind  FaultKind
		log   string // stands in the engine's log
	}{
		{"crash:2", Crash, "assertion failed"},
		{"segfault:2", Crash, "segmentation fault"},
		{"hang:2", Stall, "no bestmove within"},
		{"late:2", Stall, "no bestmove within"},
		{"closed:2", Crash, "closed its output"},
		{"illegal:2", Illegal, "e1e5"},
		{"none:2", Illegal, "(none)"},
		{"empty:2", Illegal, "bestmove"},
		{"garbage:2", Illegal, "xyzzy"},
		{"longline:2", Protocol, "longer than"},
		{"flood:2", Stall, "no bestmove within"},
		{"twice:2", Protocol, "bestmove without a search"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			m := testMatch(t, 4, fakeEntrant(t, c.fault), randomEntrant())
			m.Concurrency, m.Patience = 1, 2*time.Second
			var warned []string
			m.Warn = func(err error) { warned = append(warned, err.Error()) }
			r := runMatch(t, m)
			// A process that goes on after its fault makes no second one: n counts its searches.
			lost := int(r.Faults[c.kind])
			if lost == 0 || len(r.Faults) != 1 || r.Losses != lost || r.Games != 4 ||
				int(r.Endings[End(c.kind)]) != lost ||
				r.Players[0].Faults[c.kind] != int64(lost) || len(r.Players[1].Faults) > 0 || len(warned) != lost {
				t.Errorf("%s\nwarned %q", asJSON(r), warned)
			}
			log, err := os.ReadFile(filepath.Join(m.Out, logFolder,
				"fake_"+strings.ReplaceAll(c.fault, ":", "_")+".log"))
			if err != nil || !strings.Contains(string(log), c.log) || !strings.Contains(string(log), "> go") {
				t.Errorf("log %q, %v", log, err)
			}
			text := string(undated(t, r.PGN))
			if termination := `[Termination "abandoned"]`; c.kind != Illegal &&
				strings.Count(text, termination) != lost {
				t.Errorf("PGN without %s:\n%s", termination, text)
			}
			for _, game := range journalGames(t, m) {
				if f := game.Fault; f != nil && (f.Player != 0 || game.Points(0) != 0 || len(game.Plies) < game.Book) {
					t.Errorf("game %d: %+v", game.Number, game)
				}
			}
		})
	}
}

// TestHarmless: what is odd but no fault costs nothing.
func TestHarmless(t *testing.T) {
	for _, fault := range []string{"noise:2", "noquit:0", "oldgame:2"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := runMatch(t, testMatch(t, 4, fakeEntrant(t, fault), randomEntrant()))
			if len(r.Faults) > 0 || r.Games != 4 {
				t.Error(asJSON(r))
			}
		})
	}
}

// TestCannotPlay: an engine that cannot be started, or never gets ready, ends the match with an error that says why;
// the games before are kept.
func TestCannotPlay(t *testing.T) {
	for fault, text := range map[string]string{"nostart:0": "no such network", "noready:1": "readyok"} {
		m := testMatch(t, 4, fakeEntrant(t, fault), randomEntrant())
		if text == "readyok" { // which never comes; the other engine ends by itself, however busy the machine is
			m.Entrants[0].New = shortWait(t, fault)
		}
		if _, err := m.Run(context.Background(), context.Background()); err == nil ||
			!strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "3 attempts") {
			t.Errorf("%s: %v", fault, err)
		}
	}
	// The second game finds it broken for good.
	m := testMatch(t, 40, randomEntrant(), randomEntrant())
	broken := errors.New("out of memory")
	m.Entrants[0].New = func(int, *EngineLog) (Player, error) { return &failing{games: 3, err: broken}, nil }
	m.Concurrency = 1
	r, err := m.Run(context.Background(), context.Background())
	if !errors.Is(err, broken) || r.Games != 3 || len(r.Faults) > 0 {
		t.Errorf("%d games, %v", r.Games, err)
	}
	m.Entrants[0].New, m.Resume = randomEntrant().New, true
	if r := runMatch(t, m); r.Games != 40 || r.Resumed != 3 {
		t.Errorf("%d games, %d resumed", r.Games, r.Resumed)
	}
}

// failing plays so many games and then no more.
type failing struct {
	Random
	games int
	err   error
}

func (f *failing) NewGame(ctx context.Context, seed uint64) error {
	if f.games--; f.games < 0 {
		return f.err
	}
	return f.Random.NewGame(ctx, seed)
}

func shortWait(t *testing.T, fault string) func(int, *EngineLog) (Player, error) {
	self := testkit.Must(os.Executable())
	return func(int, *EngineLog) (Player, error) {
		return NewEngine(EngineConfig{Path: self, Args: []string{asEngine, fault},
			StartTimeout: 2 * time.Second}), nil
	}
}

// TestNoEngineLeft: at the end of a match, of whatever kind, no process of an engine is left.
func TestNoEngineLeft(t *testing.T) {
	for _, fault := range []string{"good:1", "hang:3", "noquit:0"} {
		m := testMatch(t, 4, fakeEntrant(t, fault), randomEntrant())
		m.Patience = time.Second
		ctx, cancel := context.WithCancel(context.Background())
		m.Progress = func(p Progress) {
			if p.Games == 2 {
				cancel()
			}
		}
		_, _ = m.Run(ctx, ctx)
		cancel()
	}
	if left := fakes(t, func(parent int) bool { return parent == os.Getpid() }); left != "" {
		t.Errorf("engines are left: %s", left)
	}
}

// fakes lists the fakes of this test whose parents are asked for. Those that end get a moment.
func fakes(t *testing.T, parents func(pid int) bool) (all string) {
	t.Helper()
	self, _ := os.Executable()
	for range 20 {
		entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil || len(entries) == 0 {
			t.Log("SKIPPED: no /proc to look for processes in")
			return ""
		}
		all = ""
		for _, e := range entries {
			text, _ := os.ReadFile(e)
			args := strings.Split(string(text), "\x00")
			status, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "stat"))
			fields := strings.Fields(string(status))
			if len(args) < 3 || args[0] != self || args[1] != asEngine || len(fields) < 4 || fields[2] == "Z" {
				continue
			}
			if parent, _ := strconv.Atoi(fields[3]); parents(parent) {
				all += args[2] + " "
			}
		}
		if all == "" {
			return ""
		}
		time.Sleep(100 * time.Millisecond)
	}
	return all
}

// TestEngineOvertime: an engine that takes too long loses on time, and is there for the next game if it answers.
func TestEngineOvertime(t *testing.T) {
	m := testMatch(t, 2, fakeEntrant(t, "slow:300"), randomEntrant())
	m.Entrants[0].Limits = Limits{MoveTime: 50 * time.Millisecond}
	m.Margin = 20 * time.Millisecond
	r := runMatch(t, m)
	if r.Faults[Overtime] != 2 || len(r.Faults) != 1 || r.Losses != 2 {
		t.Error(asJSON(r))
	}
	if !strings.Contains(string(undated(t, r.PGN)), `[Termination "time forfeit"]`) {
		t.Error("the PGN does not say so")
	}
}

// TestEngineOptions: options are set as the engine spells them, and what it does not offer is an error.
func TestEngineOptions(t *testing.T) {
	self, err := os.Executable()
	testkit.OK(t, err)
	start := func(options ...dataset.Tag) (string, error) {
		var log strings.Builder
		e := NewEngine(EngineConfig{Path: self, Args: []string{asEngine, "good"}, Options: options,
			Log: NewEngineLog(&log, true)})
		defer e.Close()
		err := e.Start(context.Background())
		return log.String(), err
	}
	log, err := start(dataset.Tag{Name: "hash", Value: "8"}, dataset.Tag{Name: "Clear hash"})
	if err != nil || !strings.Contains(log, "setoption name Hash value 8\n") ||
		!strings.Contains(log, "setoption name Clear Hash\n") {
		t.Errorf("%v\n%s", err, log)
	}
	for _, bad := range []dataset.Tag{{Name: "Skill Level", Value: "3"}, {Name: "Hash", Value: "65"},
		{Name: "Hash", Value: "x"}} {
		if _, err := start(bad); !errors.Is(err, ErrSetting) || !strings.Contains(err.Error(), bad.Name) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestSearchCommands: what an engine is told of limits, clocks and the past.
func TestSearchCommands(t *testing.T) {
	p := testkit.Must(board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 w - - 3 20"))
	e4, _ := p.ParseUCI("e2e4")
	clock := &Clock{Left: [2]time.Duration{61500 * time.Millisecond, 300 * time.Microsecond},
		Increment: [2]time.Duration{600 * time.Millisecond, 0}, MovesToGo: 7}
	for want, r := range map[string]MoveRequest{
		"position startpos\ngo nodes 400\n": {Start: board.StartPosition(),
			Limits: Limits{Nodes: 400}},
		"position startpos\ngo depth 5 nodes 400 movetime 50\n": {Start: board.StartPosition(),
			Limits: Limits{400, 5, 50e6, TimeControl{}}},
		"position fen " + p.FEN() + " moves e2e4\ngo movetime 1\n": {Start: p, Moves: []board.Move{e4},
			Limits: Limits{MoveTime: 1e6}},
		"position startpos\ngo wtime 61500 btime 1 winc 600 movestogo 7\n": {Start: board.StartPosition(),
			Clock: clock},
		"position startpos\ngo wtime 500 depth 3\n": {Start: board.StartPosition(), Limits: Limits{Depth: 3},
			Clock: &Clock{Left: [2]time.Duration{5e8, 0}}},
	} {
		if got := new(Engine).searchCommands(&r); got != "isready\n"+want {
			t.Errorf("%q, should be %q", got, want)
		}
	}
}
