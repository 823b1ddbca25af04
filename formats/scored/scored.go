// Package scored is what readers of lines with scores of others share: they read the first positions ahead, and hand
// out no line whose scores are from another view than its results and material say.
package scored

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// lookAhead is how many positions are read before the first line is handed out.
const lookAhead = 10_000

// Queue has what was read ahead.
type Queue[T any] struct {
	items  []T
	done   error // what follows them, io.EOF at the end
	filled bool
}

// Add appends an item.
func (q *Queue[T]) Add(item T) { q.items = append(q.items, item) }

// Next takes the first item. Where there is none it calls read, which adds some or returns why none follow.
func (q *Queue[T]) Next(read func() error) (item T, err error) {
	for len(q.items) == 0 && q.done == nil {
		q.items = q.items[:0]
		q.done = read()
	}
	if len(q.items) == 0 {
		return item, q.done
	}
	item = q.items[0]
	q.items = q.items[1:]
	return item, nil
}

// Ahead calls read until there are 10,000 positions, of which an item has that many, and at least one. It returns all
// items; nil after the first call.
func (q *Queue[T]) Ahead(read func() error, positions func(*T) int) []T {
	if q.filled {
		return nil
	}
	q.filled = true
	for counted, n := 0, 0; n < lookAhead && q.done == nil; {
		q.done = read()
		for ; counted < len(q.items); counted++ {
			n += max(positions(&q.items[counted]), 1)
		}
	}
	return q.items
}

// entry is a line with its labels, or a reject in its place.
type entry struct {
	line   dataset.Line
	labels []dataset.Label
	reject *dataset.Reject
}

// Reader hands out lines with imported labels. A Reader is for one goroutine.
type Reader struct {
	Engine string       // names the scores' origin in their fingerprint
	Unit   string       // of the scores
	View   dataset.View // that they are read from
	// MustState says that the view was not stated, and none is usual. Unchecked is for those who do not use the scores:
	// nothing must be stated, and nothing is compared.
	MustState, Unchecked bool
	// BestAlone has the median in [Reader.Table] be that of the best line of each label.
	BestAlone bool
	// Read reads on: it adds entries, or returns why none follow.
	Read func() error

	queue Queue[entry]
	sizes dataset.Sizes
}

// Add adds a line with its labels, or the reject that err is, and returns any other error.
func (r *Reader) Add(line dataset.Line, labels []dataset.Label, err error) error {
	reject, ok := err.(*dataset.Reject)
	if err != nil && !ok {
		return err
	}
	r.queue.Add(entry{line, labels, reject})
	return nil
}

// Next returns the next line with its labels, by ascending Number, or io.EOF after the last. What cannot be used gives
// a *[dataset.Reject], and reading can go on; every other error is final, [dataset.ErrView] among them.
func (r *Reader) Next() (dataset.Line, dataset.Imported, error) {
	if err := r.Check(); err != nil {
		return dataset.Line{}, dataset.Imported{}, err
	}
	e, err := r.queue.Next(r.Read)
	if err == nil && e.reject != nil {
		err = e.reject
	}
	if err != nil {
		return dataset.Line{}, dataset.Imported{}, err
	}
	for i := range e.labels {
		for k, s := range e.labels[i].Lines {
			if k == 0 || !r.BestAlone {
				r.sizes.Add(s.Score)
			}
		}
	}
	return e.line, dataset.Imported{Engine: r.Engine, Labels: e.labels}, nil
}

// Check reads ahead and returns [dataset.ErrView] if the view of the scores has to be stated, or if their signs
// contradict results or material ([dataset.Signs]).
func (r *Reader) Check() error {
	var signs dataset.Signs
	positions := 0
	for _, e := range r.queue.Ahead(r.Read, func(e *entry) int { return len(e.labels) }) {
		p := e.line.Start
		for k, label := range e.labels {
			if len(label.Lines) > 0 {
				positions++
				signs.AddScore(&p, label.Lines[0].Score, e.line.Result)
			}
			if k < len(e.line.Moves) {
				p.Play(e.line.Moves[k])
			}
		}
	}
	switch {
	case r.Unchecked:
		return nil
	case r.MustState && positions > 0:
		return fmt.Errorf("%w: not stated; if they are from %s view, then of its first %d positions, %v",
			dataset.ErrView, dataset.WhiteView.Whose(), positions, &signs)
	}
	return signs.Check(r.View, positions)
}

// Table says how the scores were read so far.
func (r *Reader) Table() dataset.Table { return r.sizes.Table(r.Unit, r.View) }

// Position returns the line of a position with a score, which has no moves.
func Position(start board.Position) dataset.Line {
	return dataset.Line{Source: dataset.SourceTable, Start: start, Samples: dataset.LastPosition()}
}
