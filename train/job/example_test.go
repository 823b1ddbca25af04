package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// exampleScript is the example of docs/7-exported-network.md.
const exampleScript = "../../docs/play_onnx.py"

// asked is a position that the example is asked about: a start and the moves played from it.
type asked struct {
	FEN   string   `json:"fen"`
	Moves []string `json:"moves"`
}

// questions are positions of both colours in which each kind of move and of plane occurs, and random games.
func questions() []asked {
	list := []asked{
		{board.StartFEN, nil},
		{board.StartFEN, []string{"e2e4", "e7e5", "g1f3"}},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", nil},                                    // castling of both sides
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", []string{"a1b1"}},                       // for Black, rights lost
		{"rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", []string{"e2e4"}}, // en passant for Black
		{board.StartFEN, []string{"e2e4", "a7a6", "e4e5", "d7d5"}},                       // and for White
		{"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", nil},           // told by the FEN
		{"rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 2", nil},             // a square without a capture
		// a capture that uncovers the king
		{"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", nil},
		// promotions in all directions
		{"1r1r4/2P1k3/8/8/8/8/2p1K3/1R1R4 w - - 0 1", nil},
		{"1r1r4/2P1k3/8/8/8/8/2p1K3/1R1R4 b - - 0 1", nil},
		{board.StartFEN, strings.Fields("g1f3 g8f6 f3g1 f6g8")},                     // the second time
		{board.StartFEN, strings.Fields("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")}, // and the third
		{board.StartFEN, strings.Fields("g1f3 g8f6 f3g1 f6g8 g1f3")},
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for n := range 40 {
		q := asked{FEN: board.StartFEN}
		p := board.StartPosition()
		for range n * 2 {
			legal := p.LegalMoves(nil)
			m := legal[rng.IntN(len(legal))]
			next := p
			next.Play(m)
			if len(next.LegalMoves(nil)) == 0 {
				break
			}
			q.Moves = append(q.Moves, m.String())
			p = next
		}
		list = append(list, q)
	}
	return list
}

// exampleDriver asks the functions of the example about positions.
const exampleDriver = `
import json, sys
import chess, onnxruntime
from play_onnx import planes, index, choose
network = onnxruntime.InferenceSession(sys.argv[1])
for asked in json.load(sys.stdin):
    board = chess.Board(asked["fen"])
    for move in asked["moves"] or []:
        board.push_uci(move)
    x = planes(board)
    assert x.shape == (68, 8, 8) and ((x == 0) | (x == 1)).all()
    words = ["%016x" % sum(1 << i for i in range(64) if plane[i // 8][i % 8]) for plane in x]
    move, probability, value = choose(network, board)
    print(json.dumps({"planes": words, "indices": {m.uci(): index(board, m) for m in board.legal_moves},
                      "move": move.uci(), "probability": float(probability), "value": float(value)}))
`

// The example makes the planes and indices that talbot makes, and finds the move and the value that talbot's own
// network gives.
func TestExampleOfTheDocs(t *testing.T) {
	text, err := os.ReadFile(exampleScript)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 40 {
		t.Errorf("the example has %d lines", n)
	}
	python(t, "onnxruntime, chess, numpy", nil, "-c", "") // or skips
	dir := madeUpRun(t, "talbotbot")
	path := exportTo(t, dir, "onnx")
	p := openNetwork(t, dir)
	list := questions()
	in, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", "../../docs")
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	answers := bytes.Split(bytes.TrimSpace(python(t, "chess", in, "-c", exampleDriver, path)), []byte("\n"))
	if len(answers) != len(list) {
		t.Fatalf("%d answers to %d questions", len(answers), len(list))
	}
	for i, q := range list {
		var theirs struct {
			Planes             []string
			Indices            map[string]int
			Move               string
			Probability, Value float64
		}
		if err := json.Unmarshal(answers[i], &theirs); err != nil {
			t.Fatal(err)
		}
		ours := answer(t, p, q)
		for k, plane := range ours.planes {
			if want := fmt.Sprintf("%016x", plane); theirs.Planes[k] != want {
				t.Errorf("%v: plane %d is %s, want %s", q, k, theirs.Planes[k], want)
			}
		}
		if fmt.Sprint(theirs.Indices) != fmt.Sprint(ours.indices) {
			t.Errorf("%v: indices %v, want %v", q, theirs.Indices, ours.indices)
		}
		ours.compare(t, q, theirs.Move, theirs.Probability, theirs.Value)
	}
	// The script itself, as the page says.
	for _, q := range list[1:4] {
		out := strings.Fields(string(python(t, "chess", nil,
			append([]string{exampleScript, path, q.FEN}, q.Moves...)...)))
		if len(out) != 3 {
			t.Fatalf("%v: the script prints %q", q, out)
		}
		probability, _ := strconv.ParseFloat(out[1], 64)
		value, _ := strconv.ParseFloat(out[2], 64)
		answer(t, p, q).compare(t, q, out[0], probability, value)
	}
}

// answered is what talbot says of a position.
type answered struct {
	planes        []uint64
	indices       map[string]int
	probabilities map[string]float64
	best          float64 // the greatest of them
	value         float64
}

func answer(t *testing.T, p *predict.Predictor, q asked) answered {
	t.Helper()
	start, err := board.ParseFEN(q.FEN)
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(start)
	for _, uci := range q.Moves {
		m, err := g.Position().ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		g.Push(m)
	}
	var e encode.TalbotBot
	var v encode.View
	v.Play(g, 0, 0)
	a := answered{planes: make([]uint64, encode.TalbotBotPlanes), indices: map[string]int{},
		probabilities: map[string]float64{}}
	e.Planes(a.planes, g)
	ask := predict.Input{Packed: make([]uint64, encode.TalbotBotWords)}
	e.Pack(ask.Packed, &v)
	for _, m := range v.Legal() {
		a.indices[m.String()] = e.MoveIndex(g.Position(), m)
		ask.Codes = append(ask.Codes, int32(a.indices[m.String()]))
	}
	out := make([]predict.Output, 1)
	if err := p.Predict(t.Context(), []predict.Input{ask}, out); err != nil {
		t.Fatal(err)
	}
	a.value = float64(out[0].Value)
	for i, m := range v.Legal() {
		x := math.Exp(float64(out[0].Prior[i]))
		a.probabilities[m.String()] = x
		a.best = max(a.best, x)
	}
	return a
}

// compare holds an answer against ours; of moves that are all but equally likely either will do.
func (a answered) compare(t *testing.T, q asked, move string, probability, value float64) {
	t.Helper()
	const near = 2e-4
	if mine, legal := a.probabilities[move]; !legal || a.best-mine > near || math.Abs(probability-a.best) > near {
		t.Errorf("%v: move %s with %.4f; ours has %.4f of %.4f", q, move, probability, a.probabilities[move], a.best)
	}
	if math.Abs(value-a.value) > near {
		t.Errorf("%v: value %.4f, want %.4f", q, value, a.value)
	}
}
