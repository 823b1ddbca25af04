package report

import "talbot/evaluate"

// Card is what an evaluation says of a run in short: the top of its page.
type Card struct {
	Checkpoint string        `json:"checkpoint"`
	Step       int64         `json:"step"`
	Split      string        `json:"split"`
	Samples    int64         `json:"samples"`
	Data       []string      `json:"data"` // folders
	Note       string        `json:"note"` // on how it was done
	Verdicts   []CardVerdict `json:"verdicts"`
	Figures    []CardFigure  `json:"figures"`
	// Misses are the worst ones, none in cards that talbot wrote before there were any.
	Misses []evaluate.Miss `json:"misses,omitempty"`
}

// CardVerdict is the verdict on a head of the network.
type CardVerdict struct {
	Class string `json:"class"` // "better", "worse" or "unsure"
	Head  string `json:"head"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Aside string `json:"aside,omitempty"`
}

// CardFigure is a figure with its interval and baselines, and what it means.
type CardFigure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Note  string `json:"note,omitempty"`
	Class string `json:"class,omitempty"` // how it compares with its baseline, as of a verdict; "" without one
	Words string `json:"words,omitempty"` // the same in words
	Help  string `json:"help"`
}

// Card returns the card of the run's evaluation. Without one it has the figures of the last validation.
func (r Run) Card() Card {
	c := Card{Verdicts: []CardVerdict{}, Figures: []CardFigure{}}
	if e := r.Eval; e != nil {
		c.Checkpoint, c.Step, c.Split, c.Samples = e.Checkpoint, e.Step, e.Split, e.Count("samples")
		c.Data, c.Note, c.Misses = e.Data, e.Note, e.Misses
	}
	for _, v := range r.verdicts() {
		c.Verdicts = append(c.Verdicts, CardVerdict{v.Class, v.Head, v.Title, v.Text, v.Aside})
	}
	for _, t := range r.tiles() {
		c.Figures = append(c.Figures, CardFigure{t.Name, t.Value, t.Note, t.Class, t.Words, t.Help})
	}
	return c
}

// Brief identifies the run in a few lines.
func (r Run) Brief() []Fact { return r.brief() }
