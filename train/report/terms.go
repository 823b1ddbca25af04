package report

import (
	"cmp"
	"slices"
	"strings"

	"talbot/network/run"
)

// terms returns the names and captions of the terms that occur in the metrics.
func (r Run) terms() []run.TermText {
	moves := "all moves"
	if r.Among != "" {
		moves = "the " + r.Among + "s"
	}
	var names []string
	for i := range r.Lines {
		for _, mean := range r.Lines[i].Terms {
			if !slices.Contains(names, mean.Name) {
				names = append(names, mean.Name)
			}
		}
	}
	words := strings.NewReplacer("MOVES", moves, "MOVE", cmp.Or(r.Among, "move"))
	list := run.Texts(names)
	for i := range list {
		list[i].Note, list[i].Help = words.Replace(list[i].Note), words.Replace(list[i].Help)
	}
	return list
}
