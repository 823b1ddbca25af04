package evaluate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/shareddata"
	"talbot/network/predict"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// known are tables of some positions, by EPD.
type known map[string]dataset.Class

func (k known) Probe(_ context.Context, p *board.Position) (dataset.Class, bool, error) {
	if p.HalfmoveClock() > 0 {
		return 0, false, nil
	}
	c, ok := k[p.EPD()]
	return c, ok, nil
}

type broken struct{}

func (broken) Probe(context.Context, *board.Position) (dataset.Class, bool, error) {
	return 0, false, errors.New("no tables any more")
}

// endgame is a sample whose first move is the given one of its legal moves, and the answer to it.
func endgame(t *testing.T, fen, first string, line int64, value float32) (Sample, predict.Output) {
	t.Helper()
	p := position(t, fen)
	s := sampleOf(t, p)
	s.Source, s.Origin = "endgame", &Origin{Position: p, Line: line}
	logits := make([]float32, encode.TalbotBotMoves)
	logits[s.Codes[index(t, &s, first)]] = 5
	return s, answerOf(logits, s.Codes, value)
}

func TestEndgamesByHand(t *testing.T) {
	// The king takes the opposition in e6 and wins; in d5 and f5 it does not.
	const pawn = "4k3/8/8/4K3/4P3/8/8/8 w - - 0 1"
	kings := map[string]dataset.Class{"e5e6": dataset.Lost, "e5d5": dataset.Drawn, "e5f5": dataset.Drawn}
	tables := known{}
	p := position(t, pawn)
	drawn := p.LegalMoves(nil)[p.Key()%uint64(len(p.LegalMoves(nil)))]
	for _, m := range p.LegalMoves(nil) {
		after := p.After(m)
		if tables[after.EPD()] = dataset.Drawn; kings[m.String()] == dataset.Lost {
			tables[after.EPD()] = dataset.Lost
		}
	}
	random := 0.0
	if kings[drawn.String()] == dataset.Lost && drawn.String() == "e5e6" {
		random = 1
	}
	const mate = "k7/8/1K6/8/8/8/8/7R w - - 0 1" // Rh8 mates
	const stale = "k7/8/1K6/8/8/8/8/6Q1 w - - 0 1"
	add := func(a *Accumulator, fen, first string, line int64, result dataset.Class, value float32) {
		t.Helper()
		s, answer := endgame(t, fen, first, line, value)
		s.Origin.Result, s.Origin.HasResult = result, true
		if err := a.add(t.Context(), []Sample{s}, []predict.Output{answer}); err != nil {
			t.Fatal(err)
		}
	}
	for _, judged := range []bool{false, true} {
		a := accumulator(nil)
		if judged {
			a = accumulator(tables)
		}
		add(a, pawn, "e5e6", 1, dataset.Won, 0.75)   // keeps
		add(a, pawn, "e5d5", 2, dataset.Won, 0.25)   // throws the win away, and says draw
		add(a, pawn, "e5f5", 3, dataset.Drawn, 0.5)  // keeps what it has; 0.5 is a draw
		add(a, mate, "h1h8", 4, dataset.Won, -0.75)  // mates; what a random move does is not known
		add(a, pawn, "e5f5", 5, dataset.Lost, -0.25) // nothing to lose
		add(a, "4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "e1d1", 6, dataset.Drawn, 0)
		s, answer := endgame(t, stale, "g1g7", 7, 0) // in no table: no endgame
		if err := a.add(t.Context(), []Sample{s}, []predict.Output{answer}); err != nil {
			t.Fatal(err)
		}
		r := a.Report(true).Endgames
		want := [3][3]int64{{0, 1, 0}, {0, 2, 0}, {1, 1, 1}}
		if r.Samples != 6 || r.Verdicts != want || *r.ValueAccuracy != 3.0/6 || *r.ValueOpposite != 1.0/4 ||
			r.Unseen.Samples != 0 {
			t.Errorf("%+v", r)
		}
		if mse := (0.0625 + 0.5625 + 0.25 + 1.75*1.75 + 0.5625 + 0) / 6; math.Abs(*r.ValueMSE-mse) > 1e-9 {
			t.Errorf("squared error %g, want %g", *r.ValueMSE, mse)
		}
		if r.ByPieces["3"].Samples != 6 || r.ByMaterial["KPvK"].Samples != 4 || r.ByMaterial["KRvK"].Samples != 1 ||
			r.ByMaterial["KBvK"].Samples != 1 {
			t.Errorf("%+v, %+v", r.ByPieces, r.ByMaterial)
		}
		if !judged {
			if r.Moves.Positions != 0 || r.Moves.Kept != nil {
				t.Errorf("moves are judged without tables: %+v", r.Moves)
			}
			continue
		}
		// The bishop's ending is dead after every move, so both moves keep the draw.
		if r.Won.Positions != 2 || *r.Won.Kept != 0.5 || *r.Won.Random != random || r.Drawn.Positions != 2 ||
			*r.Drawn.Kept != 1 || *r.Drawn.Random != 1 ||
			r.Moves.Positions != 4 || *r.Moves.Kept != 0.75 {
			t.Errorf("moves %+v, won %+v, drawn %+v", r.Moves, r.Won, r.Drawn)
		}
		if got := r.Worst(5); len(got) != 0 {
			t.Errorf("%v are compared", got)
		}
	}
	a := accumulator(broken{})
	s, answer := endgame(t, pawn, "e5e6", 1, 0)
	if err := a.add(t.Context(), []Sample{s}, []predict.Output{answer}); err == nil ||
		!strings.Contains(err.Error(), "4k3/8/8/4K3") || a.Report(false).Count("samples") != 0 {
		t.Errorf("tables that fail: %v", err)
	}
	if accumulator(nil).Report(true).Endgames != nil {
		t.Error("endgames of nothing")
	}
}

// Tables are not asked about the end of a game: mate is won, stalemate and a dead position are drawn.
func TestKeepsAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		fen, move string
		result    dataset.Class
		kept      int64
	}{
		{"k7/8/1K6/8/8/8/8/7R w - - 0 1", "h1h8", dataset.Won, 1},
		{"k7/8/2K5/8/8/8/1Q6/8 w - - 0 1", "b2b6", dataset.Won, 0},    // stalemate
		{"8/8/8/8/8/5k2/6p1/6K1 w - - 0 1", "g1h2", dataset.Drawn, 1}, // asked
		{"7k/8/8/8/8/8/1r6/K7 w - - 0 1", "a1b2", dataset.Drawn, 1},   // kings alone
	} {
		p := position(t, c.fen)
		m, err := p.ParseUCI(c.move)
		if err != nil {
			t.Fatal(err)
		}
		after := p.After(m)
		kept, ok, err := keeps(t.Context(), known{after.EPD(): dataset.Drawn}, &p, m, c.result)
		if err != nil || !ok || kept != c.kept {
			t.Errorf("%s in %s: %d, %v, %v", c.move, c.fen, kept, ok, err)
		}
	}
}

// python-chess's reader of the tables, by the class of its win/draw/loss figure before and after each move.
const oracle = `
import chess, chess.syzygy, json, sys
tables = chess.syzygy.open_tablebase(sys.argv[1])
sign = lambda wdl: (wdl > 1) - (wdl < -1)
for line in sys.stdin:
    b = chess.Board(line.strip())
    before = sign(tables.probe_wdl(b))
    kept = {}
    for m in b.legal_moves:
        b.push(m)
        kept[m.uci()] = -1 if b.is_checkmate() else 0 if b.is_stalemate() or b.is_insufficient_material() else sign(tables.probe_wdl(b))
        b.pop()
    print(json.dumps({"result": before + 1, "kept": {m: int(-r >= before) for m, r in kept.items()}}))
`

// TestKeepsAgainstPythonChess: which moves keep the result is what python-chess's own reader says, over all legal moves
// of 50 endgames, or of 200 with TALBOT_FULL=1.
func TestKeepsAgainstPythonChess(t *testing.T) {
	dir := shareddata.Path(t, "syzygy")
	engine, err := stockfish.Find("")
	if err != nil {
		t.Skip("NOT TESTED against python-chess:", err)
	}
	epds, err := os.Open(shareddata.Path(t, "epd/endgame-wdl-dtz.epd"))
	if err != nil {
		t.Fatal(err)
	}
	defer epds.Close()
	if out, err := exec.Command("python3", "-c", "import chess.syzygy").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED against python-chess: %v: %s", err, out)
	}
	set, err := syzygy.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := stockfish.OpenTables(t.Context(), stockfish.Config{Path: engine}, set)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	var positions []board.Position
	var fens strings.Builder
	every := 4
	if os.Getenv("TALBOT_FULL") != "" {
		every = 1
	}
	for s, n := bufio.NewScanner(epds), 0; s.Scan(); n++ {
		if n%every != 0 {
			continue
		}
		p := position(t, strings.Join(strings.Fields(s.Text())[:4], " "))
		positions = append(positions, p)
		fens.WriteString(p.FEN() + "\n")
	}
	python := exec.CommandContext(t.Context(), "python3", "-c", oracle, dir)
	python.Stdin = strings.NewReader(fens.String())
	out, err := python.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(strings.NewReader(string(out)))
	moves, thrown := 0, 0
	for i := range positions {
		var want struct {
			Result dataset.Class
			Kept   map[string]int64
		}
		if err := answers.Decode(&want); err != nil {
			t.Fatal(err)
		}
		p := &positions[i]
		result, ok, err := tables.Probe(t.Context(), p)
		if err != nil || !ok || result != want.Result {
			t.Fatalf("%s: %v, %v, %v, want %v", p.FEN(), result, ok, err, want.Result)
		}
		for _, m := range p.LegalMoves(nil) {
			kept, ok, err := keeps(t.Context(), tables, p, m, result)
			if err != nil || !ok || kept != want.Kept[m.String()] {
				t.Errorf("%s in %s, which is a %v: %d, %v, %v, want %d", m, p.FEN(), result, kept, ok, err,
					want.Kept[m.String()])
			}
			moves, thrown = moves+1, thrown+int(1-kept)
		}
	}
	t.Logf("%d moves, %d of them throw something away", moves, thrown)
	if len(positions) != 200/every || moves < 2000/every || thrown < 100/every {
		t.Errorf("%d positions, %d moves, %d thrown away", len(positions), moves, thrown)
	}
}
