package uci

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"talbot/board"
)

func TestParseGo(t *testing.T) {
	const ms = time.Millisecond
	both := [2]bool{true, true}
	for text, want := range map[string]goCommand{
		"":         {},
		"infinite": {infinite: true},
		"ponder wtime 1000 btime 2000 winc 10 binc 20 movestogo 5": {ponder: true,
			left: [2]time.Duration{1000 * ms, 2000 * ms}, increment: [2]time.Duration{10 * ms, 20 * ms},
			clock: both, movesToGo: 5},
		"btime 3":                       {left: [2]time.Duration{0, 3 * ms}, clock: [2]bool{false, true}},
		"wtime -5 winc -5":              {left: [2]time.Duration{-5 * ms, 0}, clock: [2]bool{true, false}},
		"depth 5 nodes 7 mate 2":        {depth: 5, nodes: 7, mate: 2},
		"depth 0 nodes -7 movestogo -1": {},
		"movetime 50":                   {moveTime: 50 * ms, timed: true},
		"searchmoves e2e4 d2d4 nodes 5": {searchMoves: []string{"e2e4", "d2d4"}, nodes: 5},
		"nodes 5 searchmoves e7e8q":     {searchMoves: []string{"e7e8q"}, nodes: 5},
		"nodes":                         {},
		"nodes depth 5":                 {depth: 5},
		"nodes 99999999999999999999":    {nodes: 1<<63 - 1},
		"wtime 99999999999999":          {left: [2]time.Duration{24_000 * time.Hour, 0}, clock: [2]bool{true}},
		"perft 3 nodes 4":               {nodes: 4},
	} {
		got, notes := parseGo(strings.Fields(text))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
		bad := strings.Contains(text, "0 nodes -7") || text == "nodes" || text == "nodes depth 5" ||
			strings.Contains(text, "perft")
		if bad != (len(notes) > 0) {
			t.Errorf("%q: notes %q", text, notes)
		}
	}
}

func TestParsePosition(t *testing.T) {
	const fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9"
	for text, want := range map[string]struct {
		moves int
		fen   string // of the end; "": an error
		bad   bool
	}{
		"startpos":       {0, board.StartFEN, false},
		"startpos moves": {0, board.StartFEN, false},
		"startpos moves e2e4 e7e5": {2,
			"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", false},
		"startpos e2e4": {1,
			"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", false},
		"startpos moves e2e4 e2e4": {1,
			"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", true},
		"fen " + fen:                             {0, fen, false},
		"fen " + fen + " moves e1g1":             {1, "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9", false},
		"fen " + fen + " moves e1h1":             {1, "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9", false},
		"fen 8/8/8/8/8/8/8/8 w - - 0 1":          {},
		"fen k7/8/8/8/8/8/8/K7 w KQkq - 0":       {0, "k7/8/8/8/8/8/8/K7 w - - 0 1", false},
		"fen k7/8/8/8/8/8/8/4K2R w KQ - 0":       {0, "k7/8/8/8/8/8/8/4K2R w K - 0 1", false},
		"fen 4k2r/8/8/8/8/8/8/4K3 w HAha - 0 1":  {},
		"fen 4k2r/8/8/8/8/8/8/R3K2R w HAh - 0 1": {0, "4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1", false},
		"fen 4k3/8/8/8/8/8/8/8 w K - 0 1":        {},
		"fen":                                    {},
		"fen moves e2e4":                         {},
		"":                                       {},
		"start":                                  {},
		"fen rnbqkbnr/8/8/8/8/8/8/RNBQ w - -":    {},
	} {
		g, err := parsePosition(strings.Fields(text))
		var bad *badMove
		if errors.As(err, &bad) != want.bad || (err != nil) != (want.bad || want.fen == "") {
			t.Errorf("%q: %v", text, err)
		}
		if want.fen != "" && (g.now.FEN() != want.fen || len(g.moves) != want.moves) {
			t.Errorf("%q: %s after %d moves", text, g.now.FEN(), len(g.moves))
		}
	}
}

func TestParseOption(t *testing.T) {
	for text, want := range map[string][2]string{
		" name Hash value 64":                    {"Hash", "64"},
		"name  Clear   Hash":                     {"Clear Hash", ""},
		" name Move Overhead value 100 ":         {"Move Overhead", "100"},
		" name SyzygyPath value /a  b/value c":   {"SyzygyPath", "/a  b/value c"},
		" name LogFile value":                    {"LogFile", ""},
		"\tname\tHash\tvalue\t5":                 {"Hash", "5"},
		" name UCI_Opponent value none 1 x name": {"UCI_Opponent", "none 1 x name"},
		"":                                       {},
		" name":                                  {},
		" name value 5":                          {},
		" Hash value 5":                          {},
		" names Hash value":                      {},
	} {
		name, value, ok := parseOption(text)
		if ok != (want[0] != "") || ok && (name != want[0] || value != want[1]) {
			t.Errorf("%q: %q %q %v", text, name, value, ok)
		}
	}
}

// FuzzCommands: no line makes a parser panic; a position that is accepted is legal and so are its moves.
func FuzzCommands(f *testing.F) {
	for _, seed := range []string{"go nodes 5 searchmoves e2e4", "go wtime -1 binc 99999999999999999999 movestogo 0",
		"position startpos moves e2e4 e7e5 e1e2", "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1 moves a1a2",
		"setoption name Clear Hash", "setoption name A value B value C", "setoption name \x00 value",
		"position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1h1 e8c8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Fields(text)
		if len(words) == 0 {
			return
		}
		g, _ := parseGo(words[1:])
		start := board.StartPosition()
		limits, _ := g.limits(&start)
		for _, m := range limits.SearchMoves {
			if !start.IsLegal(m) {
				t.Fatalf("%q: searchmoves %s", text, m)
			}
		}
		if g.nodes < 0 || g.depth < 0 || g.mate < 0 || g.movesToGo < 0 || g.increment[0] < 0 || g.moveTime < 0 {
			t.Fatalf("%q: %+v", text, g)
		}
		for _, c := range []board.Color{board.White, board.Black} {
			if b := g.budget(c, 30*time.Millisecond); b != nil && (b.Target < 0 || b.Target > b.Limit || b.Last < 0) {
				t.Fatalf("%q: %+v", text, b)
			}
		}
		at, err := parsePosition(words[1:])
		var bad *badMove
		if err == nil || errors.As(err, &bad) {
			p := at.start
			for _, m := range at.moves {
				if !p.IsLegal(m) {
					t.Fatalf("%q: move %s", text, m)
				}
				p.Play(m)
			}
			if p != at.now || p.Validate() != nil {
				t.Fatalf("%q: %s", text, at.now.FEN())
			}
		}
		if name, _, ok := parseOption(text); ok && name == "" {
			t.Fatalf("%q: an option without a name", text)
		}
	})
}
