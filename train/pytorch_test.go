package train

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit/golden"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// pytorch is testdata/talbotbot.json.gz, which testdata/talbotbot_oracle.py wrote: what PyTorch 2 computes in float64.
type pytorch struct {
	Torch                      string
	Positions, Blocks, Filters int
	LR, Decay, Clip            float64
	ValueWeight                float64 `json:"value_weight"`
	Gain, Epsilon              float64 // of testdata/napoleon_oracle.py
	L2                         float64 // of testdata/prior_oracle.py and probability_oracle.py
	Hidden                     int     // of testdata/probability_oracle.py
	Settings                   recipe.Settings
	Initial                    map[string]digest
	Evaluation                 forwarded
	Steps                      []struct {
		forwarded
		Gradients map[string]digest
		Norm      float64
		After     map[string]digest
	}
}

// digest is a tensor's norm and 16 of its elements, evenly spread.
type digest struct {
	Norm float64
	Some []float64
}

type forwarded struct {
	Logits      digest
	Value       []float64
	Policy, MSE float64
	BCE         float64 // of the board after the move
	WDL         float64 // cross-entropy of the chances
	Left        float64 // loss of the plies that are left
	Chances     digest  // their logits
	Plies       digest
	Penalty     float64 // of the weights, as it is in the loss
}

// oracleNumber is number of talbotbot_oracle.py: the i-th number of that name, in [−1, 1).
func oracleNumber(name string, i int) float64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	x := uint32(i)*0x9E3779B9 + h.Sum32()
	x = (x ^ x>>16) * 0x85EBCA6B
	x = (x ^ x>>13) * 0xC2B2AE35
	return float64(x^x>>16)/(1<<31) - 1
}

// oracleInitial is initial of talbotbot_oracle.py, where the gain is 2, and of vectors.py.
func oracleInitial(p model.Param, gain float64) []float32 {
	data := make([]float32, p.Size())
	for i := range data {
		u := oracleNumber(p.Name, i)
		switch p.Kind {
		case model.RunningVar:
			u = 1 + 0.3*u
		case model.NormGain:
			u = 1 + 0.2*u
		case model.Weight:
			u *= gain / math.Sqrt(float64(p.Size()/p.Shape[0]))
		default:
			u *= 0.1
		}
		data[i] = float32(u)
	}
	return data
}

// afterMoves is the position after those moves.
func afterMoves(t testing.TB, start string, moves []string) *encode.View {
	t.Helper()
	p, err := board.ParseFEN(start)
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(p)
	for _, uci := range moves {
		m, err := g.Position().ParseUCI(uci)
		if err != nil {
			t.Fatal(err)
		}
		g.Push(m)
	}
	v := &encode.View{}
	v.Play(g, 0, 0)
	return v
}

// oracleBatch is batch of talbotbot_oracle.py: real positions with one or two of their legal moves as target, and as
// planes.
func oracleBatch(t *testing.T, step, n int) (b Batch, planes []uint64) {
	t.Helper()
	type row struct {
		Start  string
		Moves  []string
		Planes golden.Words
		Legal  map[string]int32
	}
	var rows []row
	for _, r := range golden.Lines[row](t, "../encode/testdata/golden.jsonl.gz", (step+1)*n) {
		if len(r.Legal) > 0 {
			rows = append(rows, r)
		}
	}
	b.N = n
	for i, row := range rows[step*n:][:n] {
		planes = append(planes, row.Planes...)
		words := make([]uint64, encode.TalbotBotWords)
		encode.TalbotBot{}.Pack(words, afterMoves(t, row.Start, row.Moves))
		b.Packed = append(b.Packed, words...)
		low, high := int32(encode.TalbotBotMoves), int32(0)
		for _, move := range row.Legal {
			low, high = min(low, move), max(high, move)
		}
		b.Codes = append(b.Codes, low, high)
		if i%5 == 4 {
			b.Weights = append(b.Weights, 0, 0)
		} else {
			b.Weights = append(b.Weights, 0.75, 0.25)
		}
		b.Floats = append(b.Floats, float32(oracleNumber(fmt.Sprintf("value %d", step), i)))
		b.Known = append(b.Known, 1)
		if i%3 == 2 {
			b.Known[i] = 0
		}
	}
	return b, planes
}

// forward returns logits and values of planes in evaluation mode.
func forward(e *engine, planes []uint64, n int) (logits, values []float32, err error) {
	x, err := gomlx.NewExec(e.backend.Backend, e.store.Store, func(_ *gomlx.Scope, in *graph.Node) (a, b *graph.Node) {
		heads := e.network.Forward(&model.Pass{Store: e.store, Conv: e.conv}, e.conv.Spread(in))
		return heads[0], heads[len(heads)-1]
	})
	if err != nil {
		return nil, nil, err
	}
	defer x.Finalize()
	out, err := e.call(x, []any{tensors.FromFlatDataAndDimensions(planes, n, len(planes)/n)})
	if err != nil {
		return nil, nil, err
	}
	return out[0], out[1], nil
}

// evaluated returns the network's heads for a batch in evaluation mode.
func evaluated(t *testing.T, e *engine, b *Batch) [][]float32 {
	t.Helper()
	x, err := gomlx.NewExec(e.backend.Backend, e.store.Store, func(_ *gomlx.Scope, packed *graph.Node) []*graph.Node {
		conv := e.backend.Conv
		return e.network.Forward(&model.Pass{Store: e.store, Conv: conv}, e.network.Unpack(conv, packed))
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Finalize()
	out, err := e.call(x, []any{packedInput(b)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// agree compares float32 with PyTorch's float64: numbers within tolerance times the norm of their tensor.
func agree(t *testing.T, what string, got []float32, want digest, tolerance float64) {
	t.Helper()
	square := 0.0
	for _, x := range got {
		square += float64(x) * float64(x)
	}
	if norm := math.Sqrt(square); !(math.Abs(norm-want.Norm) <= tolerance*want.Norm) {
		t.Errorf("%s has norm %.9g, in PyTorch %.9g", what, norm, want.Norm)
	}
	stride := max(1, len(got)/16)
	for i, w := range want.Some {
		if g := float64(got[i*stride]); !(math.Abs(g-w) <= tolerance*want.Norm) {
			t.Errorf("%s[%d] is %.9g, in PyTorch %.9g", what, i*stride, g, w)
		}
	}
}

func agreeOne(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %.9g, in PyTorch %.9g", what, got, want)
	}
}

// TestPyTorch compares a forward pass, the gradients of a step and five steps with AdamW and clipping with PyTorch:
// outputs, losses, every gradient, every weight and every running statistic.
func TestPyTorch(t *testing.T) {
	want := readPyTorch(t, "talbotbot.json.gz")
	want.Gain = 2
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tiny()
		want.set(&c)
		c.Decay = recipe.DecayWeights
		_, planes := oracleBatch(t, 0, want.Positions)
		want.evaluate(t, want.load(t, b, c), planes)
		batch := func(step int) Batch {
			batch, _ := oracleBatch(t, step, c.Batch)
			return batch
		}
		want.train(t, want.load(t, b, c), batch, 2e-5) // Winograd's algorithm rounds more
		want.train(t, direct(want.load(t, b, c)), batch, 5e-6)
		want.exact(t, want.load(t, b, c), batch(0))
	})
}

// exact compares the loss and the gradients of the first step computed in float64. (Those of PyTorch are of the rounded
// weights too.)
func (want *pytorch) exact(t *testing.T, e *engine, batch Batch) {
	t.Helper()
	s, err := e.exact(&batch)
	if err != nil {
		t.Fatal(err)
	}
	first := want.Steps[0]
	agreeOne(t, "exact loss", s.Losses[0], first.Policy+want.ValueWeight*first.MSE, 1e-7)
	for i, p := range trainable(e.store) {
		agree(t, "exact gradient of "+p.Name, s.Gradients[i], first.Gradients[p.Name], 1e-6)
	}
}

// readPyTorch reads a file of testdata, of five steps.
func readPyTorch(t *testing.T, name string) *pytorch {
	t.Helper()
	want := golden.Read[pytorch](t, "testdata/"+name)
	if len(want.Steps) != 5 {
		t.Fatalf("%d steps in testdata/%s", len(want.Steps), name)
	}
	return &want
}

// published returns the configuration of a recipe as it is published, in batches of the oracle's size.
func (want *pytorch) published(t *testing.T, recipe string) run.Config {
	t.Helper()
	c, err := run.New(recipe, "")
	if err != nil {
		t.Fatal(err)
	}
	if c.Batch = want.Positions; c.Clip != want.Clip || c.WeightDecay != want.Decay || c.Epsilon != want.Epsilon {
		t.Errorf("trained with clip %g, decay %g, ε %g", c.Clip, c.WeightDecay, c.Epsilon)
	}
	return c
}

// evaluatePolicy compares a network whose first head are the logits of a policy in evaluation mode.
func (want *pytorch) evaluatePolicy(t *testing.T, e *engine, first Batch) {
	t.Helper()
	agree(t, "logits", evaluated(t, e, &first)[0], want.Evaluation.Logits, 5e-6)
	m, err := e.validate(t.Context(), []Batch{first})
	if err != nil {
		t.Fatal(err)
	}
	agreeOne(t, "loss", m.Loss, want.Evaluation.Policy+want.Evaluation.Penalty, 5e-6)
	if squares := m.Of("weights"); squares != nil {
		agreeOne(t, "penalty", want.L2**squares, want.Evaluation.Penalty, 5e-6)
	}
}

// playedMoves is the target of the i-th sample of the oracles of policies: two moves, or none.
func playedMoves(b *Batch, i int, first, second int32) {
	b.Codes[2*i], b.Codes[2*i+1] = first, second
	if b.Weights[2*i], b.Weights[2*i+1] = 0.75, 0.25; i%5 == 4 {
		b.Weights[2*i], b.Weights[2*i+1] = 0, 0
	}
}

// set makes a configuration that of the oracle, without dropout.
func (want *pytorch) set(c *run.Config) {
	for name, value := range map[string]any{"blocks": want.Blocks, "filters": want.Filters, "block_dropout": 0,
		"value_dropout": 0, "value_weight": want.ValueWeight} {
		set(c, name, value)
	}
	c.Batch, c.Clip, c.WeightDecay = want.Positions, want.Clip, want.Decay
}

// evaluate compares logits and values of planes in evaluation mode.
func (want *pytorch) evaluate(t *testing.T, e *engine, planes []uint64) {
	t.Helper()
	logits, values, err := forward(e, planes, want.Positions)
	if err != nil {
		t.Fatal(err)
	}
	agree(t, "logits", logits, want.Evaluation.Logits, 5e-6)
	for i, v := range want.Evaluation.Value {
		if math.Abs(float64(values[i])-v) > 5e-6 {
			t.Errorf("value %d is %g, in PyTorch %g", i, values[i], v)
		}
	}
}

// load returns an engine with the weights of the oracle.
func (want *pytorch) load(t *testing.T, b *backend.Backend, c run.Config) *engine {
	t.Helper()
	e, err := newEngine(b, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.close)
	if got := len(e.store.Params()); got != len(want.Initial) {
		t.Fatalf("%d parameters and statistics, in PyTorch %d", got, len(want.Initial))
	}
	for _, p := range e.store.Params() {
		data := oracleInitial(p, want.Gain)
		agree(t, "initial "+p.Name, data, want.Initial[p.Name], 1e-6)
		if err := e.store.Set(p.Name, p.Shape, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.forTraining(); err != nil {
		t.Fatal(err)
	}
	return e
}

// train compares five steps: losses, norms, and every weight and statistic; and the gradients of the first.
func (want *pytorch) train(t *testing.T, e *engine, batch func(step int) Batch, gradient float64) {
	t.Helper()
	weights := 2e-4
	if e.config.Optimizer == recipe.Muon {
		weights = 1e-3 // its iteration multiplies small singular values, and what is wrong in them, by up to 485
	}
	for i, expected := range want.Steps {
		batch := batch(i)
		l, norm, err := e.step(&batch, int64(i), want.LR)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want.gradients(t, e, norm, gradient)
		}
		at := fmt.Sprintf("step %d: ", i)
		if policy := l.Of("policy_ce"); policy != nil {
			agreeOne(t, at+"policy cross-entropy", *policy, expected.Policy, 2e-5)
		}
		if bce := l.Of("after_bce"); bce != nil {
			agreeOne(t, at+"cross-entropy of the bits", *bce, expected.BCE, 2e-5)
		}
		if wdl := l.Of("wdl_ce"); wdl != nil {
			agreeOne(t, at+"cross-entropy of the chances", *wdl, expected.WDL, 2e-5)
		}
		if left := l.Of("moves_left"); left != nil {
			agreeOne(t, at+"loss of the plies left", *left, expected.Left, 2e-5)
		}
		if scores := l.Of("score_ce"); scores != nil {
			agreeOne(t, at+"cross-entropy of scores", *scores, expected.Policy, 2e-5)
		}
		if squares := l.Of("weights"); squares != nil {
			agreeOne(t, at+"loss", l.Loss, expected.Policy+expected.Penalty, 2e-5)
		}
		if mse := l.Of("value_mse"); mse != nil {
			agreeOne(t, at+"value MSE", *mse, expected.MSE, 2e-5)
		}
		kink := 2e-4
		if e.conv == model.Winograd {
			// Its rounding, which depends on the processor, may push one activation over the kink of its ReLU. In so
			// small a batch that changed the norm by 4.7e-4, with all other steps within 1e-6.
			kink = 1e-3
		}
		agreeOne(t, at+"norm of the gradient", norm, expected.Norm, kink)
		if expected.After == nil && i > 0 && i < len(want.Steps)-1 { // of testdata/leela_oracle.py
			continue
		}
		for _, p := range e.store.Params() {
			got, err := e.store.Get(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, at+p.Name, got, expected.After[p.Name], weights)
		}
	}
}

// trainForms is train with each way to convolve, but on XLA with its own alone, since it compiles for long:
// [TestPyTorch] has Winograd's algorithm there.
func (want *pytorch) trainForms(t *testing.T, b *backend.Backend, c run.Config, batch func(step int) Batch) {
	t.Helper()
	if b.Kind == "go" {
		want.train(t, want.load(t, b, c), batch, 2e-5)
	}
	want.train(t, direct(want.load(t, b, c)), batch, 2e-5)
}

// gradients compares those of the first step, whose norm is given: the first moments are a tenth of them, clipped;
// those of Muon a twentieth. Those of SGD have the decay too, and are left to the weights after the step.
func (want *pytorch) gradients(t *testing.T, e *engine, norm, tolerance float64) {
	t.Helper()
	if e.config.Optimizer == recipe.SGD {
		return
	}
	for _, p := range trainable(e.store) {
		factor := 1 - beta1
		if usesMuon(e.config, p) {
			factor = 1 - muonMomentum
		}
		if want.Clip > 0 {
			factor *= min(1, want.Clip/(norm+1e-6))
		}
		got, err := e.store.Get(firstMomentPrefix + p.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i] = float32(float64(got[i]) / factor)
		}
		expected, what := want.Steps[0].Gradients[p.Name], "gradient of "+p.Name
		if nothing := 1e-9 * want.Steps[0].Norm; expected.Norm < 1e-6*nothing { // 0 but for rounding
			for i, x := range got {
				if !(math.Abs(float64(x)) <= nothing) {
					t.Errorf("%s[%d] is %.9g, in PyTorch 0", what, i, x)
				}
			}
			continue
		}
		agree(t, what, got, expected, tolerance)
	}
}
