package dataset

import (
	"slices"

	"talbot/board"
)

// LabelStatus says how the label of a sample came out. Its numbers are those of the shard format.
type LabelStatus uint8

// The statuses of labels.
const (
	Missing  LabelStatus = iota // not searched
	Labelled                    // searched; the label has lines
	Terminal                    // mate, stalemate or dead: never sent to an engine
	Failed                      // the engine gave no usable answer
)

var statusNames = [...]string{"missing", "labelled", "terminal", "failed"}

// String returns "missing", "labelled", "terminal" or "failed".
func (s LabelStatus) String() string { return nameOf("LabelStatus", s, statusNames[:]) }

// Label is an engine's answer for one sample, unchanged.
type Label struct {
	Status LabelStatus
	Best   board.Move // the engine's bestmove; NoMove unless Labelled, and where a source gave the score alone
	Lines  []Searched // by multipv rank; empty unless Labelled
}

// MixesDepths reports whether the lines were searched to different depths.
func (l *Label) MixesDepths() bool {
	return slices.ContainsFunc(l.Lines, func(s Searched) bool { return s.Depth != l.Lines[0].Depth })
}

// Searched is one searched line of a search; all from the side to move's view.
type Searched struct {
	Score Score
	WDL   WDL
	Depth int
	Nodes int64
	PV    []board.Move // legal, from the sample's position on
}

// WDL is the engine's chances of win, draw and loss for the side to move, per mille (they sum to 1000). All zero
// means that none were given.
type WDL struct{ Win, Draw, Loss uint16 }

// LabelColumn has the labels of one engine under one limit for the samples of a line.
type LabelColumn struct {
	Fingerprint int     // index into the manifest's fingerprints
	Labels      []Label // one for each sample, in sample order
}

// Columns returns the label columns of the line that have those numbers; nil unless all are there.
func (l *Line) Columns(numbers []int) [][]Label {
	var columns [][]Label
	for _, n := range numbers {
		i := slices.IndexFunc(l.Labels, func(c LabelColumn) bool { return c.Fingerprint == n })
		if i < 0 {
			return nil
		}
		columns = append(columns, l.Labels[i].Labels)
	}
	return columns
}
