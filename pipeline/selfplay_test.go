package pipeline_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/pipeline/internal/madeup"
	"talbot/pipeline/selfplay"
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
	for sq := board.Square(0); sq < 64; sq++ {
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
	style.Nodes, style.FastShare, style.FastNodes, style.Resign, style.MostPlies = 12, 0.25, 4, 0.8, 30
	return selfplay.Request{Games: count, AtOnce: atOnce, Processor: "any", Seed: 3, Style: style, Endgames: drawer, Start: "endgames",
		Network: selfplay.Network{Network: dataset.Network{Recipe: "knowing", Checkpoint: "0123456789abcdef0123",
			Backend: "go", Batch: 1, Prior: true, Value: true},
			Evaluator:  func() mcts.Evaluator { return new(knowing) },
			Centipawns: func(v float32) int { return int(1000 * v) }},
		Out: out, Splits: dataset.DefaultSplits}, err
}

// TestSelfPlay: the bytes do not depend on the number of games at once or on kills; every sample has a legal target
// unless its search was fast, a label, and what the network said.
func TestSelfPlay(t *testing.T) {
	dir := t.TempDir()
	j := Job{Verb: "selfplay", Out: filepath.Join(dir, "one"), Count: 100, Workers: 1}
	if err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{8, 64} {
		other := j
		other.Workers, other.Out = workers, filepath.Join(dir, "other")
		if err := other.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		Same(t, j.Out, other.Out)
		os.RemoveAll(other.Out)
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
	madeup.Verify(t, j.Out)
	fast, full, mates := 0, 0, 0
	for _, line := range madeup.Each(t, j.Out) {
		if err := line.Check(); err != nil {
			t.Fatal(err)
		}
		if line.Source != dataset.SourceSelfPlay || line.Result == dataset.ResultUnknown {
			t.Fatalf("game %d: %v, result %v", line.Number, line.Source, line.Result)
		}
		if line.Tag("End") == "checkmate" {
			mates++
		}
		for i := range line.SampleCount() {
			nodes := line.Labels[0].Labels[i].Lines[0].Nodes
			if isFast := line.Policies == nil || len(line.Policies[i]) == 0; isFast {
				fast++
				if nodes > 4 {
					t.Errorf("game %d: a search of %d nodes without a target", line.Number, nodes)
				}
			} else {
				full++
			}
		}
		if len(line.Predictions) != 1 || len(line.Predictions[0].Predictions) != line.SampleCount() {
			t.Fatal("samples without what the network said")
		}
	}
	if mates == 0 || fast < full/8 || fast > full {
		t.Errorf("%d mates, %d fast and %d full searches", mates, fast, full)
	}
}
