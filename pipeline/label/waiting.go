package label

import (
	"talbot/dataset"
)

// pendingLine is a line whose labels are not complete yet.
type pendingLine struct {
	line         dataset.Line
	first        int64             // number of its first sample in the shard
	labels       [][]dataset.Label // of each sample, one for each column; nil where there is none
	origins      []origin          // of labels
	kept         int64             // labels that the input has on these samples
	journal      int64             // labels of the journal
	terminal     int64             // terminal positions
	skipped      int64             // by SkipImported
	skippedExact int64             // by SkipExact
	needless     int64             // solved
	exact        []dataset.Label   // of tables; nil: none, or not looked up yet
	solved       []dataset.Label   // by package mates; nil: none
	todo         []int             // samples to search; before [ledger.reuse] also those with labels in the journal
	ids          []identity        // of todo
	unanswered   int               // samples that wait for a search, this line's or another's
}

// pliesOf returns the plies of samples.
func pliesOf(plies, samples []int) []int {
	list := make([]int, len(samples))
	for i, k := range samples {
		list[i] = plies[k]
	}
	return list
}

// terminalFrom returns the first ply of a line at which the game is over on the board, by mate, stalemate or want of
// material; later positions need no search. If there is none it is beyond the line.
func terminalFrom(line *dataset.Line) int {
	pos := line.Start
	for ply := 0; ; ply++ {
		if pos.IsDead() {
			return ply
		}
		if ply == len(line.Moves) {
			if pos.HasLegalMove() {
				ply++
			}
			return ply
		}
		if !pos.IsLegal(line.Moves[ply]) {
			return len(line.Moves) + 1 // the pool will report the error
		}
		pos.Play(line.Moves[ply])
	}
}

func terminalLabels(n int) []dataset.Label {
	labels := make([]dataset.Label, n)
	for i := range labels {
		labels[i].Status = dataset.Terminal
	}
	return labels
}

// column returns the labels of the i-th fingerprint that is being made. Labels of the input stay where there is no new
// one, except failures.
func (w *pendingLine) column(i, fingerprint int) []dataset.Label {
	column := make([]dataset.Label, len(w.labels))
	for _, old := range w.line.Labels {
		if old.Fingerprint == fingerprint {
			copy(column, old.Labels)
		}
	}
	for k, labels := range w.labels {
		if labels != nil {
			column[k] = labels[i]
		} else if column[k].Status == dataset.Failed {
			column[k] = dataset.Label{}
		}
	}
	return column
}
