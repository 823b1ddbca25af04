package searches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"talbot/dataset"
	"talbot/fleet"
	"talbot/stockfish"
)

// run is one call of Label or Settle. All of it belongs to the goroutine of [run.loop]; the pool's own engines have a
// goroutine each and talk to it over channels.
type run struct {
	*Pool
	next   func() (stockfish.Job, bool)
	done   func(stockfish.Result) error
	settle bool // until no label waits to be searched again

	ended   bool // next has no more
	open    map[int64]*line
	ready   []piece  // to be searched, in order
	waiting int      // positions in ready
	again   []*batch // that were lost
	ownOnly []*batch // that no worker managed
	full    bool     // the queue takes no more for now
	under   int      // batches with the own engines

	prepared *batch // for the next own engine

	give    chan *batch
	results chan ownResult
}

// line is a job under way.
type line struct {
	stockfish.Job
	done   []bool // of its plies
	losses []int  // of its plies: how often a worker said that it could not
	left   int
}

// piece is a part of a line: the plies [from:to).
type piece struct {
	line     *line
	from, to int
}

// batch is what is searched at a time.
type batch struct {
	pieces []piece
	checks []*check // instead of pieces
	lost   int      // how often it was lost since it was made
	number uint64   // in the fleet
}

// ownResult is what an own engine says: of one position, or that a batch is over.
type ownResult struct {
	batch  *batch
	item   int // index of the piece or check
	sample int // index into its plies
	result stockfish.Result
	over   bool
	err    error // of the engine, with over
	spent  time.Duration
}

// How work is cut. A batch is worth so much engine time, less towards the end.
const (
	batchTime    = 5 * time.Second
	ownBatchTime = time.Second
	firstBatch   = 8 // positions, before the engines' speed is known
	maxBatch     = 4096
	maxBatchData = 256 << 10 // bytes of lines, about
	maxLost      = 3
	smoothing    = 0.1 // weight of a batch in the mean time of a position
	tickTime     = 500 * time.Millisecond
)

// loop searches until all is done.
func (r *run) loop(ctx context.Context) error {
	soft, drain := context.WithCancelCause(ctx) // ends the own engines' work behind the searches under way
	defer drain(nil)
	r.give, r.results = make(chan *batch), make(chan ownResult, 2*len(r.own))
	var engines sync.WaitGroup
	for _, own := range r.own {
		engines.Go(func() { r.search(soft, own) })
	}
	stop := func() { // the engines end, and nobody is left who sends
		drain(errors.New("the work ends"))
		close(r.give)
		go func() {
			for range r.results {
			}
		}()
		engines.Wait()
		close(r.results)
		r.retractAll()
		if r.prepared != nil {
			r.checks.own = append(r.prepared.checks, r.checks.own...)
		}
	}
	err := r.steps(ctx)
	if err == nil && ctx.Err() != nil && !r.finished() {
		err = context.Cause(ctx)
	}
	if err == nil && r.abort.Err() != nil {
		err = fmt.Errorf("labelling: %w", context.Cause(r.abort))
	}
	stop()
	return err
}

// finished reports whether nothing is left to do.
func (r *run) finished() bool {
	return r.ended && len(r.open) == 0 && (!r.settle || r.checks.empty())
}

// steps is what happens until the end, one thing at a time.
func (r *run) steps(ctx context.Context) error {
	var answers <-chan *fleet.Answer
	var changed <-chan struct{}
	if r.fleet != nil {
		answers, changed = r.fleet.Answers(), r.fleet.Changed()
	}
	tick := time.NewTicker(tickTime)
	defer tick.Stop()
	draining := ctx.Done()
	for {
		over := ctx.Err() != nil
		if r.abort.Err() != nil {
			return nil
		}
		if !over {
			r.fill()
			r.publish(ctx)
		}
		if r.under == 0 && (over || r.finished()) {
			return nil
		}
		var give chan *batch
		var first *batch
		if !over {
			if first = r.ownBatch(); first != nil {
				give = r.give
			}
		}
		var err error
		select {
		case give <- first:
			r.prepared = nil
			r.under++
		case o := <-r.results:
			err = r.ownDone(o)
		case a := <-answers:
			err = r.answered(a)
		case <-changed:
			r.lostOnes()
		case <-tick.C:
			r.full = false
		case <-draining:
			draining = nil
		case <-r.abort.Done():
		}
		if err != nil {
			return err
		}
	}
}

// fill reads jobs until there is enough to cut batches of.
func (r *run) fill() {
	slots, _ := r.crowd()
	enough := max(64, 2*(slots+len(r.own))*r.target(r.share.BatchTime))
	for !r.ended && r.waiting < enough {
		j, ok := r.next()
		if !ok {
			r.ended = true
			return
		}
		if len(j.Plies) == 0 {
			continue
		}
		l := &line{Job: j, done: make([]bool, len(j.Plies)), losses: make([]int, len(j.Plies)), left: len(j.Plies)}
		r.open[j.Index] = l
		r.ready = append(r.ready, piece{l, 0, len(j.Plies)})
		r.waiting += len(j.Plies)
	}
}

// target is how many positions are worth that time.
func (r *run) target(d time.Duration) int {
	if r.mean == 0 {
		if t := r.config.Limit.Time(); t > 0 {
			return min(max(1, int(d/t)), maxBatch)
		}
		return firstBatch
	}
	return int(min(max(1, d.Seconds()/r.mean), maxBatch))
}

// cut takes at most so many positions off what is ready, whole lines where memory is kept for a line.
func (r *run) cut(positions int) *batch {
	b := &batch{}
	size := 0
	for positions > 0 && len(r.ready) > 0 && size < maxBatchData && len(b.pieces) < maxQuestions {
		p := &r.ready[0]
		n := p.to - p.from
		if r.config.HashScope() == stockfish.PositionScope {
			n = min(n, positions)
		}
		size += 2 * p.line.Plies[p.from+n-1]
		r.addUndone(b, piece{p.line, p.from, p.from + n}, true)
		p.from += n
		r.waiting -= n
		positions -= n
		if p.from == p.to {
			r.ready = r.ready[1:]
		}
	}
	if len(b.pieces) == 0 {
		return nil
	}
	return b
}

// addUndone adds to a batch what is to be searched of a piece, as one piece or several.
func (r *run) addUndone(b *batch, p piece, own bool) {
	whole := r.config.HashScope() == stockfish.LineScope
	skip := func(k int) bool {
		if whole && !own && slices.Max(p.line.losses) >= maxLost {
			return true
		}
		return p.line.done[k] || !own && p.line.losses[k] >= maxLost
	}
	for from := p.from; from < p.to; from++ {
		if skip(from) {
			continue
		}
		to := from + 1
		for to < p.to && !skip(to) {
			to++
		}
		b.pieces = append(b.pieces, piece{p.line, from, to})
		from = to
	}
}

// publish offers batches to workers: as many as they have slots for, each with one ahead and some to spare.
func (r *run) publish(ctx context.Context) {
	slots, workers := r.crowd()
	if slots == 0 || r.full {
		return
	}
	r.publishChecks(ctx, workers)
	for len(r.batch) < 2*slots+slots/2+2 && !r.full {
		b := r.lostBatch(false)
		if b == nil {
			b = r.cut(min(r.target(r.share.BatchTime), max(1, r.waiting/(2*(slots+len(r.own))))))
		}
		if b == nil {
			return
		}
		r.offer(ctx, b)
	}
}

// lostBatch is the next one that was lost, without what is done meanwhile; nil if there is none.
func (r *run) lostBatch(own bool) *batch {
	for len(r.again) > 0 {
		b := r.again[0]
		r.again = r.again[1:]
		if r.prune(b, own) {
			return b
		}
	}
	return nil
}

// prune takes out of a batch what is done, and for workers what they cannot do, and reports whether anything is left.
func (r *run) prune(b *batch, own bool) bool {
	pieces := b.pieces
	b.pieces = nil
	for _, p := range pieces {
		r.addUndone(b, p, own)
	}
	return len(b.pieces) > 0
}

// offer puts a batch into the queue. If that takes no more it is kept for later.
func (r *run) offer(ctx context.Context, b *batch) {
	var list []question
	for _, p := range b.pieces {
		list = append(list, newQuestion(&p.line.Job, p.line.Plies[p.from:p.to]))
	}
	for _, c := range b.checks {
		list = append(list, c.question)
	}
	n, err := r.fleet.Offer(ctx, fleet.Job{Asked: appendAsked(nil, list), Payload: appendLines(nil, list)})
	if err != nil {
		r.share.Log("%v", err)
		r.full = true
		r.keep(b)
		return
	}
	b.number = n
	r.batch[n] = b
}

// keep puts a batch back among those that are to be offered.
func (r *run) keep(b *batch) {
	if b.checks != nil {
		r.checks.back(b.checks)
		return
	}
	r.again = append(r.again, b)
}

// retractAll takes back what is offered, but for labels that are searched again: these go on.
func (r *run) retractAll() {
	for n, b := range r.batch {
		if b.checks == nil {
			r.fleet.Retract(n)
			delete(r.batch, n)
		}
	}
}

// lostOnes offers lost batches again, in halves after some losses; what is lost as a single position goes to the own
// engines.
func (r *run) lostOnes() {
	for _, l := range r.fleet.TakeLost() {
		b := r.batch[l.Number]
		delete(r.batch, l.Number)
		if b == nil {
			continue
		}
		if l.Blame {
			r.share.Log("worker %d: %s", l.Worker, l.Reason)
			b.lost++
		}
		r.lose(b)
	}
}

// lose sees to a batch that nobody has any more.
func (r *run) lose(b *batch) {
	if b.checks != nil {
		r.checks.lost(b.checks)
		return
	}
	if !r.prune(b, false) {
		return
	}
	if b.lost < maxLost {
		r.again = append(r.again, b)
		return
	}
	halves := b.halves(r.config.HashScope() == stockfish.LineScope)
	if halves == nil {
		r.ownOnly = append(r.ownOnly, b)
		return
	}
	r.again = append(r.again, halves...)
}

// halves cuts a batch in two, whole lines only if it must; nil if it cannot be cut.
func (b *batch) halves(whole bool) []*batch {
	if n := len(b.pieces); n > 1 {
		return []*batch{{pieces: slices.Clone(b.pieces[:n/2])}, {pieces: slices.Clone(b.pieces[n/2:])}}
	}
	p := b.pieces[0]
	if n := p.to - p.from; n > 1 && !whole {
		half := p.from + n/2
		return []*batch{{pieces: []piece{{p.line, p.from, half}}}, {pieces: []piece{{p.line, half, p.to}}}}
	}
	return nil
}

// answered takes an answer of a worker. What it says of positions that are not wanted any more is passed over.
func (r *run) answered(a *fleet.Answer) error {
	if r.Banned(a.Worker) {
		a.Reply(errors.New("banned"))
		return nil
	}
	list, outcomes, spent, err := r.read(a)
	if err != nil {
		a.Reply(err)
		return r.refuse(a, err)
	}
	r.learn(spent, len(outcomes))
	b := r.batch[a.Number]
	delete(r.batch, a.Number)
	if a.Number != 0 {
		r.fleet.Retract(a.Number)
	}
	for i := range list {
		q := &list[i]
		if err = r.take(a.Worker, q, outcomes[:len(q.plies)]); err != nil {
			break
		}
		outcomes = outcomes[len(q.plies):]
	}
	a.Reply(nil)
	if err != nil {
		return err
	}
	if b != nil {
		r.lose(b) // what it left out
	}
	return nil
}

// read decodes an answer and checks that all its labels are legal and complete.
func (r *run) read(a *fleet.Answer) (list []question, outcomes []outcome, spent time.Duration, err error) {
	if list, err = decodeAsked(a.Asked); err != nil {
		return nil, nil, 0, err
	}
	all := 0
	for i := range list {
		all += len(list[i].plies)
	}
	if spent, outcomes, err = decodeAnswer(a.Answer, len(r.prints), all); err != nil {
		return nil, nil, 0, err
	}
	rest := outcomes
	for i := range list {
		q := &list[i]
		if r.know(q) {
			if err := r.checkOutcomes(q, rest[:len(q.plies)]); err != nil {
				return nil, nil, 0, err
			}
		}
		rest = rest[len(q.plies):]
	}
	return list, outcomes, spent, nil
}

// know fills in the line of a question and reports whether it is one of those that are open.
func (r *run) know(q *question) bool {
	if q.index >= checkIndex {
		return r.checks.know(q)
	}
	l := r.open[q.index]
	last := q.plies[len(q.plies)-1]
	if l == nil || last > len(l.Moves) || hashLine(&l.Start, l.Moves[:last]) != q.hash {
		return false
	}
	q.start, q.moves, q.known = l.Start, l.Moves[:last], true
	return true
}

// refuse deals with an answer that cannot be right. The job goes to others.
func (r *run) refuse(a *fleet.Answer, why error) error {
	r.share.Log("worker %d: %v", a.Worker, why)
	if b := r.batch[a.Number]; b != nil {
		delete(r.batch, a.Number)
		r.fleet.Retract(a.Number)
		b.lost++
		r.lose(b)
	}
	r.refused[a.Worker]++
	if r.refused[a.Worker] >= maxRefused {
		return r.convict(a.Worker, fmt.Sprintf("%d answers could not be right, the last: %v", maxRefused, why))
	}
	return nil
}

// learn keeps the mean time of a position.
func (r *run) learn(spent time.Duration, positions int) {
	if positions == 0 || spent <= 0 {
		return
	}
	mean := max(spent.Seconds()/float64(positions), 1e-6)
	if r.mean == 0 {
		r.mean = mean
	}
	r.mean += smoothing * (mean - r.mean)
}

// take files what a worker says of one question.
func (r *run) take(worker int, q *question, outcomes []outcome) error {
	if !q.known {
		return nil
	}
	if q.index >= checkIndex {
		return r.checkAnswered(worker, q, outcomes)
	}
	l := r.open[q.index]
	if l == nil {
		return nil
	}
	whole := r.config.HashScope() == stockfish.LineScope
	if whole && (!slices.Equal(q.plies, l.Plies) || l.left < len(l.Plies) ||
		slices.ContainsFunc(outcomes, func(o outcome) bool { return o.labels == nil })) {
		r.fail(l, q, outcomes, true)
		return nil
	}
	r.fail(l, q, outcomes, false)
	var fresh []int
	for i, ply := range q.plies {
		k, found := slices.BinarySearch(l.Plies, ply)
		if !found || l.done[k] || outcomes[i].labels == nil {
			continue
		}
		fresh = append(fresh, i)
		if err := r.finish(l, k, stockfish.Result{Labels: outcomes[i].labels, Worker: worker}); err != nil {
			return err
		}
	}
	r.draw(worker, q, outcomes, fresh)
	return nil
}

// fail counts what a worker could not search. A position, or a line, that several could not goes to the own engines.
func (r *run) fail(l *line, q *question, outcomes []outcome, whole bool) {
	for i, ply := range q.plies {
		k, found := slices.BinarySearch(l.Plies, ply)
		if !found || l.done[k] || outcomes[i].failed == "" {
			continue
		}
		r.share.Log("%s", outcomes[i].failed)
		if l.losses[k]++; l.losses[k] != maxLost {
			continue
		}
		if whole {
			r.ownOnly = append(r.ownOnly, &batch{pieces: []piece{{l, 0, len(l.Plies)}}})
		} else {
			r.ownOnly = append(r.ownOnly, &batch{pieces: []piece{{l, k, k + 1}}})
		}
	}
}

// finish hands one result on.
func (r *run) finish(l *line, k int, result stockfish.Result) error {
	result.Index, result.Sample = l.Index, k
	l.done[k] = true
	if l.left--; l.left == 0 {
		delete(r.open, l.Index)
	}
	r.count(&result)
	return r.done(result)
}

// convict bans a worker and ends the run.
func (r *run) convict(worker int, reason string) error {
	r.share.Log("worker %d is banned: %s", worker, reason)
	if err := r.ban(worker, reason); err != nil {
		return err
	}
	r.checks.forget(worker)
	return &WithdrawnError{Worker: worker, Reason: reason}
}

// ownBatch makes ready what the next own engine gets; nil if there is nothing for it.
func (r *run) ownBatch() *batch {
	if r.prepared != nil || len(r.own) == 0 {
		return r.prepared
	}
	slots, _ := r.crowd()
	switch {
	case len(r.checks.own) > 0:
		r.prepared = &batch{checks: r.checks.own[:1:1]}
		r.checks.own = r.checks.own[1:]
	case len(r.ownOnly) > 0:
		b := r.ownOnly[0]
		r.ownOnly = r.ownOnly[1:]
		if r.prune(b, true) {
			r.prepared = b
		}
	case slots == 0 || len(r.ready) == 0:
		r.prepared = r.lostBatch(true)
	}
	if r.prepared == nil {
		r.prepared = r.cut(min(r.target(min(ownBatchTime, r.share.BatchTime)), max(1, r.waiting/(2*(slots+len(r.own))))))
	}
	return r.prepared
}

// search is the goroutine of an own engine.
func (r *run) search(ctx context.Context, engine *stockfish.Pool) {
	for b := range r.give {
		begun := time.Now()
		var jobs []stockfish.Job
		for i, p := range b.pieces {
			jobs = append(jobs, stockfish.Job{Index: int64(i), Start: p.line.Start, Moves: p.line.Moves,
				Plies: p.line.Plies[p.from:p.to]})
		}
		for i, c := range b.checks {
			jobs = append(jobs, stockfish.Job{Index: int64(i), Start: c.start, Moves: c.moves, Plies: c.plies})
		}
		err := engine.Label(ctx, slices.Values(jobs), func(result stockfish.Result) error {
			r.results <- ownResult{batch: b, item: int(result.Index), sample: result.Sample, result: result}
			return nil
		})
		if ctx.Err() != nil {
			err = nil
		}
		r.results <- ownResult{batch: b, over: true, err: err, spent: time.Since(begun)}
	}
}

// ownDone takes what an own engine says.
func (r *run) ownDone(o ownResult) error {
	if o.batch.checks != nil {
		return r.ownCheck(o)
	}
	if !o.over {
		p := o.batch.pieces[o.item]
		if p.line.done[p.from+o.sample] {
			return nil // a late answer was quicker
		}
		return r.finish(p.line, p.from+o.sample, o.result)
	}
	r.under--
	if o.err != nil {
		return o.err
	}
	n := 0
	for _, p := range o.batch.pieces {
		n += p.to - p.from
	}
	r.learn(o.spent, n)
	return nil
}

// legal checks a label of a worker: it must make sense on the board and be all that was asked for.
func (p *Pool) legal(q *question, labels [][]dataset.Label) error {
	pos := q.start
	at := 0
	for i, ply := range q.plies {
		for ; at < ply; at++ {
			pos.Play(q.moves[at])
		}
		if labels[i] == nil {
			continue
		}
		over := pos.IsDead() || !pos.HasLegalMove()
		moves := len(pos.LegalMoves(nil))
		for k := range labels[i] {
			l := &labels[i][k]
			if err := l.Check(&pos); err != nil {
				return err
			}
			want := dataset.Labelled
			if over {
				want = dataset.Terminal
			}
			if l.Status != want {
				return fmt.Errorf("the label of %q is %v, not %v", pos.FEN(), l.Status, want)
			}
			if over {
				continue
			}
			if n := min(moves, max(p.config.MultiPV, 1)); len(l.Lines) != n {
				return fmt.Errorf("%d lines for %d moves in %q", len(l.Lines), n, pos.FEN())
			}
			firsts := map[string]bool{}
			for rank := range l.Lines {
				if len(l.Lines[rank].PV) == 0 || firsts[l.Lines[rank].PV[0].String()] {
					return fmt.Errorf("line %d in %q has no first move of its own", rank+1, pos.FEN())
				}
				firsts[l.Lines[rank].PV[0].String()] = true
			}
		}
	}
	return nil
}

func (p *Pool) checkOutcomes(q *question, outcomes []outcome) error {
	labels := make([][]dataset.Label, len(outcomes))
	for i := range outcomes {
		labels[i] = outcomes[i].labels
	}
	return p.legal(q, labels)
}
