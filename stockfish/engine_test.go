package stockfish

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish/uci"
)

// line plays UCI moves from a FEN, or from the start position if it is empty.
func line(t testing.TB, fen, moves string) (board.Position, []board.Move) {
	t.Helper()
	start := board.StartPosition()
	if fen != "" {
		start = testkit.Must(board.ParseFEN(fen))
	}
	pos := start
	return start, testkit.Must(pos.PlayUCI(strings.Fields(moves)...))
}

func startEngine(t *testing.T, cfg Config) *Engine {
	t.Helper()
	e, err := Start(t.Context(), cfg)
	testkit.OK(t, err)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// noLeak fails the test if it leaves goroutines or processes behind.
func noLeak(t *testing.T) {
	t.Helper()
	children := func() int { return len(testkit.ChildrenOf(os.Getpid())) } // dead ones that nobody waited for included
	routines, processes := runtime.NumGoroutine(), children()
	t.Cleanup(func() {
		for try := 0; ; try++ {
			r, p := runtime.NumGoroutine(), children()
			if r <= routines && p <= processes {
				return
			}
			if try == 3000 { // of a busy machine
				buf := make([]byte, 64<<10)
				t.Errorf("%d goroutines, %d before; %d processes, %d before\n%s",
					r, routines, p, processes, buf[:runtime.Stack(buf, true)])
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// one is a search that gives one label.
func one(ctx context.Context, e *Engine, start board.Position, moves []board.Move) (dataset.Label, error) {
	labels, err := e.Search(ctx, start, moves)
	if err != nil {
		return dataset.Label{}, err
	}
	return labels[0], nil
}

func TestSearchFake(t *testing.T) {
	noLeak(t)
	cfg := fakeConfig(t, "none-at-all")
	e := startEngine(t, cfg)
	start, moves := line(t, "", "e2e4 e7e5")
	pos, err := replay(start, moves)
	testkit.OK(t, err)
	want := dataset.Centipawns(int(pos.Key()%2001) - 1000)
	for range 3 {
		label, err := one(t.Context(), e, start, moves)
		testkit.OK(t, err)
		if label.Status != dataset.Labelled || len(label.Lines) != 1 {
			t.Fatalf("label %+v", label)
		}
		l := label.Lines[0]
		if l.Score != want || l.Depth != 3 || l.Nodes != 30 || l.WDL != (dataset.WDL{Win: 100, Draw: 200, Loss: 700}) ||
			len(l.PV) != 1 || l.PV[0] != label.Best {
			t.Errorf("line %+v, best %v, want score %v of depth 3", l, label.Best, want)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(cfg.dir(), "newgame")); len(b) != 3 {
		t.Errorf("%d times ucinewgame for 3 searches", len(b))
	}
	prints, err := e.Fingerprints()
	if err != nil || len(prints) != 1 {
		t.Fatal(prints, err)
	}
	f := prints[0]
	if i := slices.IndexFunc(f.Options, func(o dataset.Tag) bool { return o.Name == "EvalFile" }); i != 0 ||
		f.Options[0].Value != "nn-0123456789ab.nnue" {
		t.Errorf("the network is not in %v", f.Options)
	} else {
		f.Options = f.Options[1:]
	}
	options := []dataset.Tag{{Name: "Hash", Value: "16"}, {Name: "Threads", Value: "1"},
		{Name: "UCI_ShowWDL", Value: "true"}}
	if f.Engine != fakeID || f.Author != "nobody" || len(f.Build) != 16 || f.Limit != "nodes 1000" ||
		len(f.Options) != 3 {
		t.Errorf("fingerprint %+v", f)
	}
	for k, o := range options {
		if k < len(f.Options) && f.Options[k] != o {
			t.Errorf("option %v, want %v", f.Options[k], o)
		}
		if _, err := os.Stat(filepath.Join(cfg.dir(), "set name "+o.Name+" value "+o.Value)); err != nil {
			t.Errorf("option %v was not set: %v", o, err)
		}
	}
}

// TestFaults has one search go wrong in every way we know. The error must say
// what happened, come in time, and leave nothing running.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault string
		want  []string // in the error
	}{
		{"die:1", []string{"exit status 3", "assertion failed"}},
		{"hang", []string{"no answer in time (deadline 0s ago)", "bestmove"}},
		{"nonsense", []string{"protocol violation", `bestmove "xyzzy"`}},
		{"badinfo", []string{"protocol violation", `"depth": "x" is not a number`}},
		{"badwdl", []string{"sums to 6"}},
		{"bounds", []string{errNoScore.Error(), "bestmove"}},
		{"noscore", []string{errNoScore.Error()}},
		{"none", []string{`bestmove "(none)"`}},
		{"matezero", []string{"mate in 0"}},
		{"longline", []string{"longer than 65536 bytes"}},
		{"wrongmove", []string{`bestmove "e1e5"`}},
		{"wrongpv", []string{`first move "e1e5"`}},
		{"rank", []string{"rank 2 where 1"}},
		{"closed", []string{"closed its output but still runs"}},
		{"segfault", []string{"signal: segmentation fault"}},
		{"stderr", []string{"exit status 1", "cannot load the network", "…"}},
		{"child", []string{"no answer in time (deadline 0s ago)"}},
		{"orphan", []string{"exit status 7"}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			noLeak(t)
			cfg := fakeConfig(t, c.fault)
			passInSilence(t, cfg, cfg.SearchTimeout)
			e := startEngine(t, cfg)
			start, moves := line(t, "", "e2e4")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := e.Search(ctx, start, moves)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(c.want, "rnbqkbnr/pppppppp/8/8/4P3") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if len(err.Error()) > 5000 {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
			if _, again := e.Search(t.Context(), start, moves); again == nil {
				t.Error("the engine was used again")
			}
			if c.fault == "child" || c.fault == "orphan" {
				testkit.MustBeGone(t, toldPID(t, cfg))
			}
		})
	}
}

// toldPID waits for the process number that a fake leaves.
func toldPID(t *testing.T, cfg Config) int {
	t.Helper()
	for range 3000 {
		if b, err := os.ReadFile(filepath.Join(cfg.dir(), "pid")); err == nil {
			pid, err := strconv.Atoi(string(b))
			testkit.OK(t, err)
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the fake does not tell its pid")
	return 0
}

// TestEngineDiesWithUs kills a process that has a hanging engine.
func TestEngineDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux kills an engine whose parent is killed")
	}
	cfg := fakeConfig(t, "parent")
	parent := exec.Command(cfg.Path)
	parent.Env = append(os.Environ(), cfg.env...)
	testkit.OK(t, parent.Start())
	pid := toldPID(t, cfg)
	testkit.OK(t, parent.Process.Kill())
	_ = parent.Wait()
	testkit.MustBeGone(t, pid)
}

// TestEngineOutlivesThread starts an engine from a thread that ends.
func TestEngineOutlivesThread(t *testing.T) {
	cfg := fakeConfig(t, "good")
	engines := make(chan *Engine, 1)
	var thread string // where the system tells of it
	go func() {
		runtime.LockOSThread() // and not unlocked: the thread ends with this function
		thread, _ = os.Readlink("/proc/thread-self")
		e, err := Start(context.Background(), cfg)
		if err != nil {
			t.Error(err)
		}
		engines <- e
	}()
	e := <-engines
	if e == nil {
		return
	}
	defer e.Close()
	for range 100 { // the main thread sleeps instead of ending
		if _, err := os.Stat(filepath.Join("/proc", thread)); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := e.Search(t.Context(), board.StartPosition(), nil); err != nil {
		t.Error(err)
	}
}

func TestStartFaults(t *testing.T) {
	for _, c := range []struct {
		fault, want string
		cfg         func(*Config)
	}{
		{"silent", "uciok: no answer in time (deadline 0s ago)", nil},
		{"crash", "exit status 5", func(*Config) {}},
		{"crash", `stderr "no such network"`, func(*Config) {}},
		{"nouciok", "uciok: no answer in time (deadline 0s ago)", nil},
		{"noready", "readyok: no answer in time (deadline 0s ago)", nil},
		{"flood", "options offered", nil},
		{"good", "hash", func(c *Config) { c.Hash = -1 }},
		{"good", `"Hash" must be from 1 to 64: 65`, func(c *Config) { c.Hash = 65 }},
		{"good", `"MultiPV" must be from 1 to 8: 9`, func(c *Config) { c.MultiPV = 9 }},
		{"good", `does not offer the option "SyzygyPath"`,
			func(c *Config) { c.Options = []dataset.Tag{{Name: "SyzygyPath", Value: "/x"}} }},
		{"good", "set twice", func(c *Config) { c.Options = []dataset.Tag{{Name: "threads", Value: "2"}} }},
		{"good", "be a single line", func(c *Config) { c.Options = []dataset.Tag{{Name: "Hash", Value: "1\nquit"}} }},
		{"good", "no search limit", func(c *Config) { c.Limit = Limit{} }},
		{"good", "whole number", func(c *Config) { c.Limit = MoveTime(1500 * time.Microsecond) }},
		{"good", "negative", func(c *Config) { c.Limit = Nodes(-1) }},
		{"good", "ascending below the limit", func(c *Config) { c.Limit, c.Shallower = Depth(7), []int{1, 7} }},
		{"good", "ascending below the limit", func(c *Config) { c.Limit, c.Shallower = Nodes(7), []int{1} }},
		{"good", "must be above the move time", func(c *Config) { c.Limit = MoveTime(time.Minute) }},
		{"good", Remedy, func(c *Config) { c.Path = "/nowhere/stockfish" }},
		{"good", "exec format error", func(c *Config) { c.Path = textFile }},
	} {
		t.Run(c.fault+" "+c.want, func(t *testing.T) {
			noLeak(t)
			cfg := fakeConfig(t, c.fault)
			if c.cfg == nil {
				passInSilence(t, cfg, cfg.StartTimeout)
			} else {
				textFile = filepath.Join(t.TempDir(), "not-a-program")
				testkit.OK(t, os.WriteFile(textFile, []byte("\x01\x02"), 0o700))
				c.cfg(&cfg)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			e, err := Start(ctx, cfg)
			if err == nil {
				_ = e.Close()
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q does not say %q", err, c.want)
			}
		})
	}
}

var textFile string

// TestStaleBestmove has an engine that answers each search twice. The second
// answer must not become the next position's label.
func TestStaleBestmove(t *testing.T) {
	noLeak(t)
	e := startEngine(t, fakeConfig(t, "twice"))
	start, moves := line(t, "", "e2e4")
	if _, err := e.Search(t.Context(), start, moves); err != nil {
		t.Fatal(err)
	}
	_, err := e.Search(t.Context(), start, moves)
	if err == nil || !strings.Contains(err.Error(), "bestmove without a search") {
		t.Errorf("error %v", err)
	}
}

func TestIllegalTailIsCut(t *testing.T) {
	e := startEngine(t, fakeConfig(t, "wrongtail"))
	start, moves := line(t, "", "e2e4")
	label, err := one(t.Context(), e, start, moves)
	testkit.OK(t, err)
	if l := label.Lines[0]; len(l.PV) != 1 || l.Score != dataset.MateIn(fakeMate) {
		t.Errorf("line %+v", l)
	}
}

// TestNotForTheEngine has positions and lines that no engine must see: the fake
// would hang on them.
func TestNotForTheEngine(t *testing.T) {
	e := startEngine(t, fakeConfig(t, "hang"))
	for _, c := range []struct{ name, fen, moves string }{
		{"checkmate", "", "f2f3 e7e5 g2g4 d8h4"},
		{"stalemate", "7k/8/6Q1/8/8/8/8/K7 b - - 0 1", ""},
		{"dead", "7k/8/8/8/8/8/8/KB6 w - - 0 1", ""},
	} {
		start, moves := line(t, c.fen, c.moves)
		label, err := one(t.Context(), e, start, moves)
		if err != nil || label.Status != dataset.Terminal || len(label.Lines) != 0 || label.Best != board.NoMove {
			t.Errorf("%s: %+v, %v", c.name, label, err)
		}
	}
	var job *JobError
	_, err := e.Search(t.Context(), board.StartPosition(), []board.Move{board.NewMove(12, 36)})
	if !errors.As(err, &job) || job.Ply != 0 {
		t.Errorf("illegal move: %v", err)
	}
	var nowhere board.Position // without kings
	if _, err := e.Search(t.Context(), nowhere, nil); !errors.As(err, &job) || job.Reason == nil ||
		!strings.Contains(err.Error(), "king") {
		t.Errorf("illegal start: %v", err)
	}
	if err := e.client.Err(); err != nil {
		t.Errorf("the engine is blamed: %v", err)
	}
}

// TestLateStart: an engine that takes its time to say anything is waited for.
// The wait is the test's own, not a matter of the machine's load.
func TestLateStart(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("NOT TESTED without TALBOT_FULL=1: 8 seconds")
	}
	t.Parallel()
	cfg := fakeConfig(t, "late:8000")
	cfg.testClock, cfg.StartTimeout = nil, 0 // what it is without being asked
	e := startEngine(t, cfg)
	if _, err := e.Search(t.Context(), board.StartPosition(), nil); err != nil {
		t.Error(err)
	}
}

// TestHashScope counts how often the memory is cleared: scores tell the searches
// since then.
func TestHashScope(t *testing.T) {
	noLeak(t)
	start, moves := line(t, "", "e2e4 e7e5 g1f3")
	for _, c := range []struct {
		scope  HashScope
		limit  Limit
		clears int
		mark   string
	}{
		{DefaultScope, Nodes(10), 6, ""},
		{PositionScope, Depth(3), 6, ""},
		{LineScope, Nodes(10), 2, "every line"},
		{DefaultScope, MoveTime(time.Millisecond), 2, "every line"},
		{PositionScope, MoveTime(time.Millisecond), 6, "every search"},
	} {
		cfg := fakeConfig(t, "memory")
		cfg.Scope, cfg.Limit = c.scope, c.limit
		e := startEngine(t, cfg)
		var rounds [2][3]dataset.Score
		for round := range rounds {
			e.NewLine()
			for k := range 3 {
				l, err := one(t.Context(), e, start, moves[:k+1])
				testkit.OK(t, err)
				rounds[round][k] = l.Lines[0].Score
			}
		}
		if rounds[0] != rounds[1] {
			t.Errorf("%+v: %v, then %v", c, rounds[0], rounds[1])
		}
		if b, _ := os.ReadFile(filepath.Join(cfg.dir(), "newgame")); len(b) != c.clears {
			t.Errorf("%+v: cleared %d times", c, len(b))
		}
		prints, err := e.Fingerprints()
		testkit.OK(t, err)
		mark := ""
		for _, o := range prints[0].Options {
			if o.Name == "ucinewgame" {
				mark = o.Value
			}
		}
		if mark != c.mark {
			t.Errorf("%+v: fingerprint %v", c, prints[0])
		}
	}
}

func TestCompiler(t *testing.T) {
	e := startEngine(t, fakeConfig(t, "good"))
	if said, err := e.Compiler(t.Context()); err != nil || said != "" {
		t.Errorf("%q, %v", said, err)
	}
}

func TestSearchCancelled(t *testing.T) {
	noLeak(t)
	cfg := fakeConfig(t, "hang")
	e := startEngine(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		awaitCount(cfg, "silent", 1, t.Context().Done())
		cancel()
	}()
	start, moves := line(t, "", "e2e4")
	if _, err := e.Search(ctx, start, moves); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestNamedFiles: the content of a file that an option names, in the working folder or beside the executable, is part
// of the fingerprint; a network that is what its name says, and what is inside the executable, adds nothing.
func TestNamedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	e, err := Start(t.Context(), fakeConfig(t, "none"))
	testkit.OK(t, err)
	defer e.Close()
	id := func() string {
		t.Helper()
		prints, err := e.Fingerprints()
		testkit.OK(t, err)
		return prints[0].ID()
	}
	inside := id()
	write := func(name, text string) {
		t.Helper()
		testkit.OK(t, os.WriteFile(name, []byte(text), 0o666))
	}
	network := e.client.Offered["evalfile"].Default
	write(network, "weights")
	one := id()
	write(network, "Weights")
	other := id()
	if inside == one || one == other || inside == other {
		t.Errorf("without a file %s, with one %s, with another %s", inside, one, other)
	}
	hash, err := HashFile(network)
	testkit.OK(t, err)
	o := e.client.Offered["evalfile"]
	o.Default = "nn-" + hash[:12] + ".nnue"
	e.client.Offered["evalfile"] = o
	inside = id()
	if write(o.Default, "Weights"); id() != inside {
		t.Error("a network that is what its name says changes the fingerprint")
	}
	if write(o.Default, "wEights"); id() == inside {
		t.Error("a network that is not what its name says does not change the fingerprint")
	}
	e.client.Offered["debug log file"] = uci.Option{Name: "Debug Log File", Kind: "string", Default: "engine.log"}
	before := id()
	if write("engine.log", "x"); id() != before {
		t.Error("a log changes the fingerprint")
	}
	e.set = append(e.set, dataset.Tag{Name: "Book", Value: "book.bin"})
	before = id()
	if write("book.bin", "x"); id() == before {
		t.Error("a file that was set does not change the fingerprint")
	}
}
