package label

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/shards"
	"talbot/stockfish"
)

// labelling is the labelling of one shard.
type labelling struct {
	*labeller
	shard      int
	journal    *journal
	journalled map[int64]searchResult // of the journal, by number of the sample in the shard
	donated    []*shards.Reader       // shards of the output that were finished when this began
	infos      []dataset.ShardInfo    // of these
	ledger     *ledger
	allQueued  bool                   // all lines are in the queue, or were
	queue      []*pendingLine         // lines not written yet, in order
	open       map[int64]*pendingLine // lines with searches under way, by index of the job
	results    tableResults           // of the shard's samples, with SkipExact, from the first pass
	origins    []origin               // of the samples that are written
	hasRemote  bool                   // some of these are workers'
	// unpredicted are samples without candidates; the next shard goes through this one's plan, too.
	unpredicted     map[int64]bool
	unpredictedLock sync.Mutex
}

// plan decides what is to be searched on a line: the chosen samples that have no label. Under [stockfish.LineScope] a
// line that lacks any is searched as a whole, including the samples that have one; only under a time limit is a line
// that was begun continued.
func (s *labelling) plan(ctx context.Context, line *dataset.Line, first int64) (*pendingLine, error) {
	w := &pendingLine{line: *line, first: first, labels: make([][]dataset.Label, line.SampleCount()),
		origins: make([]origin, line.SampleCount())}
	if s.SkipExact {
		if first >= int64(len(s.results)) {
			labels, err := s.exact.lookUp(ctx, line)
			if err != nil {
				return nil, err
			}
			s.results = s.results.add(labels, line.SampleCount())
		}
		w.exact = s.results.labels(first, line.SampleCount())
	}
	var err error
	if w.solved, err = s.solved.of(line); err != nil {
		return nil, err
	}
	columns := line.Columns(s.columns)
	hash := line.GameHash()
	plies := line.Samples.Plies(nil, len(line.Moves))
	terminal := -1 // most lines have no sample that is chosen from a small fraction, and need not be replayed
	isOver := func(ply int) bool {
		if terminal < 0 {
			terminal = terminalFrom(line)
		}
		return ply >= terminal
	}
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
		case isSolved(w.solved, k):
			w.needless++
		case s.SkipExact && isExact(w.exact, k):
			w.skippedExact++
		case given != nil:
			w.todo = append(w.todo, k)
			w.kept++
		case s.Candidates > 0 && !isOver(ply) && s.candidates(line, k) == nil:
			s.unpredictedLock.Lock()
			s.unpredicted[first+int64(k)] = true
			s.unpredictedLock.Unlock()
		case isOver(ply):
			w.labels[k] = terminalLabels(len(s.columns))
			w.terminal++
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

// resume takes over a line's labels from the journal.
func (s *labelling) resume(w *pendingLine) {
	n := 0
	for _, k := range w.todo {
		if s.journalled[w.first+int64(k)].labels != nil {
			n++
		}
	}
	if n < len(w.todo) && s.Engine.HashScope() == stockfish.LineScope && s.Engine.Exact() {
		return
	}
	for _, k := range w.todo {
		m := s.journalled[w.first+int64(k)]
		w.labels[k], w.origins[k] = m.labels, m.origin
	}
	w.journal = int64(n)
}

// scan makes the ledger: a first pass over the shard finds the searches that are wanted, a pass over each donor finds
// labels that exist, and one over the previous shard, if it is under way, finds which searches are made there.
func (s *labelling) scan(ctx context.Context, before *labelling) error {
	s.ledger = newLedger(s.Engine.HashScope())
	s.ledger.someMoves = s.Candidates > 0
	if err := s.eachPlanned(ctx, s.ledger.addWanted); err != nil {
		return err
	}
	if len(s.ledger.wanted) > 0 {
		for _, d := range s.donors {
			if err := s.ledger.searchDonor(ctx, d); err != nil {
				return err
			}
		}
		if err := s.readFinished(ctx); err != nil {
			return err
		}
		if err := s.ledger.addKnown(&s.known); err != nil {
			return err
		}
		if before != nil {
			if err := before.eachPlanned(ctx, s.ledger.expectFromPrevious); err != nil {
				return err
			}
		}
	}
	s.ledger.endScan()
	return nil
}

// readFinished reads the finished shards that have not been read yet.
func (s *labelling) readFinished(ctx context.Context) error {
	if s.known.read < len(s.donated) && s.known.keys == nil {
		var err error
		if s.known.keys, err = s.recurringKeys(ctx); err != nil {
			return err
		}
	}
	for ; s.known.read < len(s.donated); s.known.read++ {
		i := s.known.read
		origins, err := readOrigins(s.out.Path(originsName(i)), s.journalIdentity(i), s.infos[i].Samples)
		if err != nil {
			return err
		}
		if err := eachLabelled(ctx, s.donated[i], s.columns, s.Engine.HashScope(), s.Candidates > 0,
			func(l *labelledLine) error { return s.known.add(s.donated[i], l, origins) }); err != nil {
			s.known.forget() // a part of the shard
			return err
		}
	}
	return nil
}

// eachPlanned plans each line of the shard.
func (s *labelling) eachPlanned(ctx context.Context, each func(*pendingLine)) error {
	next := int64(0)
	for line, err := range s.in.Shards[s.shard].Lines() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		w, err := s.plan(ctx, line, next)
		if err != nil {
			return err
		}
		each(w)
		next += int64(line.SampleCount())
	}
	return nil
}

// takeOver gives the shard labels from the previous one, which is under way: those that are in its journal now, and
// those that it makes from now on.
func (s *labelling) takeOver(before *labelling) error {
	if len(s.ledger.inPrevious) > 0 {
		f, err := durable.OpenRegular(before.journal.Name())
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := readJournal(f, s.journalIdentity(before.shard), func(sample int64, m searchResult) bool {
			if !s.isBanned(m.origin) {
				s.ledger.addFromPrevious(sample, m)
			}
			return true
		}); err != nil {
			return &JournalError{Path: f.Name(), Err: err}
		}
	}
	s.ledger.awaitPrevious()
	return nil
}

// jobs hands the lines with samples to search to the pool, and calls advance for lines without any. It reports whether
// the pool takes more.
func (s *labelling) jobs(ctx context.Context, advance func() error, yield func(stockfish.Job) bool) (bool, error) {
	next := int64(0)
	for line, err := range s.in.Shards[s.shard].Lines() {
		if err != nil {
			return false, err
		}
		w, err := s.plan(ctx, line, next)
		if err == nil && !s.SkipExact {
			w.exact, err = s.exact.lookUp(ctx, line)
		}
		if err != nil {
			return false, err
		}
		next += int64(len(w.labels))
		s.reuse(w)
		s.queue = append(s.queue, w)
		if w.unanswered == 0 {
			if err := advance(); err != nil {
				return false, err
			}
		}
		if len(w.todo) == 0 {
			continue
		}
		s.open[s.index(w)] = w
		plies := pliesOf(line.Samples.Plies(nil, len(line.Moves)), w.todo)
		if !yield(stockfish.Job{Index: s.index(w), Start: w.line.Start, Moves: w.line.Moves, Plies: plies,
			SearchMoves: s.searchMoves(&w.line, w.todo)}) {
			return false, nil
		}
	}
	return true, nil
}

// reuse fills in the samples of a line that need no search, and counts them.
func (s *labelling) reuse(w *pendingLine) {
	found, repeated := s.ledger.reuse(w)
	s.saved.Input += w.kept
	s.saved.Resumed += w.journal
	s.saved.Found += found
	s.saved.Repeated += repeated
	s.terminal += w.terminal
	s.skipped += w.skipped
	s.skippedExact += w.skippedExact
	n := w.kept + w.journal + found + repeated + w.terminal + w.needless
	if n > 0 {
		s.samples += n
		s.doneBefore += n
		s.report()
	}
}

// index is that of a line's job.
func (s *labelling) index(w *pendingLine) int64 { return int64(s.shard)<<shardBits | w.first }

// record stores one position's labels.
func (s *labelling) record(r stockfish.Result) (identity, searchResult, error) {
	w := s.open[r.Index]
	k := w.todo[r.Sample]
	if r.Err != nil && s.Failed != nil {
		s.Failed(fmt.Errorf("input %d, number %d: %w", w.line.Input, w.line.Number, r.Err))
	}
	if s.Candidates > 0 {
		cutVariations(r.Labels)
	}
	id, m := w.ids[r.Sample], searchResult{r.Labels, originOf(r.Worker)}
	err := s.out.Check() // without the folder the journal would be lost
	if err == nil {
		err = s.journal.append(w.first+int64(k), m)
	}
	if err != nil {
		return id, m, err
	}
	w.labels[k], w.origins[k] = m.labels, m.origin
	w.unanswered--
	s.ledger.share(id, m)
	return id, m, nil
}

// flush writes the lines at the head of the queue that are done, at most that many.
func (s *labelling) flush(most int) error {
	for ; most > 0 && len(s.queue) > 0 && s.queue[0].unanswered == 0; most-- {
		w := s.queue[0]
		s.queue[0] = nil
		s.queue = s.queue[1:]
		delete(s.open, s.index(w))
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
		s.solved.write(&line, w.solved)
		slices.SortFunc(line.Labels, func(a, b dataset.LabelColumn) int { return a.Fingerprint - b.Fingerprint })
		for _, o := range w.origins {
			s.hasRemote = s.hasRemote || o.worker() > 0
		}
		s.origins = append(s.origins, w.origins...)
		if err := s.out.Write(&line); err != nil {
			return err
		}
	}
	return nil
}
