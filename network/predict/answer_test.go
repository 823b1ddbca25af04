package predict

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

func ask(t testing.TB, p *Predictor, list []Input) []Output {
	t.Helper()
	answers := make([]Output, len(list))
	if err := p.Predict(context.Background(), list, answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// heads returns the heads of inputs, as training computes them.
func heads(t testing.TB, b *backend.Backend, c run.Config, weights []checkpoint.Tensor, list []Input) [][]float32 {
	t.Helper()
	n, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	var packed []uint64
	for _, q := range list {
		packed = append(packed, q.Packed...)
	}
	return tinyrun.Heads(t, b, n, weights, packed)
}

// TestAnswers holds answers against the heads, from which float64 loops on the host compute them.
func TestAnswers(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		for _, legalMask := range []string{"false", "true"} {
			c := tiny(t, "legal_mask="+legalMask)
			weights := tinyrun.Weights(t, c)
			dir, _ := tinyrun.Write(t, c, weights)
			p := mustOpen(t, b, dir, Options{Batches: []int{3, 8}, Moves: 64})
			if p.Capabilities() != (Capabilities{Prior: true, Others: true, Value: true}) || p.Batch() != 8 {
				t.Errorf("knows %+v, batch %d", p.Capabilities(), p.Batch())
			}
			list := questions(t, p.Encoder(), 41)
			list = append(list, Input{Packed: list[0].Packed}) // mate: no moves
			heads := heads(t, b, c, weights, list)
			for i, a := range ask(t, p, list) {
				logits := heads[0][i*encode.TalbotBotMoves:][:encode.TalbotBotMoves]
				checkAnswer(t, i, &list[i], &a, logits, heads[1][i])
			}
		}
	})
}

func checkAnswer(t *testing.T, i int, q *Input, a *Output, logits []float32, value float32) {
	t.Helper()
	near := func(what string, got float32, want float64) {
		if !(math.Abs(float64(got)-want) < 2e-5) {
			t.Errorf("position %d: %s is %g, want %g", i, what, got, want)
		}
	}
	near("value", a.Value, float64(value))
	if len(a.Prior) != len(q.Codes) {
		t.Fatalf("position %d: %d priors of %d moves", i, len(a.Prior), len(q.Codes))
	}
	if len(q.Codes) == 0 {
		return
	}
	all, inside := 0.0, 0.0
	best := -1
	for j, z := range logits {
		all += math.Exp(float64(z))
		if slices.Contains(q.Codes, int32(j)) {
			inside += math.Exp(float64(z))
		} else if best < 0 || z > logits[best] {
			best = j
		}
	}
	for j, code := range q.Codes {
		near(fmt.Sprintf("prior of move %d", j), a.Prior[j], float64(logits[code])-math.Log(inside))
	}
	near("inside", a.Inside, math.Log(inside/all))
	near("outside", a.Outside, 1-inside/all)
	near("share of the best of the others", a.OtherShare, math.Exp(float64(logits[best]))/all)
	if int(a.Other) != best {
		t.Errorf("position %d: the best of the others is %d, want %d", i, a.Other, best)
	}
}

// TestLegalIfMasked: what falls on other moves can be left out of a network that was trained over the legal moves, and
// nothing else changes.
func TestLegalIfMasked(t *testing.T) {
	b := opened(t, "go")
	open := func(masked string, leftOut bool) *Predictor {
		c := tiny(t, "legal_mask="+masked)
		dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
		return mustOpen(t, b, dir, Options{Batches: []int{8}, LegalIfMasked: leftOut})
	}
	all, legal := open("true", false), open("true", true)
	if legal.Capabilities() != (Capabilities{Prior: true, Value: true}) {
		t.Errorf("with a mask in training knows %+v", legal.Capabilities())
	}
	if unmasked := open("false", true); unmasked.Capabilities() != all.Capabilities() {
		t.Errorf("without a mask in training knows %+v", unmasked.Capabilities())
	}
	list := questions(t, all.Encoder(), 10)
	want := ask(t, all, list)
	for i, a := range ask(t, legal, list) {
		want[i].Inside, want[i].Outside, want[i].Other, want[i].OtherShare = 0, 0, 0, 0
		if fmt.Sprint(a) != fmt.Sprint(want[i]) {
			t.Errorf("position %d: %v, want %v", i, a, want[i])
		}
	}
}

// TestWithoutMoves: a recipe without moves gives a value, in one graph for each batch size.
func TestWithoutMoves(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tinyrun.Config(t, "napoleon")
		weights := tinyrun.Weights(t, c)
		dir, _ := tinyrun.Write(t, c, weights)
		p := mustOpen(t, b, dir, Options{Batches: []int{4}})
		if p.Capabilities() != (Capabilities{Value: true}) {
			t.Errorf("knows %+v", p.Capabilities())
		}
		list := questions(t, p.Encoder(), 6)
		values := heads(t, b, c, weights, list)[0]
		for i, a := range ask(t, p, list) {
			if !(math.Abs(float64(a.Value-values[i])) < 1e-5) || len(a.Prior) > 0 {
				t.Errorf("position %d: %+v, value %g", i, a, values[i])
			}
		}
		with := []Input{{Packed: list[0].Packed, Codes: []int32{1}}}
		if err := p.Predict(t.Context(), with, make([]Output, 1)); err == nil {
			t.Error("moves are no error")
		}
	})
}

// TestBits: with one batch size the bits of an answer do not depend on the other positions, on their order, on
// what the batch is filled up with, or on who asks at the same time.
func TestBits(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tiny(t, "blocks=3", "filters=16")
		dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
		p := mustOpen(t, b, dir, Options{Batches: []int{16}})
		list := questions(t, p.Encoder(), 50)
		want := ask(t, p, list)
		same := func(what string, got Output, i int) {
			t.Helper()
			if !equal(&got, &want[i]) {
				t.Errorf("%s: position %d has other bits: %v and %v", what, i, got, want[i])
			}
		}
		for i := range list {
			same("alone", ask(t, p, list[i:i+1])[0], i)
		}
		order := rand.New(rand.NewPCG(1, 2)).Perm(len(list))
		var shuffled []Input
		for _, i := range order {
			shuffled = append(shuffled, list[i])
		}
		for j, a := range ask(t, p, shuffled) {
			same("in another order", a, order[j])
		}
		var all sync.WaitGroup
		for first := range 8 {
			all.Go(func() {
				for i := first; i < len(list); i += 8 {
					last := min(i+1+first%3, len(list))
					for j, a := range ask(t, p, list[i:last]) {
						same("with others", a, i+j)
					}
				}
			})
		}
		all.Wait()
		many := mustOpen(t, b, dir, Options{Batches: []int{1, 4, 32}})
		for i, a := range ask(t, many, list) {
			if math.Abs(float64(a.Value-want[i].Value)) > 2e-5 {
				t.Errorf("position %d: value %g, %g in another size", i, a.Value, want[i].Value)
			}
		}
	})
}

func equal(a, b *Output) bool {
	same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return slices.EqualFunc(a.Prior, b.Prior, same) && same(a.Inside, b.Inside) && same(a.Outside, b.Outside) &&
		a.Other == b.Other && same(a.OtherShare, b.OtherShare) && same(a.Value, b.Value) &&
		slices.EqualFunc(a.WDL[:], b.WDL[:], same)
}

// TestQuestionsAreChecked: what a graph would clamp is an error that names the position.
func TestQuestionsAreChecked(t *testing.T) {
	c := tiny(t)
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	p := mustOpen(t, opened(t, "go"), dir, Options{Moves: 4})
	good := Input{Packed: make([]uint64, encode.TalbotBotWords), Codes: []int32{0, 4671}}
	for name, q := range map[string]Input{
		"short":     {Packed: good.Packed[1:], Codes: good.Codes},
		"negative":  {Packed: good.Packed, Codes: []int32{0, -1}},
		"too large": {Packed: good.Packed, Codes: []int32{0, 4672}},
		"too many":  {Packed: good.Packed, Codes: make([]int32, 5)},
	} {
		if err := p.Predict(t.Context(), []Input{good, q}, make([]Output, 2)); err == nil ||
			err.Error()[:len("position 1: ")] != "position 1: " {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := p.Predict(t.Context(), []Input{good}, nil); err == nil {
		t.Error("no room for answers is no error")
	}
	for _, o := range []Options{{Batches: []int{0}}, {Batches: []int{}}, {Moves: -1}} {
		if _, err := Open(p.device.backend, dir, o); err == nil {
			t.Errorf("%+v is no error", o)
		}
	}
}
