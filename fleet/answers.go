package fleet

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// onResults takes an answer and those that wait after it, for a while.
func (r *run) onResults(a *delivery, more <-chan *delivery) error {
	for until := time.Now().Add(stepTime); ; {
		if err := r.onResult(a); err != nil || time.Now().After(until) {
			return err
		}
		select {
		case a = <-more:
		default:
			return nil
		}
	}
}

// onResult handles a worker's answer. Positions that are not wanted any more are skipped.
func (r *run) onResult(a *delivery) error {
	if r.Banned(a.worker) {
		a.reply(errors.New("banned"))
		return nil
	}
	list, answer, err := r.read(a)
	if err != nil {
		a.reply(err)
		return r.refuse(a, err)
	}
	outcomes := answer.Outcomes
	b := r.batch[a.number]
	if b != nil {
		r.updateMean(a.worker, min(answer.Spent, r.now().Sub(b.offered)), len(outcomes))
	}
	delete(r.batch, a.number)
	r.fleet.Retract(a.number)
	for i := range list {
		q := &list[i]
		if err = r.record(a.worker, q, outcomes[:len(q.Plies)]); err != nil {
			break
		}
		outcomes = outcomes[len(q.Plies):]
	}
	a.reply(nil)
	if err != nil {
		return err
	}
	if b != nil {
		r.requeue(b) // what it left out
	}
	return nil
}

// read decodes an answer and checks that all its labels are legal and complete.
func (r *run) read(a *delivery) (list []question, answer answer, err error) {
	if list, err = decodeAsked(a.query); err != nil {
		return nil, answer, err
	}
	if answer, err = decodeAnswer(a.answer, len(r.prints), positions(list)); err != nil {
		return nil, answer, err
	}
	rest := answer.Outcomes
	for i := range list {
		q := &list[i]
		if r.resolve(q) {
			if err := r.checkLabels(q, rest[:len(q.Plies)]); err != nil {
				return nil, answer, err
			}
		}
		rest = rest[len(q.Plies):]
	}
	return list, answer, nil
}

// resolve fills in the line of a question and reports whether it is one of those that are open.
func (r *run) resolve(q *question) bool {
	l := r.open[q.Index]
	last := q.Plies[len(q.Plies)-1]
	if l == nil || last > len(l.Moves) || hashLine(&l.Start, l.Moves[:last]) != q.Hash {
		return false
	}
	q.start, q.moves, q.known = l.Start, l.Moves[:last], true
	return true
}

// refuse handles an invalid answer. The job goes to others.
func (r *run) refuse(a *delivery, why error) error {
	r.share.Log("worker %d: %v", a.worker, why)
	if b := r.batch[a.number]; b != nil {
		delete(r.batch, a.number)
		r.fleet.Retract(a.number)
		b.lost++
		r.requeue(b)
	}
	r.refused[a.worker]++
	if r.refused[a.worker] >= maxRefused {
		return r.banWorker(a.worker, fmt.Sprintf("%d answers could not be right, the last: %v", maxRefused, why))
	}
	return nil
}

// updateMean updates the time for a position: the median over the own engines, worker 0, and each worker. Workers may
// claim any time, so a claim far from the own engines' time does not count.
func (r *run) updateMean(worker int, spent time.Duration, positions int) {
	if positions == 0 || spent <= 0 {
		return
	}
	mean := max(spent.Seconds()/float64(positions), 1e-6)
	if own := r.means[0]; own > 0 && worker > 0 {
		mean = min(max(mean, own/maxSpeed), own*maxSpeed)
	}
	if old := r.means[worker]; old > 0 {
		mean = old + smoothing*(mean-old)
	}
	if r.means == nil {
		r.means = map[int]float64{}
	}
	r.means[worker] = mean
	all := slices.Sorted(maps.Values(r.means))
	r.mean = math.Sqrt(all[(len(all)-1)/2] * all[len(all)/2])
}

// record stores a worker's outcomes for one question. Lines that are searched whole, and checks, count whole.
func (r *run) record(worker int, q *question, outcomes []outcome) error {
	l := r.open[q.Index]
	if l == nil || !q.known {
		return nil
	}
	whole := r.whole() || l.check != nil
	complete := slices.Equal(q.Plies, l.Plies) && l.left == len(l.Plies) &&
		!slices.ContainsFunc(outcomes, func(o outcome) bool { return o.labels == nil })
	if l.check != nil && complete {
		r.checkAnswered(worker, l, labelsOf(outcomes))
		return nil
	}
	var fresh []int
	for i, ply := range q.Plies {
		k, found := slices.BinarySearch(l.Plies, ply)
		switch o := &outcomes[i]; {
		case !found || l.done[k]:
		case o.Failed != "":
			r.share.Log("%s", o.Failed)
			r.fail(l, k)
		case o.labels != nil && (!whole || complete):
			fresh = append(fresh, i)
			if err := r.finish(l, k, stockfish.Result{Labels: o.labels, Worker: worker}); err != nil {
				return err
			}
		}
	}
	r.draw(worker, q, outcomes, fresh)
	return nil
}

// fail counts that a worker could not search a position. What several workers failed at goes to the own engines, with
// its line where that is searched whole.
func (r *run) fail(l *openLine, k int) {
	if l.losses[k]++; l.losses[k] != maxLost {
		return
	}
	failed := []position{{l, k}}
	if r.whole() {
		failed = l.positions()
	}
	r.ownOnly = append(r.ownOnly, &batch{positions: failed})
}

// finish hands one result on.
func (r *run) finish(l *openLine, k int, result stockfish.Result) error {
	result.Index, result.Sample = l.Index, k
	l.done[k] = true
	if l.left--; l.left == 0 {
		delete(r.open, l.Index)
	}
	r.count(&result)
	return r.done(result)
}

// banWorker bans a worker and ends the run.
func (r *run) banWorker(worker int, reason string) error {
	r.share.Log("worker %d is banned: %s", worker, reason)
	if err := r.ban(worker, reason); err != nil {
		return err
	}
	for _, l := range r.checks {
		if l.check.worker == worker {
			r.endCheck(l)
		}
	}
	delete(r.means, worker)
	return &WithdrawnError{Worker: worker, Reason: reason}
}

// checkLabels checks a worker's labels for a line: they must be legal on the board and complete.
func (p *Pool) checkLabels(q *question, outcomes []outcome) error {
	pos := q.start
	at := 0
	for i, ply := range q.Plies {
		for ; at < ply; at++ {
			pos.Play(q.moves[at])
		}
		labels := outcomes[i].labels
		if labels == nil {
			continue
		}
		over := pos.IsDead() || !pos.HasLegalMove()
		moves := len(pos.LegalMoves(nil))
		for k := range labels {
			l := &labels[k]
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
			if l.MixesDepths() {
				return fmt.Errorf("the lines of %q are of different depths", pos.FEN())
			}
			firsts := map[board.Move]bool{}
			for rank := range l.Lines {
				pv := l.Lines[rank].PV
				if len(pv) == 0 || firsts[pv[0]] {
					return fmt.Errorf("line %d in %q has no first move of its own", rank+1, pos.FEN())
				}
				firsts[pv[0]] = true
			}
		}
	}
	return nil
}
