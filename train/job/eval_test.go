package job

import (
	"context"
	"errors"
	"html"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/evaluate"
	"talbot/internal/testkit/traindata"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/shards"
	"talbot/train/loader"
)

// on returns a measurement on the backend go.
func on(split string, data ...loader.Spec) Measure {
	return Measure{Data: data, Split: split, Batch: 64, Backend: "go"}
}

// collect returns a function that keeps what is warned of.
func collect(warnings *[]string) func(error) {
	return func(err error) { *warnings = append(*warnings, err.Error()) }
}

func mustEval(t *testing.T, e Eval) Figures {
	t.Helper()
	f, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A run that keeps an average has two networks to evaluate, one that does not has one. What departs from the run's own
// evaluation has a page of its own.
func TestEvalWeights(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 60})
	averaged, plain := tiny(t, games), tiny(t, games)
	averaged.Adjust = func(c *run.Config) error { c.EMA, c.LR = 0.9, 0.02; return adjust(c) }
	mustTrain(t, averaged)
	mustTrain(t, plain)
	figures := map[string]Figures{}
	if _, err := ReadCard(averaged.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, weights := range []string{"", "raw", "average"} {
		e := Eval{Dir: averaged.Dir, Measure: on("all", games), Report: filepath.Join(t.TempDir(), ReportName)}
		e.Weights = weights
		if weights == "" { // the run's own page, and its card
			e.Report = filepath.Join(e.Dir, ReportName)
		}
		figures[weights] = mustEval(t, e)
		if name, want := e.ReportName(), map[string]string{"raw": "report-raw.html"}[weights]; name != want &&
			(want != "" || name != ReportName) {
			t.Errorf("weights %q are shown in %q", weights, name)
		}
	}
	if a, b := figures["average"], figures[""]; a.Weights != "average" || *a.Of("policy_ce") != *b.Of("policy_ce") ||
		*a.Of("value_mse") != *b.Of("value_mse") {
		t.Errorf("the average is not what is evaluated: %+v and %+v", a.Figures, b.Figures)
	}
	if a, b := figures["average"], figures["raw"]; b.Weights != "raw" || *a.Of("policy_ce") == *b.Of("policy_ce") {
		t.Errorf("the raw weights are the average: %+v", b.Figures)
	}
	card, err := ReadCard(averaged.Dir)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(averaged.Dir, ReportName))
	if err != nil {
		t.Fatal(err)
	}
	if f := figures[""]; card.Step != f.Step || card.Samples != f.Count("samples") || card.Split != "all" ||
		len(card.Verdicts) != 2 || len(card.Figures) == 0 || !strings.HasPrefix(card.Note, "average weights") {
		t.Errorf("%+v", card)
	}
	for _, v := range card.Verdicts {
		if !strings.Contains(html.UnescapeString(string(page)), v.Text) {
			t.Errorf("the page has no %q", v.Text)
		}
	}
	e := Eval{Dir: plain.Dir, Measure: on("test", games)}
	if f := mustEval(t, e); f.Weights != "raw" {
		t.Errorf("weights %q of a run without average", f.Weights)
	}
	for _, e.Weights = range []string{"average", "best"} {
		if _, err := e.Run(t.Context()); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", e.Weights, err)
		}
	}
}

// What the network says without the past is the same whether all samples or some are shown so.
func TestEvalWithAndWithoutHistory(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 60})
	job := tiny(t, games)
	mustTrain(t, job)
	// one batch
	e := Eval{Dir: job.Dir, Measure: on("test", games)}
	e.Samples, e.Batch = 200, 256
	with := mustEval(t, e)
	e.NoHistory = true
	without := mustEval(t, e)
	same := func(a, b evaluate.Figures) bool {
		return a.Count("samples") == b.Count("samples") && *a.Of("policy_ce") == *b.Of("policy_ce") &&
			*a.Of("value_mse") == *b.Of("value_mse") && *a.Of("top5") == *b.Of("top5")
	}
	if h := with.History; h == nil || !same(h.With, with.Figures) || !same(h.Without, without.Figures) ||
		same(h.With, h.Without) {
		t.Errorf("%+v", h)
	}
	if without.History != nil || !without.NoHistory || e.ReportName() != "report-no-history.html" {
		t.Errorf("%+v, %q", without.History, e.ReportName())
	}
}

// allWon are tables that know every position.
type allWon struct{ asked int }

func (a *allWon) Probe(context.Context, *board.Position) (dataset.Class, bool, error) {
	a.asked++
	return dataset.Won, true, nil
}

func TestEvalAsksTables(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 60})
	job := tiny(t, games)
	mustTrain(t, job)
	tables := &allWon{}
	e := Eval{Dir: job.Dir, Measure: on("test", games), Tables: tables}
	f := mustEval(t, e)
	// only mates win: all else is won for the other
	if g := f.Endgames; g == nil || g.Samples != f.Count("samples") || tables.asked < int(f.Count("samples")) ||
		*g.Moves.Kept > 0.2 {
		t.Errorf("%+v, asked %d times", g, tables.asked)
	}
	e.Tables = nil
	if f = mustEval(t, e); f.Endgames != nil {
		t.Errorf("endgames without tables: %+v", f.Endgames)
	}
}

// asAudit gives a made-up dataset the flags of an audit of the labels of Engine by those of OldEngine.
func asAudit(t *testing.T, dir string, flags ...dataset.Tag) {
	t.Helper()
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Flags = flags
	if err := dataset.WriteManifest(dir, m); err != nil {
		t.Fatal(err)
	}
}

// noise is the mean squared difference of both labels by the published formula, from the lines as they are.
func noise(t *testing.T, dir string) (mse float64, n int64) {
	t.Helper()
	d, err := shards.OpenDataset(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	tanh := func(l dataset.Label) float64 {
		cp, _ := l.Lines[0].Score.Centipawns()
		return math.Tanh(float64(max(-1500, min(1500, cp))) / 350)
	}
	for line, err := range d.Lines() {
		if err != nil {
			t.Fatal(err)
		}
		if len(line.Labels) < 2 {
			continue
		}
		for k := range line.Labels[0].Labels {
			if a, b := line.Labels[0].Labels[k], line.Labels[1].Labels[k]; a.Status == dataset.Labelled &&
				b.Status == dataset.Labelled {
				mse, n = mse+(tanh(a)-tanh(b))*(tanh(a)-tanh(b)), n+1
			}
		}
	}
	return mse / float64(n), n
}

func TestEvalAgainstAnAudit(t *testing.T) {
	games, audit := write(t, traindata.Dataset{Seed: 1, Games: 80}), write(t,
		traindata.Dataset{Seed: 2, Games: 80, NoChances: true})
	job := tiny(t, games)
	job.Steps = 3
	mustTrain(t, job)
	limit := dataset.Tag{Name: "limit", Value: traindata.OldEngine.Limit}
	asAudit(t, audit.Dir, dataset.Tag{Name: "audited", Value: traindata.Engine.ID()}, limit)
	e := Eval{Dir: job.Dir, Measure: on("all", games), Audit: audit.Dir}
	f := mustEval(t, e)
	mse, count := noise(t, audit.Dir)
	n := f.Noise
	if n == nil || n.Compared != count || math.Abs(n.MSE-mse) > 1e-6 || n.Interval[0] >= mse || n.Interval[1] <= mse ||
		n.Truth != limit.Value || n.Fingerprint != traindata.Engine.ID() {
		t.Fatalf("%+v, want %g over %d", n, mse, count)
	}
	if n.Samples == 0 || n.Samples >= f.Count("value_samples") || n.ValueMSE == nil {
		// the others are of the older engine
		t.Errorf("%d of %d values are by audited labels: %+v", n.Samples, f.Count("value_samples"), n)
	}
	e.Label = traindata.Engine.ID()
	if one := mustEval(t, e); one.Noise.Samples != one.Count("value_samples") ||
		*one.Noise.ValueMSE != *one.Of("value_mse") ||
		one.Noise.Samples != n.Samples {
		t.Errorf("with that label alone: %+v, %+v", one.Noise, one.Figures)
	}
	refuse := func(name, want string) {
		t.Helper()
		if _, err := e.Run(t.Context()); !errors.Is(err, dataset.ErrNoAudit) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), filepath.Base(e.Audit)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.Label = traindata.OldEngine.ID()
	refuse("other labels", "Made-up 1, nodes 2")
	e.Label, e.Audit = "", games.Dir
	refuse("no audit", "did not write it")
	e.Audit = audit.Dir
	wdl, err := encode.ParseValueTarget("wdl")
	if err != nil {
		t.Fatal(err)
	}
	e.Value = &wdl
	refuse("no chances", "none has a value for --value-target wdl")
	asAudit(t, audit.Dir, dataset.Tag{Name: "audited", Value: "0123456789abcdef"}, limit)
	e.Value = nil
	refuse("unknown fingerprint", "did not write it")
	e.Audit = filepath.Join(t.TempDir(), "none")
	if _, err := e.Run(t.Context()); !errors.Is(err, dataset.ErrNoDataset) {
		t.Errorf("no folder: %v", err)
	}
}

// A network of every recipe is trained and evaluated, has the figures of what it knows, and has a page.
func TestEvalOfEveryRecipe(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 70, Candidates: true,
		Splits: dataset.Splits{Train: 80, Val: 10, Test: 10}})
	for _, r := range recipe.All() {
		t.Run(r.Name, func(t *testing.T) {
			job := tiny(t, games)
			job.Recipe, job.Steps = r.Name, 2
			job.Adjust = func(c *run.Config) error {
				c.Batch = 16
				small(c, 1)
				return nil
			}
			mustTrain(t, job)
			page := filepath.Join(t.TempDir(), "page.html")
			e := Eval{Dir: job.Dir, Measure: on("test", games), Report: page}
			f := mustEval(t, e)
			if f.Count("samples") == 0 || f.Unseen.Count("samples") == 0 {
				t.Errorf("%+v", f.Report.Figures)
			}
			for _, m := range evaluate.Measures() {
				x, ok := f.Report.Figures[m.Name]
				if has := f.Capabilities.Has(m.Needs); !m.Apart && !m.Rare && m.Kind != evaluate.Count && ok != has &&
					m.Name != "mate_in_one" && m.Name != "chances_ce" || ok && math.IsNaN(x) {
					t.Errorf("%s: %v, %g", m.Name, ok, x)
				}
			}
			if r.Name == "napoleon" && (f.Capabilities.Prior || !f.Capabilities.Probability || len(f.Misses) > 0) {
				t.Errorf("knows %+v, %d misses", f.Capabilities, len(f.Misses))
			}
			layout := build(t, r).Encoder.Layout()
			if (f.History != nil) != (layout.NoHistory != nil) || (f.Symmetry != nil) != (layout.OtherColour != nil) {
				t.Errorf("history %+v, symmetry %+v", f.History, f.Symmetry)
			}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for head, has := range map[string]bool{"Policy, on unseen": f.Capabilities.Prior,
				"Value, on unseen": f.Capabilities.Value,
				"first move":       f.Capabilities.Prior, "value error": f.Capabilities.Value} {
				if strings.Contains(string(text), head) != has {
					t.Errorf("the page says %q, or lacks it: %v", head, has)
				}
			}
			if e.NoHistory = true; layout.NoHistory == nil {
				if _, err := e.Run(t.Context()); !errors.Is(err, evaluate.ErrNoHistory) {
					t.Errorf("a past that is not there is hidden: %v", err)
				}
			}
		})
	}
}

func build(t *testing.T, r *recipe.Recipe) recipe.Built {
	t.Helper()
	built, err := r.Build("")
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// When a part of a run's own data is gone, no position is called unseen.
func TestEvalWithoutPartOfItsData(t *testing.T) {
	kept, gone := write(t, traindata.Dataset{Seed: 1, Games: 120}), write(t, traindata.Dataset{Seed: 2, Games: 40})
	run := tiny(t, kept, gone)
	mustTrain(t, run)
	var warnings []string
	e := Eval{Dir: run.Dir, Measure: on("test", kept)}
	e.Warn = collect(&warnings)
	if f := mustEval(t, e); f.Report.Unseen == nil || len(warnings) > 0 {
		t.Fatalf("%v, %q", f.Report.Unseen, warnings)
	}
	if err := os.Rename(gone.Dir, gone.Dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	if f := mustEval(t, e); f.Report.Unseen != nil || len(warnings) != 1 ||
		!strings.Contains(warnings[0], "cannot tell which positions are unseen") {
		t.Errorf("%v, %q", f.Report.Unseen, warnings)
	}
}

// Baselines are fitted on the train split, whichever is evaluated, and the style of a fine-tuned network stands beside
// that of the checkpoint it began with, while that is what it was.
func TestEvalBaselinesAndStyle(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 120})
	first := tiny(t, games)
	mustTrain(t, first)
	tuned := tiny(t, games)
	tuned.From = first.Dir
	mustTrain(t, tuned)
	var warnings []string
	e := Eval{Dir: tuned.Dir, Measure: on("test", games), Style: true,
		Report: filepath.Join(t.TempDir(), "page.html")}
	e.Warn = collect(&warnings)
	f := mustEval(t, e)
	if len(warnings) > 0 || f.Simple == nil || f.Simple.Policy == nil || f.Simple.Value == nil {
		t.Fatalf("%q, %+v", warnings, f.Simple)
	}
	if f.Of("value_mse_material") == nil || f.Of("policy_ce_moves") == nil || f.Of("top1_moves") == nil {
		t.Errorf("%v", f.Report.Figures)
	}
	train := e
	train.Split, train.Style, train.Report = "train", false, ""
	if g := mustEval(t, train); *g.Simple.Value != *f.Simple.Value ||
		g.Simple.Policy.Samples != f.Simple.Policy.Samples ||
		g.Style != nil || g.Simple.Policy.Samples != g.Count("policy_samples") {
		t.Errorf("%+v, %+v", g.Simple, f.Simple)
	}
	s := f.Style
	if s == nil || s.Samples != f.Count("policy_samples") || s.Checks.Before == nil || s.Checks.AboveBefore == nil ||
		!strings.HasPrefix(s.Before, first.Dir) {
		t.Fatalf("%+v", s)
	}
	if page, err := os.ReadFile(e.Report); err != nil || !strings.Contains(string(page), "before fine-tuning") ||
		!strings.Contains(string(page), "material alone") {
		t.Errorf("the page shows no style or no baseline, %v", err)
	}
	if err := os.Remove(s.Before); err != nil {
		t.Fatal(err)
	}
	if f := mustEval(t, e); f.Style == nil || f.Style.Before != "" || f.Style.Checks.Before != nil ||
		len(warnings) != 2 || !strings.Contains(warnings[0], "no style before fine-tuning") ||
		!strings.Contains(warnings[1], "cannot tell of all positions whether they are unseen") {
		t.Errorf("%+v, %q", f.Style, warnings)
	}
}
