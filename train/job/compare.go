package job

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"talbot/encode"
	"talbot/evaluate"
	"talbot/internal/output"
	"talbot/network/backend"
	"talbot/network/builtin"
	"talbot/network/model"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train/loader"
	"talbot/train/report"
)

// Compare compares the networks of several runs on the same samples.
type Compare struct {
	Measure
	// Settings are the runs of each setting: folders, checkpoints, exported networks, or [builtin.Name]. The others are
	// compared with the first.
	Settings [][]string
	Policy   *encode.PolicyTarget // nil = of each run what it was trained on
	Page     string               // file of the page that shows it all; "" = none
}

// Compared is what a comparison found.
type Compared = report.Comparison

// comparison is a comparison in progress.
type comparison struct {
	Compare
	result   *Compared
	networks []*predict.Predictor // in the order of the runs
	list     []evaluate.Entry
	readers  []reader
	trained  []loader.Spec // what the networks were trained on, as far as it is known
	known    bool          // of any of them
}

// reader is an encoding with its targets, that several networks may have in common.
type reader struct {
	encoder encode.Encoder
	targets encode.Targets
	data    *loader.Data
}

// Run compares. Errors are those of [Eval.Run]; a file that could not be written is [ErrIncomplete].
func (c Compare) Run(ctx context.Context) (*Compared, error) {
	begun := time.Now()
	total := int64(0)
	choose, err := c.options(&total)
	if err != nil {
		return nil, err
	}
	t := &comparison{Compare: c, result: &Compared{Split: c.Split, Differing: []report.Differing{},
		Unknown: []report.Unknown{}, Notes: []string{}}}
	for _, s := range c.Data {
		t.result.Data = append(t.result.Data, s.Dir)
	}
	if c.Value != nil {
		t.result.ValueTarget = c.Value.String()
	}
	if c.Policy != nil {
		t.result.PolicyTarget = c.Policy.String()
	}
	b, err := backend.OpenForInference(c.Backend)
	if err != nil {
		return nil, err
	}
	defer b.Finalize()
	t.result.Backend = b.Kind
	defer func() {
		for _, p := range t.networks {
			p.Close()
		}
	}()
	if err := t.open(b); err != nil {
		return nil, err
	}
	defer func() {
		for _, r := range t.readers {
			if r.data != nil {
				r.data.Close()
			}
		}
	}()
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	if err := t.describe(); err != nil {
		return nil, err
	}
	if c.Begun != nil {
		c.Begun(b.Why)
	}
	if t.known {
		choose.TrainedOn = t.trained
	}
	if err := t.measure(ctx, choose, &total); err != nil {
		return nil, err
	}
	t.result.Seconds = time.Since(begun).Seconds()
	if c.Page != "" {
		if err := output.WritePage(c.Page, t.result.Page()); err != nil {
			return t.result, fmt.Errorf("%w: page: %w", ErrIncomplete, err)
		}
	}
	return t.result, nil
}

// note is a warning that the result keeps.
func (t *comparison) note(err error) {
	t.result.Notes = append(t.result.Notes, err.Error())
	t.warn(err)
}

// open loads the networks.
func (t *comparison) open(b *backend.Backend) error {
	names := map[string]int{}
	for k, runs := range t.Settings {
		s := report.Setting{}
		sums := map[string]string{}
		for _, path := range runs {
			one := report.Compared{Run: path, Setting: k, Name: nameOf(path)}
			if names[one.Name]++; names[one.Name] > 1 {
				one.Name = fmt.Sprintf("%s (%d)", one.Name, names[one.Name])
			}
			p, err := t.load(b, path, &one)
			if err != nil {
				return err
			}
			t.networks = append(t.networks, p)
			if before, ok := sums[p.Sum]; ok {
				return fmt.Errorf("%w: %q and %q are the same network: twice in one setting it would look as if seeds "+
					"made no difference", ErrConfig, before, path)
			}
			sums[p.Sum] = path
			s.Runs = append(s.Runs, len(t.result.Runs))
			t.result.Runs = append(t.result.Runs, one)
		}
		t.result.Settings = append(t.result.Settings, s)
	}
	for k := range t.result.Settings {
		var all []string
		for _, i := range t.result.Settings[k].Runs {
			all = append(all, t.result.Runs[i].Name)
		}
		t.result.Settings[k].Name = strings.Join(all, ",")
	}
	return nil
}

// nameOf returns the name of a run: its folder, or its file with the run's folder before it.
func nameOf(path string) string {
	if path == builtin.Name {
		return strings.TrimSuffix(path, ":") // as matches name it
	}
	full := path
	if abs, err := filepath.Abs(path); err == nil {
		full = abs
	}
	if run.IsFile(path) && run.IsRun(runOf(full)) {
		return filepath.Base(runOf(full)) + "/" + filepath.Base(full)
	}
	return filepath.Base(full)
}

// load loads the network of a run and its place among the readers.
func (t *comparison) load(b *backend.Backend, path string, one *report.Compared) (*predict.Predictor, error) {
	p, weights, err := t.network(b, path)
	if err != nil {
		return nil, err
	}
	c := p.Config
	if _, last := run.Checkpoints(path).Last(); last >= 0 && last < c.End() && !strings.Contains(c.Schedule, "stop=") {
		t.note(fmt.Errorf("the training of %s is not finished: it is at step %d of %d", one.Name, last, c.End()))
	}
	learnt, err := targets(p.Config)
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("%q: %w: %w", p.Path, run.ErrDamaged, err)
	}
	held := learnt
	if t.Value != nil {
		held.Value = *t.Value
	}
	if t.Policy != nil {
		held.Policy = *t.Policy
	}
	if p.Exported {
		weights = "exported"
	}
	one.Checkpoint, one.Step, one.Recipe, one.Weights = p.Path, p.Step, p.Config.Recipe, weights
	one.Network, one.Parameters = p.Network().String(), model.CountTrainable(p.Network().Params())
	reads := slices.IndexFunc(t.readers, func(r reader) bool {
		return r.targets == held && reflect.DeepEqual(r.encoder, p.Encoder())
	})
	if reads < 0 {
		reads = len(t.readers)
		t.readers = append(t.readers, reader{encoder: p.Encoder(), targets: held})
	}
	t.list = append(t.list, evaluate.Entry{Name: one.Name, Network: p, Setting: one.Setting, Reader: reads,
		Layout:               p.Encoder().Layout(),
		PredictedProbability: learnt.Value.WinProbability(p.Encoder()),
		LabelProbability:     held.Value.WinProbability(p.Encoder()),
		Values:               learnt.Value.Formula(p.Encoder()) + " | " + held.Value.Formula(p.Encoder()),
		Moves:                held.Policy.String(), LegalMask: p.Config.LegalMask()})
	return p, nil
}

// read opens the data for each reader, and finds what the networks were trained on.
func (t *comparison) read(ctx context.Context) error {
	for i := range t.readers {
		r := &t.readers[i]
		var err error
		if r.data, err = t.Measure.read(ctx, r.encoder, r.targets); err != nil {
			return err
		}
	}
	for _, warning := range t.readers[0].data.Derived() {
		t.warn(warning)
	}
	have := t.readers[0].data.Sets[0].Manifest.Splits.String()
	for i, p := range t.networks {
		one := &t.result.Runs[i]
		specs, splits, err := trainedOn(one.Run, p.Path, p.Config.From, t.Data, t.warn)
		if err != nil {
			t.result.Unknown = append(t.result.Unknown, report.Unknown{Run: one.Name, Reason: err.Error()})
			t.warn(fmt.Errorf("cannot tell which positions are unseen to %s: %w", one.Name, err))
		} else {
			t.known = true
		}
		for _, s := range specs {
			if !slices.ContainsFunc(t.trained, func(o loader.Spec) bool { return samePath(o.Dir, s.Dir) }) {
				t.trained = append(t.trained, s)
			}
		}
		if t.Split != "all" && slices.ContainsFunc(splits, func(s string) bool { return s != have }) {
			t.note(fmt.Errorf("%s was trained on data split %s, and %q is split %s: of all positions of the %s split "+
				"it may have been trained on many; only the unseen ones are a fair comparison", one.Name,
				strings.Join(splits, " and "), t.Data[0].Dir, have, t.Split))
		}
	}
	return nil
}

func samePath(a, b string) bool {
	x, err := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && x == y
}

// measure runs the samples through the networks.
func (t *comparison) measure(ctx context.Context, choose loader.EvalOptions, total *int64) error {
	var data []*loader.Data
	for _, r := range t.readers {
		data = append(data, r.data)
	}
	samples := counted(loader.Paired(ctx, data, choose), "comparing", total, t.Progress)
	found, err := evaluate.ComparePaired(ctx, t.list, samples, t.Batch, t.known)
	if err != nil {
		return err
	}
	first := found.Networks[0]
	t.result.Comparison, t.result.Samples = found, first.Figures.Count("samples")
	if t.known {
		t.result.Unseen = new(first.Unseen.Count("samples"))
	}
	for i := range t.result.Runs {
		t.result.Runs[i].EntryResult = found.Networks[i]
	}
	return nil
}

// describe finds the settings that the runs do not have alike.
func (t *comparison) describe() error {
	all := make([]output.Facts, len(t.networks))
	for i, p := range t.networks {
		var err error
		if all[i], err = settings(t.result.Runs[i].Run, p.Config, p.Exported); err != nil {
			return err
		}
	}
	for _, d := range align(all) {
		if slices.ContainsFunc(d.Values, func(v string) bool { return v != d.Values[0] }) {
			t.result.Differing = append(t.result.Differing, d)
		}
	}
	for _, s := range t.result.Settings {
		var mixed []string
		for _, d := range t.result.Differing {
			if d.Name != "seed" && slices.ContainsFunc(s.Runs, func(i int) bool {
				return d.Values[i] != d.Values[s.Runs[0]]
			}) {
				mixed = append(mixed, d.Name)
			}
		}
		if len(mixed) > 0 {
			t.note(fmt.Errorf("the runs of %s differ in more than their seeds: %s", s.Name, strings.Join(mixed, ", ")))
		}
	}
	return nil
}
