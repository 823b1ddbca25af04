package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/pipeline"
	"talbot/pipeline/internal/madeup"
	"talbot/pipeline/selfplay"
	"talbot/play/game"
	"talbot/play/mcts"
	"talbot/synth"
)

// knowing is a network that counts material and likes moves by a hash.
type knowing struct {
	slots []mcts.Evaluation
}

func (k *knowing) Batch() int   { return 1 }
func (k *knowing) Sizes() []int { return []int{1} }
func (k *knowing) History() int { return 0 }
func (k *knowing) Capabilities() mcts.Capabilities {
	return mcts.Capabilities{Prior: true, Value: true}
}
func (k *knowing) Put(i int, g *board.Game, legal []board.Move) {
	p := g.Position()
	a := mcts.Evaluation{}
	for sq := range board.Square(64) {
		piece := p.PieceAt(sq)
		worth := [...]float32{0, 0.1, 0.3, 0.3, 0.5, 0.9, 0}[piece.Type()]
		if piece != board.NoPiece && piece.Color() != p.Turn() {
			worth = -worth
		}
		a.Value += worth / 2
	}
	a.Value = max(-0.9, min(0.9, a.Value))
	for _, m := range legal {
		a.Prior = append(a.Prior, -3-float32((p.Key()^uint64(m)*0x9e3779b97f4a7c15)>>60)/8)
	}
	k.slots = []mcts.Evaluation{a}
}
func (k *knowing) Evaluate(ctx context.Context, answers []mcts.Evaluation) error {
	copy(answers, k.slots)
	return ctx.Err()
}

// SelfPlay plays games of a made-up network.
func (j Job) SelfPlay(ctx context.Context) error {
	r, err := selfPlayRequest(j.Out, j.Count, j.Workers)
	if err == nil {
		_, err = r.Run(ctx)
	}
	return err
}

func selfPlayRequest(out string, count int64, atOnce int) (selfplay.Request, error) {
	c := synth.DefaultConfig()
	c.Seed, c.Pieces = 3, synth.PieceWeights{}
	var err error
	if c.Materials, err = synth.ParseMaterials("KQQvK,KRRvK,KQvK"); err != nil {
		return selfplay.Request{}, err
	}
	drawer, err := synth.NewDrawer(c)
	style := selfplay.DefaultStyle()
	style.Nodes, style.FastShare, style.FastNodes, style.Resign, style.MostPlies = 12, 0.4, 4, 0.8, 30
	return selfplay.Request{Games: count, AtOnce: atOnce, Seed: 3, Style: style, Endgames: drawer, Start: "endgames",
		Network: selfplay.Network{Network: dataset.Network{Recipe: "knowing", Checkpoint: "0123456789abcdef0123",
			Backend: "go", Batch: 1, Prior: true, Value: true},
			Evaluator:  func() mcts.Evaluator { return new(knowing) },
			Centipawns: func(v float32) int { return int(1000 * v) }},
		Processor: "any", Out: out, Splits: dataset.DefaultSplits}, err
}

// TestSelfPlay: the bytes depend neither on the number of games at once, nor on kills, nor on parts that are joined.
func TestSelfPlay(t *testing.T) {
	dir := t.TempDir()
	j := Job{Verb: "selfplay", Out: filepath.Join(dir, "one"), Count: 100, Workers: 1}
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	madeup.Verify(t, j.Out)
	for _, workers := range []int{8, 64} {
		other := j
		other.Workers, other.Out = workers, filepath.Join(dir, fmt.Sprint(workers))
		if err := other.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		Same(t, j.Out, other.Out)
	}
	rounds := 3
	if os.Getenv("TALBOT_FULL") != "" {
		rounds = 20
	}
	self, _ := os.Executable()
	killed := j
	killed.Out, killed.Workers = filepath.Join(dir, "killed"), 8
	KillLabel(t, self, killed, rand.New(rand.NewPCG(1, 1)), rounds)
	Same(t, j.Out, killed.Out)

	var parts []string
	for _, i := range []int{3, 1, 2} {
		r, err := selfPlayRequest(filepath.Join(dir, fmt.Sprint("part", i)), j.Count, 8)
		r.Part = pipeline.Part{I: i, N: 3}
		if err == nil {
			_, err = r.Run(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, r.Out)
	}
	joined := filepath.Join(dir, "joined")
	if _, err := (selfplay.Join{Parts: parts, Out: joined}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	Same(t, j.Out, joined)
	other, err := selfPlayRequest(filepath.Join(dir, "foreign"), j.Count, 8)
	if err != nil {
		t.Fatal(err)
	}
	other.Part, other.Processor = pipeline.Part{I: 3, N: 3}, "another"
	if _, err := other.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]string{"two": parts[:2], "one twice": {parts[0], parts[1], parts[1]},
		"whole": {j.Out}, "another processor": {other.Out, parts[1], parts[2]}} {
		if _, err := (selfplay.Join{Parts: list, Out: filepath.Join(dir, "x")}).Run(t.Context()); !errors.Is(err,
			selfplay.ErrParts) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSelfPlayLines: what is stored is what a search found, and what is learnt from it what it says: a sample of a full
// search has a legal policy of whole weights, one of a fast search none, whatever else its line has.
func TestSelfPlayLines(t *testing.T) {
	r, err := selfPlayRequest(filepath.Join(t.TempDir(), "x"), 60, 8)
	if err != nil {
		t.Fatal(err)
	}
	r.Style.FastShare = 0.85 // so that some games have fast searches alone
	sum, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fast, full, mates, without, nodes, resigned, playedOn, wrong := 0, 0, 0, 0, int64(0), 0, int64(0), int64(0)
	ends := map[string]int64{}
	for _, line := range madeup.Each(t, r.Out) {
		if err := line.Check(); err != nil {
			t.Fatal(err)
		}
		if line.Source != dataset.SourceSelfPlay || line.Result == dataset.ResultUnknown {
			t.Fatalf("game %d: %v, result %v", line.Number, line.Source, line.Result)
		}
		ends[line.Tag("End")]++
		if line.Tag("End") == "checkmate" {
			mates++
		}
		if side := line.Tag("Resigned"); side != "" {
			lost := dataset.WhiteWins
			if side == "white" {
				lost = dataset.BlackWins
			}
			if line.Tag("End") == string(game.ByResign) {
				resigned++
				if line.Result != lost {
					t.Errorf("game %d: %s resigned, result %v", line.Number, side, line.Result)
				}
			} else if playedOn++; line.Result != lost {
				wrong++
			}
		}
		if len(line.Predictions) != 1 || len(line.Predictions[0].Predictions) != line.SampleCount() {
			t.Fatal("samples without what the network said")
		}
		if dataset.HasNoTarget(line.Policies) {
			without++
		}
		var walker dataset.Walker
		var view encode.View
		walker.Reset(line)
		for walker.Next() {
			i := walker.Sample()
			if i < 0 {
				continue
			}
			l := &line.Labels[0].Labels[i]
			nodes += l.Lines[0].Nodes
			view.Visit(&walker, dataset.Counted{Moves: *l, Value: *l})
			target := encode.Policy(nil, encode.TalbotBot{}, encode.Targets{}, &view)
			if len(line.Policies[i]) == 0 {
				fast++
				if l.Lines[0].Nodes > r.Style.FastNodes || len(target) > 0 {
					t.Errorf("game %d: a search of %d nodes without a policy teaches %v", line.Number,
						l.Lines[0].Nodes, target)
				}
				continue
			}
			full++
			best := float32(0)
			for k, m := range line.Policies[i] {
				if best = max(best, m.Weight); m.Weight != float32(int(m.Weight)) || m.Weight < 1 || m.Weight > 255 ||
					target[k].Move != m.Move {
					t.Errorf("game %d: weight %v of %v, learnt as %v", line.Number, m.Weight, m.Move, target[k])
				}
			}
			if best != 255 {
				t.Errorf("game %d: the best weight is %v", line.Number, best)
			}
		}
	}
	if mates == 0 || fast < 3*full || full == 0 || without == 0 || resigned == 0 {
		t.Errorf("%d mates, %d fast and %d full searches, %d games without a policy, %d resigned", mates, fast, full,
			without, resigned)
	}
	if sum.Nodes != nodes || !maps.Equal(sum.Ends, ends) || sum.PlayedOn != playedOn || sum.FalseResigns != wrong {
		t.Errorf("%+v, found %d nodes, ends %v, %d played on, %d wrong", sum, nodes, ends, playedOn, wrong)
	}
}
