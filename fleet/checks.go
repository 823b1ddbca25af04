package fleet

import (
	"fmt"
	"slices"

	"talbot/dataset"
	"talbot/stockfish"
)

// checkIndex is the first index of questions that are asked a second time.
const checkIndex = 1 << 61

// check is a worker's answer that is searched again.
type check struct {
	question
	worker int // whose answer it is
	labels [][]dataset.Label
	asked  int  // how often it was offered to workers
	inside bool // an own engine is to search it, or does

	second       int // the worker that answered differently; 0: none
	secondLabels [][]dataset.Label
	own          [][]dataset.Label // as far as an own engine has come
}

// checks are the open checks.
type checks struct {
	number int64
	open   map[int64]*check // by index
	own    []*check         // for the own engines
	others []*check         // for another worker
}

// Limits of checks.
const (
	checkBatch = 16 // lines in a batch of checks
	maxAsked   = 3  // times that workers are asked, before the own engines are
	maxOthers  = 1 << 14
)

func newChecks() checks { return checks{open: map[int64]*check{}} }

func (c *checks) empty() bool { return len(c.open) == 0 }

// resolve fills in the line of a check's question.
func (c *checks) resolve(q *question) bool {
	k := c.open[q.index]
	if k == nil || k.hash != q.hash || !slices.Equal(k.plies, q.plies) {
		return false
	}
	q.start, q.moves, q.known = k.start, k.moves, true
	return true
}

// lost takes back checks that a worker had.
func (c *checks) lost(list []*check) {
	for _, k := range list {
		if c.open[k.index] != k {
			continue
		}
		if k.asked++; k.asked >= maxAsked {
			c.own = append(c.own, k)
		} else {
			c.others = append(c.others, k)
		}
	}
}

// forOwn gives a check back to the own engines.
func (c *checks) forOwn(k *check) {
	k.own, k.inside = nil, false
	c.own = append(c.own, k)
}

// recover returns checks that an own engine had when the work was broken off.
func (c *checks) recover() {
	for _, k := range c.open {
		if k.inside {
			c.forOwn(k)
		}
	}
}

// forget drops the open checks of a worker, and its labels for checks of others.
func (c *checks) forget(worker int) {
	gone := func(k *check) bool { return k.worker == worker }
	for index, k := range c.open {
		if gone(k) {
			delete(c.open, index)
		}
	}
	c.own, c.others = slices.DeleteFunc(c.own, gone), slices.DeleteFunc(c.others, gone)
}

// draw decides which of a worker's fresh labels are searched again: single positions, or whole lines where memory is
// kept for a line. Labels under a time limit prove nothing.
func (r *run) draw(worker int, q *question, outcomes []outcome, fresh []int) {
	if !r.config.Exact() || len(fresh) == 0 {
		return
	}
	if r.whole() {
		if r.random.Float64() < r.share.CheckShare {
			r.addCheck(worker, *q, labelsOf(outcomes))
		}
		return
	}
	for _, i := range fresh {
		if r.random.Float64() < r.share.CheckShare {
			one := newQuestion(&stockfish.Job{Start: q.start, Moves: q.moves}, []int{q.plies[i]})
			r.addCheck(worker, one, labelsOf(outcomes[i:i+1]))
		}
	}
}

func (r *run) addCheck(worker int, q question, labels [][]dataset.Label) {
	c := &r.checks
	c.number++
	q.index = checkIndex + c.number
	k := &check{question: q, worker: worker, labels: labels}
	c.open[q.index] = k
	_, workers := r.workers()
	if workers > 1 && len(c.others) < maxOthers && (len(c.own) >= maxOwnChecks || r.random.Float64() >= ownChecks) {
		c.others = append(c.others, k)
	} else {
		c.own = append(c.own, k)
	}
}

// publishChecks offers checks to workers, some at a time.
func (r *run) publishChecks(workers int) {
	c := &r.checks
	if workers < 2 { // no other worker could answer
		c.own, c.others = append(c.own, c.others...), nil
		return
	}
	for (len(c.others) >= checkBatch || len(c.others) > 0 && r.ended) && !r.queueFull {
		n := min(len(c.others), checkBatch)
		b := &batch{checks: slices.Clone(c.others[:n])}
		c.others = c.others[n:]
		r.offer(b)
	}
}

// checkAnswered compares a worker's answer to a check with the first one.
func (r *run) checkAnswered(worker int, q *question, outcomes []outcome) error {
	c := &r.checks
	k := c.open[q.index]
	if k == nil || k.second != 0 {
		return nil
	}
	labels := labelsOf(outcomes)
	if slices.ContainsFunc(labels, func(l []dataset.Label) bool { return l == nil }) || worker == k.worker {
		return nil // the batch is not done, and goes to another; or the worker agrees with itself
	}
	r.checked.Add(int64(len(labels)))
	if sameLabels(labels, k.labels) {
		r.endCheck(k)
		return nil
	}
	k.second, k.secondLabels = worker, labels
	c.others = slices.DeleteFunc(c.others, func(o *check) bool { return o == k })
	c.own = slices.Insert(c.own, 0, k)
	return nil
}

func (r *run) endCheck(k *check) {
	delete(r.checks.open, k.index)
	same := func(o *check) bool { return o == k }
	r.checks.own, r.checks.others = slices.DeleteFunc(r.checks.own, same), slices.DeleteFunc(r.checks.others, same)
}

// ownCheck compares the answer of an own engine, which decides, with those of workers.
func (r *run) ownCheck(o ownResult) error {
	k := o.batch.checks[0]
	if !o.over {
		if o.result.Err == nil {
			k.own = append(k.own, o.result.Labels)
		}
		return nil
	}
	r.ownRunning--
	if o.err != nil {
		return o.err
	}
	if r.checks.open[k.index] != k {
		return nil
	}
	if len(k.own) < len(k.plies) { // the engine failed, or the work ends
		if k.asked++; k.asked >= 2*maxAsked {
			r.share.Log("labels of worker %d cannot be checked: the engine fails", k.worker)
			r.endCheck(k)
		} else {
			r.checks.forOwn(k)
		}
		return nil
	}
	r.checked.Add(int64(len(k.own)))
	r.endCheck(k)
	var found error
	for _, said := range []struct {
		worker int
		labels [][]dataset.Label
	}{{k.worker, k.labels}, {k.second, k.secondLabels}} {
		if said.worker == 0 || sameLabels(said.labels, k.own) || r.Banned(said.worker) {
			continue
		}
		r.disagreed.Add(1)
		end := k.start
		for _, m := range k.moves {
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

func sameLabels(a, b [][]dataset.Label) bool { return slices.EqualFunc(a, b, equalLabels) }
