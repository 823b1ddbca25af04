package job

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"talbot/internal/durable"
	"talbot/train"
	"talbot/train/loader"
	"talbot/train/report"
)

// ReportName is the file of a run's folder that shows what it learned. Training writes it with the curves, an
// evaluation with all.
const ReportName = "report.html"

// ReportName is the file of a run's folder that the page of the evaluation is written to unless another is named: what
// shows another network, or less to it, does not replace the page.
func (e Eval) ReportName() string {
	name := strings.TrimSuffix(ReportName, ".html")
	if e.NoHistory {
		name += "-no-history"
	}
	if e.Weights == "raw" {
		name += "-raw"
	}
	return name + ".html"
}

// writeReport writes the page of the run in dir; e is nil without an evaluation. What the run is trained on is left out
// where the folder does not tell. warn is told of metrics that are not whole.
func writeReport(path, dir string, c train.Config, facts []report.Fact, e *report.Eval, warn func(error)) error {
	lines, err := train.ReadMetrics(dir, warn)
	if err != nil {
		return err
	}
	name := dir
	if abs, err := filepath.Abs(dir); err == nil {
		name = abs
	}
	r := report.Run{Name: filepath.Base(name), Config: c, Facts: facts, Lines: lines, Eval: e,
		Command: fmt.Sprintf("talbot eval --run %s --data DIR", dir)}
	id, err := loader.ReadIdentity(dir)
	if err != nil && !errors.Is(err, loader.ErrNoIdentity) {
		return err
	}
	for _, s := range id.Sets {
		r.Data = append(r.Data, report.Dataset{Dir: s.Dir, Manifest: s.Manifest, Weight: s.Weight})
	}
	var page bytes.Buffer
	if err := report.Write(&page, r); err != nil {
		return err
	}
	return durable.WriteFile(path, page.Bytes())
}

// report is the evaluation as the page shows it.
func (f *Figures) report(e Eval) *report.Eval {
	r := &report.Eval{Split: f.Split, Checkpoint: filepath.Base(f.Checkpoint), Step: f.Step, Report: f.Report,
		Puzzles: f.Puzzles, Noise: f.Noise}
	for _, s := range e.Data {
		r.Data = append(r.Data, s.Dir)
	}
	r.Note = f.Weights + " weights, values by the target " + f.ValueTarget
	if e.NoHistory {
		r.Note += ", shown without history"
	}
	return r
}
