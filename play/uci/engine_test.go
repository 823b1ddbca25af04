package uci

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/fakenet"
	"talbot/play/engine"
	"talbot/play/mcts"
)

const mateIn1 = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"

// infoForm is a whole line of info. Only where nothing was searched may the score be missing.
var infoForm = regexp.MustCompile(`^info depth [1-9]\d* seldepth [1-9]\d*( multipv \d+)?( score (cp|mate) -?\d+` +
	`( wdl \d+ \d+ \d+)?)? nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+ pv( [a-h][1-8][a-h][1-8][nbrq]?)+$`)

// checkSearch judges what was said during a search: every line of info has its form and a legal variation, and that of
// the last first line begins with the bestmove, which is legal.
func checkSearch(t *testing.T, lines []string, fen string, moves ...string) (best string) {
	t.Helper()
	var last string
	p := board.StartPosition()
	if fen != "" {
		p = testkit.Must(board.ParseFEN(fen))
	}
	for _, text := range moves {
		m := testkit.Must(p.ParseUCI(text))
		p.Play(m)
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, "info depth") {
			continue
		}
		if !infoForm.MatchString(l) || !strings.Contains(l, " score ") && !strings.Contains(l, " nodes 0 ") {
			t.Errorf("form of %q", l)
			continue
		}
		_, pv, _ := strings.Cut(l, " pv ")
		q := p
		for text := range strings.FieldsSeq(pv) {
			m, err := q.ParseUCI(text)
			if err != nil {
				t.Errorf("%q: %v", l, err)
				break
			}
			q.Play(m)
		}
		if !strings.Contains(l, " multipv ") || strings.Contains(l, " multipv 1 ") {
			last = pv
		}
	}
	words := strings.Fields(lines[len(lines)-1])
	if len(words) < 2 || words[0] != "bestmove" {
		t.Fatalf("no bestmove: %q", lines[len(lines)-1])
	}
	if _, err := p.ParseUCI(words[1]); err != nil {
		t.Errorf("bestmove: %v", err)
	}
	if last != "" && strings.Fields(last)[0] != words[1] {
		t.Errorf("bestmove %s after pv %s", words[1], last)
	}
	return words[1]
}

func TestHandshake(t *testing.T) {
	n := &fakenet.Network{Load: 300 * time.Millisecond}
	s := talk(t, n)
	s.say("uci")
	lines := s.wait("uciok")
	if lines[0] != "id name fake" || lines[1] != "id author nobody" || len(n.Opened) > 0 {
		t.Errorf("%q; the network was opened %d times", lines, len(n.Opened))
	}
	seen := map[string]bool{}
	for _, l := range lines[2 : len(lines)-1] {
		form := regexp.MustCompile(`^option name ([\w ]+) type (spin default -?\d+ min -?\d+ max \d+|check default ` +
			`(true|false)|string default \S+|button|combo default \w+( var \w+)+)$`)
		found := form.FindStringSubmatch(l)
		if found == nil || seen[found[1]] {
			t.Errorf("option %q", l)
			continue
		}
		seen[found[1]] = true
	}
	for _, want := range []string{"Threads", "Hash", "Move Overhead", "MultiPV", "Ponder", "SyzygyPath", "UCI_ShowWDL",
		"UCI_Opponent", "Clear Hash", "MinibatchSize", "NNCacheSize", "VerboseMoveStats", "LogFile", "Temperature",
		"TempCutoffPly", "Searcher", "CPuct"} {
		if !seen[want] {
			t.Errorf("option %s is missing", want)
		}
	}
	if seen["UCI_Elo"] || seen["UCI_Chess960"] || seen["Rating"] {
		t.Errorf("options that the network has no use for: %v", seen)
	}
	s.say("isready", "isready")
	s.wait("readyok")
	s.wait("readyok")
	s.say("isready")
	s.wait("readyok")
	if len(n.Opened) != 1 {
		t.Errorf("opened %d times", len(n.Opened))
	}
	s.quit()
	if n.Closed.Load() != 1 {
		t.Errorf("closed %d times", n.Closed.Load())
	}
}

// TestGo: every form of go ends with a bestmove that fits what was said before, after what it asks for.
func TestGo(t *testing.T) {
	n := &fakenet.Network{Delay: time.Millisecond}
	s := ready(t, n)
	for _, c := range []struct {
		name, position, command string
		least, most             time.Duration
		only                    []string
		nodes                   int
	}{
		{"nodes", "startpos", "go nodes 50", 0, time.Hour, nil, 50},
		{"one node", "startpos", "go nodes 1", 0, time.Hour, nil, 1},
		{"black", "startpos moves e2e4", "go nodes 50", 0, time.Hour, nil, 50},
		{"movetime", "startpos", "go movetime 200", 100 * time.Millisecond, time.Second, nil, 0},
		{"short movetime", "startpos", "go movetime 10", 0, time.Second, nil, 0},
		{"no movetime", "startpos", "go movetime 0", 0, time.Second, nil, 0},
		{"depth", "startpos", "go depth 2", 0, time.Hour, nil, 0},
		{"mate", "fen " + mateIn1, "go mate 1", 0, time.Hour, []string{"d1d8"}, 0},
		{"clock", "startpos", "go wtime 1500 btime 1500", 0, time.Second, nil, 0},
		{"increment", "startpos", "go wtime 500 btime 1500 winc 60 binc 10", 0, time.Second, nil, 0},
		{"movestogo", "startpos moves e2e4", "go wtime 5 btime 1500 movestogo 40", 0, time.Second, nil, 0},
		{"the last move to the control", "startpos", "go wtime 250 btime 250 movestogo 1", 0, time.Second, nil, 0},
		{"own clock missing", "startpos", "go btime 1500", 0, time.Second, nil, 0},
		{"opponent's clock missing", "startpos", "go wtime 1500", 0, time.Second, nil, 0},
		{"no time left", "startpos", "go wtime 1 btime 1", 0, time.Second, nil, 0},
		{"negative clock", "startpos", "go wtime -100 btime 500", 0, time.Second, nil, 0},
		{"searchmoves", "startpos", "go nodes 30 searchmoves a2a3 h2h3", 0, time.Hour, []string{"a2a3", "h2h3"}, 30},
		{"searchmoves before", "startpos", "go searchmoves a2a3 nodes 30", 0, time.Hour, []string{"a2a3"}, 30},
		{"searchmoves of none", "startpos", "go nodes 30 searchmoves e7e5", 0, time.Hour, nil, 30},
		{"words that do not belong", "startpos", "go quickly nodes 20 please", 0, time.Hour, nil, 20},
		{"several limits", "startpos", "go nodes 20 movetime 60000 depth 90", 0, time.Hour, nil, 20},
		{"numbers that are none", "startpos", "go wtime x depth nodes 20", 0, time.Hour, nil, 20},
		{"numbers that are too large", "startpos", "go nodes 99999999999999999999 movetime 100", 0, time.Hour, nil, 0},
	} {
		s.say("position " + c.position)
		begun := time.Now()
		s.say(c.command)
		lines := s.wait("bestmove")
		took := time.Since(begun)
		fen, moves := "", []string(nil)
		if rest, ok := strings.CutPrefix(c.position, "fen "); ok {
			fen = rest
		}
		if _, rest, ok := strings.Cut(c.position, " moves "); ok {
			moves = strings.Fields(rest)
		}
		best := checkSearch(t, lines, fen, moves...)
		if c.only != nil && !slices.Contains(c.only, best) {
			t.Errorf("%s: %s", c.name, best)
		}
		if took < c.least {
			t.Errorf("%s took %s", c.name, took)
		}
		if nodes := lastNodes(lines); c.nodes > 0 && nodes != c.nodes {
			t.Errorf("%s: %d nodes, want %d", c.name, nodes, c.nodes)
		}
	}
	s.quit()
}

func lastNodes(lines []string) (n int) {
	for _, l := range lines {
		if found := regexp.MustCompile(` nodes (\d+) `).FindStringSubmatch(l); found != nil {
			n, _ = strconv.Atoi(found[1])
		}
	}
	return n
}

// TestHeldBack: infinite and ponder have no bestmove before stop or ponderhit, also where nothing is left to search.
func TestHeldBack(t *testing.T) {
	for _, position := range []string{"startpos", "fen " + mateIn1} {
		for _, c := range []struct{ command, end string }{
			{"go infinite", "stop"},
			{"go", "stop"},
			{"go ponder wtime 600 btime 600", "stop"},
			{"go ponder wtime 600 btime 600", "ponderhit"},
			{"go ponder nodes 10", "ponderhit"},
			{"go ponder movetime 100", "ponderhit"},
			{"go ponder depth 1", "stop"},
		} {
			s := ready(t, &fakenet.Network{Delay: time.Millisecond})
			s.say("position "+position, c.command)
			s.silent("bestmove")
			s.say("isready") // at once, also during a search
			s.wait("readyok")
			s.say(c.end)
			fen, _ := strings.CutPrefix(position, "fen ")
			if fen == "startpos" {
				fen = ""
			}
			lines := s.wait("bestmove")
			if c.end == "ponderhit" && having(lines, " score ") == "" { // programs forget what came while it pondered
				t.Errorf("%s, %s: no score after ponderhit: %q", position, c.command, lines)
			}
			checkSearch(t, append(slices.Clone(s.all[:len(s.all)-len(lines)]), lines...), fen)
			s.say("stop", "ponderhit") // of nothing
			s.quit()
		}
	}
	// The time of a search begins at ponderhit.
	s := talk(t, &fakenet.Network{Delay: time.Millisecond})
	s.say("isready", "go ponder movetime 200")
	s.silent("bestmove")
	begun := time.Now()
	s.say("ponderhit")
	s.wait("bestmove")
	if took := time.Since(begun); took < 100*time.Millisecond {
		t.Errorf("the time that was pondered counts: %s", took)
	}
	s.quit()
	// An endless search that is pondered goes on after ponderhit.
	s = talk(t, &fakenet.Network{Delay: time.Millisecond})
	s.say("isready", "go ponder infinite", "ponderhit")
	s.silent("bestmove")
	s.say("stop")
	s.wait("bestmove")
	s.quit()
}

// TestHeldOptions: what comes after a search that is held back waits for its end, whether the network can be loaded
// then or not.
func TestHeldOptions(t *testing.T) {
	n := &fakenet.Network{Load: 100 * time.Millisecond}
	s := ready(t, n)
	for _, batch := range []string{"6", "7"} {
		s.say("position fen "+mateIn1, "go infinite")
		s.silent("bestmove")
		s.say("setoption name MinibatchSize value "+batch, "isready") // which opens the network again
		s.wait("readyok")
		s.say("stop")
		s.wait("bestmove d1d8")
		s.say("isready")
		if batch == "6" {
			s.wait("readyok")
			n.Loads = errors.New("the file is gone")
		}
	}
	if rest, err := s.finish(); !errors.Is(err, n.Loads) || count(rest, "readyok") > 0 {
		t.Errorf("%v, said %q", err, rest)
	}
}

// gone are tables that answer nothing any more.
type gone struct{ mcts.Prober }

func (gone) Pieces() int                               { return 5 }
func (gone) Probe(*board.Position) (mcts.Ending, bool) { return mcts.Ending{}, false }
func (gone) Err() error                                { return errors.New("the reader has died") }
func (gone) Close() error                              { return nil }
func (gone) Notes() []string                           { return []string{"playing without KQvK"} }

// TestTablesGone: that tables are lost is said once, and the game goes on.
func TestTablesGone(t *testing.T) {
	s := talk(t, &fakenet.Network{}, func(e *Engine) { e.Tables = func(string) (Tables, error) { return gone{}, nil } })
	s.say("setoption name SyzygyPath value x", "isready", "position fen 8/8/8/8/3k4/8/8/KQ6 w - - 0 1")
	if lines := s.wait("readyok"); having(lines, "info string SyzygyPath: playing without KQvK") == "" {
		t.Errorf("%q", lines)
	}
	for i := range 2 {
		s.say("go nodes 20")
		if said := having(s.wait("bestmove"), "without endgame tables: the reader has died") != ""; said != (i == 0) {
			t.Errorf("search %d: said %v", i, said)
		}
	}
	s.quit()
}

// TestStopAtOnce: a search that is stopped at once has asked the network all the same.
func TestStopAtOnce(t *testing.T) {
	n := &fakenet.Network{Delay: 20 * time.Millisecond}
	s := ready(t, n)
	for range 5 {
		before := n.Batches.Load()
		s.say("ucinewgame", "isready")
		s.wait("readyok")
		s.say("go infinite", "stop")
		lines := s.wait("bestmove")
		if checkSearch(t, lines, ""); n.Batches.Load() == before || count(lines, "info depth") == 0 {
			t.Errorf("the network was not asked: %q", lines)
		}
	}
	for i := range 5 { // nor does it miss that where only the tree has to be made anew
		before := n.Batches.Load()
		s.say("ucinewgame", fmt.Sprintf("setoption name Hash value %d", 10+i), "go infinite", "stop")
		lines := s.wait("bestmove")
		if checkSearch(t, lines, ""); n.Batches.Load() == before || having(lines, "error") != "" {
			t.Errorf("with a new tree the network was not asked: %q", lines)
		}
	}
	s.quit()
}

// TestThought: a move that is chosen without the network, for want of time or because it fails or is not there yet, is
// not just any and has a score.
func TestThought(t *testing.T) {
	hanging := "4k3/8/8/3q4/4P3/8/R7/4K3 w - - 0 1"
	n := &fakenet.Network{Delay: 300 * time.Millisecond}
	s := ready(t, n)
	for fen, want := range map[string]string{mateIn1: "d1d8", hanging: "e4d5"} {
		s.say("ucinewgame", "position fen "+fen, "go wtime 40 btime 40 winc 0 binc 0")
		lines := s.wait("bestmove")
		if checkSearch(t, lines, fen); having(lines, "bestmove "+want) == "" || having(lines, " score ") == "" {
			t.Errorf("no time: %q", lines)
		}
	}
	n.Fails.Store(true)
	s.say("ucinewgame", "position fen "+hanging, "go nodes 5")
	lines := s.wait("bestmove")
	if checkSearch(t, lines, hanging); having(lines, "bestmove e4d5") == "" || having(lines, " score cp ") == "" {
		t.Errorf("the network fails: %q", lines)
	}
	s.quit()
	s = talk(t, &fakenet.Network{Load: time.Hour})
	s.say("position fen "+mateIn1, "go nodes 5", "stop")
	lines = s.wait("bestmove")
	if checkSearch(t, lines, mateIn1); having(lines, "bestmove d1d8") == "" || having(lines, " score mate 1") == "" {
		t.Errorf("the network is not there: %q", lines)
	}
}

// TestQueue: a go that comes during a search is answered after that, and one that would not end is stopped for it.
func TestQueue(t *testing.T) {
	s := talk(t, &fakenet.Network{Delay: time.Millisecond})
	s.say("position startpos", "go nodes 40", "position fen "+mateIn1, "go nodes 10", "position startpos moves e2e4",
		"go infinite", "go nodes 5")
	checkSearch(t, s.wait("bestmove"), "")
	checkSearch(t, s.wait("bestmove"), mateIn1)
	checkSearch(t, s.wait("bestmove"), "", "e2e4")
	checkSearch(t, s.wait("bestmove"), "", "e2e4")
	s.quit()
}

// TestQueueOptions: what is set after a go has no effect on it, whether it has begun or waits.
func TestQueueOptions(t *testing.T) {
	const policy, puct = "setoption name Searcher value policy", "setoption name Searcher value puct"
	for _, load := range []time.Duration{0, 50 * time.Millisecond} {
		s := talk(t, &fakenet.Network{Load: load, Delay: time.Millisecond})
		s.say("go nodes 20", policy, "go nodes 20", puct, "ucinewgame", "go nodes 30", policy, "isready")
		for _, want := range []int{20, 1, 30} {
			if got := lastNodes(s.wait("bestmove")); got != want {
				t.Errorf("load %v: %d nodes, want %d", load, got, want)
			}
		}
		s.say("go nodes 9")
		if got := lastNodes(s.wait("bestmove")); got != 1 {
			t.Errorf("load %v: %d nodes of the last searcher", load, got)
		}
		s.quit()
	}
	s := talk(t, &fakenet.Network{Load: 50 * time.Millisecond, Delay: 5 * time.Millisecond})
	s.say("go nodes 20", "setoption name VerboseMoveStats value true", "setoption name MultiPV value 9")
	if lines := s.wait("bestmove"); having(lines, " N ") != "" || having(lines, "multipv") != "" {
		t.Errorf("said %q", lines)
	}
	s.quit()
	s = talk(t, &fakenet.Network{Load: time.Hour})
	s.say("go nodes 20", "setoption name NoSuchOption", "stop") // given up, not forgotten
	s.wait("info string there is no option")
	s.quit()
}

// TestNoMoves: without a legal move there is no bestmove, and the score says why.
func TestNoMoves(t *testing.T) {
	s := talk(t, &fakenet.Network{})
	for fen, score := range map[string]string{
		"R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1": "mate 0",
		"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1":       "cp 0",
	} {
		for _, command := range []string{"go nodes 10", "go movetime 50", "go wtime 100 btime 100", "go depth 3"} {
			s.say("position fen "+fen, command)
			lines := s.wait("bestmove")
			if lines[len(lines)-1] != "bestmove (none)" || having(lines, "score "+score) == "" {
				t.Errorf("%s: %q", command, lines)
			}
		}
		s.say("go infinite")
		s.silent("bestmove")
		s.say("stop")
		s.wait("bestmove (none)")
	}
	s.quit()
}

// TestEnds: whatever ends the engine, each go has its bestmove before.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		commands, end string
		load          time.Duration
		bestmoves     int
		nodes         int // of the last search, if not 0
	}{
		{"isready", "quit", 0, 0, 0},
		{"isready", "", 200 * time.Millisecond, 0, 0},
		{"go infinite", "quit", 0, 1, 0},
		{"go infinite", "", 0, 1, 0},
		{"go ponder wtime 1000 btime 1000", "quit", 0, 1, 0},
		{"go ponder wtime 1000 btime 1000", "", 0, 1, 0},
		{"go nodes 1000000000", "quit", 0, 1, 0},
		{"go nodes 300", "", 0, 1, 300},
		{"go nodes 300", "", 200 * time.Millisecond, 1, 300},
		{"go mate 9", "", 0, 1, 0},
		{"go mate 9 nodes 300", "", 0, 1, 300},
		{"go movetime 100", "", 0, 1, 0},
		{"go nodes 1000000000\ngo nodes 5", "quit", 0, 2, 0},
		{"go nodes 30\ngo nodes 5\ngo infinite", "", 0, 3, 0},
		{"go infinite", "quit", time.Hour, 1, 0},
		{"go infinite", "stop\nquit", time.Hour, 1, 0},
		{"uci\nisready\ngo nodes 5\nposition startpos moves e2e4 e7e5\ngo nodes 5", "", 0, 2, 5},
	} {
		name := fmt.Sprintf("%q %q", c.commands, c.end)
		s := talk(t, &fakenet.Network{Delay: time.Millisecond, Load: c.load})
		s.say(c.commands)
		if c.end != "" {
			s.say(c.end)
		}
		s.in.Close()
		rest, err := s.finish()
		if err != nil || count(rest, "bestmove") != c.bestmoves {
			t.Errorf("%s: %v, said\n%s", name, err, strings.Join(rest, "\n"))
		}
		if nodes := lastNodes(rest); c.nodes > 0 && nodes != c.nodes {
			t.Errorf("%s: %d nodes, want %d", name, nodes, c.nodes)
		}
		if c.commands == "isready" && c.end == "" && count(rest, "readyok") != 1 {
			t.Errorf("%s: said %q", name, rest)
		}
	}
}

// TestGarbage: nothing that comes in ends the engine or leaves it unable to play.
func TestGarbage(t *testing.T) {
	s := talk(t, &fakenet.Network{})
	long := strings.Repeat("x", maxLine+5)
	s.say("", "   ", "hello", "\x00\x01\xff", "go"+long, "position", "position fen", "position fen x y z",
		"position fen 8/8/8/8/8/8/8/8 w - - 0 1", "position nowhere", "position startpos moves e2e5",
		"setoption", "setoption name", "setoption name value", "setoption name Nothing value 3",
		"setoption name Hash value lots", "setoption name Hash value 0", "setoption name MultiPV value 999999",
		"setoption name Searcher value nobody", "setoption name UCI_ShowWDL value perhaps",
		"setoption name Temperature value -1", "setoption name SyzygyPath value /none/of/this",
		"setoption name LogFile value /none/of/this/log", "setoption name Clear Hash", "debug on", "register later",
		"ponderhit", "stop", "ucinewgame", "position startpos moves e2e4 e7e5 e1e3 g8f6", "go nodes 20")
	lines := s.wait("bestmove")
	checkSearch(t, lines, "", "e2e4", "e7e5")
	for _, want := range []string{`unknown command "hello"`, "1048576 bytes is left out", "after the 2 moves before it",
		"there is no option \"Nothing\"", "option Hash: \"0\": must be a whole number from 1 to",
		"option SyzygyPath:", "option LogFile:", "option Temperature:", "option Searcher:"} {
		if having(s.all, want) == "" {
			t.Errorf("nothing says %q", want)
		}
	}
	for _, l := range lines {
		if strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) {
			t.Errorf("%q is not plain", l)
		}
	}
	if s.say("position startpos moves" + strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 50_000)); t.Failed() {
		return
	}
	s.say("go nodes 10") // a million bytes of moves
	checkSearch(t, s.wait("bestmove"), "")
	s.quit()
}

func TestOptionsTakeEffect(t *testing.T) {
	n := &fakenet.Network{}
	log := filepath.Join(t.TempDir(), "log with blanks.txt")
	s := talk(t, n, func(e *Engine) { e.Ratings = true })
	s.say("uci")
	if lines := s.wait("uciok"); having(lines, "name UCI_Elo type spin default 0 min 0 max") == "" {
		t.Error("no UCI_Elo")
	}
	s.say("setoption name LogFile value "+log, "setoption name multipv value 3",
		"setoption name UCI_ShowWDL value true",
		"setoption name VerboseMoveStats value true", "setoption name UCI_Elo value 1800",
		"setoption name UCI_Opponent value GM 2500 human A B", "setoption name MinibatchSize value 7",
		"position startpos moves e2e4", "go nodes 40")
	lines := s.wait("bestmove")
	best := checkSearch(t, lines, "", "e2e4")
	for i := range 3 {
		if l := having(lines, fmt.Sprintf(" multipv %d ", i+1)); !strings.Contains(l, " wdl ") {
			t.Errorf("line %d: %q", i+1, l)
		}
	}
	if having(lines, " multipv 4 ") != "" || count(lines, "info string "+best+" N ") != 1 ||
		count(lines, "info string ") < 20 {
		t.Errorf("said\n%s", strings.Join(lines, "\n"))
	}
	if n.Rated != [2]int{2500, 1800} || !slices.Equal(n.Opened, []int{7}) {
		t.Errorf("ratings %v, batches %v", n.Rated, n.Opened)
	}
	s.say("setoption name MinibatchSize value 3", "setoption name MultiPV value 1",
		"setoption name VerboseMoveStats value false", "isready")
	s.wait("readyok")
	s.say("position startpos", "go nodes 10")
	if lines := s.wait("bestmove"); having(lines, "multipv") != "" || count(lines, "info string") > 0 {
		t.Errorf("said %q", lines)
	}
	if n.Rated != [2]int{1800, 2500} || !slices.Equal(n.Opened, []int{7, 3}) {
		t.Errorf("ratings %v, batches %v", n.Rated, n.Opened)
	}
	// another opponent, or none, has not the rating of the one before; a rating that cannot be changes nothing
	for _, o := range []struct {
		value string
		rated int
	}{{"IM 2400 human C", 2400}, {"none none computer D", 0}, {"none 9000 human E", 0}, {"FM 2300 human F", 2300},
		{"FM 4001 human F", 2300}, {"<empty>", 0}, {"WGM 2200 human G", 2200}, {"GM", 0}} {
		s.say("setoption name UCI_Opponent value "+o.value, "position startpos", "go nodes 5")
		s.wait("bestmove")
		if n.Rated != [2]int{1800, o.rated} {
			t.Errorf("against %q: ratings %v", o.value, n.Rated)
		}
	}
	s.say("setoption name LogFile value <empty>", "setoption name LogFile")
	s.quit()
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "> go nodes 40\n") ||
		!strings.Contains(string(text), "< bestmove "+best) || strings.Contains(string(text), "quit") {
		t.Errorf("log %q: %v", text, err)
	}
}

// TestFaults: a network that fails in a game costs a search, not the game; one that cannot be loaded ends the engine
// where it should say that it is ready.
func TestFaults(t *testing.T) {
	n := &fakenet.Network{}
	s := ready(t, n)
	for _, fault := range []func(bool){func(b bool) { n.Fails.Store(b) }, func(b bool) { n.Panics.Store(b) }} {
		fault(true)
		for _, command := range []string{"go nodes 10", "go nodes 10 searchmoves h2h4", "go movetime 50"} {
			s.say("ucinewgame", "position startpos", command)
			lines := s.wait("bestmove")
			best := checkSearch(t, lines, "")
			if having(lines, "info string error: ") == "" || strings.Contains(command, "h2h4") && best != "h2h4" {
				t.Errorf("said %q", lines)
			}
		}
		fault(false)
		s.say("go nodes 10")
		if lines := s.wait("bestmove"); having(lines, "error") != "" || lastNodes(lines) != 10 {
			t.Errorf("it does not recover: %q", lines)
		}
	}
	s.quit()

	// A network that knows no rules: without a search, its illegal choice is told.
	for _, wild := range []bool{true, false} {
		s = talk(t, &fakenet.Network{Wild: wild})
		s.say("setoption name Searcher value policy", "position startpos", "go nodes 20")
		if said := having(s.wait("bestmove"), "first choice is an illegal move") != ""; said != wild {
			t.Errorf("an illegal first choice: %v, said %v", wild, said)
		}
		s.say("setoption name Searcher value puct", "go nodes 20")
		if lines := s.wait("bestmove"); having(lines, "illegal") != "" {
			t.Errorf("said %q", lines)
		}
		s.quit()
	}

	broken := errors.New("the file is gone")
	s = talk(t, &fakenet.Network{Loads: broken})
	s.say("position startpos", "go nodes 5")
	if lines := s.wait("bestmove"); having(lines, "error: the file is gone") == "" {
		t.Errorf("said %q", lines)
	}
	s.say("isready")
	if rest, err := s.finish(); !errors.Is(err, broken) || count(rest, "readyok") > 0 {
		t.Errorf("%v, said %q", err, rest)
	}
	s = talk(t, &fakenet.Network{Loads: broken}) // a script that does not ask
	s.say("go nodes 5")
	s.wait("bestmove")
	s.say("quit")
	if _, err := s.finish(); !errors.Is(err, broken) {
		t.Errorf("a game without its network: %v", err)
	}

	// A searcher that does not fit: the one of the command line ends the engine, another one is not taken.
	blind := &fakenet.Network{Blind: true}
	s = talk(t, blind)
	s.say("setoption name Searcher value puct", "isready")
	if lines := s.wait("readyok"); having(lines, "it stays at auto") == "" {
		t.Errorf("said %q", lines)
	}
	s.quit()
	s = talk(t, blind, func(e *Engine) { e.Searcher = "puct" })
	s.say("isready")
	if _, err := s.finish(); err == nil {
		t.Error("a searcher that does not fit is no error")
	}
}

// TestNoScore: a network without values gives no score.
func TestNoScore(t *testing.T) {
	s := talk(t, &fakenet.Network{Blind: true})
	s.say("setoption name UCI_ShowWDL value true", "position startpos", "go nodes 5")
	lines := s.wait("bestmove")
	line := regexp.MustCompile(`^info depth 1 seldepth 1 nodes 1 nps \d+ hashfull 0 tbhits 0 time \d+ pv [a-h1-8]{4}$`)
	if info := having(lines, "info depth"); !line.MatchString(info) {
		t.Errorf("said %q", lines)
	}
	s.quit()
	s = talk(t, &fakenet.Network{}) // moves that were not searched have no line, but for the first
	s.say("setoption name UCI_ShowWDL value true", "setoption name MultiPV value 500",
		"setoption name VerboseMoveStats value true", "go nodes 5")
	lines = s.wait("bestmove")
	visits, searched := regexp.MustCompile(`^info string (\S+) N (\d+) `), 0
	for _, l := range lines {
		m := visits.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		said := false
		for _, info := range lines {
			said = said || strings.Contains(info, " score cp ") && strings.Contains(info+" ", " pv "+m[1]+" ")
		}
		if said != (m[2] != "0") {
			t.Errorf("%s: %q", l, lines)
		} else if said {
			searched++
		}
	}
	if searched < 1 || searched > 4 || having(lines, fmt.Sprintf(" multipv %d ", searched)) == "" ||
		having(lines, fmt.Sprintf(" multipv %d ", searched+1)) != "" {
		t.Errorf("%d moves searched: %q", searched, lines)
	}
	s.say("ucinewgame", "go nodes 1")
	if lines := s.wait("bestmove"); count(lines, "info depth 1 seldepth 1 multipv 1 score cp ") != 1 ||
		strings.Count(strings.Join(lines, ""), " score ") != 1 {
		t.Errorf("of one node: %q", lines)
	}
	s.quit()
}

// TestGameOver: repeated and dead positions at the root are searched like others.
func TestGameOver(t *testing.T) {
	s := talk(t, &fakenet.Network{})
	for _, c := range []struct {
		fen   string
		moves string
	}{
		{"", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"},
		{"8/8/4k3/8/8/4K3/8/8 w - - 0 1", ""},
		{"7k/8/8/8/8/8/R7/K7 w - - 100 90", ""},
	} {
		position := "position startpos moves " + c.moves
		if c.fen != "" {
			position = "position fen " + c.fen
		}
		s.say(position, "go nodes 20")
		checkSearch(t, s.wait("bestmove"), c.fen, strings.Fields(c.moves)...)
		s.say("go wtime 1000 btime 1000")
		checkSearch(t, s.wait("bestmove"), c.fen, strings.Fields(c.moves)...)
	}
	s.quit()
}

// TestSameGame: the same commands give the same moves, and Temperature other ones.
func TestSameGame(t *testing.T) {
	game := func(options ...string) (moves []string) {
		s := talk(t, &fakenet.Network{})
		s.say(options...)
		s.say("ucinewgame")
		for range 12 {
			s.say("position startpos moves "+strings.Join(moves, " "), "go nodes 30")
			moves = append(moves, checkSearch(t, s.wait("bestmove"), "", moves...))
		}
		s.quit()
		return moves
	}
	first := game()
	if again := game(); !slices.Equal(first, again) {
		t.Errorf("%v and %v", first, again)
	}
	warm := "setoption name Temperature value 1"
	if a, b := game(warm), game(warm); slices.Equal(a, b) {
		t.Errorf("with a temperature all games are %v", a)
	}
	seed := "setoption name Seed value 7"
	if a, b := game(warm, seed), game(warm, seed); !slices.Equal(a, b) {
		t.Errorf("with a seed %v and %v", a, b)
	}
}

// TestNoPosition: after a position that cannot be read nothing is searched until another one comes, and each go is
// answered in its order.
func TestNoPosition(t *testing.T) {
	s := talk(t, &fakenet.Network{})
	for _, bad := range []string{"fen r3k1r1/8/8/8/8/8/8/4K3 w Gg - 0 1", "fen", "nowhere", "",
		"fen 8/8/8/8/8/8/8/8 w - - 0 1"} {
		s.say("position startpos moves e2e4", "go nodes 5", "position "+bad, "go nodes 5",
			"go infinite searchmoves e2e4", "go ponder", "ponderhit")
		checkSearch(t, s.wait("bestmove"), "", "e2e4")
		for range 3 {
			lines := s.wait("bestmove")
			if lines[len(lines)-1] != "bestmove (none)" || having(lines, "no position") == "" {
				t.Errorf("%q: %q", bad, lines)
			}
		}
	}
	s.say("position startpos", "go nodes 5")
	checkSearch(t, s.wait("bestmove"), "")
	s.quit()
}

// TestWeightsFile: another network plays from the next search on, the one before is closed, one that cannot be read
// changes nothing, and "<autodiscover>" is the first again. Settings of the search that were not chosen are the new
// network's.
func TestWeightsFile(t *testing.T) {
	first, other := &fakenet.Network{}, &fakenet.Network{Blind: true}
	search := mcts.Defaults()
	search.C = 7
	s := talk(t, first, func(e *Engine) {
		player := e.Player
		e.Load = func(path string) (Network, error) {
			switch path {
			case "":
				return Network{Player: player}, nil
			case "a b.pb.gz":
				return Network{Player: engine.NewPlayer(other.Open), Ratings: true, Search: &search, Note: "seen"}, nil
			}
			return Network{}, errors.New("no run found")
		}
	})
	options := func() []string {
		s.say("uci")
		return s.wait("uciok")
	}
	if having(options(), "option name WeightsFile type string default <autodiscover>") == "" {
		t.Error("no WeightsFile")
	}
	for _, c := range []struct {
		say            []string
		first, other   int // times that they were opened
		searcher, said string
	}{
		{nil, 1, 0, "puct", ""},
		{[]string{"setoption name WeightsFile value <autodiscover>", "setoption name WeightsFile value <empty>"}, 1,
			0, "", ""},
		{[]string{"setoption name WeightsFile value gone"}, 1, 0, "", `option WeightsFile: "gone": no run found`},
		{[]string{"go infinite", "setoption name weightsfile value a b.pb.gz", "ucinewgame"}, 1, 1, "policy", "seen"},
		{[]string{"setoption name WeightsFile value a b.pb.gz"}, 1, 1, "", ""},
		{[]string{"setoption name WeightsFile"}, 2, 1, "puct", ""},
	} {
		s.say(c.say...)
		if slices.Contains(c.say, "go infinite") { // it ends with the network that it began with
			s.say("stop")
			s.wait("bestmove")
		}
		s.say("isready")
		said := s.wait("readyok")
		if c.searcher != "" && having(said, "searcher "+c.searcher) == "" || having(said, c.said) == "" ||
			c.searcher == "" && having(said, "searcher ") != "" {
			t.Errorf("%q: said %q", c.say, said)
		}
		s.say("go nodes 3")
		s.wait("bestmove")
		if len(first.Opened) != c.first || len(other.Opened) != c.other {
			t.Errorf("%q: opened %d and %d times", c.say, len(first.Opened), len(other.Opened))
		}
		elo, puct := having(options(), "UCI_Elo") != "", having(options(), "name CPuct type string default 7") != ""
		if loaded := c.other > 0 && c.first == 1; elo != loaded || puct != loaded {
			t.Errorf("%q: UCI_Elo %v, CPuct %v", c.say, elo, puct)
		}
	}
	s.quit()
	if first.Closed.Load() != 2 || other.Closed.Load() != 1 {
		t.Errorf("closed %d and %d times", first.Closed.Load(), other.Closed.Load())
	}
}
