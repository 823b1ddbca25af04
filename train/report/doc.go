// Package report lays out what is known of a training run: its curves, and how good its network is.
//
// [Run.Page] takes the configuration of a run, the lines of its metrics.jsonl and, once the network is evaluated, the
// figures. The page begins with the verdict on unseen positions and the identity of the run; then come the figures, the
// curves, calibration, accuracy by group, puzzles, the worst misses with boards, and the settings. [Eval.Text] is the
// evaluation alone, for a terminal. [Comparison.Page] compares several runs. The package starts no goroutines.
package report

import (
	"fmt"
	"path/filepath"
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
	evaluate.Report
	About
	Data    []string // folders
	Sum     string   // SHA-256 of the checkpoint; may be empty
	Results bool     // values are compared with results of games, not with labels
	At      time.Time
}

// MarshalJSON returns one object.
func (e Eval) MarshalJSON() ([]byte, error) { return evaluate.Members(e.Report, e.About) }

// About is what an evaluation has beside the figures.
type About struct {
	Puzzles    *evaluate.PuzzleReport `json:"puzzles,omitempty"`
	Run        string                 `json:"run"`
	Checkpoint string                 `json:"checkpoint"`
	Step       int64                  `json:"step"`
	Split      string                 `json:"split"`
	Backend    string                 `json:"backend"`
	Weights    string                 `json:"weights"`    // "raw" or "average"
	NoHistory  bool                   `json:"no_history"` // the network saw neither history nor repetitions
	// LegalMask reports that the network was trained with a softmax over the legal moves: what it says of others, and
	// so policy_ce and illegal_mass, means nothing.
	LegalMask bool            `json:"legal_mask"`
	Noise     *evaluate.Noise `json:"noise,omitempty"`
	// Candidates compares a network that chooses among candidates with what is known of them without it.
	Candidates *evaluate.CandidateReport `json:"candidates,omitempty"`
	// ValueTarget is what the values are compared with: "recipe", "tanh", "wdl" or "winprob".
	ValueTarget string `json:"value_target"`
	// PolicyTarget is what the moves are compared with, that of the run: "played" or "multipv:T".
	PolicyTarget string  `json:"policy_target"`
	Seconds      float64 `json:"seconds"`
	PerSecond    float64 `json:"positions_per_second"`
}

// note says how the evaluation was done.
func (e *Eval) note() string {
	text := e.Weights + " weights"
	if e.Capabilities.Value {
		text += ", values by the target " + e.ValueTarget
	}
	if e.NoHistory {
		text += ", shown without history"
	}
	return text
}

// Page returns the page of the run.
func (r Run) Page() (*table.Page, error) {
	p := &table.Page{Kind: "report", Title: r.Name, Intro: "A talbot run"}
	e := r.Eval
	if e != nil {
		p.Intro += fmt.Sprintf(", step %s, measured on %s of the %s split (%s)", humanize.Thousands(e.Step),
			humanize.Count(e.Count("samples"), "sample"), e.Split, e.note())
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
	lines := []string{fmt.Sprintf("%s, step %d, %s, on the %s split: %s in %.1f s", filepath.Base(e.Checkpoint),
		e.Step, e.note(), e.Split, humanize.Count(e.Count("samples"), "sample"), e.Seconds)}
	if e.LegalMask {
		lines = append(lines, "trained over the legal moves only: the network never learned which moves are illegal, "+
			"so figures over all moves are left out")
	}
	p := &table.Page{Lead: []table.Block{&table.Prose{Lines: lines}, e.verdicts(), e.tiles()}}
	e.addTo(p)
	return p.Text()
}
