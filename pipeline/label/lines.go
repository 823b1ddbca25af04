package label

import (
	"context"
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/stockfish"
)

// pendingLine is a line whose labels are not complete yet.
type pendingLine struct {
	line       dataset.Line
	number     lineNumber
	labels     [][]dataset.Label // of each sample, one for each column; nil where there is none
	todo       []int             // samples to search
	keys       []searchKey       // of todo
	unanswered int               // samples that wait for a search, this line's or another's
	exact      []dataset.Label   // of tables; nil: none
	solved     []dataset.Label   // by package mates; nil: none
	endsShard  bool              // no line: the shard ends here
}

// search is a search under way, with the samples of other lines that wait for its result.
type search struct{ waiting []waiter }

// waiter is a sample of a line.
type waiter struct {
	line   *pendingLine
	sample int
}

// plan decides what is to be searched on a line: the chosen samples that have no label. Under [stockfish.LineScope] a
// line that lacks any is searched as a whole, including the samples that have one.
func (l *labeller) plan(ctx context.Context, line *dataset.Line, number lineNumber) (*pendingLine, error) {
	w := &pendingLine{line: *line, number: number, labels: make([][]dataset.Label, line.SampleCount())}
	var err error
	if w.exact, err = l.exact.of(ctx, line); err != nil {
		return nil, err
	}
	if w.solved, err = l.solved.of(ctx, line); err != nil {
		return nil, err
	}
	columns := line.Columns(l.columns)
	hash := line.GameHash()
	plies := line.Samples.Plies(nil, len(line.Moves))
	terminal := -1 // most lines have no sample that is chosen from a small fraction, and need not be replayed
	isOver := func(ply int) bool {
		if terminal < 0 {
			terminal = terminalFrom(line)
		}
		return ply >= terminal
	}
	missing, kept, done := false, int64(0), int64(0)
	for k, ply := range plies {
		given := labelsAt(columns, k)
		w.labels[k] = given
		switch {
		case !l.chosen(line, hash, k, ply):
			if given != nil {
				w.todo = append(w.todo, k) // searched again with its line, if at all
			}
		case l.SkipImported && l.hasImported(line, k):
			l.sum.Skipped++
		case statusAt(w.solved, k) != dataset.Missing:
			done++
		case l.SkipExact && statusAt(w.exact, k) == dataset.Labelled:
			l.sum.SkippedExact++
		case given != nil:
			w.todo = append(w.todo, k)
			kept++
		case l.Candidates > 0 && !isOver(ply) && l.candidates(line, k) == nil:
			l.sum.Unpredicted++
		case isOver(ply):
			w.labels[k] = terminalLabels(len(l.columns))
			l.sum.Terminal++
			done++
		default:
			w.todo = append(w.todo, k)
			missing = true
		}
	}
	switch {
	case !missing:
		w.todo = nil
	case l.scope() == stockfish.PositionScope:
		w.todo = slices.DeleteFunc(w.todo, func(k int) bool { return w.labels[k] != nil })
	default:
		kept = 0
		for _, k := range w.todo {
			w.labels[k] = nil
		}
	}
	l.sum.Saved.Input += kept
	w.keys = searchKeys(nil, l.scope(), line, pliesOf(plies, w.todo), l.searchMoves(line, w.todo))
	n, err := l.lookUp(w)
	if n += kept + done; n > 0 {
		l.samples += n
		l.doneBefore += n
		l.report()
	}
	return w, err
}

// lookUp takes off a line's list the searches that are known, and those that are under way for another line, for which
// its samples wait. With [stockfish.LineScope] it is all or nothing, for a label depends on the searches before it;
// only a line that an interruption cut short is continued, unless labels are exact. It returns how many are known.
func (l *labeller) lookUp(w *pendingLine) (n int64, err error) {
	found := make([]entry, len(w.todo))
	places := make([]int64, len(w.todo))
	all, begun := true, false
	for i, key := range w.keys {
		e, at, ok, err := l.known.find(key)
		if err != nil {
			return 0, err
		}
		if ok {
			found[i], places[i] = e, at
			begun = begun || e.line == w.number && at < l.journalStart
		} else if l.underWay[key] == nil {
			all = false
		}
	}
	whole := l.scope() == stockfish.LineScope && !all && (l.Engine.Exact() || !begun)
	todo, keys := w.todo[:0], w.keys[:0]
	for i, k := range w.todo {
		key, e := w.keys[i], found[i]
		switch {
		case e.labels != nil && !whole:
			if err := l.copied(w, e); err != nil {
				return n, err
			}
			w.labels[k] = e.labels
			l.countSaved(e, places[i])
			n++
		case e.labels == nil && !whole && l.underWay[key] != nil:
			s := l.underWay[key]
			s.waiting = append(s.waiting, waiter{w, k})
			w.unanswered++
			l.sum.Saved.Repeated++
		default:
			todo, keys = append(todo, k), append(keys, key)
			if l.underWay[key] == nil {
				l.underWay[key] = &search{}
			}
		}
	}
	w.todo, w.keys = todo, keys
	w.unanswered += len(todo)
	return n, nil
}

// countSaved counts a label that need not be searched by where it was found.
func (l *labeller) countSaved(e entry, at int64) {
	switch {
	case e.line == ofDataset:
		l.sum.Saved.Found++
	case at < l.journalStart:
		l.sum.Saved.Resumed++
	default:
		l.sum.Saved.Repeated++
	}
}

// copied notes that a line gets a label which a worker made for another line.
func (l *labeller) copied(w *pendingLine, e entry) error {
	if e.worker == 0 || e.line == w.number {
		return nil
	}
	e.line = w.number
	_, err := l.known.journal.append(e)
	return err
}

// jobs yields the lines with samples to search, of one shard after another; lines without any are written when those
// before them are. So no engine waits while a shard ends. At most two shards are under way: a job without positions
// says that the first one must end before the third begins.
func (l *labeller) jobs(ctx context.Context, yield func(stockfish.Job) bool) error {
	for i := len(l.out.Manifest().Shards); i < len(l.in.Shards); i++ {
		for i > len(l.out.Manifest().Shards)+1 && l.unanswered > 0 {
			if !yield(stockfish.Job{}) {
				return nil
			}
		}
		next := int64(0)
		for line, err := range l.in.Shards[i].Lines() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			w, err := l.plan(ctx, line, newLineNumber(i, next))
			if err != nil {
				return err
			}
			next += int64(len(w.labels))
			l.queue = append(l.queue, w)
			if w.unanswered == 0 {
				if err := l.write(); err != nil {
					return err
				}
			}
			if len(w.todo) == 0 {
				continue
			}
			l.searching[w.number] = w
			l.unanswered += len(w.todo)
			plies := pliesOf(line.Samples.Plies(nil, len(line.Moves)), w.todo)
			if !yield(stockfish.Job{Index: int64(w.number), Start: w.line.Start, Moves: w.line.Moves, Plies: plies,
				SearchMoves: l.searchMoves(&w.line, w.todo)}) {
				return nil
			}
		}
		l.queue = append(l.queue, &pendingLine{number: newLineNumber(i, next), endsShard: true})
		if err := l.write(); err != nil {
			return err
		}
	}
	return nil
}

// result takes one position's labels from the pool, for its sample and for those that wait for it.
func (l *labeller) result(r stockfish.Result) error {
	w := l.searching[lineNumber(r.Index)]
	if r.Err != nil && l.Failed != nil {
		l.Failed(fmt.Errorf("input %d, number %d: %w", w.line.Input, w.line.Number, r.Err))
	}
	if l.Candidates > 0 {
		cutVariations(r.Labels)
	}
	e := entry{w.keys[r.Sample], w.number, searchResult{r.Labels, r.Worker}}
	if err := l.out.Check(); err != nil { // without the folder the journal would be lost
		return err
	}
	at, err := l.known.journal.append(e)
	if err != nil {
		return err
	}
	l.known.add(e.key, at)
	w.labels[w.todo[r.Sample]] = r.Labels
	w.unanswered--
	l.unanswered--
	l.samples++
	if s := l.underWay[e.key]; s != nil {
		delete(l.underWay, e.key)
		for _, other := range s.waiting {
			if err := l.copied(other.line, e); err != nil {
				return err
			}
			other.line.labels[other.sample] = r.Labels
			other.line.unanswered--
		}
		l.samples += int64(len(s.waiting))
		l.doneBefore += int64(len(s.waiting))
	}
	l.report()
	return l.write()
}

// write writes the lines at the head of the queue that are done, and ends the shards that are complete.
func (l *labeller) write() error {
	for len(l.queue) > 0 && l.queue[0].unanswered == 0 {
		w := l.queue[0]
		l.queue[0] = nil
		l.queue = l.queue[1:]
		if l.searching[w.number] == w { // a line without samples has the number of the next one
			delete(l.searching, w.number)
		}
		if w.endsShard {
			if err := l.endShard(w.number.shard()); err != nil {
				return err
			}
			continue
		}
		line := w.line
		line.Labels = slices.Clone(line.Labels)
		for i, c := range l.columns {
			labels := w.column(i, c)
			if i == 0 {
				l.state.Own.AddLabels(labels)
			}
			setColumn(&line, c, labels)
		}
		l.exact.write(&line, w.exact)
		l.solved.write(&line, w.solved)
		slices.SortFunc(line.Labels, func(a, b dataset.LabelColumn) int { return a.Fingerprint - b.Fingerprint })
		if err := l.out.Write(&line); err != nil {
			return err
		}
	}
	return nil
}

// setColumn gives a line the labels of a fingerprint, in place of those that it has.
func setColumn(line *dataset.Line, fingerprint int, labels []dataset.Label) {
	line.Labels = slices.DeleteFunc(line.Labels,
		func(c dataset.LabelColumn) bool { return c.Fingerprint == fingerprint })
	line.Labels = append(line.Labels, dataset.LabelColumn{Fingerprint: fingerprint, Labels: labels})
}

// endShard ends a shard of the output, after which its part of the journal is on the disk.
func (l *labeller) endShard(i int) error {
	if l.out.Empty() { // a shard without lines
		return fmt.Errorf("shard %d of %q: %w: no lines", i, l.In, dataset.ErrDamaged)
	}
	if l.shared != nil {
		if err := l.known.journal.Sync(); err != nil {
			return err
		}
	}
	return l.out.EndShard()
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

// pliesOf returns the plies of samples.
func pliesOf(plies, samples []int) []int {
	list := make([]int, len(samples))
	for i, k := range samples {
		list[i] = plies[k]
	}
	return list
}
