package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/network/predict"
	"talbot/shards"
)

// fake answers what follows from the question alone.
type fake struct {
	recipe encode.Encoder
	asked  atomic.Int64
	fail   func(n int64) error // asked before each call, with the number of positions answered so far
}

func (f *fake) Predict(ctx context.Context, questions []predict.Input, answers []predict.Output) error {
	if f.fail != nil {
		if err := f.fail(f.asked.Load()); err != nil {
			return err
		}
	}
	for i := range questions {
		answers[i] = sayOf(&questions[i])
	}
	f.asked.Add(int64(len(questions)))
	return ctx.Err()
}

// Encoder returns that of a recipe, of which only what it writes matters here.
func (f *fake) Encoder() encode.Encoder { return f.recipe }

func sayOf(q *predict.Input) predict.Output {
	h := fnv.New64a()
	for _, w := range q.Packed {
		fmt.Fprint(h, w, " ")
	}
	var a predict.Output
	sum := 0.0
	for _, c := range q.Codes {
		x := float64((h.Sum64()^uint64(c)*0x9e3779b97f4a7c15)%1000)/100 - 12
		if c%7 == 0 {
			x = 0 // several of one probability
		}
		a.Prior = append(a.Prior, float32(x))
		sum += math.Exp(x)
	}
	for i := range a.Prior {
		a.Prior[i] -= float32(math.Log(sum))
	}
	a.Value = float32(int64(h.Sum64()%2001)-1000) / 1000
	return a
}

func newFake() *fake { return &fake{recipe: encode.TalbotBot{}} }

var network = dataset.Network{Recipe: "talbotbot", Checkpoint: strings.Repeat("a", 64), Step: 7, Backend: "go",
	Prior: true, Value: true}

// writeLines makes a dataset of random games, among them some that end in mate.
func writeLines(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "lines")
	lines := func(yield func(*dataset.Line) bool) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range n {
			l := dataset.Line{Number: int64(i + 1), Start: board.StartPosition(), WhiteElo: 1000 + i,
				Moves: []board.Move{}}
			if i%5 == 4 { // fool's mate, with its last position
				p := l.Start
				for _, text := range []string{"f2f3", "e7e5", "g2g4", "d8h4"} {
					m := testkit.Value(p.ParseUCI(text))(t)
					l.Moves = append(l.Moves, m)
					p.Play(m)
				}
				l.Samples = dataset.SomePlies([]byte{1<<3 | 1<<4})
			} else {
				p := l.Start
				for range rng.IntN(60) {
					legal := p.LegalMoves(nil)
					if len(legal) == 0 {
						break
					}
					m := legal[rng.IntN(len(legal))]
					l.Moves = append(l.Moves, m)
					p.Play(m)
				}
			}
			if !yield(&l) {
				return
			}
		}
	}
	madeup.Write(t, dir, dataset.Manifest{Verb: "test", Splits: dataset.DefaultSplits,
		Inputs: []dataset.Input{{Name: "random", Games: int64(n)}}}, lines)
	return dir
}

// TestPredictions: each sample has what the network says of its position, rounded and sorted, and everything else of
// the lines is as it was.
func TestPredictions(t *testing.T) {
	output.SmallShards(t, 1000)
	in := writeLines(t, 100)
	for _, top := range []int{0, 3} {
		net := network
		net.Top = top
		out := filepath.Join(t.TempDir(), "out")
		shown := int64(0)
		sum, err := Request{In: in, Out: out, Network: net, Evaluator: newFake(), Progress: func(p progress.Progress) {
			if p.Done < shown || p.Done > p.Total {
				t.Errorf("progress %d of %d after %d", p.Done, p.Total, shown)
			}
			shown = p.Done
		}}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if shown != sum.Samples || sum.GameOver != 20 || sum.Predicted+20 != sum.Samples ||
			sum.Answered != sum.Predicted {
			t.Errorf("%+v after %d", sum, shown)
		}
		checkPredictions(t, in, out, top)
		if _, err := (Request{In: out, Out: out + "2", Network: net, Evaluator: newFake()}).Run(
			t.Context()); !errors.Is(err, ErrPredicted) {
			t.Errorf("predicted twice: %v", err)
		}
	}
}

func checkPredictions(t *testing.T, in, out string, top int) {
	t.Helper()
	testkit.Value(shards.Verify(t.Context(), out, shards.VerifyOptions{}))(t)
	a := testkit.Value(shards.OpenDataset(in))(t)
	defer a.Close()
	b := testkit.Value(shards.OpenDataset(out))(t)
	defer b.Close()
	if len(a.Shards) < 2 || len(a.Shards) != len(b.Shards) {
		t.Fatalf("%d and %d shards", len(a.Shards), len(b.Shards))
	}
	var before []dataset.Line
	for l, err := range a.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, *l)
	}
	e := encode.TalbotBot{}
	for l, err := range b.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		said := l.PredictionsOf(0)
		l.Predictions = nil
		if fmt.Sprintf("%+v", *l) != fmt.Sprintf("%+v", before[0]) {
			t.Fatalf("%+v became %+v", before[0], *l)
		}
		before = before[1:]
		var w dataset.Walker
		var v encode.View
		for w.Reset(l); w.Next(); {
			v.Visit(&w, dataset.Counted{})
			checkPrediction(t, &said[w.Sample()], &v, e, top)
		}
	}
}

func checkPrediction(t *testing.T, p *dataset.Prediction, v *encode.View, e encode.Encoder, top int) {
	t.Helper()
	legal := v.Legal()
	if len(legal) == 0 {
		if p.Status != dataset.GameOver {
			t.Fatalf("status %d at the end of a game", p.Status)
		}
		return
	}
	q := predict.Input{Packed: make([]uint64, e.Layout().Words)}
	e.Pack(q.Packed, v)
	for _, m := range legal {
		q.Codes = append(q.Codes, v.EncodeMove(e, 1, m)...)
	}
	want := sayOf(&q)
	if math.Abs(p.Value.Float()-float64(want.Value)) > 1.6e-5 {
		t.Fatalf("value %g, want %g", p.Value.Float(), want.Value)
	}
	n := len(legal)
	if top > 0 {
		n = min(n, top)
	}
	if p.Status != dataset.Predicted || len(p.Moves) != n {
		t.Fatalf("status %d, %d moves of %d", p.Status, len(p.Moves), n)
	}
	order := make([]int, len(legal))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(want.Prior[j], want.Prior[i]), cmp.Compare(legal[i], legal[j]))
	})
	for k, m := range p.Moves {
		if i := order[k]; m.Move != legal[i] || math.Abs(m.Prior.Log()-float64(want.Prior[i])) > 1/4096. {
			t.Fatalf("move %d is %s at %g, want %s at %g", k, m.Move, m.Prior.Log(), legal[i], want.Prior[i])
		}
	}
}

// TestFraction: a part of the samples has what the network says of them, the same part whatever was killed between,
// and the others have nothing.
func TestFraction(t *testing.T) {
	output.SmallShards(t, 1000)
	in := writeLines(t, 200)
	whole, half := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "half")
	testkit.Run(t, Request{In: in, Out: whole, Network: network, Evaluator: newFake()})
	r := Request{In: in, Out: half, Network: network, Evaluator: newFake(), Fraction: 0.5}
	errBroken := errors.New("broken")
	broken := newFake()
	broken.fail = func(n int64) error {
		if n > 1000 {
			return errBroken
		}
		return nil
	}
	first := r
	first.Evaluator = broken
	if _, err := first.Run(t.Context()); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	other := r
	other.Fraction = 0.25
	if _, err := other.Run(t.Context()); err == nil {
		t.Error("continued with another fraction")
	}
	sum := testkit.Run(t, r)
	if share := float64(sum.LeftOut) / float64(sum.Samples); share < 0.45 || share > 0.55 ||
		sum.Predicted+sum.GameOver+sum.LeftOut != sum.Samples || !sum.Resumed || sum.Answered >= sum.Predicted {
		t.Errorf("%+v", sum)
	}
	if _, err := shards.Verify(t.Context(), half, shards.VerifyOptions{}); err != nil {
		t.Error(err)
	}
	a := testkit.Value(shards.OpenDataset(whole))(t)
	defer a.Close()
	b := testkit.Value(shards.OpenDataset(half))(t)
	defer b.Close()
	next, stop := iter.Pull2(a.Lines())
	defer stop()
	var asked int64
	for l, err := range b.Lines() {
		all, errAll, _ := next()
		testkit.OK(t, errors.Join(err, errAll))
		for k, ply := range l.Samples.Plies(nil, len(l.Moves)) {
			var got dataset.Prediction // a line without any has no column
			if list := l.PredictionsOf(0); list != nil {
				got = list[k]
			}
			want := all.PredictionsOf(0)[k]
			if dataset.Uniform("", l.GameHash(), ply) >= 0.5 {
				want = dataset.Prediction{}
			} else {
				asked++
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("sample %d of game %d: %v, want %v", k, l.Number, got, want)
			}
		}
	}
	if asked != sum.Predicted+sum.GameOver {
		t.Errorf("%d asked, %+v", asked, sum)
	}
}

// TestWithout: a network without a policy, or without a value, leaves that out, and a rating replaces the players'.
func TestWithout(t *testing.T) {
	in := writeLines(t, 7)
	net := network
	net.Prior, net.Rating = false, 1500
	out := filepath.Join(t.TempDir(), "out")
	testkit.Run(t, Request{In: in, Out: out, Network: net,
		Evaluator: &fake{recipe: encode.Napoleon{}}})
	d := testkit.Value(shards.OpenDataset(out))(t)
	defer d.Close()
	if d.Manifest.Networks[0] != net {
		t.Errorf("%+v", d.Manifest.Networks)
	}
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range l.PredictionsOf(0) {
			if len(p.Moves) > 0 || p.Status == dataset.NotPredicted {
				t.Fatalf("%+v", p)
			}
		}
	}
}

// TestFaults: whatever step of writing fails, and wherever the network does, the command fails and leaves what the
// same command goes on with, to the same bytes; nothing that is in the journal is asked again.
func TestFaults(t *testing.T) {
	output.SmallShards(t, 1000)
	in := writeLines(t, 70)
	whole := filepath.Join(t.TempDir(), "whole")
	sum := testkit.Run(t, Request{In: in, Out: whole, Network: network, Evaluator: newFake()})
	want := madeup.Files(t, whole)
	broken := errors.New("no space left on device")
	for step := 0; ; step += 1 + step/5 {
		out := filepath.Join(t.TempDir(), "out")
		e := newFake()
		n := 0
		durable.InjectFaults(t, func(op, path string) error {
			if n++; n > step && strings.HasPrefix(path, out) { // the disk stays full
				return broken
			}
			return nil
		})
		_, err := Request{In: in, Out: out, Network: network, Evaluator: e}.Run(t.Context())
		durable.InjectFaults(t, nil)
		if err == nil {
			break
		}
		if !errors.Is(err, broken) {
			t.Fatalf("step %d: %v", step, err)
		}
		if _, err := os.Stat(filepath.Join(out, dataset.ManifestName)); err == nil {
			continue // it failed behind the last step
		}
		if _, err := (Request{In: in, Out: out, Network: network, Evaluator: e}).Run(t.Context()); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		if got := madeup.Files(t, out); !maps.Equal(got, want) {
			t.Fatalf("step %d: other bytes", step)
		}
		// what was being answered when the disk was full, and what was ready behind it
		if again := e.asked.Load() - sum.Predicted; again > 3*unitSamples {
			t.Errorf("step %d: %d samples were asked about twice", step, again)
		}
	}
	for at := int64(0); at < sum.Predicted-unitSamples; at += 500 {
		out := filepath.Join(t.TempDir(), "out")
		e := newFake()
		e.fail = func(n int64) error {
			if n >= at {
				return broken
			}
			return nil
		}
		if _, err := (Request{In: in, Out: out, Network: network, Evaluator: e}).Run(
			t.Context()); !errors.Is(err, broken) {
			t.Fatalf("at %d: %v", at, err)
		}
		e.fail = nil
		testkit.Run(t, Request{In: in, Out: out, Network: network, Evaluator: e})
		if !maps.Equal(madeup.Files(t, out), want) {
			t.Errorf("at %d: other bytes", at)
		}
		// what failed, and what the other worker asked after it
		if again := e.asked.Load() - sum.Predicted; again > workers*unitSamples {
			t.Errorf("at %d: %d samples were asked about twice", at, again)
		}
	}
}

// TestOtherUnit: a whole record of a journal that is not of the samples in its place is damage.
func TestOtherUnit(t *testing.T) {
	in, out := writeLines(t, 60), filepath.Join(t.TempDir(), "out")
	e := newFake()
	e.fail = func(n int64) error {
		if n >= 900 {
			return errors.New("stopped")
		}
		return nil
	}
	if _, err := (Request{In: in, Out: out, Network: network, Evaluator: e}).Run(t.Context()); err == nil {
		t.Fatal("not stopped")
	}
	path := filepath.Join(out, journalName(0))
	good := testkit.Value(os.ReadFile(path))(t)
	testkit.OK(t, os.Remove(path))
	j := testkit.Value(openJournal(path, [32]byte(good[durable.RecordHead+len(identityText):]), nil))(t)
	_, err := j.Append((&unit{predictions: make([]dataset.Prediction, unitSamples-1)}).encode())
	testkit.OK(t, errors.Join(err, j.Close()))
	var damaged *output.JournalError
	if _, err := (Request{In: in, Out: out, Network: network, Evaluator: newFake()}).Run(
		t.Context()); !errors.As(err, &damaged) || !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("predictions of other samples are taken: %v", err)
	}
}

// FuzzUnit: what is read of a journal's record is written the same way.
func FuzzUnit(f *testing.F) {
	f.Add((&unit{number: 300, unrated: 2, predictions: []dataset.Prediction{{Status: dataset.Predicted,
		Value: -5,
		Moves: []dataset.PriorMove{{Move: 700, Prior: 3}, {Move: 701, Prior: 4}}},
		{Status: dataset.GameOver}}}).encode())
	f.Add([]byte{0, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := decodeUnit(b)
		if err != nil {
			return
		}
		again, err := decodeUnit(u.encode())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(u) {
			t.Fatalf("%v, %v: %v", u, again, err)
		}
	})
}
