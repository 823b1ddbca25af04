package studio

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/network/checkpoint"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/report"
)

// runPage is the page of a run.
type runPage struct {
	pageOf
	View    runView
	Tiles   table.Tiles // of the last validation
	Brief   []table.Fact
	Left    string // how long it will be trained; "" = not known
	Losses  []report.Chart
	Others  []report.Chart
	Names   []string           // of the runs that are drawn
	Table   []report.Differing // settings: those that differ, or all of one run
	Same    int                // settings that do not differ
	Card    *report.Card       // of the last evaluation; nil without any
	Misses  []report.Miss      // its
	Saved   []savedWeights     // checkpoints, the newest first
	Runs    []*folder          // the others, which can be drawn too
	drawn   []*folder          // the runs that are drawn
	reports []report.Run       // theirs
}

// savedWeights is a checkpoint.
type savedWeights struct {
	Name string
	Step int64
	Best bool
	Size string
	When string
}

// runView has the choices of the address for drawing curves.
type runView struct {
	Axis, Scale, Smooth string
	With                []string // keys of the other runs
}

// Bounds of what is drawn.
const (
	maxOverlaid = 8
	maxMetrics  = 64 << 20 // bytes of a metrics.jsonl
)

func readView(r *http.Request) runView {
	v := runView{Axis: oneOf("axis", r.FormValue("axis")), Scale: oneOf("scale", r.FormValue("scale")),
		Smooth: oneOf("smooth", r.FormValue("smooth"))}
	for _, key := range r.Form["with"] {
		if len(v.With) < maxOverlaid-1 && !slices.Contains(v.With, key) {
			v.With = append(v.With, key)
		}
	}
	return v
}

// Draws reports whether the run of a key is drawn, too.
func (v runView) Draws(key string) bool { return slices.Contains(v.With, key) }

// view returns the choices for the report's charts.
func (v runView) view() report.View {
	return report.View{
		Axis:   map[string]report.Axis{"samples": report.BySamples, "time": report.ByTime}[v.Axis],
		Log:    v.Scale == "log",
		Smooth: map[string]chart.Smooth{"none": chart.SmoothNone, "more": chart.SmoothMore}[v.Smooth],
		Values: true}
}

// chooseRuns says which runs are drawn, and in which version.
func (s *Server) chooseRuns(f *folder, r *http.Request) *runPage {
	p := &runPage{pageOf: pageOf{folder: f}, View: readView(r), drawn: []*folder{f}}
	for _, other := range s.library.look() {
		if other.Kind != aRun || other.Key == f.Key || other.Problem != "" {
			continue
		}
		p.Runs = append(p.Runs, other)
		if p.View.Draws(other.Key) {
			p.drawn = append(p.drawn, other)
		}
	}
	var version strings.Builder
	for _, one := range p.drawn {
		fmt.Fprintf(&version, "%.6x%t", sha256.Sum256([]byte(one.stamp)), one.AtWork)
	}
	p.Version = version.String() + strconv.Itoa(len(p.Runs))
	return p
}

// fillRun reads the files of the runs and draws them.
func (s *Server) fillRun(p *runPage) {
	if p.Problem != "" {
		p.Notice = p.Problem
		return
	}
	var configs []run.Config
	var paths []string
	for _, f := range p.drawn {
		one, err := readRun(f)
		if err != nil {
			p.Notice = f.within(err)
			if f == p.folder {
				return
			}
			continue
		}
		one.Name = f.Name
		p.reports, p.Names = append(p.reports, one), append(p.Names, f.Name)
		configs, paths = append(configs, f.Config), append(paths, f.Path)
	}
	p.Losses, p.Others = report.Charts(p.reports, p.View.view())
	own := p.reports[0]
	p.Tiles, p.Brief = own.Card().Figures, own.Brief()
	p.Left = left(own.Lines, own.Config, p.AtWork)
	p.Saved = checkpointsOf(p.folder)
	if err := p.settings(paths, configs); err != nil {
		p.Notice = p.within(err)
	}
	var err error
	if p.Card, err = job.ReadCard(p.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Notice = p.within(err)
	}
	if p.Card == nil {
		return
	}
	for i := range p.Card.Misses {
		m, err := report.NewMiss(&p.Card.Misses[i])
		if err != nil {
			p.Notice = p.within(fmt.Errorf("%s: %w", job.CardName, err))
			break
		}
		p.Misses = append(p.Misses, m)
	}
}

// readRun reads what the page of a run shows.
func readRun(f *folder) (report.Run, error) {
	if err := f.drawable(); err != nil {
		return report.Run{}, err
	}
	return job.ReportOf(f.Path, f.Config, nil)
}

// drawable is the error of a run with too many lines to be drawn.
func (f *folder) drawable() error {
	info, err := f.root.Stat(filepath.Join(f.below, run.MetricsName))
	if err == nil && info.Size() > maxMetrics { // an error: there are none yet
		return fmt.Errorf("%s has %d MB, too much to be drawn", run.MetricsName, info.Size()>>20)
	}
	return nil
}

// settings lays out the settings of the runs.
func (p *runPage) settings(paths []string, configs []run.Config) error {
	list, err := job.Settings(paths, configs)
	for _, d := range list {
		differ := slices.ContainsFunc(d.Values, func(v string) bool { return v != d.Values[0] })
		if differ || len(paths) == 1 {
			p.Table = append(p.Table, d)
		} else {
			p.Same++
		}
	}
	return err
}

// left says how long a run will go on by the speed of its last line.
func left(lines []train.MetricsLine, c run.Config, working bool) string {
	if !working {
		return ""
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if l := &lines[i]; l.PositionsPerSecond > 0 {
			steps := float64(c.End() - lines[len(lines)-1].Step)
			seconds := max(steps, 0) * float64(c.Batch) / l.PositionsPerSecond
			return "about " + humanize.About(time.Duration(min(seconds, 1e9))*time.Second)
		}
	}
	return ""
}

// checkpointsOf lists the checkpoints of a run, the newest first.
func checkpointsOf(f *folder) (list []savedWeights) {
	d, err := f.root.Open(filepath.Join(f.below, run.CheckpointsName))
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, err := d.Readdir(maxListed)
	if err != nil {
		return nil
	}
	var best os.FileInfo
	for _, e := range entries {
		if e.Name() == checkpoint.Best {
			best = e
		}
	}
	for _, e := range entries {
		var step int64
		_, err := fmt.Sscanf(e.Name(), "step-%d", &step)
		if err != nil || e.Name() != checkpoint.Name(step) || !e.Mode().IsRegular() {
			continue
		}
		list = append(list, savedWeights{Name: e.Name(), Step: step, Best: best != nil && os.SameFile(best, e),
			Size: humanize.Size(float64(e.Size())), When: e.ModTime().UTC().Format("2006-01-02 15:04 UTC")})
	}
	slices.SortFunc(list, func(a, b savedWeights) int { return int(b.Step - a.Step) })
	return list
}

// Curve is the address of a curve's values.
func (p *runPage) Curve(name string) string {
	q := url.Values{"curve": {name}}
	for _, f := range p.drawn[1:] {
		q.Add("with", f.Key)
	}
	return "/run/" + p.Key + "/curve.csv?" + q.Encode()
}

// curveCSV answers with the values of a curve of the runs that are drawn: each line that has one.
func (s *Server) curveCSV(f *folder, w http.ResponseWriter, r *http.Request) error {
	name := r.FormValue("curve")
	p := s.chooseRuns(f, r)
	rows := [][]string{{"run", "kind", "step", "samples", "hours", "value"}}
	for _, f := range p.drawn {
		one, err := readRun(f)
		if err != nil {
			return errors.New(f.within(err))
		}
		hours := train.Hours(one.Lines)
		for i := range one.Lines {
			l := &one.Lines[i]
			if value := valueOf(l, name); value != nil {
				rows = append(rows, []string{cellText(f.Name), l.Kind, strconv.FormatInt(l.Step, 10),
					strconv.FormatInt(l.Step*int64(one.Config.Batch), 10), fmt.Sprintf("%.6g", hours[i]),
					strconv.FormatFloat(*value, 'g', -1, 64)})
			}
		}
	}
	if len(rows) == 1 {
		return missing("There is no such curve.")
	}
	var text bytes.Buffer
	_ = csv.NewWriter(&text).WriteAll(rows) // memory takes it
	return save(w, "text/csv; charset=utf-8", "curve.csv", &text)
}

// cellText is a name that no program for tables takes for a formula.
func cellText(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "=+-@\t\r") {
		return "'" + name
	}
	return name
}

// valueOf returns the figure of a line by the name of its chart.
func valueOf(l *train.MetricsLine, name string) *float64 {
	training := map[string]*float64{"lr": &l.LR, "grad_norm": &l.GradNorm,
		"positions_per_second": &l.PositionsPerSecond, "loader_wait": &l.LoaderWait}
	if value, ok := training[name]; ok {
		if l.Kind != "train" {
			return nil
		}
		return value
	}
	if name == "loss" {
		return &l.Loss
	}
	return l.Of(name)
}
