package evaluate

import (
	"fmt"
	"math"
	"testing"

	"talbot/encode"
	"talbot/network/predict"
)

func TestBands(t *testing.T) {
	got := ""
	for _, n := range []int{2, 5, 6, 9, 10, 26, 29, 30, 32} {
		got += pieceBand(n) + " "
	}
	for _, n := range []int{0, 1, 199, 200, 2650} {
		got += ratingBand(n) + " "
	}
	if want := "2-5 2-5 6-9 6-9 10-13 26-29 26-29 30-32 30-32 unknown 0 0 200 2600 "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// answers to placed samples: what is counted for mates, calibration, sides and misses, by hand.
func TestEvalOfPlacedSamples(t *testing.T) {
	var samples []Sample
	var answers []predict.Output
	add := func(fen, target string, line int64, value float32, odds map[string]float64) {
		p := position(t, fen)
		s := sampleOf(t, p)
		s.Origin = &Origin{Position: p, Line: line, Game: fmt.Sprint(line), Ply: 40, Rating: 2300}
		s.Policy = []Target{{index(t, &s, target), 1}}
		logits := make([]float32, encode.TalbotBotMoves)
		for uci, x := range odds {
			logits[s.Codes[index(t, &s, uci)]] = float32(math.Log(x))
		}
		samples, answers = append(samples, s), append(answers, answerOf(logits, s.Codes, value))
	}
	const mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1" // Ra8 mates
	add(mate, "a1a8", 7, 0.96, map[string]float64{"a1a8": 100})
	// Ra1 mates
	add("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "g8g7", 8, 0.5, map[string]float64{"g8g7": 0.001, "a8a2": 50})
	add("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "g8h8", 9, 0.5, map[string]float64{"g8h8": 0.0001, "a8a2": 50})
	samples[0] = labelled(samples[0], 1)
	a := accumulator(nil)
	if err := a.add(t.Context(), samples, answers); err != nil {
		t.Fatal(err)
	}
	r := a.Report(false)
	if r.Count("mate_in_one_samples") != 3 || r.Figures["mate_in_one"] != 1.0/3 || r.Figures["top1"] != 1.0/3 {
		t.Errorf("%+v", r.Figures)
	}
	if r.BySide["white"].Count("samples") != 1 || r.BySide["black"].Count("samples") != 2 ||
		r.ByRating["2200"].Count("samples") != 3 || r.ByPieces["6-9"].Count("samples") != 3 ||
		r.ByPhase["endgame"].Count("samples") != 3 {
		t.Errorf("groups %v %v %v %v", r.BySide, r.ByRating, r.ByPieces, r.ByPhase)
	}
	if b := r.Calibration; len(b) != 1 || b[0].Count != 1 || b[0].Actual != 1 || math.Abs(b[0].Predicted-0.96) > 1e-6 ||
		math.Abs(b[0].From-0.9) > 1e-9 || b[0].Spread != 0 {
		t.Errorf("calibration %+v", b)
	}
	if len(r.Misses) != 2 { // of the same position the worse
		t.Fatalf("misses %+v", r.Misses)
	}
	m := r.Misses[0]
	p := position(t, m.FEN)
	n := float64(len(p.LegalMoves(nil)))
	if m.Game != "9" || m.Target.UCI != "g8h8" || m.Target.SAN != "Kh8" || m.Moves[0].SAN != "Ra2" ||
		len(m.Moves) != 3 || m.Label != nil || *m.Value != 0.5 ||
		math.Abs(m.Moves[0].Probability-50/(50+0.0001+n-2)) > 1e-6 {
		t.Errorf("the worst miss is %+v", m)
	}
	if last := r.Misses[1]; last.Game != "7" || *last.Label != 1 {
		t.Errorf("the other miss is %+v", last)
	}
}

// Of more misses than are kept the worst stay, in order.
func TestMissesAreTheWorst(t *testing.T) {
	var m misses
	for i := range 200 {
		pawns := []byte("11111111") // another position for each i: bits of it as pawns
		for bit := range pawns {
			if i>>bit&1 == 1 {
				pawns[bit] = 'P'
			}
		}
		p := position(t, "4k3/8/8/8/8/8/"+string(pawns)+"/4K3 w - - 0 1")
		s := sampleOf(t, p)
		s.Origin = &Origin{Position: p, Line: int64(i)}
		s.Policy = []Target{{0, 1}}
		m.offer(&assessment{sample: &s, answer: &predict.Output{Prior: make([]float32, len(s.Legal))},
			entropy: float64(i * 37 % 200)}, true)
	}
	if len(m.list) != worst {
		t.Fatalf("%d misses", len(m.list))
	}
	for i, x := range m.list {
		if x.loss != float64(199-i) {
			t.Errorf("miss %d has loss %g", i, x.loss)
		}
	}
}
