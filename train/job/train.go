package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"talbot/encode"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/loader"
)

// Validation samples of a run: how many, and the largest batch they are measured in.
const (
	valSamples = 2048
	valBatch   = 512
)

// Train is a training run to be started or resumed.
type Train struct {
	Dir      string          // run folder
	Data     []loader.Spec   // empty with Resume = those of the run
	Label    string          // fingerprint whose labels count; "" = the last, with Resume that of the run
	Resume   bool            // continue the run in Dir
	Existing output.Existing // what to do with a run in Dir
	From     string          // run folder or checkpoint to take the initial weights from; "" = drawn by the seed
	// After is a run folder or checkpoint whose training continues with other data: the same settings, optimizer and
	// averages, from its step on; "" = none.
	After  string
	Until  int64   // the step at which the run ends before its schedule does; 0 = Steps, with Resume that of the run
	Recipe string  // "" = that of the weights in From, else the first of the list
	Preset *string // of the configuration; nil = "", with Resume that of the run
	// 0 = those of the preset's epochs, with Resume those of the run
	Steps   int64
	Adjust  func(*run.Config) error // what else was asked for, nil for nothing; called more than once
	Backend string                  // as [backend.Open] takes it; "" = auto, with Resume that of the run
	Workers int                     // that encode and read, 0 = one for each processor
	// MaxCopies caps the copies of a position among the train samples; 0 = no cap, with Resume that of the run.
	MaxCopies int
	// MinClock is the time that the mover must have had left at a sample; 0 = any, with Resume that of the run.
	MinClock time.Duration
	gone     bool // the weights it began with are no longer there to be looked at

	Checked  func(bytes, of int64) // progress of comparing the data with its checksums
	Surveyed func(blocks, of int)  // progress of reading the data once
	Begun    func(Start)           // before the first step
	Resumed  func(step int64, checkpoint string)
	Progress func(train.Progress) // after each step
	Warn     func(error)          // what does not stop the run
}

// Start is what is known before the first step.
type Start struct {
	Config     run.Config
	Network    string // its size for display
	Grown      string // how the weights that it begins with grew to it: [run.Weights.Grown]
	Backend    string // what was chosen and why
	Kind       string // of the backend
	Parameters int    // trainable
	HasValue   bool   // the network learns values
	Val        int64  // validation samples
	Sets       []Set
}

// Set is one dataset of a run.
type Set struct {
	Dir string `json:"dataset"`
	loader.Counts
	Epochs float64 `json:"epochs"` // of the run over the train samples
}

var (
	// ErrConfig marks a configuration that is not possible.
	ErrConfig = fault.New(fault.ExitUsage, "bad setting", "see --help")
	// ErrFrom: --from or --after has no weights.
	ErrFrom = errors.New("no weights to start from")
)

// Run trains. Its errors are those of [run.NewClaim], [train.Run], [loader.ReadIdentity], [loader.Open] and
// [loader.Data.Survey], [ErrConfig] and [ErrFrom]. The folder is claimed first, and left as it was if the run is
// refused. When ctx ends during training, what was trained is saved, and the result comes with ctx's error.
//
// With Existing, an existing run is resumed, kept or replaced: see [output.Existing.Resolve].
func (t Train) Run(ctx context.Context) (train.Result, error) {
	if err := t.place(false); err != nil {
		return train.Result{}, err
	}
	result, err := t.run(ctx)
	if err != nil {
		return result, err
	}
	return t.finish(result)
}

// Check returns what [Train.Run] would refuse before it looks at any data.
func (t Train) Check() error {
	_, _, err := t.settings()
	return err
}

// settings returns the configuration, before the number of samples is known, and the weights to begin with, if any.
func (t Train) settings() (c run.Config, weights *run.Weights, err error) {
	if weights, err = t.weights(); err != nil {
		return c, nil, err
	}
	if t.Resume {
		c, err = t.resumed()
	} else {
		c, err = t.config(0, weights)
	}
	return c, weights, err
}

// weights reads those to begin with, nil for none.
func (t Train) weights() (w *run.Weights, err error) {
	switch {
	case t.From != "":
		w, err = run.ReadWeights(t.From)
	case t.After != "":
		w, err = run.ReadTraining(t.After)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFrom, err)
	}
	return w, nil
}

// adjust changes the configuration to what else was asked for.
func (t Train) adjust(c *run.Config) error {
	if t.Adjust == nil {
		return nil
	}
	return t.Adjust(c)
}

// run trains in Dir.
func (t Train) run(ctx context.Context) (train.Result, error) {
	c, weights, err := t.settings()
	if err != nil {
		return train.Result{}, err
	}
	if weights != nil {
		t.compare(c, weights)
	}
	var before loader.Identity // of the training that it continues
	if t.After != "" {
		if before, err = loader.ReadIdentity(runOf(weights.Path)); err == nil && t.Backend == "" {
			t.Backend = before.Backend
		}
	}
	claim, err := run.NewClaim(t.Dir, t.Resume)
	if err != nil {
		return train.Result{}, err
	}
	defer claim.Close()
	data, was, err := t.open(ctx, c)
	if err != nil {
		return train.Result{}, err
	}
	defer data.Close()
	if c.Deterministic {
		if err := backend.MakeDeterministic(); err != nil {
			return train.Result{}, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	if t.Resume {
		before = was
	}
	b, err := t.openBackend(before)
	if err != nil {
		return train.Result{}, err
	}
	defer b.Finalize()
	if _, err := train.RunsOn(c, b); err != nil {
		return train.Result{}, err
	}
	survey, err := data.Survey(ctx, valSamples, min(c.Batch, valBatch), t.Surveyed)
	if err != nil {
		return train.Result{}, err
	}
	if !t.Resume {
		if c, err = t.config(survey.Train(), weights); err != nil {
			return train.Result{}, err
		}
	}
	if err := t.begin(c, b, weights, data, survey); err != nil {
		return train.Result{}, err
	}
	calibration, err := calibrationBatches(c, survey)
	if err != nil {
		return train.Result{}, err
	}
	source := loaderOf(c, survey)
	defer source.Close()
	result, err := train.Run(ctx, c, train.Options{Dir: t.Dir, Claim: claim, Backend: b, Source: source,
		Val: survey.Val, Calibration: calibration,
		Weights: weights, Resume: t.Resume, Resumed: t.Resumed, Progress: t.Progress, Warn: t.Warn,
		Accepted: func() error {
			id := data.Identity()
			id.Backend, id.Kind = t.Backend, b.Kind
			id.Results = data.Options.Targets.Value.LearnsResults(data.Options.Encoder, data.Labelled())
			if id.Train, id.Earlier, id.Origin = survey.Train(), was.Earlier, was.Origin; !t.Resume {
				id.Earlier, id.Origin = earlier(c.From)
			}
			return id.Write(t.Dir)
		}})
	if result.Samples > 0 || claim.Killed { // else the page of an evaluation may exist, and is still true
		if e := writeReport(filepath.Join(t.Dir, ReportName), t.Dir, c, b.Why, nil, t.warn); e != nil {
			t.warn(fmt.Errorf("no %s: %w", ReportName, e))
		}
	}
	return result, err
}

// Init makes a run that was not trained, for others to begin with, with random weights or those of From: see
// [train.Init]. Data, After, Until, Resume and Steps must not be set. Errors are those of [Train.Run].
func (t Train) Init() (Start, train.Result, error) {
	if err := t.place(true); err != nil {
		return Start{}, train.Result{}, err
	}
	start, result, err := t.init()
	if err != nil {
		return start, result, err
	}
	result, err = t.finish(result)
	return start, result, err
}

// init makes the run in Dir.
func (t Train) init() (Start, train.Result, error) {
	c, weights, err := t.settings()
	if err != nil {
		return Start{}, train.Result{}, err
	}
	claim, err := run.NewClaim(t.Dir, false)
	if err != nil {
		return Start{}, train.Result{}, err
	}
	defer claim.Close()
	b, err := t.openBackend(loader.Identity{})
	if err != nil {
		return Start{}, train.Result{}, err
	}
	defer b.Finalize()
	start, err := startOf(c, b, weights)
	if err != nil {
		return start, train.Result{}, err
	}
	result, err := train.Init(c, train.Options{Dir: t.Dir, Claim: claim, Backend: b, Weights: weights, Warn: t.Warn})
	return start, result, err
}

// startOf returns what is known of a run without its data. The weights that it begins with are nil for none.
func startOf(c run.Config, b *backend.Backend, w *run.Weights) (Start, error) {
	built, err := c.Build()
	if err != nil {
		return Start{}, err
	}
	s := Start{Config: c, Network: built.Network.String(), HasValue: built.HasValue(), Backend: b.Why, Kind: b.Kind,
		Parameters: model.CountTrainable(built.Network.Params())}
	if w != nil {
		s.Grown = w.Grown
	}
	return s, nil
}

// openBackend opens the backend asked for, and on resuming warns if it is another one than before.
func (t *Train) openBackend(was loader.Identity) (*backend.Backend, error) {
	b, err := backend.Open(t.Backend)
	if err != nil {
		if was.Backend != "" && t.Backend == was.Backend {
			err = fmt.Errorf("the run used it: %w; another --backend can continue it, but not to the same bits", err)
		}
		return nil, err
	}
	if t.Backend == "" || t.Backend == "auto" {
		t.Backend = b.Kind // what is chosen once stays
	}
	if before := was.Kind; before != "" && before != b.Kind {
		t.warn(fmt.Errorf("the run was trained on %s and continues on %s: the result will differ in the last bits",
			before, b.Kind))
	}
	return b, nil
}

// open opens the data, and on resuming checks that the run was started with it and takes over how it was read and the
// backend.
func (t *Train) open(ctx context.Context, c run.Config) (data *loader.Data, was loader.Identity, err error) {
	if t.Resume {
		if was, err = loader.ReadIdentity(t.Dir); err != nil {
			return nil, was, err
		}
		if len(t.Data) == 0 {
			t.Data = was.Specs()
		}
		t.Label, t.Backend = cmp.Or(t.Label, was.Label), cmp.Or(t.Backend, was.Backend)
		t.MaxCopies = cmp.Or(t.MaxCopies, was.MaxCopies)
		if t.MinClock == 0 {
			if t.MinClock, err = was.Clock(); err != nil {
				return nil, was, fmt.Errorf("%w: min_clock: %w", run.ErrDamaged, err)
			}
		}
	}
	data, err = openData(ctx, c, t.Data, loader.Options{Label: t.Label, Workers: t.Workers, MaxCopies: t.MaxCopies,
		MinClock: t.MinClock, Checked: t.Checked})
	if err != nil {
		return nil, was, err
	}
	if t.Resume {
		if err := data.Identity().Differs(was); err != nil {
			data.Close()
			return nil, was, err
		}
	}
	return data, was, nil
}

// openData opens datasets for what a run of a configuration reads and learns.
func openData(ctx context.Context, c run.Config, specs []loader.Spec, o loader.Options) (*loader.Data, error) {
	built, err := c.Build()
	if err == nil {
		o.Encoder = built.Encoder
		o.Targets, err = targets(c)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return loader.Open(ctx, specs, o)
}

func (t Train) warn(err error) {
	if t.Warn != nil {
		t.Warn(err)
	}
}

// compare warns if a run starts with weights that were trained for other targets.
func (t Train) compare(c run.Config, w *run.Weights) {
	for _, damaged := range w.Damaged {
		t.warn(fmt.Errorf("skipping %w", damaged))
	}
	type choice struct{ flag, have, mine string }
	choices := []choice{{"--value-target=", w.Config.ValueTarget, c.ValueTarget},
		{"--policy-target=", w.Config.PolicyTarget, c.PolicyTarget}}
	if r, err := recipe.ByName(c.Recipe); err == nil {
		have, mine := w.Config.Settings.Values(), c.Settings.Values()
		for _, name := range r.Learns {
			flag := "--set " + name + "="
			if name == "legal_mask" { // has a flag of its own
				flag = "--legal-mask="
			}
			choices = append(choices, choice{flag, have[name], mine[name]})
		}
	}
	for _, x := range choices {
		if x.mine != x.have {
			t.warn(fmt.Errorf("%q was trained with %s%s, and this run has %s: expect higher losses at first", w.Path,
				x.flag, x.have, x.mine))
		}
	}
}

// begin reports what is about to be trained.
func (t Train) begin(c run.Config, b *backend.Backend, w *run.Weights, data *loader.Data,
	survey *loader.Survey) error {
	for _, warning := range data.Derived() {
		t.warn(warning)
	}
	if len(survey.Val) == 0 {
		t.warn(fmt.Errorf("the val split (%s) has no usable samples: no validation",
			data.Sets[0].Manifest.Splits))
	}
	var policies, values int64
	for _, counts := range survey.Sets {
		policies, values = policies+counts.Policies, values+counts.Values
	}
	layout := data.Options.Encoder.Layout()
	if values == 0 && layout.Float(encode.ValueFloat) >= 0 {
		t.warn(fmt.Errorf("no train sample has a value for --value-target %s: the value head will not be trained",
			c.ValueTarget))
	}
	if policies == 0 && layout.Moves != encode.NoMoves {
		t.warn(errors.New("no train sample has a move to learn: the policy head will not be trained"))
	}
	if data.Options.Targets.Policy.Temperature > 0 && survey.Longest < 2 {
		t.warn(fmt.Errorf("no label has several moves, so policy target %s learns only the moves played; label with "+
			"--multipv", c.PolicyTarget))
	}
	s, err := startOf(c, b, w)
	if err != nil {
		return err
	}
	for i, counts := range survey.Sets {
		draws := float64(c.End()-c.Begin()) * float64(c.Batch) * counts.Share
		s.Sets = append(s.Sets, Set{data.Sets[i].Dir, counts, draws / float64(counts.Train)})
	}
	for i := range survey.Val {
		s.Val += int64(survey.Val[i].N)
	}
	if t.Begun != nil {
		t.Begun(s)
	}
	return nil
}
