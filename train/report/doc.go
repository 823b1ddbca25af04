// Package report lays out what is known of a training run: its curves, and how good its network is.
//
// [Run.Page] takes the configuration of a run, the lines of its metrics.jsonl and, once the network is evaluated, the
// figures. The page begins with the verdict on unseen positions and the identity of the run; then come the figures, the
// curves, calibration, accuracy by group, puzzles, the worst misses with boards, and the settings. [Eval.Text] is the
// evaluation alone, for a terminal. [Comparison.Page] compares several runs. The package starts no goroutines.
package report

import (
	"fmt"
	"time"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/network/run"
	"talbot/train"
)

// Run is what a page shows.
type Run struct {
	Name     string // of the run's folder
	Config   run.Config
	Settings []table.Fact // those of Config, and the data
	Backend  string       // what computed, and why; may be empty
	Lines    []train.MetricsLine
	Eval     *Eval  // nil before an evaluation
	Command  string // that evaluates

	Fingerprint string    // of settings and data: the same one is the same computation; may be empty
	Network     string    // its size, as [model.Network] writes it
	Parameters  int       // trainable; 0 = not known
	Among       string    // what its policy chooses among: "legal move" or "candidate"; "" = "move", of all
	Trained     time.Time // when the metrics were last written; zero = unknown
}

// Eval is an evaluation.
type Eval struct {
	Data       []string // folders
	Note       string   // on how it was done, as "shown without history"; may be empty
	Split      string
	Checkpoint string
	Step       int64
	Sum        string  // SHA-256 of the checkpoint; may be empty
	Seconds    float64 // that it took
	At         time.Time
	LegalMask  bool // trained over the legal moves: its figures of others mean nothing
	Results    bool // values are compared with results of games, not with labels
	evaluate.Report
	Puzzles *evaluate.PuzzleReport // nil without any
	// Candidates compares a network that chooses among candidates with simpler choices; nil for any other.
	Candidates *evaluate.CandidateReport
	Noise      *evaluate.Noise // nil if it is not known
}

// Page returns the page of the run.
func (r Run) Page() (*table.Page, error) {
	p := &table.Page{Kind: "report", Title: r.Name, Intro: "A talbot run"}
	e := r.Eval
	if e != nil {
		p.Intro += fmt.Sprintf(", step %s, measured on %s of the %s split", humanize.Thousands(e.Step),
			humanize.Count(e.Count("samples"), "sample"), e.Split)
		if e.Note != "" {
			p.Intro += " (" + e.Note + ")"
		}
		p.Intro += ". Ranges are 95 % bootstrap intervals over whole games"
	}
	p.Intro += ". Hover over a mark for its values."
	p.Lead = []table.Block{r.verdicts()}
	if e == nil {
		p.Lead = append(p.Lead, &table.Prose{Lines: []string{"The verdict, calibration, accuracy by group, puzzles " +
			"and the worst misses come with " + r.Command}})
	}
	p.Lead = append(p.Lead, &table.Facts{List: r.Brief()})
	if tiles := r.tiles(); len(tiles) > 0 {
		p.Add(table.Section{Title: "Figures", Blocks: []table.Block{tiles}})
	}
	r.addCurves(p)
	if e != nil {
		e.addTo(p)
		if err := e.addMisses(p); err != nil {
			return nil, err
		}
	}
	p.Add(table.Section{Title: "Settings", Blocks: []table.Block{&table.Facts{List: r.Settings}}})
	return p, nil
}

// addCurves adds the charts of the metrics.
func (r Run) addCurves(p *table.Page) {
	losses, others := Charts([]Run{r}, View{})
	if len(losses) == 0 {
		return
	}
	s := table.Section{Title: "Training", Layout: table.Grid, Note: "The figure next to a title is the last value."}
	for i, c := range losses {
		if i == 0 && c.Best != nil {
			s.Note += " The dashed line is the best checkpoint: the lowest validation loss."
		}
		if i == 0 && c.Smoothed {
			s.Note += " Train lines show the logged values (pale) and their moving average (strong)."
		}
		s.Add(c)
	}
	if r.Config.EMA > 0 {
		s.Note += " Val is measured with the averaged weights, train with those that learn."
	}
	s.Note += " Train is measured with dropout, val without."
	for _, c := range others {
		s.Add(c)
	}
	p.Add(s)
}

// Text returns the evaluation for a terminal.
func (e *Eval) Text() string {
	lines := []string{fmt.Sprintf("%s, step %d, %s, on the %s split: %s in %.1f s", e.Checkpoint, e.Step, e.Note,
		e.Split, humanize.Count(e.Count("samples"), "sample"), e.Seconds)}
	if e.LegalMask {
		lines = append(lines, "trained over the legal moves only: the network never learned which moves are illegal, "+
			"so figures over all moves are left out")
	}
	p := &table.Page{Lead: []table.Block{&table.Prose{Lines: lines}, e.verdicts(), e.tiles()}}
	e.addTo(p)
	return p.Text()
}
