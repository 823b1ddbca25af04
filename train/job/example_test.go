package job

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit"
	"talbot/network/predict"
	"talbot/network/recipe"
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
		// a piece in front of another that it defends, which is attacked once it has left
		{"4R1k1/p4p1p/2pp1qp1/8/Pp1Q1P2/8/1PP3PP/6K1 b - - 0 27", nil},
		{"1r4k1/p3qppp/2p5/1pP2b2/4pP2/P1QrP3/B2P1RPP/R5K1 w - - 7 30", nil},
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
from play_onnx import ask, as_white, boards, choose, index
network = onnxruntime.InferenceSession(sys.argv[1])
for asked in json.load(sys.stdin):
    board = chess.Board(asked["fen"])
    for move in asked["moves"] or []:
        board.push_uci(move)
    recipe, x, _ = ask(network, board)
    now, numbered = boards(board, 1)[0], recipe not in ("tahl", "napoleon")
    move, probability, value = choose(network, board)
    print(json.dumps({"input": x.ravel().tolist(), "move": move.uci(), "value": value,
                      "indices": {m.uci(): index(recipe, now, as_white(board, m)) for m in board.legal_moves} if numbered else None,
                      "probability": None if probability is None else float(probability)}))
`

// The example reads what talbot reads, numbers moves as it does, and finds the move and the value that talbot's own
// network gives, for every recipe that plays by itself.
func TestExampleOfTheDocs(t *testing.T) {
	python(t, "onnxruntime, chess, numpy", nil, "-c", "") // or skips
	in := testkit.Must(json.Marshal(questions()))
	t.Setenv("PYTHONPATH", "../../docs")
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	for _, name := range recipe.Names() {
		if name == "probability" { // it chooses among moves that another network found
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := madeUpRun(t, name)
			path := exportTo(t, dir, "onnx")
			p := openNetwork(t, dir)
			text := python(t, "chess", in, "-c", exampleDriver, path)
			answers := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
			if len(answers) != len(questions()) {
				t.Fatalf("%d answers to %d questions", len(answers), len(questions()))
			}
			for i, q := range questions() {
				var theirs exampleAnswer
				testkit.OK(t, json.Unmarshal(answers[i], &theirs))
				compareExample(t, p, q, theirs)
			}
			// The script itself, as the page says.
			q := questions()[2]
			out := strings.Fields(string(python(t, "chess", nil,
				append([]string{exampleScript, path, q.FEN}, q.Moves...)...)))
			if len(out) != 3 || len(out[0]) != 4 {
				t.Errorf("%v: the script prints %q", q, out)
			}
		})
	}
}

// exampleAnswer is what the example says of a position. Values that the network does not have are nil.
type exampleAnswer struct {
	Input              []float32
	Indices            map[string]int32
	Move               string
	Probability, Value *float64
}

// compareExample holds an answer against ours; of moves that are all but equally likely either will do.
func compareExample(t *testing.T, p *predict.Predictor, q asked, theirs exampleAnswer) {
	t.Helper()
	const near = 2e-4
	e, g := p.Encoder(), board.NewGame(testkit.Must(board.ParseFEN(q.FEN)))
	for _, uci := range q.Moves {
		g.Push(testkit.Must(g.Position().ParseUCI(uci)))
	}
	layout, ask, v := e.Layout(), predict.Input{}, encode.View{}
	v.Play(g, 1500, 1500)
	ask.Packed = make([]uint64, layout.Words)
	e.Pack(ask.Packed, &v)
	input := make([]float32, layout.Numbers())
	e.Unpack(input, ask.Packed)
	if !slices.Equal(input, theirs.Input) {
		t.Fatalf("%v: the input differs", q)
	}
	legal := v.Legal()
	for _, m := range legal {
		codes := v.EncodeMove(e, layout.Codes, m)
		ask.Codes = append(ask.Codes, codes...)
		if theirs.Indices != nil && theirs.Indices[m.String()] != codes[0] {
			t.Fatalf("%v: %v is %d, want %d", q, m, theirs.Indices[m.String()], codes[0])
		}
	}
	out := make([]predict.Output, 1)
	testkit.OK(t, p.Predict(t.Context(), []predict.Input{ask}, out))
	abilities := p.Capabilities()
	if abilities.Value != (theirs.Value != nil) || abilities.Prior != (theirs.Probability != nil) {
		t.Fatalf("%v: value %v, probability %v", q, theirs.Value, theirs.Probability)
	}
	if theirs.Value != nil && math.Abs(*theirs.Value-float64(out[0].Value)) > near {
		t.Errorf("%v: value %.4f, want %.4f", q, *theirs.Value, out[0].Value)
	}
	i := slices.IndexFunc(legal, func(m board.Move) bool { return m.String() == theirs.Move })
	if i < 0 {
		t.Fatalf("%v: %q is no legal move", q, theirs.Move)
	}
	if theirs.Probability == nil {
		return
	}
	mine, best := math.Exp(float64(out[0].Prior[i])), math.Exp(float64(slices.Max(out[0].Prior)))
	if best-mine > near || math.Abs(*theirs.Probability-best) > near {
		t.Errorf("%v: move %s with %.4f; ours has %.4f of %.4f", q, theirs.Move, *theirs.Probability, mine, best)
	}
}
