package samples

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/madeup"
	"talbot/shards"
)

// open opens a dataset until the end of the test.
func open(t *testing.T, dir string) *Dataset {
	t.Helper()
	d, err := Open(dir, Options{Encoder: encode.TalbotBot{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// all returns the samples that a filter chooses.
func all(t *testing.T, d *Dataset, q Query) (list []*Sample) {
	t.Helper()
	for s, err := range d.All(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// sample returns one sample.
func sample(t *testing.T, d *Dataset, number int64) *Sample {
	t.Helper()
	s, err := d.Sample(number)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// generic is a value as JSON makes it.
func generic(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestInspectGolden compares a sample with Black to move with testdata/inspect.json, which was written with
// encode/testdata/oracle.py and python-chess; what is not of the board there was worked out by hand.
func TestInspectGolden(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 100)
	text, err := os.ReadFile("testdata/inspect.json")
	if err != nil {
		t.Fatal(err)
	}
	want := generic(t, text)
	if text, err = json.Marshal(sample(t, open(t, dir), 3)); err != nil {
		t.Fatal(err)
	}
	have := generic(t, text)
	for _, v := range []map[string]any{want, have} {
		value, _ := v["value"].(float64)
		v["value"] = math.Round(value*1e6) / 1e6 // tanh(-31/350), a float32
	}
	for key := range want {
		if !reflect.DeepEqual(have[key], want[key]) {
			t.Errorf("%s: %v, want %v", key, have[key], want[key])
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d fields, want %d", len(have), len(want))
	}
}

// TestInspectTargets knows policy, value and label of every sample.
func TestInspectTargets(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 100)
	null := math.NaN()
	want := []struct {
		source, played, policy, status, best string
		value                                float64
	}{
		{"game", "e2e4", "e2e4", "labelled", "d2d4", math.Tanh(1. / 350)}, // of the older fingerprint
		{"game", "e7e5", "e7e5", "failed", "", null},
		{"game", "g1f3", "g1f3", "missing", "", null},
		{"game", "b8c6", "b8c6", "labelled", "g8f6", math.Tanh(-31. / 350)},
		{"game", "f1b5", "f1b5", "missing", "", null},
		{"puzzle", "a1a8", "a1a8", "labelled", "a1a8", 1 - 0.0003*(1-1./3)},
		{"puzzle", "a8a7", "a8a7", "labelled", "a8a7", -(1 - 0.0003*(1-1./2))},
		{"endgame", "", "f3f8", "labelled", "f3f8", 1},
		{"endgame", "", "", "terminal", "", -1},
		{"endgame", "", "", "missing", "", null},
	}
	got := all(t, open(t, dir), Query{})
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d", len(got), len(want))
	}
	for i, w := range want {
		s := got[i]
		played, policy, best := "", "", ""
		if s.Played != nil {
			played = *s.Played
		}
		if s.Policy != nil {
			policy = s.Policy.UCI
			if s.Policy.Index != s.Legal[policy] {
				t.Errorf("sample %d: policy index %d, legal %d", i, s.Policy.Index, s.Legal[policy])
			}
		}
		if s.Label != nil {
			best = s.Label.Best
		}
		if s.Sample != int64(i) || s.Source != w.source || played != w.played || policy != w.policy ||
			s.LabelStatus != w.status || best != w.best {
			t.Errorf("sample %d: number %d, %s, played %q, policy %q, %s, best %q; want %+v", i, s.Sample, s.Source,
				played, policy, s.LabelStatus, best, w)
		}
		if (s.Value == nil) != math.IsNaN(w.value) || s.Value != nil && math.Abs(float64(*s.Value)-w.value) > 1e-6 {
			t.Errorf("sample %d: value %v, want %v", i, s.Value, w.value)
		}
	}
	if n := len(got[8].Legal); n != 0 {
		t.Errorf("%d legal moves in a checkmate", n)
	}
	if m := got[6].Label.Mate; m == nil || *m != -2 || got[6].Label.CP != nil || got[6].Label.WDL != nil {
		t.Errorf("label of a mated side: %+v", got[6].Label)
	}
}

// TestInspectPolicies shows the heaviest of several policy moves.
func TestInspectPolicies(t *testing.T) {
	l := madeup.Line(t, board.StartFEN, "e2e4")
	d4, e4 := board.NewMove(11, 27), board.NewMove(12, 28)
	l.Policies = [][]dataset.WeightedMove{{{Move: e4, Weight: 1}, {Move: d4, Weight: 3}}}
	s := sample(t, open(t, madeup.Dataset(t, []dataset.Line{l}, 1)), 0)
	want := []PolicyMove{{"e2e4", 12*73 + 1, 0.25}, {"d2d4", 11*73 + 1, 0.75}}
	if !reflect.DeepEqual(s.Policies, want) || *s.Policy != want[1] {
		t.Errorf("policy %+v of %+v, want %+v", s.Policy, s.Policies, want)
	}
}

// TestInspectUntargeted: where no sample of a game has a policy target, none is made of the moves that were played.
func TestInspectUntargeted(t *testing.T) {
	l := madeup.Line(t, board.StartFEN, "e2e4", "e7e5")
	for _, c := range []struct {
		policies [][]dataset.WeightedMove
		played   bool
	}{{nil, true}, {make([][]dataset.WeightedMove, 2), false}} {
		l.Policies = c.policies
		dir := madeup.Dataset(t, []dataset.Line{l}, 1)
		if s := sample(t, open(t, dir), 0); (s.Policy != nil) != c.played || s.Played == nil {
			t.Errorf("policies %v: policy %+v", c.policies, s.Policy)
		}
		m, err := dataset.ReadManifest(dir)
		if err != nil || (m.Shards[0].Untargeted == 1) == c.played {
			t.Errorf("policies %v: %+v, %v", c.policies, m, err)
		}
		if r := madeup.Verify(t, dir); (r.Untargeted == 1) == c.played {
			t.Errorf("%+v", r)
		}
	}
}

// TestInspectFinds finds every sample alone as among all, over blocks and shards, and refuses others.
func TestInspectFinds(t *testing.T) {
	var lines []dataset.Line
	for range 450 { // blocks end after 1024 lines
		lines = append(lines, madeup.Lines(t)...)
	}
	d := open(t, madeup.Dataset(t, lines, 1300))
	list := all(t, d, Query{})
	if len(list) != 4500 || d.Samples() != 4500 {
		t.Fatalf("%d samples of %d", len(list), d.Samples())
	}
	var wait sync.WaitGroup
	for worker := range 4 { // at once
		wait.Go(func() {
			for k := worker; k < len(list); k += 97 {
				one, err := d.Sample(int64(k))
				if err != nil || !reflect.DeepEqual(one, list[k]) {
					t.Errorf("sample %d alone differs from the one among all, %v", k, err)
				}
			}
		})
	}
	wait.Wait()
	if last := sample(t, d, 4499); last.Line != 2249 {
		t.Errorf("the last sample is in line %d", last.Line)
	}
	for _, k := range []int64{-1, 4500} {
		if _, err := d.Sample(k); !errors.Is(err, ErrNoSample) || !strings.Contains(err.Error(), "4,500 samples") {
			t.Errorf("sample %d: %v", k, err)
		}
	}
}

// TestInspectErrors: whatever goes through samples ends with the loop, with the context and at a damaged shard.
func TestInspectErrors(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 100)
	d, seen := open(t, dir), 0
	for range d.All(t.Context(), Query{}) {
		if seen++; seen == 3 {
			break
		}
	}
	if seen != 3 {
		t.Errorf("%d samples", seen)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	fails := func(want error, ctx context.Context) {
		t.Helper()
		d, failed := open(t, dir), map[string]error{}
		for _, failed["all"] = range d.All(ctx, Query{}) {
		}
		for _, failed["find"] = range d.Find(ctx, Query{Player: "x"}, 2) {
		}
		_, failed["some"] = d.Some(ctx, []int64{1, 2}, 2)
		for what, err := range failed {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
	}
	fails(context.Canceled, cancelled)
	madeup.Flip(t, filepath.Join(dir, shards.Name(0)), 40)
	fails(dataset.ErrDamaged, t.Context())
	if _, err := Open(t.TempDir(), Options{Encoder: encode.TalbotBot{}}); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no dataset: %v", err)
	}
	if _, err := Open(dir, Options{Encoder: encode.TalbotBot{}, Label: "none"}); !errors.Is(err, dataset.ErrNoLabels) {
		t.Errorf("no labels: %v", err)
	}
}

// TestInspectText knows the page of one sample.
func TestInspectText(t *testing.T) {
	dir := madeup.Dataset(t, madeup.Lines(t), 100)
	var b strings.Builder
	d := open(t, dir)
	if err := sample(t, d, 3).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	const want = `sample 3 · game 7 of "a.pgn" · line 0 · split train
Tal, M (2700) – Übel, 1-0

  8  r  n  b  q  k  b  n  r
  7  p  p  p  p  .  p  p  p
  6  .  .  .  .  .  .  .  .
  5  .  .  .  .  p  .  .  .
  4  .  .  .  .  P  .  .  .
  3  .  .  .  .  . [N] .  .
  2  P  P  P  P  .  P  P  P
  1  R  N  B  Q  K  B [.] R
     a  b  c  d  e  f  g  h

Black to move, ply 3 of 5
fen      rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2
history  1.e4 e5 2.Nf3
legal    29 moves
played   Nc6 (b8c6)
policy   Nc6 (b8c6), index 129
label    -31 cp · best Nf6 (g8f6) · win/draw/loss 100/750/150 · depth 12, 17,000 nodes
         Stockfish 15.1, movetime 20
pv       g8f6 f3e5
value    -0.08834
`
	if got := b.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, s := range all(t, d, Query{}) { // the others only must not fail
		if err := s.WriteText(&b); err != nil {
			t.Fatal(err)
		}
	}
}
