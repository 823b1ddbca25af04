package loop

import (
	"encoding/json"
	"os"
	"path/filepath"

	"talbot/internal/durable"
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

// history reads what is known of the generations up to a given one.
func (l *Loop) history(last int) (history []Generation, err error) {
	for n := range last + 1 {
		g := Generation{Number: n}
		if n > 0 {
			if g.Games, err = l.surveyed(n); err != nil {
				return nil, err
			}
		}
		for step, into := range map[Step]any{StepGames: &g.Play, StepTrain: &g.Train, StepMeasure: &g.Tables,
			StepGate: &g.Gate} {
			if err := l.recorded(n, step, into); err != nil {
				return nil, err
			}
		}
		history = append(history, g)
	}
	return history, nil
}

// recorded reads the note of a step, if there is one.
func (l *Loop) recorded(generation int, step Step, into any) error {
	path := l.resultOf(generation, step)
	var r record
	err := durable.ReadSealed(path, longestRecord, recordVersion, &r)
	if err == nil && r.Result != nil { // nil: no such file
		err = json.Unmarshal(r.Result, into)
	}
	if err != nil {
		return damagedFile(path, "remove it and repeat the command: "+PageName+" goes without it", err)
	}
	return nil
}

// surveyed is the survey of a generation's games, which is kept beside them.
func (l *Loop) surveyed(generation int) (*Survey, error) {
	var known *Survey
	if l.recorded(generation, survey, &known) == nil && known != nil {
		return known, nil
	}
	found, err := SurveyGames(l.Games(generation))
	if err != nil {
		return nil, err
	}
	return &found, l.record(generation, survey, found)
}

// survey names the note of a survey, which is no step.
const survey Step = "survey"

// record keeps the result of a step beside what it made. Without one, the process ended before it was there.
func (l *Loop) record(generation int, step Step, result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	path := l.resultOf(generation, step)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil { // no step has made it where a network was given
		return err
	}
	return durable.WriteSealed(path, record{recordVersion, text})
}

// resultOf returns the file of what a step's command answered.
func (l *Loop) resultOf(generation int, step Step) string {
	return l.generation(generation, string(step)+".json")
}

// record is what such a file holds.
type record struct {
	Version int             `json:"version"`
	Result  json.RawMessage `json:"result"`
}

const (
	recordVersion = 1
	longestRecord = 64 << 20
)
