package fleet

import (
	"bytes"
	"fmt"
	"slices"

	"talbot/stockfish"
)

// checkIndex is the first index of lines that are searched a second time.
const checkIndex = 1 << 61

// check is a worker's answer that is searched again, by another worker or an own engine.
type check struct {
	worker int      // whose answer it is
	labels [][]byte // of each position of the line

	second       int // the worker that answered differently; 0: none
	secondLabels [][]byte
	own          [][]byte // as far as an own engine has come
}

// Limits of checks.
const (
	checkBatch = 16 // lines in a batch of checks
	maxOthers  = 1 << 14
)

// draw decides which of a worker's fresh labels are searched again: single positions, or whole lines where memory is
// kept for a line. Labels under a time limit prove nothing.
func (r *run) draw(worker int, q *question, outcomes []outcome, fresh []int) {
	if !r.config.Exact() || len(fresh) == 0 {
		return
	}
	if r.whole() {
		if r.random.Float64() < r.share.CheckShare {
			r.addCheck(worker, stockfish.Job{Start: q.start, Moves: q.moves, Plies: q.Plies}, outcomes)
		}
		return
	}
	for _, i := range fresh {
		if ply := q.Plies[i]; r.random.Float64() < r.share.CheckShare {
			r.addCheck(worker, stockfish.Job{Start: q.start, Moves: q.moves[:ply], Plies: []int{ply}}, outcomes[i:i+1])
		}
	}
}

func (r *run) addCheck(worker int, j stockfish.Job, outcomes []outcome) {
	r.lastCheck++
	j.Index = checkIndex + r.lastCheck
	l := newOpenLine(j)
	l.check = &check{worker: worker, labels: labelsOf(outcomes)}
	r.checks[j.Index] = l
	r.beginCheck(l)
}

// beginCheck has a line searched again: half and half by the own engines and by other workers.
func (r *run) beginCheck(l *openLine) {
	r.open[l.Index] = l
	l.check.own = make([][]byte, len(l.Plies))
	clear(l.losses)
	_, workers := r.workers()
	if l.check.second == 0 && workers > 1 && len(r.others) < maxOthers &&
		(len(r.ownOnly) >= maxOwnChecks || r.random.Float64() >= ownChecks) {
		r.others = append(r.others, l)
	} else {
		r.ownOnly = append(r.ownOnly, &batch{positions: l.positions()})
	}
}

// publishChecks offers checks to workers, some at a time.
func (r *run) publishChecks(workers int) {
	for len(r.others) >= checkBatch || len(r.others) > 0 && (r.ended || workers < 2) {
		n := min(len(r.others), checkBatch)
		b := &batch{}
		for _, l := range r.others[:n] {
			b.positions = append(b.positions, l.positions()...)
		}
		r.others = r.others[n:]
		if workers < 2 { // no other worker could answer
			r.ownOnly = append(r.ownOnly, b)
		} else {
			r.requeued = append(r.requeued, b)
		}
	}
}

// checkAnswered compares a worker's answer to a check with the first one.
func (r *run) checkAnswered(worker int, l *openLine, labels [][]byte) {
	switch k := l.check; {
	case k.second != 0: // an own engine is to decide
	case worker == k.worker: // it agrees with itself, and the check goes to another
		r.fail(l, 0)
	case sameLabels(labels, k.labels):
		r.checked.Add(int64(len(labels)))
		r.endCheck(l)
	default:
		r.checked.Add(int64(len(labels)))
		k.second, k.secondLabels = worker, labels
		l.losses[0] = maxLost // no further worker
		r.ownOnly = slices.Insert(r.ownOnly, 0, &batch{positions: l.positions()})
	}
}

// endCheck ends a check. Batches that have its positions lose them.
func (r *run) endCheck(l *openLine) {
	delete(r.checks, l.Index)
	delete(r.open, l.Index)
	for i := range l.done {
		l.done[i] = true
	}
}

// ownCheck takes the answer of an own engine for a position of a check. Once it has all of them they decide about those
// of workers.
func (r *run) ownCheck(p position, result stockfish.Result) error {
	l, k := p.line, p.line.check
	if result.Err != nil {
		if l.losses[p.k]++; l.losses[p.k] < maxOwnLosses {
			r.ownOnly = append(r.ownOnly, &batch{positions: l.positions()})
			return nil
		}
		r.share.Log("labels of worker %d cannot be checked: %v", k.worker, result.Err)
		r.endCheck(l)
		return nil
	}
	k.own[p.k] = labelBytes(result.Labels)
	if slices.ContainsFunc(k.own, func(b []byte) bool { return b == nil }) {
		return nil
	}
	r.checked.Add(int64(len(k.own)))
	r.endCheck(l)
	var found error
	for _, said := range []struct {
		worker int
		labels [][]byte
	}{{k.worker, k.labels}, {k.second, k.secondLabels}} {
		if said.worker == 0 || sameLabels(said.labels, k.own) || r.Banned(said.worker) {
			continue
		}
		r.disagreed.Add(1)
		end := l.Start
		for _, m := range l.Moves {
			end.Play(m)
		}
		reason := fmt.Sprintf("its label of %q is not what the coordinator's engine gives", end.FEN())
		err := r.banWorker(said.worker, reason)
		if found == nil {
			found = err
		}
	}
	return found
}

func sameLabels(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }
