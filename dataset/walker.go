package dataset

import (
	"fmt"
	"slices"

	"talbot/board"
)

// Walker replays a line once and stops at its samples in ply order, or at any ply asked for. It keeps its memory from
// line to line, so that a Walker which has seen its longest line allocates nothing. The zero value is ready for
// [Walker.Reset] or [Walker.At]. A Walker is for one goroutine.
//
//	var w dataset.Walker
//	w.Reset(&line)
//	for w.Next() {
//		encoder.Encode(planes, w.Game())
//		label := line.Labels[column].Labels[w.Sample()]
//	}
type Walker struct {
	line   *Line
	game   *board.Game
	plies  []int // of the samples
	sample int   // the number of the present sample, -1 if the ply is no sample
	next   int   // index into plies
}

// Reset begins at the start of l, before its first sample. The Walker reads l until the next Reset or At.
func (w *Walker) Reset(l *Line) {
	if w.game == nil {
		w.game = board.NewGame(l.Start)
	} else {
		w.game.Reset(l.Start)
	}
	w.line = l
	w.plies = l.Samples.Plies(w.plies[:0], len(l.Moves))
	w.sample, w.next = -1, 0
}

// Next moves to the next sample. It returns false if there is none, and the Walker stays where it is.
func (w *Walker) Next() bool {
	if w.next >= len(w.plies) {
		return false
	}
	w.play(w.plies[w.next])
	w.sample = w.next
	w.next++
	return true
}

// At goes to a ply of l, 0 … len(l.Moves), sample or not; [Walker.Next] then goes on to the sample after it. It
// replays the line up to that ply.
func (w *Walker) At(l *Line, ply int) error {
	if ply < 0 || ply > len(l.Moves) {
		return fmt.Errorf("ply %d of a line of %d moves", ply, len(l.Moves))
	}
	w.Reset(l)
	w.play(ply)
	i, found := slices.BinarySearch(w.plies, ply)
	w.next = i
	if found {
		w.sample = i
		w.next++
	}
	return nil
}

func (w *Walker) play(ply int) {
	for i := w.game.Ply(); i < ply; i++ {
		w.game.Push(w.line.Moves[i])
	}
}

// Line returns the line.
func (w *Walker) Line() *Line { return w.line }

// Game returns the present position with its past on the line; it changes with the Walker and must not be played on.
func (w *Walker) Game() *board.Game { return w.game }

// Position returns the present position, valid until the Walker moves.
func (w *Walker) Position() *board.Position { return w.game.Position() }

// Ply returns the present ply: how many moves of the line were played.
func (w *Walker) Ply() int { return w.game.Ply() }

// Sample returns the number of the present sample in the line, the index of its labels and policies; -1 if the
// present ply is no sample.
func (w *Walker) Sample() int { return w.sample }
