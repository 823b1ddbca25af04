package label_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/label"
	"talbot/shards"
	"talbot/stockfish"
)

// withPriors writes a dataset of random games and two mates in one, with priors drawn at random: of every tenth line
// there are none. Lines 0 and 1 are one game with other priors.
func withPriors(t *testing.T, n, top int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "priors")
	net := dataset.Network{Recipe: "test", Checkpoint: "0", Backend: "go", Prior: true, Top: top}
	lines := func(yield func(*dataset.Line) bool) {
		for i := range n {
			l := dataset.Line{Number: int64(i + 1), Start: board.StartPosition(), Moves: []board.Move{}}
			switch rng := rand.New(rand.NewPCG(9, uint64(max(i, 1)))); i {
			case 2: // Ra8 mates
				l.Start, _ = board.ParseFEN("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
				l.Samples = dataset.LastPosition()
			case 3: // Ra1 does
				l.Start, _ = board.ParseFEN("r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1")
				l.Samples = dataset.LastPosition()
			default:
				p := l.Start
				for range 3 + rng.IntN(9) {
					legal := p.LegalMoves(nil)
					m := legal[rng.IntN(len(legal))]
					l.Moves = append(l.Moves, m)
					p.Play(m)
				}
			}
			if i%10 != 9 {
				l.Predictions = []dataset.PredictionColumn{{Predictions: drawnPriors(&l, uint64(i), top)}}
			}
			if !yield(&l) {
				return
			}
		}
	}
	madeup.Write(t, dir, dataset.Manifest{Verb: "test", Splits: dataset.DefaultSplits,
		Inputs: []dataset.Input{{Name: "random", Games: int64(n)}}, Networks: []dataset.Network{net}},
		lines)
	return dir
}

func drawnPriors(l *dataset.Line, seed uint64, top int) (list []dataset.Prediction) {
	rng := rand.New(rand.NewPCG(3, seed))
	var w dataset.Walker
	for w.Reset(l); w.Next(); {
		p := dataset.Prediction{Status: dataset.Predicted}
		legal := w.Position().LegalMoves(nil)
		rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
		if i := slices.IndexFunc(legal, func(m board.Move) bool {
			return m.String() == "a1a8" || m.String() == "a8a1"
		}); i > 0 {
			legal[0], legal[i] = legal[i], legal[0]
		}
		for i, m := range legal[:min(top, len(legal))] {
			p.Moves = append(p.Moves, dataset.PriorMove{Move: m, Prior: dataset.QuantizedPrior(100 * i)})
		}
		list = append(list, p)
	}
	return list
}

const candidates = 4

func candidateRequest(in, out, engine string, workers int) label.Request {
	r := label.Request{In: in, Out: out, Workers: workers, Candidates: candidates,
		Engine: stockfish.Config{Path: engine}}
	r.Engine.Limit, r.Engine.Shallower = label.CandidateDepths([]int{1, 3})
	return r
}

// candidateLine is what the oracle in Python gets of a sample.
type candidateLine struct {
	FEN    string              `json:"fen"`
	Start  string              `json:"start"`
	Moves  []string            `json:"moves"`
	Only   []string            `json:"only"`
	Scores []map[string]string `json:"scores"` // by depth: of each candidate, as UCI writes it
}

// TestCandidates: the most probable moves of each sample, and no others, have a value at each depth, which is what
// python-chess hears of the same engine; a mate in one is one for both colours.
func TestCandidates(t *testing.T) {
	engine, err := stockfish.Find("stockfish")
	if err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	output.SmallShards(t, 60)
	in := withPriors(t, 20, 10)
	out := filepath.Join(t.TempDir(), "out")
	sum := labelled(t, candidateRequest(in, out, engine, 2))
	if sum.Unpredicted == 0 || sum.Labelled+sum.Reused+sum.Terminal+sum.Unpredicted != sum.Samples ||
		len(sum.Fingerprints) != 2 {
		t.Errorf("%+v", sum)
	}
	d := testkit.Value(shards.OpenDataset(out))(t)
	defer d.Close()
	m := d.Manifest
	for i, limit := range []string{"depth 2", "depth 4"} {
		if f := &m.Fingerprints[i]; f.Limit != limit || !f.SearchesCandidates() {
			t.Errorf("fingerprint %+v", f)
		}
	}
	counting := testkit.Value(dataset.NewCounting(m.Fingerprints, ""))(t)
	var asked []candidateLine
	number := 0
	for l, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		columns := l.Columns([]int{0, 1})
		if predicted := l.PredictionsOf(0) != nil; predicted != (columns != nil) {
			t.Fatalf("line %d: predictions %v, labels %v", number, predicted, columns != nil)
		}
		var w dataset.Walker
		for w.Reset(l); columns != nil && w.Next(); {
			k := w.Sample()
			if counting.Of(l, k).Column >= 0 {
				t.Fatal("a label of candidates counts")
			}
			asked = append(asked, checkCandidates(t, l, &w, columns))
			if number == 2 || number == 3 {
				first := columns[1][k].Lines[0]
				if n, ok := first.Score.Mate(); !ok || n != 1 || first.PV[0] != l.PredictionsOf(0)[k].Moves[0].Move {
					t.Errorf("line %d: %+v", number, first)
				}
			}
		}
		number++
	}
	askPython(t, engine, asked)
}

func checkCandidates(t *testing.T, l *dataset.Line, w *dataset.Walker, columns [][]dataset.Label) candidateLine {
	t.Helper()
	k := w.Sample()
	c := candidateLine{FEN: w.Position().FEN(), Start: l.Start.FEN(), Moves: []string{}}
	for _, m := range l.Moves[:w.Ply()] {
		c.Moves = append(c.Moves, m.String())
	}
	all := l.PredictionsOf(0)[k].Moves
	for _, m := range all[:min(candidates, len(all))] {
		c.Only = append(c.Only, m.Move.String())
	}
	for _, column := range columns {
		scores := map[string]string{}
		for _, s := range column[k].Lines {
			if len(s.PV) != 1 {
				t.Fatalf("variation %v", s.PV)
			}
			scores[s.PV[0].String()] = s.Score.String()
		}
		for _, m := range c.Only {
			if scores[m] == "" {
				t.Fatalf("%s: candidates %v have the values %v", c.FEN, c.Only, scores)
			}
		}
		if len(scores) != len(c.Only) {
			t.Fatalf("%s: %v for %v", c.FEN, scores, c.Only)
		}
		c.Scores = append(c.Scores, scores)
	}
	return c
}

func askPython(t *testing.T, engine string, asked []candidateLine) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import chess.engine").Run(); err != nil {
		t.Skip("SKIPPED: python-chess is not here")
	}
	text := testkit.Value(json.Marshal(asked))(t)
	cmd := exec.Command("python3", "testdata/candidates_oracle.py", engine)
	cmd.Stdin = bytes.NewReader(text)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	t.Logf("%s", bytes.TrimSpace(said))
}

// TestCandidatesResumed: the bytes are the same with other workers, after a full disk, with engines killed, and after
// an interrupt; and what was searched is not searched again, also for another dataset, unless other moves of a position
// are asked for.
func TestCandidatesResumed(t *testing.T) {
	engine, err := stockfish.Find("stockfish")
	if err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	output.SmallShards(t, 60)
	in := withPriors(t, 14, 0xff)
	whole := filepath.Join(t.TempDir(), "whole")
	sum := labelled(t, candidateRequest(in, whole, engine, 2))
	// the first position of lines 0 and 1 has other candidates in each
	if sum.Saved.Repeated != 0 {
		t.Errorf("%d searches were taken for repeated ones", sum.Saved.Repeated)
	}
	again := candidateRequest(in, filepath.Join(t.TempDir(), "again"), engine, 1)
	again.Reuse = []string{whole}
	if s := labelled(t, again); s.Labelled != 0 || s.Saved.Found != sum.Labelled {
		t.Errorf("%d searched again, %d found", s.Labelled, s.Saved.Found)
	}
	testkit.Same(t, again.Out, whole)

	broken := errors.New("no space left on device")
	for _, after := range []int{5, 25} {
		r := candidateRequest(in, filepath.Join(t.TempDir(), "out"), engine, 1)
		n := 0
		durable.InjectFaults(t, func(op, path string) error {
			if op == "write" && strings.Contains(path, r.Out) {
				if n++; n > after {
					return broken
				}
			}
			return nil
		})
		_, err := r.Run(t.Context())
		durable.InjectFaults(t, nil)
		if !errors.Is(err, broken) {
			t.Fatalf("after %d writes: %v", after, err)
		}
		s := labelled(t, r)
		if s.Labelled > sum.Labelled-int64(after)+6 {
			t.Errorf("after %d writes: %d of %d searched again", after, s.Labelled, sum.Labelled)
		}
		testkit.Same(t, r.Out, whole)
	}
	killed := candidateRequest(in, filepath.Join(t.TempDir(), "killed"), engine, 2)
	shots := 0
	killed.Progress = func(p progress.Progress) {
		if list := testkit.ChildrenOf(os.Getpid()); shots < 3 && p.Done > int64(10*shots) && len(list) > 0 &&
			testkit.Shoot(list[shots%len(list)]) == nil {
			shots++
		}
	}
	if s := labelled(t, killed); shots < 3 || s.Restarts == 0 || s.Failed != 0 {
		t.Errorf("%d engines killed: %+v", shots, s)
	}
	testkit.Same(t, killed.Out, whole)

	ctx, stop := context.WithCancel(t.Context())
	r := candidateRequest(in, filepath.Join(t.TempDir(), "stopped"), engine, 2)
	r.Progress = func(p progress.Progress) {
		if p.Done > 30 {
			stop()
		}
	}
	if _, err := r.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.Progress = nil
	labelled(t, r)
	testkit.Same(t, r.Out, whole)
}

// TestFewPriors: what the predictions do not have cannot be asked for.
func TestFewPriors(t *testing.T) {
	in := withPriors(t, 3, candidates-1)
	out := filepath.Join(t.TempDir(), "out")
	if _, err := candidateRequest(in, out, "none", 1).Run(t.Context()); !errors.Is(err, label.ErrFewMoves) {
		t.Error(err)
	}
	r := candidateRequest(in, out, "none", 1)
	r.Network = "0123456789abcdef"
	if _, err := r.Run(t.Context()); !errors.Is(err, dataset.ErrNoPredictions) {
		t.Error(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder was made")
	}
}
