package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/evaluate"
	"talbot/formats/rows"
	"talbot/network/backend"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train/loader"
	"talbot/train/report"
)

// Eval is an evaluation of a run's network.
type Eval struct {
	Measure
	Dir     string    // run folder
	Puzzles io.Reader // to be solved too, as [rows.PuzzleReader] reads them; nil = none
	Report  string    // file of the page that shows it all; "" = none

	Style     bool            // how aggressive the network's choices are
	NoHistory bool            // of the samples, not of the puzzles, the network sees no history and no repetitions
	Tables    evaluate.Tables // that judge endgames; nil = only results stored with the samples count
	Audit     string          // folder of an audit of the labels; "" = none
}

// Figures are what an evaluation found.
type Figures = report.Eval

// Run evaluates. Errors are those of [run.ReadConfig], [predict.Open], [loader.Open] and [loader.Data.Samples],
// [ErrConfig], [evaluate.ErrNoHistory], [dataset.ErrNoAudit], [ErrIncomplete], and [loader.ErrSplits] if the data is
// split differently from what the network was trained on.
func (e Eval) Run(ctx context.Context) (Figures, error) {
	f := Figures{About: report.About{Run: e.Dir, Split: e.Split}}
	for _, s := range e.Data {
		f.Data = append(f.Data, s.Dir)
	}
	total := int64(0)
	choose, err := e.options(&total)
	if err != nil {
		return f, err
	}
	b, err := backend.OpenForInference(e.Backend)
	if err != nil {
		return f, err
	}
	defer b.Finalize()
	p, weights, err := e.network(b, e.Dir)
	if err != nil {
		return f, err
	}
	defer p.Close()
	f.Checkpoint, f.Step, f.Backend, f.Weights, f.Sum = p.Path, p.Step, b.Kind, weights, p.Sum
	c := p.Config
	learnt, err := targets(c)
	if err != nil {
		return f, fmt.Errorf("%q: %w: %w", p.Path, run.ErrDamaged, err)
	}
	t := learnt
	if e.Value != nil {
		t.Value = *e.Value
	}
	f.Results = t.Value.Formula(p.Encoder()) == encode.ResultFormula
	f.ValueTarget, f.PolicyTarget, f.LegalMask, f.NoHistory = t.Value.String(), t.Policy.String(), c.LegalMask(),
		e.NoHistory
	o := evaluate.Options{Layout: p.Encoder().Layout(), Batch: e.Batch, Tables: e.Tables, NoHistory: e.NoHistory,
		PredictedProbability: learnt.Value.WinProbability(p.Encoder()),
		LabelProbability:     t.Value.WinProbability(p.Encoder())}
	if o.NoHistory && o.Layout.NoHistory == nil {
		return f, fmt.Errorf("%q: %w", e.Dir, evaluate.ErrNoHistory)
	}
	if e.Style {
		before, err := e.before(b, p)
		if err != nil {
			return f, err
		}
		if o.Style = true; before != nil {
			defer before.Close()
			o.Before = before
		}
	}
	data, err := e.read(ctx, p.Encoder(), t)
	if err != nil {
		return f, err
	}
	defer data.Close()
	for _, warning := range data.Derived() {
		e.warn(warning)
	}
	trained, err := e.trained(data, c.From)
	if err != nil {
		return f, err
	}
	if o.Bands, err = bands(data, trained, &o.Layout); err != nil {
		return f, err
	}
	choose.TrainedOn = trained
	if e.Audit != "" {
		if f.Noise, err = readAudit(ctx, e.Audit, data); err != nil {
			return f, err
		}
		choose.Audited = f.Noise.Fingerprint
	}
	if e.Begun != nil {
		e.Begun(b.Why)
	}
	if o.Simple, err = e.simple(ctx, data, choose); err != nil {
		return f, err
	}
	if o.Layout.Candidates > 0 {
		if o.Candidates, err = e.candidates(ctx, p.Encoder(), data, choose); err != nil {
			return f, err
		}
	}
	if err := e.measure(ctx, p, data, choose, &total, o, &f); err != nil {
		return f, err
	}
	var missing []error
	if e.Puzzles != nil {
		if solved, err := evaluate.SolvePuzzles(ctx, p, p.Encoder(), lines(e.Puzzles), &data.Sets[0].Manifest.Splits,
			e.solving()); err == nil {
			f.Puzzles = &solved
		} else {
			missing = append(missing, fmt.Errorf("puzzles: %w", err))
		}
	}
	f.At = time.Now()
	if e.Report != "" {
		if err := writeReport(e.Report, e.Dir, c, b.Why, &f, e.warn); err != nil {
			missing = append(missing, fmt.Errorf("page: %w", err))
		}
	}
	if err := errors.Join(missing...); err != nil && ctx.Err() == nil {
		return f, fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	return f, ctx.Err()
}

// bands are those of ratings that the network was trained on, or is evaluated on: of the first aggregated positions in
// the evaluated data or, where there are none, in what it was trained on. Without any, a recipe that reads ratings has
// its own; others have none.
func bands(data *loader.Data, trained []loader.Spec, l *encode.Layout) ([]dataset.Band, error) {
	var manifests []*dataset.Manifest
	for _, s := range data.Sets {
		manifests = append(manifests, s.Manifest)
	}
	for _, s := range trained {
		m, err := dataset.ReadManifest(s.Dir)
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, m)
	}
	for _, m := range manifests {
		for _, in := range m.Inputs {
			if in.Aggregate != nil && len(in.Aggregate.Bands) > 1 {
				return in.Aggregate.Bands, nil
			}
		}
	}
	if l.Rating != nil {
		return encode.PriorBands, nil
	}
	return nil, nil
}

// ErrIncomplete comes with figures that are whole but for the puzzles or the page, as the error says.
var ErrIncomplete = errors.New("the other figures are complete")

// measure runs the samples through the network.
func (e Eval) measure(ctx context.Context, p *predict.Predictor, data *loader.Data, choose loader.EvalOptions,
	total *int64, o evaluate.Options, f *Figures) error {
	start := time.Now()
	samples := counted(data.Samples(ctx, choose), "evaluating", total, e.Progress)
	a, err := evaluate.Evaluate(ctx, p, samples, o)
	if err != nil {
		return err
	}
	f.Report, f.Candidates = a.Report(choose.TrainedOn != nil), a.Candidates()
	if f.Style != nil && o.Before != nil {
		f.Style.Before = p.Config.From.Path
	}
	if f.Noise != nil {
		if f.Noise.Samples, f.Noise.ValueMSE = f.Audited.Samples, f.Audited.ValueMSE; f.Noise.Samples == 0 {
			e.warn(fmt.Errorf("no evaluated sample has one of the labels audited in %q", e.Audit))
		}
	}
	f.Seconds = time.Since(start).Seconds()
	f.PerSecond = f.Figures["samples"] / f.Seconds
	return nil
}

// before opens the network that this one was fine-tuned from, if it was and that is still there and reads the same;
// else nil.
func (e Eval) before(b *backend.Backend, p *predict.Predictor) (*predict.Predictor, error) {
	if !p.Capabilities().Prior {
		return nil, fmt.Errorf("%w: the network of %q chooses no moves, so it has no style", ErrConfig, e.Dir)
	}
	from := p.Config.From
	if from.Path == "" {
		return nil, nil
	}
	before, err := predict.Open(b, from.Path, predict.Options{Batches: []int{e.Batch}})
	if err != nil {
		e.warn(fmt.Errorf("no style before fine-tuning: %w", err))
		return nil, nil
	}
	switch {
	case before.Sum != from.Sum:
		err = fmt.Errorf("%q is no longer the checkpoint that the run began with", from.Path)
	case !reflect.DeepEqual(before.Encoder(), p.Encoder()):
		err = fmt.Errorf("the network of %q reads something else", from.Path)
	}
	if err != nil {
		before.Close()
		e.warn(fmt.Errorf("no style before fine-tuning: %w", err))
		return nil, nil
	}
	return before, nil
}

// simple fits the baselines that are fitted, on the train split of the evaluated data.
func (e Eval) simple(ctx context.Context, data *loader.Data, choose loader.EvalOptions) (evaluate.Simple, error) {
	choose.TrainedOn, choose.Audited, choose.Total = nil, "", nil
	choose.Splits, choose.Limit = []dataset.Split{dataset.Train}, mostTrain
	if e.Progress != nil {
		choose.Progress = func(_ string, blocks, of int) { e.Progress("fitting baselines", int64(blocks), int64(of)) }
	}
	fitted, err := evaluate.FitSimple(data.Samples(ctx, choose), data.Options.Encoder.Layout())
	if errors.Is(err, loader.ErrNoSamples) {
		e.warn(fmt.Errorf("no regression on material and no statistics of moves to compare with: %w", err))
		err = nil
	}
	return fitted, err
}

// mostTrain is how many train samples baselines are fitted on at most, and mostFitted how many val samples.
const (
	mostTrain  = 1 << 16
	mostFitted = 1 << 15
)

// candidates fits what a network among candidates is compared with, on the val split of the evaluated data.
func (e Eval) candidates(ctx context.Context, of encode.Encoder, data *loader.Data,
	choose loader.EvalOptions) (*evaluate.Candidates, error) {
	choose.TrainedOn, choose.Audited, choose.Total, choose.Progress = nil, "", nil, nil
	choose.Splits, choose.Limit = []dataset.Split{dataset.Val}, mostFitted
	c := &evaluate.Candidates{Layout: of.Layout(), Unpack: of.Unpack, Values: len(dataset.CandidateDepths)}
	err := c.Fit(data.Samples(ctx, choose))
	if errors.Is(err, loader.ErrNoSamples) {
		e.warn(fmt.Errorf("no temperature for the values of candidates: %w", err))
		err = nil
	}
	return c, err
}

// lines are the puzzles of a text.
func lines(text io.Reader) iter.Seq2[dataset.Line, error] {
	r := rows.NewPuzzleReader(text)
	return func(yield func(dataset.Line, error) bool) {
		for {
			line, _, err := r.Next()
			if err == io.EOF || !yield(line, err) {
				return
			}
		}
	}
}

// solving is the progress of the puzzles; nil without any.
func (e Eval) solving() func(puzzles int64) {
	if e.Progress == nil {
		return nil
	}
	return func(n int64) { e.Progress("solving puzzles", n, 0) }
}

// trained finds what the network was trained on, as [trainedOn]; nil if some of the run's own data is not there, since
// figures of unseen positions would count some of those that it was trained on.
func (e Eval) trained(data *loader.Data, from run.Origin) ([]loader.Spec, error) {
	specs, splits, err := trainedOn(e.Dir, e.Dir, from, e.Data, e.warn)
	if err != nil {
		if len(splits) == 0 && !run.IsFile(e.Dir) && !errors.Is(err, loader.ErrNoIdentity) {
			return nil, err
		}
		what := "cannot tell which positions are unseen"
		if errors.Is(err, errEarlier) {
			what = "cannot tell of all positions whether they are unseen"
		} else {
			specs = nil
		}
		e.warn(fmt.Errorf("%s: %w", what, err))
	}
	have := data.Sets[0].Manifest.Splits.String()
	for i, s := range splits {
		switch {
		case s == have || e.Split == "all":
		case i == 0:
			return nil, fmt.Errorf("%w: %q has %s, the run was trained on %s", loader.ErrSplits, data.Sets[0].Dir, have,
				s)
		default:
			e.warn(fmt.Errorf("the weights that the run began with were trained on data split %s, and %q is split %s: "+
				"only unseen positions are a fair test", s, data.Sets[0].Dir, have))
		}
	}
	return specs, nil
}
