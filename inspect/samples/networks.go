package samples

import (
	"fmt"
	"strings"

	"talbot/board"
	"talbot/dataset"
)

// Prediction is a network's answer for a sample.
type Prediction struct {
	Network string      `json:"network"` // its ID
	Recipe  string      `json:"recipe"`
	Step    int64       `json:"step"`
	Status  string      `json:"status"` // "predicted", or "game over": it was not asked
	Value   *float64    `json:"value"`  // for the side to move; nil if the network gives none
	Moves   []PriorMove `json:"moves"`  // the most probable first
}

// PriorMove is a move with its probability among the legal ones.
type PriorMove struct {
	UCI   string  `json:"uci"`
	Prior float64 `json:"prior"`
}

// predictions sets the networks' answers for the present sample.
func (v *viewer) predictions(s *Sample, l *dataset.Line) {
	for _, c := range l.Predictions {
		p := &c.Predictions[v.view.Sample]
		if p.Status == dataset.NotPredicted {
			continue
		}
		n := &v.Manifest().Networks[c.Network]
		shown := Prediction{Network: n.ID(), Recipe: n.Recipe, Step: n.Step, Status: "game over", Moves: []PriorMove{}}
		if p.Status == dataset.Predicted {
			shown.Status = "predicted"
			if n.Value {
				shown.Value = new(p.Value.Float())
			}
		}
		for _, m := range p.Moves {
			shown.Moves = append(shown.Moves, PriorMove{m.Move.String(), m.Prior.Probability()})
		}
		s.Predictions = append(s.Predictions, shown)
	}
}

// shownPriors is the number of moves of a prediction in the text of a sample.
const shownPriors = 5

func (p *Prediction) text(pos *board.Position) string {
	parts := []string{fmt.Sprintf("%s, step %d", p.Recipe, p.Step)}
	if p.Status != "predicted" {
		parts = append(parts, p.Status)
	}
	if p.Value != nil {
		parts = append(parts, fmt.Sprintf("value %+.4f", *p.Value))
	}
	var moves []string
	for _, m := range p.Moves[:min(shownPriors, len(p.Moves))] {
		moves = append(moves, fmt.Sprintf("%s %.1f %%", sanOr(pos, &m.UCI, ""), 100*m.Prior))
	}
	if len(moves) > 0 {
		parts = append(parts, strings.Join(moves, " "))
	}
	return strings.Join(parts, "; ")
}
