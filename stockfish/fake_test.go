package stockfish

import (
	"bufio"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/testkit"
)

// The test binary, run again with fakeVar set, is a UCI engine with a fault.
const (
	fakeVar  = "TALBOT_FAKE_ENGINE" // fault, or fault:number
	fakeDir  = "TALBOT_FAKE_DIR"    // a folder that outlives the process
	fakeID   = "Fake 1"
	fakeMate = 3
)

func TestMain(m *testing.M) {
	if fault := os.Getenv(fakeVar); fault != "" {
		runFake(fault)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeConfig is a pool's or an engine's configuration for a fake, whose answers are late only if the test moves its
// clock on: see [handClock].
func fakeConfig(t *testing.T, fault string) Config {
	t.Helper()
	self := testkit.Must(os.Executable())
	return Config{
		Path: self, Limit: Nodes(1000),
		StartTimeout: 5 * time.Second, SearchTimeout: 7 * time.Second, testClock: newHandClock(),
		env: []string{fakeVar + "=" + fault, fakeDir + "=" + t.TempDir()},
	}
}

// dir is the folder that the fakes of this configuration share.
func (c Config) dir() string { return strings.TrimPrefix(c.env[1], fakeDir+"=") }

// fake is the state of one fake engine.
type fake struct {
	fault  string
	n      int
	starts int // of fakes on this folder, this one included
	gos    int
	ds     int // asked about tables
	moves  int
	multi  int      // MultiPV
	since  []string // positions searched since the memory was cleared
	pos    board.Position
}

func runFake(fault string) {
	f := &fake{pos: board.StartPosition()}
	number := ""
	f.fault, number, _ = strings.Cut(fault, ":")
	f.n, _ = strconv.Atoi(number)
	f.starts = f.count("starts")
	f.start()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		f.command(in.Text())
	}
}

// count adds to a counter on disk and returns it.
func (f *fake) count(name string) int {
	file, err := os.OpenFile(filepath.Join(os.Getenv(fakeDir), name), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if _, err := file.WriteString("x"); err != nil {
		panic(err)
	}
	end, err := file.Seek(0, io.SeekCurrent) // of what this fake wrote: others may have written since
	if err != nil {
		panic(err)
	}
	return int(end)
}

func (f *fake) is(fault string) bool { return f.fault == fault }

func (f *fake) start() {
	switch {
	case f.is("parent"): // not an engine, but one who has one that hangs
		cfg := Config{Path: os.Args[0], Limit: Nodes(1), env: []string{fakeVar + "=hang"}}
		e, err := Start(context.Background(), cfg)
		if err == nil {
			_, err = e.Search(context.Background(), f.pos, nil)
		}
		panic(err)
	case f.is("silent"):
		f.fallSilent()
		time.Sleep(time.Hour)
	case f.is("late"): // n ms
		time.Sleep(time.Duration(f.n) * time.Millisecond)
	case f.is("shotstarting") && f.starts <= f.n: // a stranger kills the first n engines before they say anything
		_ = testkit.Shoot(os.Getpid())
		select {}
	case f.is("crash"):
		fmt.Fprintln(os.Stderr, "no such network")
		os.Exit(5)
	case f.is("once") && f.starts > 1:
		fmt.Fprintln(os.Stderr, "licence expired")
		os.Exit(4)
	}
}

func (f *fake) command(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "uci":
		f.uci()
	case "setoption":
		if n, ok := strings.CutPrefix(rest, "name MultiPV value "); ok {
			f.multi, _ = strconv.Atoi(n)
		}
		f.count("set " + strings.Split(rest, "/")[0])
	case "d":
		f.count("d")
		f.tables()
	case "ucinewgame":
		f.since = nil
		f.count("newgame")
	case "isready":
		if f.is("noready") {
			f.fallSilent()
			return
		}
		fmt.Println("readyok")
	case "position":
		f.position(rest)
	case "go":
		f.gos++
		if !f.misbehave() {
			f.answer()
		}
	case "quit":
		os.Exit(0)
	}
}

func (f *fake) uci() {
	if f.is("nouciok") {
		f.fallSilent()
		return
	}
	id := fakeID
	if f.is("renamed") && f.starts > 1 {
		id = "Fake 2"
	}
	fmt.Printf("id name %s\nid author nobody\n", id)
	fmt.Println("option name Threads type spin default 1 min 1 max 8")
	fmt.Println("option name Hash type spin default 1 min 1 max 64")
	fmt.Println("option name UCI_ShowWDL type check default false")
	fmt.Println("option name EvalFile type string default nn-0123456789ab.nnue")
	fmt.Println("option name MultiPV type spin default 1 min 1 max 8")
	if strings.HasPrefix(f.fault, "tables") {
		fmt.Println("option name SyzygyPath type string default <empty>")
	}
	if f.is("flood") {
		for k := range 2000 {
			fmt.Printf("option name o%d type button\n", k)
		}
	}
	fmt.Println("uciok")
}

func (f *fake) position(s string) {
	what, moves, _ := strings.Cut(s, " moves ")
	f.pos = board.StartPosition()
	if fen, ok := strings.CutPrefix(what, "fen "); ok {
		f.pos = testkit.Must(board.ParseFEN(fen))
	}
	f.moves = len(testkit.Must(f.pos.PlayUCI(strings.Fields(moves)...)))
}

// tables is what a reader of tables says of the position: for a fault "tables…", it draws.
func (f *fake) tables() {
	f.ds++
	switch {
	case f.is("tableshang") && f.starts <= f.n && f.ds > 1, f.is("tablesmute") && f.ds > 1:
		f.fallSilent()
		time.Sleep(time.Hour)
	case f.is("tablesshot") && f.starts <= f.n && f.ds > 1:
		_ = testkit.Shoot(os.Getpid())
		select {}
	}
	fmt.Println("Tablebases WDL: Draw (Success)\nTablebases DTZ: 0 (Success)")
}

// fallSilent tells the test that the answer it is waiting for will not come.
func (f *fake) fallSilent() { f.count("silent") }

// tellPID leaves a process number where the test finds it.
func (f *fake) tellPID(pid int) {
	path := filepath.Join(os.Getenv(fakeDir), "pid")
	if err := os.WriteFile(path+"~", []byte(strconv.Itoa(pid)), 0o600); err != nil {
		panic(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		panic(err)
	}
}

// answer is what a good engine says: one exact line per iteration, then the
// best move. The score is a function of the position.
func (f *fake) answer() {
	legal := f.pos.LegalMoves(nil)
	score := int(f.pos.Key()%2001) - 1000
	f.since = append(f.since, f.pos.FEN())
	// the score is a function of all searches since the memory was cleared
	if f.is("memory") || f.is("dieonce") || f.is("shot") {
		h := fnv.New32a()
		fmt.Fprint(h, f.since)
		score = int(h.Sum32()%2001) - 1000
	}
	for depth := 1; depth <= 3; depth++ {
		fmt.Printf("info depth %d seldepth 9 multipv 1 score cp %d wdl 100 200 700 nodes %d time 1 pv %s\n", depth,
			score, 10*depth, legal[0])
	}
	fmt.Printf("info depth 4 multipv 1 score cp 9999 lowerbound nodes 40 pv %s\n", legal[0])
	fmt.Printf("bestmove %s ponder a1a1\n", legal[0])
}

// misbehave shows the fault and reports whether that was all there is to say.
func (f *fake) misbehave() bool {
	first := f.pos.LegalMoves(nil)[0]
	switch f.fault {
	case "die": // at the n-th search of this process
		if f.gos == f.n {
			fmt.Fprintln(os.Stderr, "assertion failed: depth > 0")
			os.Exit(3)
		}
		return false
	case "dieonce", "once", "renamed": // at the first search of all processes
		if f.starts == 1 {
			os.Exit(3)
		}
		return false
	case "shot": // a stranger kills the engine at its n-th search, so it never gets farther
		if f.gos == f.n {
			_ = testkit.Shoot(os.Getpid())
			select {}
		}
		return false
	case "shotat": // a stranger kills the first n engines at their first search
		if f.starts <= f.n {
			_ = testkit.Shoot(os.Getpid())
			select {}
		}
		return false
	case "poison": // for every position after n moves
		if f.moves == f.n {
			os.Exit(3)
		}
		return false
	case "overdue": // reports after every rank from the n-th on, as Stockfish does when a search is late
		for _, l := range madeUpSearch(f.pos.LegalMoves(nil), f.pos.Key(), f.multi, 0, f.n) {
			fmt.Println(l)
		}
	case "slow":
		f.count("slow")
		time.Sleep(time.Duration(f.n) * time.Millisecond)
		return false
	case "uneven":
		time.Sleep(time.Duration(f.pos.Key()%7) * time.Millisecond)
		return false
	case "hang":
		f.tellPID(os.Getpid())
	case "nonsense":
		fmt.Println("\x00\xff gibberish\ninfo\ninfo frobnicate 7\nbestmove xyzzy")
	case "badinfo":
		fmt.Println("info depth x score cp 3 pv e2e4")
	case "badwdl":
		fmt.Println("info depth 1 score cp 3 wdl 1 2 3 pv " + first.String())
	case "bounds":
		fmt.Printf("info depth 9 multipv 1 score cp 31 lowerbound pv %[1]s\ninfo depth 9 multipv 1 score cp 31 "+
			"upperbound pv %[1]s\nbestmove %[1]s\n", first)
	case "noscore":
		fmt.Println("bestmove " + first.String())
	case "none":
		fmt.Printf("info depth 0 score cp 0\nbestmove (none)\n")
	case "matezero":
		fmt.Printf("info depth 0 score mate 0\nbestmove (none)\n")
	case "longline":
		fmt.Println("info string " + strings.Repeat("x", 200<<10))
	case "wrongmove":
		fmt.Printf("info depth 1 score cp 1 pv %s\nbestmove e1e5\n", first)
	case "wrongpv":
		fmt.Printf("info depth 1 score cp 1 pv e1e5\nbestmove %s\n", first)
	case "wrongtail":
		fmt.Printf("info depth 1 score mate %d pv %[2]s %[2]s\nbestmove %[2]s\n", fakeMate, first)
	case "rank":
		fmt.Printf("info depth 1 multipv 2 score cp 1 pv %[1]s\nbestmove %[1]s\n", first)
	case "short": // after n moves: of two lines one is only bounded
		if f.moves != f.n {
			legal := f.pos.LegalMoves(nil)
			fmt.Printf("info depth 1 multipv 1 score cp 1 pv %s\ninfo depth 1 multipv 2 score cp 1 pv %s\nbestmove "+
				"%s\n",
				legal[0], legal[1], legal[0])
			break
		}
		fmt.Printf("info depth 1 multipv 1 score cp 1 pv %[1]s\ninfo depth 1 multipv 2 score cp 1 upperbound pv "+
			"%[1]s\nbestmove %[1]s\n", first)
	case "twice":
		f.answer()
		f.answer()
	case "closed":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "segfault":
		_ = syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -SEGV $$"}, nil)
	case "stderr":
		fmt.Fprint(os.Stderr, strings.Repeat("noise ", 20000), "cannot load the network\n")
		os.Exit(1)
	case "child", "orphan":
		// The grandchild holds our pipes open.
		child := exec.Command("/bin/sleep", "1000")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		f.tellPID(child.Process.Pid)
		if f.is("orphan") {
			os.Exit(7)
		}
	default:
		return false
	}
	if f.is("hang") || f.is("child") {
		f.fallSilent()
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(time.Hour)
	}
	return true
}
