package loop

import (
	"encoding/json"

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
	Evaluations    int64   `json:"evaluations"`
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
	Samples     float64               `json:"samples"`
	Correlation *float64              `json:"value_correlation"`
	Sign        *float64              `json:"value_sign_accuracy"`
	PolicyCE    *float64              `json:"policy_ce_legal"`
	Top1        *float64              `json:"top1"`
	LegalFirst  *float64              `json:"legal_first"` // of networks that have to learn which moves are legal
	Intervals   map[string][2]float64 `json:"intervals"`
	Endgames    *struct {
		Samples  int64    `json:"samples"`
		Accuracy *float64 `json:"value_accuracy"`
	} `json:"endgames"`
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
	Games   int      `json:"games"`
	Wins    int      `json:"wins"`
	Draws   int      `json:"draws"`
	Losses  int      `json:"losses"`
	Score   *float64 `json:"score"`
	Elo     *float64 `json:"elo"`
	EloLow  *float64 `json:"elo_low"`
	EloHigh *float64 `json:"elo_high"`
}

// Story reads what is known of the generations up to a given one.
func (l *Loop) Story(c *Config, last int) (story []Generation, err error) {
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
		story = append(story, g)
	}
	return story, nil
}

// recorded reads the note of a step, if there is one.
func (l *Loop) recorded(generation int, step Step, into any) error {
	path := l.resultOf(generation, step)
	var r record
	if err := durable.ReadSealed(path, longestRecord, recordVersion, &r); err != nil {
		return damagedFile(path, "remove it and repeat the command: "+PageName+" goes without it", err)
	}
	if r.Result == nil { // no such file
		return nil
	}
	if err := json.Unmarshal(r.Result, into); err != nil {
		return damagedFile(path, "remove it and repeat the command: "+PageName+" goes without it", err)
	}
	return nil
}

// surveyed is the survey of a generation's games, which is kept beside them.
func (l *Loop) surveyed(generation int) (*Survey, error) {
	s := new(Survey)
	path := l.generation(generation, "survey.json")
	var r record
	if err := durable.ReadSealed(path, longestRecord, recordVersion, &r); err == nil {
		if json.Unmarshal(r.Result, s) == nil {
			return s, nil
		}
	}
	found, err := SurveyGames(l.Games(generation))
	if err != nil {
		return nil, err
	}
	result, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	return &found, durable.WriteSealed(path, record{recordVersion, result})
}
