package label

import (
	"context"
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/stockfish"
)

// labelling is the labelling of one shard.
type labelling struct {
	*labeller
	journal *journal
	have    map[int64]made // of the journal, by number of the sample in the shard
	ledger  *ledger
	queue   []*waiting         // lines not written yet, in order
	open    map[int64]*waiting // lines with searches under way, by first sample
	results tableResults       // of the shard's samples, with SkipExact; the first pass asks
	origins []origin           // of the samples that are written
	foreign bool               // some of these are workers'
}

// plan decides what is to be searched on a line: the chosen samples that have no
// label. Under [stockfish.LineScope] a line that misses any is searched whole,
// with the samples that have one, except that under a time limit a line that was
// under way is gone on with.
func (s *labelling) plan(ctx context.Context, line *dataset.Line, first int64) (*waiting, error) {
	w := &waiting{line: *line, first: first, labels: make([][]dataset.Label, line.SampleCount()),
		origins: make([]origin, line.SampleCount())}
	if s.SkipExact {
		if first >= int64(len(s.results)) {
			labels, err := s.exact.of(ctx, line)
			if err != nil {
				return nil, err
			}
			s.results = s.results.add(labels, line.SampleCount())
		}
		w.exact = s.results.labels(first, line.SampleCount())
	}
	columns := line.Columns(s.columns)
	hash := line.GameHash()
	plies := line.Samples.Plies(nil, len(line.Moves))
	terminal := terminalFrom(line)
	missing := false
	for k, ply := range plies {
		given := labelsAt(columns, k)
		w.labels[k] = given
		switch {
		case !s.chosen(line, hash, k, ply):
			if given != nil {
				w.todo = append(w.todo, k) // searched again with its line, if at all
			}
		case s.SkipImported && s.hasImported(line, k):
			w.skipped++
		case s.SkipExact && isExact(w.exact, k):
			w.known++
		case given != nil:
			w.todo = append(w.todo, k)
			w.kept++
		case s.Candidates > 0 && ply < terminal && s.candidates(line, k) == nil:
			s.unpredicted[first+int64(k)] = true
		case ply >= terminal:
			w.labels[k] = terminalLabels(len(s.columns))
			w.dead++
		default:
			w.todo = append(w.todo, k)
			missing = true
		}
	}
	if !missing {
		w.todo = nil
		return w, nil
	}
	if s.Engine.HashScope() == stockfish.PositionScope {
		w.todo = slices.DeleteFunc(w.todo, func(k int) bool { return w.labels[k] != nil })
	} else {
		w.kept = 0
		for _, k := range w.todo {
			w.labels[k] = nil
		}
	}
	w.ids = identities(nil, s.Engine.HashScope(), line, pliesOf(plies, w.todo), s.searchMoves(line, w.todo))
	s.resume(w)
	return w, nil
}

// resume takes over what the journal has of a line.
func (s *labelling) resume(w *waiting) {
	n := 0
	for _, k := range w.todo {
		if s.have[w.first+int64(k)].labels != nil {
			n++
		}
	}
	if n < len(w.todo) && s.Engine.HashScope() == stockfish.LineScope && s.Engine.Exact() {
		return
	}
	for _, k := range w.todo {
		m := s.have[w.first+int64(k)]
		w.labels[k], w.origins[k] = m.labels, m.origin
	}
	w.journal = int64(n)
}

// look makes the ledger: a first pass over the shard finds the searches that are
// wanted, a pass over each donor the labels that are there.
func (s *labelling) look(ctx context.Context, i int) error {
	s.ledger = newLedger(s.Engine.HashScope())
	s.ledger.some = s.Candidates > 0
	next := int64(0)
	for line, err := range s.in.Shards[i].Lines() {
		if err != nil {
			return err
		}
		w, err := s.plan(ctx, line, next)
		if err != nil {
			return err
		}
		s.ledger.want(w)
		next += int64(line.SampleCount())
	}
	if len(s.ledger.wanted) > 0 {
		for _, d := range s.donors {
			if err := s.ledger.search(ctx, d, nil); err != nil {
				return err
			}
		}
		done := donor{s.done, s.columns}
		if err := s.ledger.search(ctx, done, func(shard int) ([]origin, error) {
			return readOrigins(s.out.Path(originsName(shard)), s.journalIdentity(shard),
				s.out.Manifest().Shards[shard].Samples)
		}); err != nil {
			return err
		}
	}
	s.ledger.looked()
	return nil
}

// run searches what is wanted and writes the lines in order.
func (s *labelling) run(ctx context.Context, i int) error {
	var readErr error
	next := int64(0)
	jobs := func(yield func(stockfish.Job) bool) {
		for line, err := range s.in.Shards[i].Lines() {
			if err != nil {
				readErr = err
				return
			}
			var w *waiting
			if w, readErr = s.plan(ctx, line, next); readErr == nil && !s.SkipExact {
				w.exact, readErr = s.exact.of(ctx, line)
			}
			if readErr != nil {
				return
			}
			next += int64(len(w.labels))
			s.serve(w)
			s.queue = append(s.queue, w)
			if w.open == 0 {
				if readErr = s.flush(); readErr != nil {
					return
				}
			}
			if len(w.todo) == 0 {
				continue
			}
			s.open[w.first] = w
			plies := pliesOf(line.Samples.Plies(nil, len(line.Moves)), w.todo)
			if !yield(stockfish.Job{Index: w.first, Start: w.line.Start, Moves: w.line.Moves, Plies: plies,
				Only: s.searchMoves(&w.line, w.todo)}) {
				return
			}
		}
	}
	err := s.pool.Label(ctx, jobs, s.result)
	if readErr != nil {
		return readErr
	}
	if err != nil {
		return err
	}
	return s.flush()
}

// serve counts and takes what a line needs no search for.
func (s *labelling) serve(w *waiting) {
	found, repeated := s.ledger.serve(w)
	s.saved.Input += w.kept
	s.saved.Resumed += w.journal
	s.saved.Found += found
	s.saved.Repeated += repeated
	s.terminal += w.dead
	s.skipped += w.skipped
	s.skippedExact += w.known
	n := w.kept + w.journal + found + repeated + w.dead
	if n > 0 {
		s.samples += n
		s.first += n
		s.report()
	}
}

// result takes one position's labels from the pool.
func (s *labelling) result(r stockfish.Result) error {
	w := s.open[r.Index]
	k := w.todo[r.Sample]
	if r.Err != nil && s.Failed != nil {
		s.Failed(fmt.Errorf("input %d, number %d: %w", w.line.Input, w.line.Number, r.Err))
	}
	if s.Candidates > 0 {
		cutVariations(r.Labels)
	}
	m := made{r.Labels, originOf(r.Worker)}
	if err := s.journal.append(w.first+int64(k), m); err != nil {
		return err
	}
	w.labels[k], w.origins[k] = m.labels, m.origin
	w.open--
	for _, other := range s.ledger.made(w.ids[r.Sample], m) {
		other.line.labels[other.sample], other.line.origins[other.sample] = m.labels, m.origin
		other.line.open--
	}
	s.samples++
	s.report()
	return s.flush()
}

// flush writes the lines at the head of the queue that are done.
func (s *labelling) flush() error {
	for len(s.queue) > 0 && s.queue[0].open == 0 {
		w := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		delete(s.open, w.first)
		line := w.line
		line.Labels = slices.Clone(line.Labels)
		for i, c := range s.columns {
			labels := w.column(i, c)
			if i == 0 {
				s.state.Own.AddLabels(labels)
			}
			line.Labels = slices.DeleteFunc(line.Labels, func(l dataset.LabelColumn) bool { return l.Fingerprint == c })
			line.Labels = append(line.Labels, dataset.LabelColumn{Fingerprint: c, Labels: labels})
		}
		if w.exact != nil {
			line.Labels = slices.DeleteFunc(line.Labels,
				func(l dataset.LabelColumn) bool { return l.Fingerprint == s.exact.column })
			line.Labels = append(line.Labels, dataset.LabelColumn{Fingerprint: s.exact.column, Labels: w.exact})
			s.exact.count(w.exact)
		}
		slices.SortFunc(line.Labels, func(a, b dataset.LabelColumn) int { return a.Fingerprint - b.Fingerprint })
		for _, o := range w.origins {
			s.foreign = s.foreign || o.worker() > 0
		}
		s.origins = append(s.origins, w.origins...)
		if err := s.out.Write(&line); err != nil {
			return err
		}
	}
	return nil
}
