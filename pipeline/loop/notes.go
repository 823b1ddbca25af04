package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
)

// Generation is what is known of a generation. What a command said is nil where it was not asked for, or where the
// process ended between the command's end and its note.
type Generation struct {
	Number int
	Games  *Survey // nil of generation 0
	Play   *Play
	Train  *Training
	Tables *Measures
	Gate   *GateResult
}

// Play is what selfplay said, of the process that ended it.
type Play struct {
	Seconds        float64 `json:"seconds"`
	BatchFill      float64 `json:"batch_fill"`
	NetworkShare   float64 `json:"network_share"`
	GamesPerSecond float64 `json:"games_per_second"`
}

// Training is what train said.
type Training struct {
	Steps   int64   `json:"steps"`
	Samples int64   `json:"samples"`
	Seconds float64 `json:"seconds"`
}

// Measures are figures of eval.
type Measures struct {
	Correlation *float64 `json:"value_correlation"`
	Sign        *float64 `json:"value_sign_accuracy"`
	Top1        *float64 `json:"top1"`
	LegalFirst  *float64 `json:"legal_first"` // of networks that have to learn which moves are legal
}

// GateResult is how a network did in its matches.
type GateResult struct {
	Accepted bool   `json:"accepted"`
	Last     *Match `json:"last"`  // with the network that played the games
	First    *Match `json:"first"` // with the first one; nil: not played
}

// Match is what match said. Figures that the games do not give are nil.
type Match struct {
	Against int      `json:"against"` // generation
	Wins    int      `json:"wins"`
	Draws   int      `json:"draws"`
	Losses  int      `json:"losses"`
	Score   *float64 `json:"score"`
	Elo     *float64 `json:"elo"`
	EloLow  *float64 `json:"elo_low"`
	EloHigh *float64 `json:"elo_high"`
}

// history is what is known of the generations up to the last one that has notes.
func (l *Loop) history(notes []note) (history []Generation, err error) {
	for n := range notes[len(notes)-1].Generation + 1 {
		g := Generation{Number: n}
		if n > 0 {
			if g.Games, err = l.surveyed(n); err != nil {
				return nil, err
			}
		}
		history = append(history, g)
	}
	for _, n := range notes {
		g := &history[n.Generation]
		into, shown := map[Step]any{StepGames: &g.Play, StepTrain: &g.Train, StepMeasure: &g.Tables,
			StepGate: &g.Gate}[n.Step]
		if shown && n.Result != nil {
			if err := json.Unmarshal(n.Result, into); err != nil {
				return nil, l.damaged(n, err)
			}
		}
	}
	return history, nil
}

// surveyed is the survey of a generation's games, which is kept beside them.
func (l *Loop) surveyed(generation int) (*Survey, error) {
	n := note{Generation: generation, Step: survey}
	var known *Survey
	if l.read(&n) == nil && n.Result != nil && json.Unmarshal(n.Result, &known) == nil {
		return known, nil
	}
	found, err := SurveyGames(l.Games(generation))
	if err != nil {
		return nil, err
	}
	if n.Result, err = json.Marshal(found); err != nil {
		return nil, err
	}
	return &found, l.write(n)
}

// survey names the note of a survey, which is no step.
const survey Step = "survey"

// note is what is kept of a step that is done, in a file of its name beside what the step made.
type note struct {
	Version    int  `json:"version"`
	Generation int  `json:"-"`
	Step       Step `json:"-"`
	Best       int  `json:"best"` // the generation whose network plays from here on
	// Used are the settings that the step used, and the content of what they name.
	Used   output.Facts    `json:"used"`
	Result json.RawMessage `json:"result"` // of its command; null: it had ended before
}

const (
	noteVersion = 1
	longestNote = 64 << 20
)

// notes reads those of all steps, by generation and in the order of the steps.
func (l *Loop) notes() (all []note, err error) {
	folders, err := os.ReadDir(l.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range folders {
		g := 0
		if _, err := fmt.Sscanf(f.Name(), "gen-%d", &g); err != nil || filepath.Base(l.generation(g, "")) != f.Name() {
			continue
		}
		for _, step := range steps {
			n := note{Generation: g, Step: step}
			if err := l.read(&n); err != nil {
				return nil, err
			}
			if n.Version > 0 {
				all = append(all, n)
			}
		}
	}
	return all, nil
}

// read reads a note; its version stays 0 if there is none.
func (l *Loop) read(n *note) error {
	if err := durable.ReadSealed(l.path(*n), longestNote, noteVersion, n); err != nil {
		return l.damaged(*n, err)
	}
	return nil
}

// damaged returns the error for a note that cannot be read.
func (l *Loop) damaged(n note, err error) error {
	if errors.Is(err, durable.ErrVersion) {
		return fmt.Errorf("%q: %w: %w", l.path(n), dataset.ErrVersion, err)
	}
	return fault.With(fmt.Errorf("%q is damaged: %w", l.path(n), err), fault.ExitDamaged,
		"remove it and repeat the command: the step is done again, or taken as it is where it is whole")
}

// write keeps a note.
func (l *Loop) write(n note) error {
	path := l.path(n)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil { // no step has made it where a network was given
		return err
	}
	n.Version = noteVersion
	return durable.WriteSealed(path, n)
}

func (l *Loop) path(n note) string { return l.generation(n.Generation, string(n.Step)+".json") }
