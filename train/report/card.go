package report

import (
	"path/filepath"

	"talbot/evaluate"
	"talbot/internal/table"
)

// Card is an evaluation of a run in short: the top of its page.
type Card struct {
	Checkpoint string          `json:"checkpoint"`
	Step       int64           `json:"step"`
	Split      string          `json:"split"`
	Samples    int64           `json:"samples"`
	Data       []string        `json:"data"` // folders
	Note       string          `json:"note"` // on how it was done
	Verdicts   table.Verdicts  `json:"verdicts"`
	Figures    table.Tiles     `json:"figures"`
	Misses     []evaluate.Miss `json:"misses,omitempty"` // the worst ones
}

// Card returns the card of the run's evaluation. Without one it has the figures of the last validation.
func (r Run) Card() Card {
	c := Card{Verdicts: r.verdicts(), Figures: r.tiles()}
	if e := r.Eval; e != nil {
		c.Checkpoint, c.Step, c.Split, c.Samples = filepath.Base(e.Checkpoint), e.Step, e.Split, e.Count("samples")
		c.Data, c.Note, c.Misses = e.Data, e.note(), e.Misses
	}
	return c
}
