package report

import (
	"slices"
	"strings"
)

// term is how a term of the losses is shown; a term without an entry is shown by its name.
type term struct {
	name, title, note string
	zero, falls       bool // as [newChart] has it
	show              func(float64) string
	tile, help        string // before there is an evaluation; "" = it has no tile
	format            string // of the tile
}

// known are the terms that several recipes have, in their order on the page. MOVES are those that a policy is over.
var known = []term{
	{"policy_ce", "Policy", "cross-entropy over MOVES, in nats", false, true, short, "policy cross-entropy",
		"surprise at the target, in nats, over MOVES; lower is better", "%.3f"},
	{"top1", "First move", "targets that are the likeliest MOVE", true, false, percent, "", "", ""},
	{"value_mse", "Value", "mean squared error, on −1 … 1", true, true, short, "value squared error",
		"against the label, on −1 … 1", "%.4f"},
}

// terms are those that the lines have.
func (r Run) terms() (list []term) {
	moves, move := "all moves", "move"
	if r.LegalMask {
		moves, move = "the legal moves", "legal move"
	}
	words := strings.NewReplacer("MOVES", moves, "MOVE", move)
	var names []string
	for i := range r.Lines {
		for _, mean := range r.Lines[i].Terms {
			if !slices.Contains(names, mean.Name) {
				names = append(names, mean.Name)
			}
		}
	}
	for _, t := range known {
		if i := slices.Index(names, t.name); i >= 0 {
			names = slices.Delete(names, i, i+1)
			t.note, t.help = words.Replace(t.note), words.Replace(t.help)
			list = append(list, t)
		}
	}
	for _, name := range names {
		list = append(list, term{name, name, "mean of the samples that have it", false, true, short, name, "", "%.4f"})
	}
	return list
}
