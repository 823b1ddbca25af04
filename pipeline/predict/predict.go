// Package predict stores what a network predicts for the samples of a dataset.
//
// [Request] reads a dataset and writes it again with the priors over the legal moves and the values of an [Evaluator]
// in a column of their own, rounded to 16 bits ([dataset.QuantizedPrior], [dataset.QuantizedValue]). It works shard by
// shard. Within a shard predictions go into a journal as they come, a few hundred samples at a time, so that a killed
// command loses only what was being computed.
//
// The bytes do not depend on interruptions as long as a prediction depends on its position alone.
//
// Two goroutines take turns, so that one encodes positions while the network evaluates those of the other. Both end
// before Run returns.
package predict

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/network/predict"
	"talbot/play/engine"
	"talbot/shards"
)

// Evaluator is a network. Predict may be called by several goroutines at once; outputs[i] is that for inputs[i] and
// must depend on that position alone.
type Evaluator interface {
	Encoder() encode.Encoder
	Predict(ctx context.Context, inputs []predict.Input, outputs []predict.Output) error
}

// ErrPredicted: the dataset has predictions of this network already.
var ErrPredicted = errors.New("the dataset has predictions of this network already")

// Request asks to have a network say something of every sample of a dataset.
type Request struct {
	output.Job
	In        string          // folder
	Network   dataset.Network // what answers, and how it is asked: Rating, Top
	Evaluator Evaluator
	Fraction  dataset.Fraction // of the samples to ask about

	chances bool // the network has no value but that of its chances of win, draw and loss
}

// Summary is what predict reports: totals of the dataset, except for Answered, Seconds and PositionsPerSecond, which
// are of this process.
type Summary struct {
	Samples int64 `json:"samples"`
	tally
	Answered           int64           `json:"answered"`
	Seconds            float64         `json:"seconds"`
	PositionsPerSecond float64         `json:"positions_per_second"`
	Bytes              int64           `json:"bytes"`       // of the shards
	AddedBytes         int64           `json:"added_bytes"` // more than those of the input
	Network            dataset.Network `json:"network"`
	ID                 string          `json:"id"` // of the network
	Resumed            bool            `json:"resumed"`
}

// tally counts samples; progress.json keeps those of finished shards.
type tally struct {
	Predicted int64 `json:"predicted"`
	GameOver  int64 `json:"game_over"` // mates and stalemates, never asked about
	LeftOut   int64 `json:"left_out"`  // not in the fraction
	Unrated   int64 `json:"unrated"`   // asked of a network that looks at ratings, without one
}

// predictor is a prediction under way.
type predictor struct {
	Request
	in      *shards.Dataset
	out     *output.Folder
	network int // its index in the manifest
	layout  encode.Layout
	state   tally
	workers [workers]batcher

	samples    int64 // done, this process and before
	doneBefore int64 // done before
	evaluated  int64
}

// workers is how many units are encoded and evaluated at a time.
const workers = 2

// Run predicts. Memory is what a block of lines and its predictions take, some hundred questions, and the network. The
// errors: [ErrPredicted], those of [shards.OpenDataset] and [output.Open], [output.JournalError], the evaluator's, and
// [dataset.ErrDamaged], also for lines that are illegal.
func (r Request) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	in, err := shards.OpenDataset(r.In)
	if err != nil {
		return Summary{}, err
	}
	defer in.Close()
	if err := output.CheckApart(r.In, r.Out); err != nil {
		return Summary{}, err
	}
	p := &predictor{Request: r, in: in, layout: r.Evaluator.Encoder().Layout()}
	if err := p.open(); err != nil {
		return Summary{}, err
	}
	defer p.out.Close()
	begun := time.Now()
	for i := len(p.out.Manifest().Shards); i < len(in.Shards); i++ {
		if err := p.shard(ctx, i); err != nil {
			return Summary{}, err
		}
	}
	asking := time.Since(begun).Seconds()
	if err := p.out.Finish(nil); err != nil {
		return Summary{}, err
	}
	sum := Summary{Samples: p.out.Manifest().Counts.Samples, tally: p.state, Answered: p.evaluated,
		Seconds: time.Since(start).Seconds(), Bytes: p.out.Bytes(), AddedBytes: p.out.Bytes(), Network: r.Network,
		ID: r.Network.ID(), Resumed: p.out.Resumed()}
	for _, s := range in.Manifest.Shards {
		sum.AddedBytes -= s.Bytes
	}
	if asking > 0 {
		sum.PositionsPerSecond = float64(p.evaluated) / asking
	}
	return sum, nil
}

// open begins or continues the output, whose manifest is that of the input with one more network.
func (p *predictor) open() error {
	parent := p.in.Manifest
	id := p.Network.ID()
	if slices.ContainsFunc(parent.Networks, func(n dataset.Network) bool { return n.ID() == id }) {
		return fmt.Errorf("%q: %w: %s", p.In, ErrPredicted, id)
	}
	p.network = len(parent.Networks)
	m := parent.Child(p.In, "predict")
	m.Networks = append(m.Networks, p.Network)
	if p.Fraction.Part() {
		m.Flags = append(m.Flags, p.Fraction.Flag())
	}
	identity := struct{ Parent, Network string }{m.Parents[0].Manifest, id}
	var err error
	p.out, err = output.Open(m, identity,
		output.Options{Job: p.Job, State: &p.state,
			SideFile: func(name string, shards int) (own, wanted bool) {
				own = strings.HasPrefix(name, journalPrefix)
				return own, own && name >= journalName(shards)
			}})
	if err != nil {
		return err
	}
	p.samples = p.out.Manifest().Counts.Samples
	p.doneBefore = p.samples
	return nil
}

// shard predicts one shard of the input into one of the output.
func (p *predictor) shard(ctx context.Context, i int) error {
	path := p.out.Path(journalName(i))
	j, err := openJournal(path, p.identity(i), p.Warning)
	if err != nil {
		return err
	}
	r := p.in.Shards[i]
	for k := range r.Blocks() {
		if err = p.block(ctx, r, k, j); err != nil {
			break
		}
	}
	if err := errors.Join(err, j.Close()); err != nil {
		return err
	}
	if p.out.Empty() { // a shard without lines
		return fmt.Errorf("shard %d of %q: %w: no lines", i, p.In, dataset.ErrDamaged)
	}
	if err := p.out.EndShard(); err != nil {
		return err
	}
	return durable.Remove(path)
}

// identity is the SHA-256 of what decides the answers of a shard: the command, which names the network, the shard of
// the input, and how it is cut.
func (p *predictor) identity(i int) [32]byte {
	text, err := json.Marshal(struct {
		Command string
		Shard   int
		Input   string
		Unit    int
	}{p.out.Command(), i, p.in.Manifest.Shards[i].SHA256, unitSamples})
	if err != nil {
		return [32]byte{} // strings and integers only
	}
	return sha256.Sum256(text)
}

// report tells how far the work has come.
func (p *predictor) report() {
	p.Report(progress.Progress{Verb: "predict", Unit: "samples", Count: p.samples, Rate: p.evaluated,
		First: p.doneBefore, Done: p.samples, Total: p.in.Manifest.Counts.Samples,
		Free: max(0, p.samples-p.doneBefore-p.evaluated)})
}

// Ask has a network predict, with the ratings and the number of moves that the request's network names.
func (r *Request) Ask(n *engine.Network, path string) error {
	knows, asked := n.Capabilities(), r.Network
	r.Network = n.Identity()
	r.Network.Rating, r.Network.Top = asked.Rating, asked.Top
	switch {
	case r.Network.Top > 0 && !knows.Prior:
		return fmt.Errorf("--top: the network of %q has no policy", path)
	case r.Network.Rating > 0 && !n.Encoder().Layout().Ratings:
		return fmt.Errorf("--rating: the network of %q does not use ratings", path)
	}
	r.Evaluator, r.chances = n, knows.WDL && !knows.Value
	return nil
}

// Text returns the summary of a dataset as a line.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	n := humanize.Thousands
	t.Line("%s: %s of %s predicted by %s, step %d, on %s (network %s), %s game over, %s, %s more per sample, %.1f s\n",
		out, n(sum.Predicted), humanize.Count(sum.Samples, "sample"), sum.Network.Recipe, sum.Network.Step,
		sum.Network.Backend, sum.ID, n(sum.GameOver), humanize.Rate(sum.PositionsPerSecond),
		humanize.Size(float64(sum.AddedBytes)/float64(max(1, sum.Samples))), sum.Seconds)
	return t.String()
}
