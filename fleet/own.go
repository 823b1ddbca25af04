package fleet

import (
	"context"
	"slices"
	"time"

	"talbot/stockfish"
)

// ownResult is the result of an own engine for one position, or the end of a batch.
type ownResult struct {
	batch  *batch
	item   int // index of the piece or check
	sample int // index into its plies
	result stockfish.Result
	over   bool
	err    error // of the engine, with over
	spent  time.Duration
}

// ownBatch prepares the batch for the next own engine; nil if there is none.
func (r *run) ownBatch() *batch {
	if r.prepared != nil || len(r.own) == 0 {
		return r.prepared
	}
	slots, _ := r.workers()
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
		r.prepared = r.cut(r.size(min(ownBatchTime, r.share.BatchTime)))
	}
	return r.prepared
}

// search is the goroutine of an own engine.
func (r *run) search(ctx context.Context, engine *stockfish.Pool) {
	for b := range r.toOwn {
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

// ownDone handles the result of an own engine.
func (r *run) ownDone(o ownResult) error {
	if o.batch.checks != nil {
		return r.ownCheck(o)
	}
	if !o.over {
		p := o.batch.pieces[o.item]
		if p.line.done[p.from+o.sample] {
			return nil // a late answer came first
		}
		return r.finish(p.line, p.from+o.sample, o.result)
	}
	r.ownRunning--
	if o.err != nil {
		return o.err
	}
	n := 0
	for _, p := range o.batch.pieces {
		n += p.to - p.from
	}
	r.updateMean(0, o.spent, n)
	return nil
}
