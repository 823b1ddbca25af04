package evaluate

import (
	"context"
	"iter"
	"math"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// asked is a network that a function answers for.
type asked struct {
	capabilities predict.Capabilities
	batch        int
	answer       func(q predict.Input) predict.Output
	sizes        []int // of the batches so far
}

func (a *asked) Capabilities() predict.Capabilities { return a.capabilities }
func (a *asked) Batch() int                         { return a.batch }

func (a *asked) Predict(_ context.Context, questions []predict.Input, answers []predict.Output) error {
	a.sizes = append(a.sizes, len(questions))
	for i := range questions {
		answers[i] = a.answer(questions[i])
	}
	return nil
}

// all is what talbotbot knows.
var all = predict.Capabilities{Prior: true, Others: true, Value: true}

var layout = encode.TalbotBot{}.Layout()

// answerOf is what a network of talbotbot's logits over all moves says.
func answerOf(logits []float32, codes []int32, value float32) predict.Output {
	sum := func(of func(i int) bool) float64 {
		s := 0.0
		for i, z := range logits {
			if of(i) {
				s += math.Exp(float64(z))
			}
		}
		return math.Log(s)
	}
	legal := map[int]bool{}
	for _, c := range codes {
		legal[int(c)] = true
	}
	total, in := sum(func(int) bool { return true }), sum(func(i int) bool { return legal[i] })
	a := predict.Output{Inside: float32(in - total), Outside: float32(1 - math.Exp(in-total)), Other: -1, Value: value}
	for _, c := range codes {
		a.Prior = append(a.Prior, float32(float64(logits[c])-in))
	}
	for i, z := range logits {
		if !legal[i] && (a.Other < 0 || z > logits[a.Other]) {
			a.Other, a.OtherShare = int32(i), float32(math.Exp(float64(z)-total))
		}
	}
	return a
}

func position(t *testing.T, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sampleOf is the sample of a position as talbotbot sees it.
func sampleOf(t *testing.T, p board.Position) Sample {
	t.Helper()
	return viewed(board.NewGame(p))
}

// viewed is the sample of a game's present position as talbotbot sees it.
func viewed(g *board.Game) Sample {
	e := encode.TalbotBot{}
	var v encode.View
	v.Play(g, 0, 0)
	s := Sample{Source: "game", Packed: make([]uint64, layout.Words), Legal: v.Legal(),
		Codes: make([]int32, len(v.Legal()))}
	e.Pack(s.Packed, &v)
	for i, m := range s.Legal {
		e.EncodeMove(s.Codes[i:i+1], &v, m)
	}
	return s
}

// index is that of a move, as UCI writes it, among the legal ones.
func index(t *testing.T, s *Sample, uci string) int {
	t.Helper()
	for i, m := range s.Legal {
		if m.String() == uci {
			return i
		}
	}
	t.Fatalf("%s is not legal", uci)
	return -1
}

// labelled gives a sample its value.
func labelled(s Sample, value float32) Sample {
	s.Floats = []float32{value}
	return s
}

func sequence(samples []Sample) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		for _, s := range samples {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// accumulator is one of a talbotbot network.
func accumulator(tables Tables) *Accumulator {
	return newAccumulator(all, Options{Layout: layout, Tables: tables, PredictedProbability: chance,
		LabelProbability: chance})
}

var chance = encode.RecipeValue.WinProbability(encode.TalbotBot{})
